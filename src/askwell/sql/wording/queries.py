"""The rows of a query as a noun phrase, and the clauses that descriptions and questions share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from askwell.mdl.names import listed
from askwell.sql.wording.joins import from_words
from askwell.sql.wording.names import projection_called, query_around, sources_of
from askwell.sql.wording.terms import Speaker, order_words, ordinal, says_only

# What the words here account for; anything else in a SELECT is said as SQL.
_CLAUSES = frozenset(
    {
        "with_",
        "expressions",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "qualify",
        "order",
        "limit",
        "offset",
        "distinct",
    }
)
_SET_OPERATIONS: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.Union: ("{0} together with {1}", "{0} together with {1}, repeated rows included"),
    exp.Intersect: ("{0} that are also among {1}", "{0} that are also among {1}, repeated rows included"),
    exp.Except: ("{0} that are not among {1}", "{0} that are not among {1}, repeated rows included"),
}


def query_words(speaker: Speaker, query: exp.Expr) -> str:
    """The rows of a query inside another, as a noun phrase: `room of reservations`."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if is_combination(query) and not query.args.get("with_"):
        sides = [_in_parentheses(query_words(speaker, side)) for side in (query.this, query.expression)]
        distinct, repeating = _SET_OPERATIONS[type(query)]
        return (distinct if query.args.get("distinct") else repeating).format(*sides) + tail_words(speaker, query)
    if not isinstance(query, exp.Select) or unsaid(query) or query.args.get("with_") or query.args.get("qualify"):
        return speaker.code(query)
    return _select_words(speaker, query)


def is_combination(query: exp.Expr) -> bool:
    """Whether a query puts two results together in a way that has words."""
    known = ("with_", "this", "expression", "distinct", "order", "limit", "offset")
    return type(query) in _SET_OPERATIONS and says_only(query, *known)


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
