"""The asker's time as literals, and what stands around a place where a statement asks for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

# A column's note of what its values are: "zoned" for moments, "local" for dates and times without a zone.
_KIND = "kind of time"
_ZONED = re.compile(r"with time zone|timestamp_?(tz|ltz)|timetz|datetimeoffset", re.I)
_TIME = re.compile(r"date|time", re.I)


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment of the ask: `local` is it where the asker is, in the IANA zone `zone`."""

    local: datetime
    zone: str

    def date(self) -> exp.Expr:
        """Today."""
        return literal(self.local.date().isoformat(), exp.DType.DATE)

    def time(self) -> exp.Expr:
        """The time of day."""
        return literal(self.local.time().isoformat(), exp.DType.TIME)

    def timestamp(self) -> exp.Expr:
        """The local time, without a zone."""
        return literal(without_zone(self.local), _TIMESTAMP)

    def moment(self) -> exp.Expr:
        """The moment itself."""
        return literal(self.local.isoformat(sep=" "), exp.DType.TIMESTAMPTZ)


_TIMESTAMP = exp.DType.TIMESTAMP
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.NullSafeEQ, exp.NullSafeNEQ)


def literal(text: str, kind: exp.DType) -> exp.Expr:
    """The text as a date or time."""
    return exp.cast(exp.Literal.string(text), exp.DataType(this=kind))


def without_zone(moment: datetime) -> str:
    """The moment as its clock shows it."""
    return moment.replace(tzinfo=None).isoformat(sep=" ")


def note_kind(column: exp.Expr, type_name: str) -> None:
    """Note on a column of the tree what kind of time its values are, if any, by its SQL type."""
    if _TIME.search(type_name):
        column.meta[_KIND] = "zoned" if _ZONED.search(type_name) else "local"


def is_time(value: exp.Expr) -> bool:
    """Whether this is a column of dates or times."""
    return value.unnest().meta.get(_KIND) is not None


def is_zoned(value: exp.Expr) -> bool:
    """Whether the value is a moment because a column in it is: itself, give or take an interval, or cut to a unit."""
    inner = value.unnest()
    if isinstance(inner, exp.Column):
        return bool(inner.meta.get(_KIND) == "zoned")
    if isinstance(inner, exp.Sub | exp.Add):
        return is_zoned(inner.this) and isinstance(inner.expression, exp.Interval)
    cut = isinstance(inner, exp.TimestampTrunc | exp.Min | exp.Max | exp.Coalesce)
    return cut and inner.this is not None and is_zoned(inner.this)


def put(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for the present moment, by the local time or, beside moments, by the moment."""
    top, plain = operand(node)
    if not _beside_moments(top):
        node.replace(clock.timestamp())
    elif plain:
        node.replace(clock.moment())
    else:
        node.replace(clock.timestamp())
        as_moment(top, clock)


def put_date(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for today; beside moments the day begins where the asker is."""
    top, _ = operand(node)
    beside = _beside_moments(top)
    new = node.replace(clock.date())
    if beside:
        as_moment(new if top is node else top, clock)


def as_moment(value: exp.Expr, clock: Clock) -> None:
    """Read a local time as one in the asker's zone."""
    local = exp.cast(value.copy(), exp.DataType(this=_TIMESTAMP))
    value.replace(exp.Paren(this=exp.AtTimeZone(this=local, zone=exp.Literal.string(clock.zone))))


def operand(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """What `node` is worked into, up to a whole side of a comparison; and whether only intervals were added to it."""
    top, plain = node, True
    while True:
        around = top.parent
        shifted = isinstance(around, exp.Add | exp.Sub) and isinstance(around.expression, exp.Interval)
        if around is not None and (shifted or isinstance(around, exp.Paren)):
            top = around
        elif isinstance(around, exp.TimestampTrunc | exp.Cast) and around.this is top:
            top, plain = around, False
        else:
            return top, plain


def _beside_moments(top: exp.Expr) -> bool:
    around = top.parent
    beside: list[exp.Expr | None] = []
    if isinstance(around, _COMPARISONS):
        beside = [around.args.get(key) for key in ("this", "expression", "low", "high")]
    elif isinstance(around, exp.Sub):
        beside = [around.this, around.expression]
    elif isinstance(around, exp.Anonymous) and around.name.lower() in ("age", "date_diff", "datediff"):
        beside = list(around.expressions)
    return any(isinstance(value, exp.Expr) and value is not top and is_zoned(value) for value in beside)
