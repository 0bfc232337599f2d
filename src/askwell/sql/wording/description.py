"""What a statement does, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlglot import exp

from askwell.mdl.names import listed
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.wording.conditions import condition_words
from askwell.sql.wording.joins import from_words
from askwell.sql.wording.terms import (
    WORDS,
    Speaker,
    SpokenNames,
    order_words,
    ordinal,
    projection_called,
    query_around,
    result_name,
    says_only,
    sources_of,
    the,
    words_by_type,
)
from askwell.sql.wording.values import value_words

_CLAUSES = frozenset(WORDS["clauses"].split())
# Inside a sentence, and as one of its own: of different rows, and of all.
_COMBINED: Mapping[type[exp.Expr], tuple[tuple[str, str], tuple[str, str]]] = words_by_type("combined")


def query_words(speaker: Speaker, query: exp.Expr) -> str:
    """The rows of a query inside another, as a noun phrase: `room of reservations`."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if is_combination(query) and not query.args.get("with_"):
        sides = [_in_parentheses(query_words(speaker, side)) for side in (query.this, query.expression)]
        distinct, repeating = _COMBINED[type(query)][0]
        return (distinct if query.args.get("distinct") else repeating).format(*sides) + tail_words(speaker, query)
    if not isinstance(query, exp.Select) or unsaid(query) or query.args.get("with_") or query.args.get("qualify"):
        return speaker.code(query)
    return _select_words(speaker, query)


def is_combination(query: exp.Expr) -> bool:
    """Whether a query puts two results together in a way that has words."""
    known = ("with_", "this", "expression", "distinct", "order", "limit", "offset")
    return type(query) in _COMBINED and says_only(query, *known)


def _select_words(speaker: Speaker, select: exp.Select) -> str:
    items = listed(projection_words(speaker, select))
    words = f"different {items}" if shows_each_once(select) else items
    reads = from_words(speaker, select, say_declared=False)
    one = len(sources_of(select)) == 1
    if reads and not (one and counts_rows(select)):
        words += f" of {reads}" if one else f", for {reads}"
    words += where_words(speaker, select)
    keys = group_words(speaker, select)
    if keys:
        words += f" for each {listed(keys)}"
    having = select.args.get("having")
    if having is not None:
        words += f" for which {speaker.condition(having.this)}"
    return words + tail_words(speaker, select)


def _in_parentheses(words: str) -> str:
    return f"({words})" if " where " in words or "," in words else words


def unsaid(query: exp.Expr) -> list[exp.Expr]:
    """The parts of a SELECT that no clause here accounts for."""
    found: list[exp.Expr] = []
    for name, value in query.args.items():
        if name in _CLAUSES or value in (None, False, []):
            continue
        parts = value if isinstance(value, list) else [value]
        found += [part for part in parts if isinstance(part, exp.Expr)] or [query]
    distinct, limit = query.args.get("distinct"), query.args.get("limit")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on"):
        found.append(distinct)
    if limit is not None and _is_special(limit):
        found.append(limit)
    return found


def _is_special(limit: exp.Expr | None) -> bool:
    """Whether a limit keeps other rows than the first: WITH TIES, a percentage, some of each group."""
    return limit is not None and any(limit.args.get(more) for more in ("limit_options", "expressions"))


def shows_each_once(select: exp.Select) -> bool:
    """Whether equal rows are shown once; DISTINCT ON is something else."""
    distinct = select.args.get("distinct")
    return distinct is not None and not distinct.args.get("on")


def projections(select: exp.Select) -> list[exp.Expr]:
    """What a SELECT shows, without the names that it gives."""
    return [one.unalias() for one in select.expressions]


def projection_words(speaker: Speaker, select: exp.Select) -> list[str]:
    """What a SELECT shows, columns of one table together: `name and hometown of the member`."""
    if len(sources_of(select)) < 2:
        return [speaker.value(one) for one in projections(select)]
    words: list[str] = []
    for source, columns in _runs(speaker, projections(select)):
        label = speaker.names.label(source) if source is not None else None
        if label is None:
            words += [speaker.value(column) for column in columns]
        else:
            words.append(f"{listed(speaker.names.column(column) for column in columns)} of the {label.one}")
    return words


def _runs(speaker: Speaker, shown: Sequence[exp.Expr]) -> Iterator[tuple[exp.Expr | None, list[exp.Expr]]]:
    """Columns of one source that follow one another; anything else by itself, without a source."""
    run: list[exp.Expr] = []
    owner: exp.Expr | None = None
    for node in shown:
        plain = isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)
        source = speaker.names.source_of(node) if plain else None
        if run and (source is None or source is not owner):
            yield owner, run
            run = []
        owner = source
        run.append(node)
        if source is None:
            yield None, run
            run = []
    if run:
        yield owner, run


