"""What a result shows: names rather than keys, what it is ranked by, what its groups are, one figure for a count."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords, Cue
from askwell.checking.rewrites import counted, is_grouped_plainly, is_plain, with_columns, with_labels
from askwell.checking.statement import Written, names_of
from askwell.mdl.semantic_model import Cardinality, ColumnRef, Table
from askwell.mdl.types import TypeFamily, type_family
from askwell.question.stems import stems, stems_of_word
from askwell.semantic_parsing.model.facts import TableFacts
from askwell.semantic_parsing.model.finding_facts import facts_of_table
from askwell.semantic_parsing.model.word_forms import word_forms

_D, _N = Severity.DOUBT, Severity.NOTE
# A count that a question begins with is what it asks for: "What is the number of …".
_BEGINNING = 2


def hidden_labels(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Keys of things that people know by names, where these are not shown and no word asks for keys."""
    root = written.root
    if root is None or any(item.is_star for item in root.expressions):
        return
    if set(asked.stems) & (word_forms().key_words | cues().stems["key_words"]) or listed_for_count(asked, written):
        return
    shown = {written.ref(item.unalias()) for item in root.expressions}
    for item in root.expressions:
        ref = written.refs.get(id(item.unalias()))
        if ref is None or (ref.table, ref.column) not in written.keys:
            continue
        for table, key in _keyed(ref, written):
            facts = facts_of_table(table, written.model)
            labels = _labels(facts, ColumnRef(table.name, key)) if facts is not None else ()
            if facts is None or not labels or shown & set(labels) or not _is_asked(ref, key, facts, asked):
                continue
            names = [label.column for label in labels]
            text = written.text(item)
            message = f"{text} is a key, and people know {table.name} by {' and '.join(names)}."
            yield Finding("key_shown", _D, "", text, message, with_labels(written, item, table, key, names))
            break


def _keyed(ref: ColumnRef, written: Written) -> Iterator[tuple[Table, str]]:
    """The tables that a column is the only key of, or refers to by a declared link; each with its own key column."""
    own = written.model.table(ref.table)
    if own is not None and own.primary_key == (ref.column,):
        yield own, ref.column
    for link in written.model.relationships:
        if link.inferred or len(link.pairs) != 1:
            continue
        ((here, there),) = link.pairs
        ends = [(ColumnRef(link.left, here), ColumnRef(link.right, there), link.cardinality)]
        ends += [(ends[0][1], ends[0][0], link.cardinality.reversed())]
        for mine, other, cardinality in ends:
            table = written.model.table(other.table)
            is_one = cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE)
            if mine == ref and is_one and table is not None:
                yield table, other.column


def _labels(facts: TableFacts, key: ColumnRef) -> tuple[ColumnRef, ...]:
    """The columns by which people know a row; none where its key is one, or a text, which is as readable."""
    labels, column = facts.labels, facts.table.column(key.column)
    is_readable = column is not None and type_family(column.type) is TypeFamily.TEXT
    words = {word for label in labels for word in stems(label.column)}
    return () if is_readable or key in labels or words & word_forms().describing else labels


def _is_asked(ref: ColumnRef, key: str, facts: TableFacts, asked: AskedWords) -> bool:
    """Whether the thing is asked for, and not its key by name."""
    known = set(asked.stems)
    named = {stem for name in names_of(facts.table) for stem in stems(name)}
    own = set(stems(ref.column)) - word_forms().key_words
    if ref == ColumnRef(facts.table.name, key) and own & known - named:
        return False
    return bool(known & (named | own)) or (facts.is_somebody and bool(cues().first(asked, "who")))


