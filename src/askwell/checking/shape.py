"""The shape of a result: what is shown, and whether it can be the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from askwell.checking import rewrites
from askwell.checking.finding import Finding, Rewrite, Severity, finding
from askwell.checking.question import AskedWords, Cue, cues
from askwell.checking.statement import Written, named
from askwell.mdl.semantic_model import Cardinality, ColumnRef, Table, names_of
from askwell.mdl.types import TypeFamily, type_family
from askwell.question.words import stems, stems_of_word
from askwell.semantic_parsing.model.facts import TableFacts
from askwell.semantic_parsing.model.finding_facts import facts_of_table
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import FanOut, Statement, find_fan_outs, undetermined_columns
from askwell.sql.names import fold

# A count that a question begins with is what it asks for: "What is the number of …".
_BEGINNING = 2
# How many words after "how many" say of what.
_NEAR = 3


def shapes(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What cannot be the answer as it is shown."""
    yield from _constant(written)
    yield from _hidden_labels(asked, written)
    yield from _hidden_ranks(asked, written)
    yield from _hidden_groups(asked, written)
    statement = Statement.of(written.bound, written.model)
    # UPPER(name) of groups by LOWER(name) has one value.
    groups = [written.ref(one) for group in written.tree.find_all(exp.Group) for one in group.find_all(exp.Column)]
    columns = [column for _, column in undetermined_columns(statement) if column.find_ancestor(exp.Order) is None]
    if found := next((column for column in columns if written.ref(column) not in groups), None):
        yield finding("undetermined", sql=written.text(found))
    yield from _text_extremes(asked, written)
    yield from _tables(asked, written, find_fan_outs(statement))


