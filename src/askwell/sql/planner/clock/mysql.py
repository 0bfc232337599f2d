"""MySQL and MariaDB, whose times have no zone, but whose seconds are counted from one."""

from __future__ import annotations

from datetime import UTC

from sqlglot import exp

from askwell.sql.planner.clock.moments import Clock, literal, without_zone

_MOMENTS = frozenset({"now", "sysdate", "localtime", "localtimestamp", "current_timestamp"})
_OF_MOMENTS = frozenset({"unix_timestamp", "convert_tz"})


def pin(node: exp.Expr, clock: Clock) -> None:
    """Replace `node` where it asks for the time. Its clock shows no fractions of a second unless it is told to."""
    local = clock.local.replace(microsecond=0)
    in_utc = local.astimezone(UTC)
    match node:
        case exp.CurrentDate():
            node.replace(clock.date())
        case exp.CurrentTimestamp() | exp.Localtime() | exp.Localtimestamp():
            node.replace(_moment(node, clock))
        case exp.Anonymous() if node.name.lower() in _MOMENTS:
            node.replace(_moment(node, clock))
        case exp.CurrentTime():
            node.replace(literal(local.time().isoformat(), exp.DType.TIME))
        case exp.UtcDate():
            node.replace(literal(in_utc.date().isoformat(), exp.DType.DATE))
        case exp.UtcTime():
            node.replace(literal(in_utc.time().isoformat(), exp.DType.TIME))
        case exp.UtcTimestamp():
            node.replace(literal(without_zone(in_utc), exp.DType.DATETIME))
        case exp.Anonymous() if node.name.lower() == "unix_timestamp" and not node.expressions:
            node.replace(exp.Literal.number(int(local.timestamp())))


def _moment(node: exp.Expr, clock: Clock) -> exp.Expr:
    if _counts_seconds(node):
        # In the session's zone, as the function around it expects.
        return exp.Anonymous(this="FROM_UNIXTIME", expressions=[exp.Literal.number(int(clock.local.timestamp()))])
    return literal(without_zone(clock.local.replace(microsecond=0)), exp.DType.DATETIME)


def _counts_seconds(node: exp.Expr) -> bool:
    around = node.parent
    while isinstance(around, exp.Add | exp.Sub | exp.Paren | exp.DateAdd | exp.DateSub):
        around = around.parent
    if isinstance(around, exp.Anonymous):
        return around.name.lower() in _OF_MOMENTS
    return isinstance(around, exp.TimeToUnix | exp.ConvertTimezone)