def hidden_ranks(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What the rows are ranked by, where it is not shown."""
    root = written.root
    order = root.args.get("order") if root is not None else None
    limit = root.args.get("limit") if root is not None else None
    words = cues().first(asked, "figure_wanted")
    if root is None or order is None or any(item.is_star for item in root.expressions):
        return
    if root.args.get("group") is None and any(item.find(exp.AggFunc) for item in root.expressions):
        return
    node = order.expressions[0].this
    one_row = limit is not None and limit.expression is not None and limit.expression.name == "1"
    if (one_row and not words) or _is_shown(node, root, written):
        return
    name = node.name if isinstance(node, exp.Column) else written.text(node)
    message = f"The rows are ranked by {name}, which is not shown."
    rewrite = with_columns(written, [node], f"Also shows {name}.", first=False)
    words = "" if any(_is_figure(item, written) for item in root.expressions) else words
    yield Finding("ranked_by_hidden", _D if words else _N, words, written.text(node), message, rewrite)


def _is_figure(item: exp.Expr, written: Written) -> bool:
    """Whether a count or an amount is shown."""
    ref = written.ref(item.unalias())
    named = set(stems(ref.column)) if ref is not None else set()
    return item.find(exp.AggFunc) is not None or bool(named & cues().stems["quantity_words"])


def _is_shown(node: exp.Expr, root: exp.Select, written: Written) -> bool:
    """Whether a figure is shown, or an aggregate of the same kind; also what is no figure."""
    ref = written.ref(node)
    if not isinstance(node, exp.Column | exp.AggFunc | exp.Binary) or node.find(exp.Query):
        return True
    if isinstance(node, exp.Column) and (ref is None or (ref.table, ref.column) in written.keys):
        return True
    shown = [item.unalias() for item in root.expressions]
    kinds = {type(part) for item in shown for part in item.find_all(exp.AggFunc)}
    if isinstance(node, exp.AggFunc) and type(node) in kinds:
        return True
    columns = [written.refs.get(id(column)) for item in shown for column in item.find_all(exp.Column)]
    return (ref is not None and ref in columns) or written.text(node) in map(written.text, shown)


def hidden_groups(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Figures of groups, where nothing says whose they are."""
    root = written.root
    group = root.args.get("group") if root is not None else None
    if root is None or group is None or not group.expressions or root.args.get("limit") is not None:
        return
    cue = next((cue for cue in asked.cues if cue.is_only("EACH", "EACH_ONE")), None)
    columns = (column for item in root.expressions for column in item.find_all(exp.Column))
    only_figures = all(column.find_ancestor(exp.AggFunc) for column in columns)
    shown = {written.refs.get(id(one)) for item in root.expressions for one in item.find_all(exp.Column)}
    if shown & {written.refs.get(id(one)) for one in group.find_all(exp.Column)}:
        return  # MIN(name) of groups by lower(name)
    if cue is None or not only_figures or not is_grouped_plainly(root) or root is not written.tree:
        return
    text = ", ".join(map(written.text, group.expressions))
    message = f"There is a figure for each {text}, and {text} is not shown."
    rewrite = with_columns(written, group.expressions, f"Also shows {text}.", first=True)
    yield Finding("group_hidden", _D, cue.words, text, message, rewrite)


def listed_for_count(asked: AskedWords, written: Written) -> Finding | None:
    """A list where "how many" asks for a figure, and nothing that is shown can be one."""
    root = written.root
    cue = next((cue for cue in asked.cues if cue.is_only("COUNT") and ("COUNT", "count") in cue.meanings), None)
    many = cues().first(asked, "how_many") or "?"
    begins = cue is not None and (cue.start <= _BEGINNING or cue.words.startswith(many))
    if root is None or cue is None or not begins or root.find(exp.Group, exp.Window, exp.Limit):
        return None
    shown = [item.unalias() for item in root.expressions]
    if not all(item.is_star or _is_no_figure(item, written) for item in shown):
        return None
    text = ", ".join(map(written.text, root.expressions))
    message = f"“{cue.words}” asks for a figure, and {text} is a list."
    return Finding("list_for_count", _D, cue.words, text, message, _as_count(cue, asked, written))


def _is_no_figure(item: exp.Expr, written: Written) -> bool:
    ref = written.refs.get(id(item))
    column = written.column(ref) if ref is not None else None
    if ref is None or column is None or set(stems(ref.column)) & cues().stems["quantity_words"]:
        return False
    return (ref.table, ref.column) in written.keys or type_family(column.type) is TypeFamily.TEXT


def _as_count(cue: Cue, asked: AskedWords, written: Written) -> Rewrite | None:
    """A count of the rows of the one table that is read, where the words after "how many" name it; of the different
    values of the one column, where they name that and ask for different ones."""
    root = written.root
    if root is None or not is_plain(written) or root.args.get("joins") or len(written.tables) != 1:
        return None
    after = {stem for token in asked.tokens[cue.end : cue.end + 2] for stem in stems_of_word(token.low)}
    only = root.expressions[0].unalias() if len(root.expressions) == 1 else None
    table, is_each = written.tables[0], root.args.get("distinct") is not None
    if is_each or cues().first(asked, "different"):
        if not isinstance(only, exp.Column) or not after & set(stems(only.name)):
            return None
        distinct = exp.Count(this=exp.Distinct(expressions=[only.copy()]))
        return counted(written, distinct, f"Counts each {only.name} once.")
    if not any(set(stems(name)) <= after for name in names_of(table)):
        return None
    return counted(written, exp.Count(this=exp.Star()), f"Counts the rows of {table.name}.")