def _text_extremes(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """The last by its letters of the names in a group that does not determine them."""
    for node in written.tree.find_all(exp.Max, exp.Min) if not cues().first(asked, "by_letters") else ():
        select, ref = node.find_ancestor(exp.Select), _origin(node.this, written)
        group = select.args.get("group") if select is not None else None
        if group is None or ref is None or not is_name(ref, written):
            continue
        groups = [one for column in group.find_all(exp.Column) if (one := _origin(column, written)) is not None]
        keys = [one for one in groups if one in written.keys]
        if groups and ref not in groups and not any(ref.table in written.looked_up(one.table) for one in keys):
            yield finding("text_extreme", sql=written.text(node), end="last" if isinstance(node, exp.Max) else "first")


def _origin(node: exp.Expr | None, written: Written) -> ColumnRef | None:
    """The column that an expression is, also through the names that subqueries give."""
    while (ref := written.ref(node)) is None and isinstance(node, exp.Column) and id(node) in written.sources:
        origin = written.sources[id(node)].origins.get(fold(node.name))
        node = origin if isinstance(origin, exp.Expr) else None
    return ref


def is_name(ref: ColumnRef, written: Written) -> bool:
    """Whether a column of texts is one by which people know a row."""
    table, column = written.model.table(ref.table), written.column(ref)
    facts = facts_of_table(table, written.model) if table is not None else None
    is_text = column is not None and type_family(column.type) is TypeFamily.TEXT
    return is_text and facts is not None and ref in facts.labels and ref not in written.keys


def _constant(written: Written) -> Iterator[Finding]:
    """All that is shown is fixed by a filter."""
    where = written.clause("where")
    equal = [part for part in written.filters if where is not None and isinstance(part.node, exp.EQ)]
    equal = [part for part in equal if part.node.find_ancestor(exp.Where) is where]
    fixed = {part.ref for part in equal if part.node.find_ancestor(exp.Or, exp.Not, exp.Subquery) is None}
    if written.shown and fixed.issuperset(written.shown):
        yield finding("constant_answer", sql=written.text(written.items[0]))


# Names rather than keys


def _hidden_labels(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Keys of things that people know by names, where these are not shown and no word asks for keys."""
    if any(item.is_star for item in written.items) or listed_for_count(asked, written):
        return
    if asked.stems & (word_forms().key_words | cues().stems["key_words"]):
        return
    bare = [ref for item in written.items if (ref := written.refs.get(id(item.unalias()))) is not None]
    only_keys, shown = written.keys.issuperset(bare), {ref for item in written.items for ref in written.refs_in(item)}
    for item in written.items:
        ref = written.refs.get(id(item.unalias()))
        for table, key, is_certain in _keyed(ref, written) if ref is not None and ref in written.keys else ():
            facts = facts_of_table(table, written.model)
            labels = _labels(facts, ColumnRef(table.name, key)) if facts is not None else ()
            if facts is None or not labels or shown & set(labels):
                continue
            own = set(stems(ref.column)) if ref is not None else set()
            if not ((only_keys and own.isdisjoint(asked.stems)) or _is_asked(ref, key, facts, asked)):
                continue
            names = [label.column for label in labels]
            rewrite = rewrites.with_labels(written, item, table, key, names) if is_certain else None
            text, said = written.text(item), " and ".join(names)
            yield finding("key_shown", sql=text, rewrite=rewrite, table=table.name, names=said)
            break


def _keyed(ref: ColumnRef, written: Written) -> Iterator[tuple[Table, str, bool]]:
    """The tables that a column is the only key of, or refers to; each with its own key column, and whether that is
    declared."""
    own = written.model.table(ref.table)
    if own is not None and own.primary_key == (ref.column,):
        yield own, ref.column, True
    for link in written.model.relationships:
        if len(link.pairs) != 1:
            continue
        ((here, there),) = link.pairs
        left, right = ColumnRef(link.left, here), ColumnRef(link.right, there)
        for mine, other, cardinality in ((left, right, link.cardinality), (right, left, link.cardinality.reversed())):
            is_one = cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE)
            if mine == ref and is_one and (table := written.model.table(other.table)) is not None:
                yield table, other.column, not link.inferred


def _labels(facts: TableFacts, key: ColumnRef) -> tuple[ColumnRef, ...]:
    """The columns by which people know a row; none where its key is one, or a text, which is as readable."""
    labels, column = facts.labels, facts.table.column(key.column)
    is_readable = column is not None and type_family(column.type) is TypeFamily.TEXT
    words = {word for label in labels for word in stems(label.column)}
    return () if is_readable or key in labels or words & word_forms().describing else labels


def _is_asked(ref: ColumnRef | None, key: str, facts: TableFacts, asked: AskedWords) -> bool:
    """Whether the thing is asked for, and not its key by name."""
    names, own = named(facts.table), set(stems(ref.column) if ref is not None else ()) - word_forms().key_words
    if ref == ColumnRef(facts.table.name, key) and own & asked.stems - names:
        return False
    return bool(asked.stems & (names | own)) or (facts.is_somebody and bool(cues().first(asked, "who")))


# Figures and groups


def _hidden_ranks(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What the rows are ranked by, where it is not shown."""
    order, limit, words = written.clause("order"), written.clause("limit"), cues().first(asked, "figure_wanted")
    if order is None or any(item.is_star for item in written.items):
        return
    if written.clause("group") is None and any(item.find(exp.AggFunc) for item in written.items):
        return
    node = order.expressions[0].this
    one_row = limit is not None and limit.expression is not None and limit.expression.name == "1"
    if (one_row and not words) or _is_shown(node, written):
        return
    name = node.name if isinstance(node, exp.Column) else written.text(node)
    rewrite = rewrites.with_columns(written, [node], f"Also shows {name}.", first=False)
    words = "" if any(_is_figure(item, written) for item in written.items) else words
    severity = Severity.DOUBT if words else None
    yield finding("ranked_by_hidden", words, written.text(node), severity, rewrite, name=name)


def _is_figure(item: exp.Expr, written: Written) -> bool:
    """Whether a count or an amount is shown."""
    ref = written.ref(item.unalias())
    names = stems(ref.column) if ref is not None else ()
    return item.find(exp.AggFunc) is not None or not cues().stems["quantity_words"].isdisjoint(names)


def _is_shown(node: exp.Expr, written: Written) -> bool:
    """Whether a figure is shown, or an aggregate of the same kind; also what is no figure."""
    ref = written.ref(node)
    if not isinstance(node, exp.Column | exp.AggFunc | exp.Binary) or node.find(exp.Query):
        return True
    if isinstance(node, exp.Column) and (ref is None or ref in written.keys):
        return True
    if isinstance(node, exp.AggFunc) and type(node) in {type(one) for item in written.items for one in item.walk()}:
        return True
    columns = [one for item in written.items for one in written.refs_in(item)]
    own, texts = set(written.refs_in(node)), [written.text(item.unalias()) for item in written.items]
    return bool(own and own <= set(columns)) or written.text(node) in texts


def _hidden_groups(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Figures of groups, where nothing says whose they are."""
    root, group = written.root, written.clause("group")
    if root is None or root is not written.tree or group is None or not group.expressions or written.clause("limit"):
        return
    cue = next((cue for cue in asked.cues if cue.is_only("EACH", "EACH_ONE")), None)
    columns = [column for item in written.items for column in item.find_all(exp.Column)]
    only_figures = all(column.find_ancestor(exp.AggFunc) for column in columns)
    shown = {written.refs.get(id(one)) for one in columns}  # MIN(name) of groups by lower(name)
    is_said = bool(shown & {written.refs.get(id(one)) for one in group.find_all(exp.Column)})
    if cue is not None and only_figures and not is_said and rewrites.is_grouped_plainly(root):
        text = ", ".join(map(written.text, group.expressions))
        rewrite = rewrites.with_columns(written, group.expressions, f"Also shows {text}.", first=True)
        yield finding("group_hidden", cue.words, text, rewrite=rewrite)


def listed_for_count(asked: AskedWords, written: Written) -> Finding | None:
    """A list where "how many" asks for a figure, and nothing that is shown can be one."""
    root = written.root
    cue = next((cue for cue in asked.cues if cue.is_only("COUNT") and ("COUNT", "count") in cue.meanings), None)
    if root is None or cue is None or root.find(exp.Group, exp.Window, exp.Limit):
        return None
    begins = cue.start <= _BEGINNING or cue.words.startswith(cues().first(asked, "how_many") or "?")
    if not begins or not all(item.is_star or _is_no_figure(item.unalias(), written) for item in written.items):
        return None
    text = ", ".join(map(written.text, written.items))
    return finding("list_for_count", cue.words, text, rewrite=_as_count(cue, asked, written))


def _is_no_figure(item: exp.Expr, written: Written) -> bool:
    ref = written.refs.get(id(item))
    column = written.column(ref)
    if ref is None or column is None or set(stems(ref.column)) & cues().stems["quantity_words"]:
        return False
    return ref in written.keys or type_family(column.type) is TypeFamily.TEXT


def _as_count(cue: Cue, asked: AskedWords, written: Written) -> Rewrite | None:
    """A count of the rows of the one table that is read, where the words after "how many" name it; of the different
    values of the one column, where they name that and ask for different ones."""
    if not rewrites.is_plain(written) or written.joins or len(written.tables) != 1:
        return None
    after = {stem for token in asked.tokens[cue.end : cue.end + 2] for stem in stems_of_word(token.low)}
    only = written.items[0].unalias() if len(written.items) == 1 else None
    if written.clause("distinct") is not None or cues().first(asked, "different"):
        if not isinstance(only, exp.Column) or not after & set(stems(only.name)):
            return None
        distinct = exp.Count(this=exp.Distinct(expressions=[only.copy()]))
        return rewrites.counted(written, distinct, f"Counts each {only.name} once.")
    (table,) = written.tables
    if not any(set(stems(name)) <= after for name in names_of(table)):
        return None
    return rewrites.counted(written, exp.Count(this=exp.Star()), f"Counts the rows of {table.name}.")


# Joins that nothing needs


def _tables(asked: AskedWords, written: Written, fan_outs: Sequence[FanOut]) -> Iterator[Finding]:
    """Joins that repeat what is added up, and tables that only the joins use and no word names."""
    repeating, times = set(), written.has(exp.Count) and cues().first(asked, "times")
    for found in fan_outs:
        loose, rewrite = _rows_once(written, found, asked)
        is_unused = loose is not None and not (loose.conditions or named(loose.table) & asked.stems or times)
        if loose is not None and is_unused and not found.inflates:
            repeating.add(id(loose.source))
            how = f", and {found.aggregate} takes rows more than once by it"
            yield finding("table_unused", "", loose.table.name, Severity.WRONG, rewrite, how=how)
        else:
            severity, rewrite = (Severity.WRONG, rewrite) if found.inflates else (None, None)
            severity = Severity.DOUBT if found.crosses else severity
            yield finding("fan_out", "", found.aggregate, severity, rewrite, sentence=found.sentence)
    aggregates = written.has(exp.AggFunc)
    for loose in rewrites.loose_tables(written):
        name, is_used = loose.table.name, loose.conditions or named(loose.table) & asked.stems
        severity = None if times or id(loose.source) in repeating else _repeats(asked, written, loose)
        if severity is not None:
            repeating.add(id(loose.source))
            yield finding("table_unused", sql=name, severity=severity, how=", and repeats rows that are counted")
        if not is_used and id(loose.source) not in repeating and (loose.is_by_key or not aggregates):
            said = f"Leaves out {name}, which nothing else uses."
            repeats = not (loose.is_by_key or aggregates or written.clause("distinct") or written.clause("group"))
            repeats &= written.root is written.tree
            rewrite = None
            if rewrites.is_certainly_one(written, loose):
                rewrite = rewrites.without_table(written, loose, said)
            elif repeats:
                rewrite = rewrites.with_exists(written, loose, f"Shows each row once, however many of {name} match.")
            severity = Severity.DOUBT if repeats else None
            yield finding("table_unused", sql=name, severity=severity, rewrite=rewrite, how="")


def _repeats(asked: AskedWords, written: Written, loose: rewrites.LooseTable) -> Severity | None:
    """How bad it is that rows are counted over a join that repeats them, and no word names what it joins: `wrong` where
    "how many" asks for the rows that are repeated, `doubt` where these are repeated for their parts (rental_lines)."""
    source, group = written.sources[id(loose.other)], written.clause("group")
    counts = [one for item in written.items for one in item.find_all(exp.Count) if not one.find(exp.Distinct)]
    whole = written.model.table(source.table.name) if source.table is not None else None
    grouped = written.refs_in(group) if group is not None else []
    if whole is None or loose.is_by_key or loose.conditions or any(ref.table == whole.name for ref in grouped):
        return None
    theirs = named(loose.table)
    is_part = named(whole) < theirs
    if not counts or asked.stems & (theirs - named(whole) if is_part else theirs):
        return None
    after = [token for cue in asked.cues if cue.may_be("COUNT") for token in asked.tokens[cue.end : cue.end + _NEAR]]
    if {one for token in after for one in stems_of_word(token.low)} & named(whole):
        return Severity.WRONG
    return Severity.DOUBT if is_part or named(whole) & asked.stems else None


def _rows_once(written: Written, found: FanOut, asked: AskedWords) -> tuple[rewrites.LooseTable | None, Rewrite | None]:
    """The table without whose join the aggregate is over each row once, and the statement with EXISTS instead. Only
    where the question names what the figures are of: a price of what is sold may be meant once for each sale."""
    figures = list(written.root.find_all(exp.AggFunc)) if written.root is not None else []
    elsewhere = any(
        one.find(exp.Column) is None or one.find_ancestor(exp.Select) is not written.root for one in figures
    )
    refs = [ref for node in figures for ref in written.refs_in(node)]
    is_named = all(named(written.model.table(ref.table)) & asked.stems for ref in refs)
    prices = {stem for ref in refs for stem in stems(ref.column)} & word_forms().prices
    if elsewhere or prices or not is_named or written.has(exp.Window):
        return None, None
    for loose in rewrites.loose_tables(written):
        source = written.sources[id(loose.other)]
        once = f"each row of {source.table.name if source.table is not None else rewrites.name_of(source).name} once"
        rewrite = rewrites.with_exists(written, loose, f"Uses {once}, however many rows of {loose.table.name} match.")
        bound = bind(rewrite.tree, written.model, written.bound.dialect) if rewrite is not None else None
        if isinstance(bound, BoundSql):
            left = find_fan_outs(Statement.of(bound, written.model))
            if found.aggregate not in (one.aggregate for one in left):
                return loose, rewrite
    return None, None
