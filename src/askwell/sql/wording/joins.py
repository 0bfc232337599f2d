"""What a SELECT reads, in words, and which of the model's relationships its joins follow."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from askwell.mdl.names import listed
from askwell.mdl.semantic_model import Relationship
from askwell.sql.names import fold
from askwell.sql.wording.terms import WORDS, Speaker, says_only, sources_of

_JOINED: Mapping[str, str] = WORDS["joined"]
_KINDS = frozenset({"INNER", "OUTER", *_JOINED})
_SOURCE = ("this", "alias", "db", "catalog")
_JOIN = ("this", "on", "side", "kind", "using", "method", "match_condition")


def from_words(speaker: Speaker, select: exp.Select, *, say_declared: bool) -> str:
    """What a SELECT reads: `members with registrations (by member id)`. Conditions that are exactly the only
    relationship of two tables are left out unless `say_declared`. Empty for a SELECT that reads nothing."""
    sources = sources_of(select)
    if not sources:
        return ""
    main = main_source(speaker, select)
    if main is not None and main is not sources[0]:
        others = [source for source in sources if source is not main]
        phrase = f"{source_words(speaker, main)} with {listed(source_words(speaker, source) for source in others)}"
        joins = [join for join in select.args["joins"] if say_declared or not _is_declared(speaker, join)]
        conditions = [words for join in joins if (words := _condition(speaker, join))]
        return f"{phrase} ({listed(conditions)})" if conditions else phrase
    phrase = source_words(speaker, sources[0])
    joins = select.args.get("joins") or []
    ways = [_way(join) for join in joins]
    if len(joins) > 1 and set(ways) == {""} and not say_declared and all(_is_declared(speaker, one) for one in joins):
        return f"{phrase} with {listed(source_words(speaker, join.this) for join in joins)}"
    for number, (join, way) in enumerate(zip(joins, ways, strict=True)):
        if way is None:
            phrase = f"{phrase} joined by {speaker.code(join)}"
            continue
        left = f"({phrase})" if number and way in ("CROSS", "RIGHT") else phrase
        phrase = _JOINED[way].format(left, source_words(speaker, join.this))
        condition = _condition(speaker, join) if say_declared or not _is_declared(speaker, join) else ""
        phrase += f" ({condition})" if condition else ""
    for lateral in select.args.get("laterals") or ():
        phrase = f"{phrase} joined by {speaker.code(lateral)}"
    return phrase


def source_words(speaker: Speaker, source: exp.Expr) -> str:
    """All rows of one source."""
    label = speaker.names.label(source)
    if isinstance(source, exp.Table | exp.Subquery) and not says_only(source, *_SOURCE):
        return speaker.code(source)
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query) and id(source) not in speaker.described:
        rows = f"({speaker.query(source.this)})"
        return f"{label.many} {rows}" if label is not None else rows
    return label.many if label is not None else speaker.code(source)


def main_source(speaker: Speaker, select: exp.Expr | None) -> exp.Expr | None:
    """The source of which each row stands in a join at most once, so that rows of the join are rows of it: its only
    source, or one from which relationships lead to one row of each of the others."""
    sources = sources_of(select)
    if not isinstance(select, exp.Select) or len(sources) < 2:
        return sources[0] if sources else None
    joins = select.args.get("joins") or []
    leads: dict[int, set[int]] = {id(source): set() for source in sources}
    for join in joins:
        link = _link(speaker, join) if _way(join) == "" else None
        if link is None:
            return None
        relationship, left, right = link
        if relationship.cardinality.to_one:
            leads[id(left)].add(id(right))
        if relationship.cardinality.reversed().to_one:
            leads[id(right)].add(id(left))
    return next((source for source in sources if len(_reached(id(source), leads)) == len(sources)), None)


def _reached(start: int, leads: Mapping[int, set[int]]) -> set[int]:
    seen, open_ends = {start}, [start]
    while open_ends:
        for end in leads.get(open_ends.pop(), set()) - seen:
            seen.add(end)
            open_ends.append(end)
    return seen


def _way(join: exp.Expr) -> str | None:
    """The kind of a join by its key in `_JOINED`; None for those that have no words."""
    args = join.args
    on = args.get("using") or (None if isinstance(args.get("on"), exp.Boolean) else args.get("on"))
    method, side, kind = (str(args.get(name) or "").upper() for name in ("method", "side", "kind"))
    if (
        not says_only(join, *_JOIN)
        or method not in ("", "NATURAL")
        or args.get("match_condition")
        or kind not in _KINDS
    ):
        return None
    if kind in ("SEMI", "ANTI"):
        return kind
    if side:
        return side if side in _JOINED and (on or method) else None
    return "" if on or method else "CROSS"


def _condition(speaker: Speaker, join: exp.Expr) -> str:
    if str(join.args.get("method") or "").upper() == "NATURAL":
        return "by the columns that both have"
    if join.args.get("using"):
        return f"by {listed(speaker.names.column(one) for one in join.args['using'])}"
    on = join.args.get("on")
    if on is None or isinstance(on, exp.Boolean):
        return ""
    pairs = _pairs(on)
    if pairs is not None:
        names = [(speaker.names.column(left), speaker.names.column(right)) for left, right in pairs]
        if all(left == right for left, right in names) and all(_of_two_sources(speaker, *pair) for pair in pairs):
            return f"by {listed(left for left, _ in names)}"
    return f"where {speaker.condition(on)}"


def _pairs(on: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]] | None:
    """The columns that a condition sets equal, where it says nothing else."""
    parts = [part.unnest() for part in on.flatten()] if isinstance(on, exp.And) else [on.unnest()]
    if not all(isinstance(one, exp.EQ) and _two_columns(one) for one in parts):
        return None
    return [(one.this, one.expression) for one in parts]


def _two_columns(node: exp.Expr) -> bool:
    return isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)


def _of_two_sources(speaker: Speaker, left: exp.Expr, right: exp.Expr) -> bool:
    return speaker.names.source_of(left) is not speaker.names.source_of(right)


def _is_declared(speaker: Speaker, join: exp.Expr) -> bool:
    """Whether a join follows the only relationship that there is between its two tables."""
    link = _link(speaker, join)
    if link is None:
        return False
    tables = {link[0].left, link[0].right}
    if len(tables) == 1:
        return False  # which row is on which side of it has to be said
    return sum({one.left, one.right} == tables for one in speaker.model.relationships) == 1


def _link(speaker: Speaker, join: exp.Expr) -> tuple[Relationship, exp.Expr, exp.Expr] | None:
    """The relationship that a join's condition is exactly, and the sources on its left and right side."""
    on = join.args.get("on")
    pairs = _pairs(on) if on is not None else None
    if not pairs:
        return None
    names = speaker.names
    read = (names.source_of(column) for pair in pairs for column in pair)
    sources = {id(source): source for source in read if source is not None}
    if len(sources) != 2 or id(join.this) not in sources:
        return None
    first, second = sources.values()
    for left, right in ((first, second), (second, first)):
        one, other = names.table(left), names.table(right)
        if one is None or other is None:
            return None
        equal = {_places(speaker, pair, left) for pair in pairs}
        for link in speaker.model.relationships:
            wanted = {(fold(here), fold(there)) for here, there in link.pairs}
            if (link.left, link.right) == (one.name, other.name) and wanted == equal:
                return link, left, right
    return None


def _places(speaker: Speaker, pair: tuple[exp.Expr, exp.Expr], left: exp.Expr) -> tuple[str, str]:
    """The two columns' names, that of the left source first."""
    ordered = pair if speaker.names.source_of(pair[0]) is left else (pair[1], pair[0])
    first, second = (fold(column.name) if (column := speaker.names.column_of(one)) else "" for one in ordered)
    return first, second
