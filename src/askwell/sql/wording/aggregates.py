"""Aggregates and window functions in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from askwell.mdl.names import listed, plural
from askwell.sql.wording.joins import main_source
from askwell.sql.wording.names import query_around
from askwell.sql.wording.ordering import order_words
from askwell.sql.wording.speaker import Speaker
from askwell.sql.wording.terms import operand, said_values, says_only

_AGGREGATES: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.Sum: ("total {}", "total of {}"),
    exp.Avg: ("average {}", "average of {}"),
    exp.Min: ("minimum {}", "minimum of {}"),
    exp.Max: ("maximum {}", "maximum of {}"),
    exp.Median: ("median {}", "median of {}"),
    exp.StddevSamp: ("sample standard deviation of {}", "sample standard deviation of {}"),
}
_RANKINGS: Mapping[type[exp.Expr], str] = {
    exp.RowNumber: "row number",
    exp.Rank: "rank",
    exp.DenseRank: "rank without gaps",
}
_NEIGHBOURS: Mapping[type[exp.Expr], str] = {exp.Lag: "previous", exp.Lead: "next"}

_RUNNING = frozenset({*_AGGREGATES, exp.Count, exp.GroupConcat})


def _count(speaker: Speaker, node: exp.Expr) -> str | None:
    if not says_only(node, "this", "big_int"):
        return None
    counted = node.this
    if counted is None or isinstance(counted, exp.Star | exp.Literal):
        return f"number of {counted_rows(speaker, query_around(node))}"
    if isinstance(counted, exp.Distinct):
        return _different(speaker, counted.expressions)
    only = _only_case(counted, or_zero=False)
    if only is not None and isinstance(only[1], exp.Literal):
        return f"number of {counted_rows(speaker, query_around(node))} where {speaker.condition(only[0])}"
    rows = counted_rows(speaker, query_around(node))
    return f"number of {rows} with {speaker.value(counted)}" if isinstance(counted, exp.Column) else None


def _different(speaker: Speaker, counted: list[exp.Expr]) -> str:
    only = _only_case(counted[0], or_zero=False) if len(counted) == 1 else None
    if only is not None:
        return f"number of different {operand(speaker, only[1])} where {speaker.condition(only[0])}"
    words = [plural(speaker.value(one)) if _is_bare(speaker, one) else operand(speaker, one) for one in counted]
    return f"number of different {listed(words)}"


def _is_bare(speaker: Speaker, node: exp.Expr) -> bool:
    """Whether a column is said by its name alone."""
    return isinstance(node, exp.Column) and not speaker.names.needs_its_table(node)


def counted_rows(speaker: Speaker, select: exp.Expr | None) -> str:
    """What COUNT(*) of a SELECT counts: rows of its table, or of its join."""
    source = main_source(speaker, select)
    label = speaker.names.label(source) if source is not None else None
    return label.many if label is not None and not label.many.startswith("“") else "rows"


def _aggregate(speaker: Speaker, node: exp.Expr) -> str:
    of_name, of_phrase = _AGGREGATES[type(node)]
    inner = node.this
    if not says_only(node, "this") or inner is None:
        return speaker.code(node)
    if isinstance(inner, exp.Distinct):
        return of_phrase.format(f"different {listed(said_values(speaker, inner.expressions))}")
    only = _only_case(inner, or_zero=isinstance(node, exp.Sum))
    if only is not None:
        condition, value = only
        if isinstance(node, exp.Sum) and _is_number(value, "1"):
            return f"number of {counted_rows(speaker, query_around(node))} where {speaker.condition(condition)}"
        return f"{of_phrase.format(operand(speaker, value))} where {speaker.condition(condition)}"
    words = speaker.value(inner)
    if isinstance(node, exp.Sum) and (words == "total" or words.startswith("total ")):
        return words  # a total of totals is called as one
    return (of_name if _is_bare(speaker, inner) else of_phrase).format(words)


def _only_case(case: exp.Expr, *, or_zero: bool) -> tuple[exp.Expr, exp.Expr] | None:
    """The condition and the value of `CASE WHEN condition THEN value END`; with `or_zero`, `ELSE 0` may stand in it."""
    if not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return None
    branch, default = case.args["ifs"][0], case.args.get("default")
    if default is not None and not isinstance(default, exp.Null) and not (or_zero and _is_number(default, "0")):
        return None
    return branch.this, branch.args["true"]


def _is_number(node: exp.Expr, number: str) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name == number


def _filtered(speaker: Speaker, node: exp.Expr) -> str:
    return f"{speaker.value(node.this)} where {speaker.condition(node.expression.this)}"


def _listing(speaker: Speaker, node: exp.Expr) -> str | None:
    if isinstance(node.this, exp.Order) or not says_only(node, "this", "separator"):
        return None
    inner, different = node.this, ""
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner, different = inner.expressions[0], "different "
    return f"list of {different}{speaker.value(inner)}"


def _window(speaker: Speaker, node: exp.Expr) -> str | None:
    if not says_only(node, "this", "partition_by", "order", "over"):
        return None
    function, order = node.this, node.args.get("order")
    within = listed(said_values(speaker, node.args.get("partition_by") or ()))
    within = f" within each {within}" if within else ""
    by = f" by {order_words(speaker, order)}" if order is not None else ""
    if type(function) in _RANKINGS and says_only(function):
        return f"{_RANKINGS[type(function)]}{within}{by}"
    if isinstance(function, exp.Ntile) and isinstance(function.this, exp.Literal) and by:
        return f"group number (of {function.this.name} nearly equal groups){within}{by}"
    if type(function) in _NEIGHBOURS and says_only(function, "this") and by:
        return f"{_NEIGHBOURS[type(function)]} {speaker.value(function.this)}{within}{by}"
    added_up = function.this if isinstance(function, exp.Filter) else function
    if type(added_up) not in _RUNNING:
        return None  # only aggregates run; others rank rows or take the value of one
    whole = speaker.value(function)
    return f"running {whole}{within}{by}" if by else f"{whole}{within or ' over all rows'}"


AGGREGATE_SAYINGS: Mapping[type[exp.Expr], Callable[[Speaker, exp.Expr], str | None]] = {
    **dict.fromkeys(_AGGREGATES, _aggregate),
    exp.Count: _count,
    exp.Filter: _filtered,
    exp.GroupConcat: _listing,
    exp.Window: _window,
}