def counts_rows(select: exp.Select) -> bool:
    """Whether a SELECT shows nothing but COUNT(*)."""
    shown = projections(select)
    return len(shown) == 1 and isinstance(shown[0], exp.Count) and isinstance(shown[0].this, exp.Star)


def where_words(speaker: Speaker, select: exp.Expr) -> str:
    """` where age is more than 22`, or nothing."""
    where = select.args.get("where")
    return f" where {speaker.condition(where.this)}" if where is not None else ""


def group_keys(speaker: Speaker, select: exp.Select) -> list[exp.Expr] | None:
    """What a SELECT groups by; None where it groups in several ways at once."""
    group = select.args.get("group")
    if group is None:
        return []
    if any(value for name, value in group.args.items() if name != "expressions"):
        return None
    return [_shown_key(speaker, ordinal(key, select), select) for key in group.expressions]


def _shown_key(speaker: Speaker, key: exp.Expr, select: exp.Select) -> exp.Expr:
    """The expression of the SELECT list that a key names by its alias."""
    is_name = isinstance(key, exp.Column) and not key.args.get("table") and speaker.names.source_of(key) is None
    meant = projection_called(select, key.name) if is_name else None
    return meant if meant is not None else key


def group_words(speaker: Speaker, select: exp.Select) -> list[str]:
    """What a SELECT groups by, in words."""
    keys = group_keys(speaker, select)
    return [speaker.code(select.args["group"])] if keys is None else [speaker.value(key) for key in keys]


def tail_words(speaker: Speaker, query: exp.Expr) -> str:
    """How rows are sorted and how many are kept: `, sorted by age, only the first 3`."""
    words = ""
    if query.args.get("order") is not None:
        words += f", sorted by {order_words(speaker, query.args['order'])}"
    count, skipped = kept_rows(query)
    if count:
        number = ("one" if count == "1" else count) if count.isdigit() else speaker.code(query.args["limit"])
        words += f", only the first {number}" if query.args.get("order") is not None else f", any {number} of them"
    if skipped:
        words += f", without the first {skipped}"
    return words


def kept_rows(query: exp.Expr) -> tuple[str, str]:
    """How many rows LIMIT or FETCH keeps, and OFFSET skips, as written; empty where there is none."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    limit = None if _is_special(limit) else limit
    kept = limit.args.get("count" if isinstance(limit, exp.Fetch) else "expression") if limit is not None else None
    skipped = offset.args.get("expression") if offset is not None else None
    return (str(kept.sql()) if kept is not None else ""), (str(skipped.sql()) if skipped is not None else "")


def ordering_of(query: exp.Expr) -> list[exp.Expr]:
    """The sort keys of a query."""
    order = query.args.get("order")
    return list(order.expressions) if order is not None else []


def key_of(ordered: exp.Expr) -> exp.Expr:
    """What a sort key sorts by."""
    return ordinal(ordered.this, query_around(ordered))


_TOO_DEEP = "This statement is nested too deeply to be put in words."


def new_speaker(tree: exp.Expr, model: SemanticModel, dialect: str) -> Speaker:
    """A speaker about `tree`, which nobody may change meanwhile."""
    names = SpokenNames(tree, model, dialect)
    return Speaker(model, dialect, names, value_words, condition_words, query_words)


def describe_sql(tree: exp.Expr, model: SemanticModel, dialect: str = "") -> str:
    """What a bound statement does, in plain sentences and in the order in which it is done. Parts that have no words
    are quoted as SQL; nothing is said that is not in the tree. Long statements take tenths of a second: call it on a
    thread."""
    try:
        return " ".join(_sentences(new_speaker(tree, model, dialect), tree, shows_names=False))
    except RecursionError:
        return _TOO_DEEP


def describe_step(tree: exp.Expr, model: SemanticModel, dialect: str, *, name: str, described: Collection[str]) -> str:
    """What one step of `steps_of` does: its own part, and the CTEs before it that are not `described` yet. `name` is
    its CTE, empty for the last step."""
    with_ = tree.args.get("with_")
    ctes = list(with_.expressions) if with_ is not None else []
    own, kept = tree, {fold(one) for one in described}
    if name and ctes:
        own = ctes[-1].this
        kept.add(fold(name))
    speaker = new_speaker(tree, model, dialect)
    try:
        sentences = list(_ctes(speaker, tree, kept)) if own is not tree else []
        return " ".join([*sentences, *_sentences(speaker, own, shows_names=bool(name), skip=kept)])
    except RecursionError:
        return _TOO_DEEP


def _ctes(speaker: Speaker, query: exp.Expr, skip: Collection[str] = ()) -> Iterator[str]:
    with_ = query.args.get("with_")
    if with_ is None:
        return
    for cte in with_.expressions:
        if fold(cte.alias) not in skip:
            yield from _named(speaker, cte, cte.this, reads_itself=bool(with_.args.get("recursive")))


def _sentences(speaker: Speaker, query: exp.Expr, *, shows_names: bool, skip: Collection[str] = ()) -> Iterator[str]:
    """`shows_names` for a query whose columns another one reads by the names that it gives; `skip` are CTEs of it that
    were described before."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    yield from _ctes(speaker, query, skip)
    if isinstance(query, exp.Select):
        for source in sources_of(query):
            if isinstance(source, exp.Subquery) and source.alias:
                yield from _named(speaker, source, source.this)
                speaker.described.add(id(source))
        yield from _select(speaker, query, shows_names)
    elif isinstance(query, exp.SetOperation) and is_combination(query):
        yield from _combination(speaker, query, shows_names)
    else:
        yield f"Takes {speaker.code(query)}."


