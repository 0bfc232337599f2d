"""PostgreSQL, where words in texts ask for the time as well: DATE 'today'."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from askwell.sql.planner.clock.duckdb import from_midnight, put_moment
from askwell.sql.planner.clock.moments import Clock, is_time, literal, put_date, without_zone

_MOMENTS = frozenset({"now", "transaction_timestamp", "statement_timestamp", "clock_timestamp"})
_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1, "now": 0}
_KINDS = frozenset(
    {
        exp.DType.DATE,
        exp.DType.TIME,
        exp.DType.TIMETZ,
        exp.DType.TIMESTAMP,
        exp.DType.TIMESTAMPNTZ,
        exp.DType.TIMESTAMPTZ,
    }
)


def pin(node: exp.Expr, clock: Clock) -> None:
    """Replace `node` where it asks for the time."""
    match node:
        case exp.CurrentDate():
            put_date(node, clock)
        case exp.CurrentTimestamp():
            put_moment(node, clock)
        case exp.Anonymous() if node.name.lower() in _MOMENTS and not node.expressions:
            put_moment(node, clock)
        case exp.Anonymous() if node.name.lower() == "timeofday":
            node.replace(exp.Literal.string(clock.local.strftime("%a %b %d %H:%M:%S.%f %Y %Z")))
        case exp.Localtimestamp():
            node.replace(clock.timestamp())
        case exp.CurrentTime() | exp.Localtime():
            node.replace(clock.time())
        case exp.Anonymous() if node.name.lower() == "age" and len(node.expressions) == 1:
            from_midnight(node, clock)
        case exp.Literal() if node.is_string and node.name.strip().lower() in _DAYS:
            _pin_word(node, clock)


def _pin_word(node: exp.Expr, clock: Clock) -> None:
    """The words that PostgreSQL reads as a moment where it expects a date or time."""
    word = node.name.strip().lower()
    day = clock.local.date() + timedelta(days=_DAYS[word])
    parent = node.parent
    if isinstance(parent, exp.Cast) and parent.to.this in _KINDS:
        kind = parent.to.this
        node.replace(exp.Literal.string(_shown(word, str(day), kind, clock)))
    elif isinstance(parent, exp.Date | exp.TsOrDsToDate):
        node.replace(exp.Literal.string(str(day)))
    elif isinstance(parent, exp.Binary | exp.Between | exp.In) and any(
        isinstance(other, exp.Expr) and is_time(other) for other in parent.args.values()
    ):
        if word == "now":
            put_moment(node, clock)
        else:
            put_date(node, clock) if word == "today" else node.replace(literal(str(day), exp.DType.DATE))


def _shown(word: str, day: str, kind: exp.DType, clock: Clock) -> str:
    if kind is exp.DType.DATE:
        return day
    if kind in (exp.DType.TIME, exp.DType.TIMETZ):
        return clock.local.time().isoformat()
    zoned = kind is exp.DType.TIMESTAMPTZ
    if word == "now":
        return clock.local.isoformat(sep=" ") if zoned else without_zone(clock.local)
    return f"{day} 00:00:00" + (clock.local.isoformat()[-6:] if zoned else "")
