"""The order of rows in words."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from askwell.sql.wording.names import query_around
from askwell.sql.wording.speaker import Speaker
from askwell.sql.wording.terms import says_only

_ORDERED = ("this", "desc", "nulls_first")


def order_words(speaker: Speaker, order: exp.Expr) -> str:
    """What rows are sorted by: `age in descending order, then name`. Where rows without a value go is said where it is
    not where the database would put them by itself."""
    if not says_only(order, "expressions") or not all(says_only(one, *_ORDERED) for one in order.expressions):
        return speaker.code(order)
    return ", then ".join(_ordered(speaker, one) for one in order.expressions)


def _ordered(speaker: Speaker, node: exp.Expr) -> str:
    # A number in the order of a window function is a value, not a column of the result.
    in_window = node.parent is not None and isinstance(node.parent.parent, exp.Window)
    key = node.this if in_window else ordinal(node.this, query_around(node))
    words = speaker.value(key) + (" in descending order" if node.args.get("desc") else "")
    if not puts_nulls_elsewhere(speaker, node):
        return words
    return f"{words} with missing values {'first' if node.args.get('nulls_first') else 'last'}"


def puts_nulls_elsewhere(speaker: Speaker, ordered: exp.Expr) -> bool:
    """Whether NULLS FIRST or LAST says something else than what goes without saying in this dialect."""
    ordering = Dialect.get_or_raise(speaker.dialect or None).NULL_ORDERING
    descending = bool(ordered.args.get("desc"))
    usual = ordering == ("nulls_are_large" if descending else "nulls_are_small")
    return ordered.args.get("nulls_first") is not None and bool(ordered.args["nulls_first"]) != usual


def ordinal(key: exp.Expr, select: exp.Expr | None) -> exp.Expr:
    """The projection that `ORDER BY 2` or `GROUP BY 2` means; any other expression is itself."""
    if isinstance(key, exp.Literal) and not key.is_string and isinstance(select, exp.Select):
        place = int(key.name) - 1 if key.name.isdigit() else -1
        if 0 <= place < len(select.expressions):
            meant: exp.Expr = select.expressions[place].unalias()
            return meant
    return key