def _named(speaker: Speaker, named: exp.Expr, query: exp.Expr, *, reads_itself: bool = False) -> Iterator[str]:
    """The steps of a CTE or derived table, after its name."""
    alias = named.args["alias"]
    columns = [column.name for column in alias.args.get("columns") or ()]
    notes = [f"with the columns {listed(columns)}"] if columns else []
    if reads_itself and any(table.name.lower() == alias.name.lower() for table in query.find_all(exp.Table)):
        notes.append("which reads its own rows until there are no more")
    first, *rest = _sentences(speaker, query, shows_names=True)
    yield f"“{alias.name}”{''.join(f', {note}' for note in notes)}: {first}"
    yield from rest
    yield f"That is “{alias.name}”."


def _combination(speaker: Speaker, query: exp.SetOperation, shows_names: bool) -> Iterator[str]:
    first, *more = _sentences(speaker, query.this, shows_names=shows_names)
    yield f"First result: {first}"
    yield from more
    first, *more = _sentences(speaker, query.expression, shows_names=shows_names)
    yield f"Second result: {first}"
    yield from more
    once, repeated = _COMBINED[type(query)][1]
    yield once if query.args.get("distinct") else repeated
    yield from _tail(speaker, query)


def _select(speaker: Speaker, select: exp.Select, shows_names: bool) -> Iterator[str]:
    args = select.args
    reads = from_words(speaker, select, say_declared=True)
    if reads:
        yield f"Reads {reads}."
    if args.get("where") is not None:
        yield f"Keeps rows where {speaker.condition(args['where'].this)}."
    keys = group_words(speaker, select)
    if keys:
        yield f"Groups them by {listed(keys)}."
    if args.get("having") is not None:
        yield f"Keeps {'groups' if keys else 'the result'} where {speaker.condition(args['having'].this)}."
    yield _shown(speaker, select, shows_names=shows_names, grouped=bool(keys))
    if args.get("qualify") is not None:
        yield f"Keeps rows where {speaker.condition(args['qualify'].this)}."
    for part in unsaid(select):
        yield f"Also says {speaker.code(part)}."
    yield from _tail(speaker, select)


def _shown(speaker: Speaker, select: exp.Select, *, shows_names: bool, grouped: bool) -> str:
    if shows_names:
        words = [speaker.value(one) for one in projections(select)]
        given = [one.alias for one in select.expressions]
        items = [
            f"{said} as “{name}”" if name and result_name(name) != said else said
            for said, name in zip(words, given, strict=True)
        ]
    else:
        items = projection_words(speaker, select)
    start = "Shows, for each group," if grouped else "Shows"
    if shows_each_once(select):
        return f"{start} each different {listed(items)}, once."
    return f"{start} {the(listed(items))}."


def _tail(speaker: Speaker, query: exp.Expr) -> Iterator[str]:
    if query.args.get("order") is not None:
        yield f"Sorts by {order_words(speaker, query.args['order'])}."
    count, skipped = kept_rows(query)
    if skipped:
        yield f"Skips the first {skipped} rows."
    if count:
        yield f"Shows at most {count} row{'' if count == '1' else 's'}."
