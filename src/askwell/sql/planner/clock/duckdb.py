"""DuckDB."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.planner.clock.moments import Clock, is_zoned, literal, put, put_date, without_zone

_MOMENTS = frozenset({"now", "get_current_timestamp", "transaction_timestamp"})
_OF_MOMENTS = frozenset({"epoch", "epoch_ms", "epoch_us", "epoch_ns", "timezone"})
_PARTS_OF_TIME = frozenset({"date_part", "datepart"})


def pin(node: exp.Expr, clock: Clock) -> None:
    """Replace `node` where it asks for the time."""
    match node:
        case exp.CurrentDate():
            put_date(node, clock)
        case exp.CurrentTimestamp():
            put_moment(node, clock)
        case exp.Anonymous() if node.name.lower() in _MOMENTS and not node.expressions:
            put_moment(node, clock)
        case exp.Localtimestamp():
            node.replace(clock.timestamp())
        case exp.CurrentTime() | exp.Localtime():
            node.replace(clock.time())
        case exp.Anonymous() if node.name.lower() == "current_localtime" and not node.expressions:
            node.replace(clock.time())
        case exp.Anonymous() if node.name.lower() == "age" and len(node.expressions) == 1:
            from_midnight(node, clock)


def from_midnight(age: exp.Expr, clock: Clock) -> None:
    """With one argument `age` counts from midnight of the current day."""
    midnight = clock.local.replace(hour=0, minute=0, second=0, microsecond=0)
    if is_zoned(age.expressions[0]):
        first = literal(midnight.isoformat(sep=" "), exp.DType.TIMESTAMPTZ)
    else:
        first = literal(without_zone(midnight), exp.DType.TIMESTAMP)
    age.set("expressions", [first, *age.expressions])


def put_moment(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for the present moment."""
    if counts_seconds(node):
        node.replace(clock.moment())
    else:
        put(node, clock)


def counts_seconds(node: exp.Expr) -> bool:
    """Whether a moment, perhaps after some arithmetic, is turned into seconds or into another zone's time."""
    around = node.parent
    while isinstance(around, exp.Add | exp.Sub | exp.Paren):
        around = around.parent
    match around:
        case exp.TimeToUnix() | exp.UnixToTime() | exp.AtTimeZone():
            return True
        case exp.Extract():
            return bool(around.this.name.lower() == "epoch")
        case exp.Anonymous():
            name = around.name.lower()
            of_epoch = name in _PARTS_OF_TIME and around.expressions[0].name.lower() == "epoch"
            return name in _OF_MOMENTS or of_epoch
    return False
