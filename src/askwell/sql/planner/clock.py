"""The clock of a plan: whatever asks the database what time it is gets the ask's own time instead."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from sqlglot import exp

from askwell.sql.context import QueryContext


def pin_clock(tree: exp.Query, context: QueryContext, dialect: str) -> None:
    """Replace the current date and time in `tree`, in place, by literals of `context.now` in `context.timezone`.

    For DuckDB and SQLite; other databases keep their own clock.
    """
    local = context.now.astimezone(ZoneInfo(context.timezone))
    pin = {"duckdb": _pin_duckdb, "sqlite": _pin_sqlite}.get(dialect)
    if pin is None:
        return
    for node in list(tree.walk()):
        pin(node, local)


_TIMESTAMPS_WITH_ZONE = frozenset({"now", "get_current_timestamp", "transaction_timestamp"})


def _pin_duckdb(node: exp.Expr, local: datetime) -> None:
    moment = local.isoformat(sep=" ")
    match node:
        case exp.CurrentDate():
            node.replace(_cast(local.date().isoformat(), "DATE"))
        case exp.CurrentTimestamp():
            node.replace(_cast(moment, "TIMESTAMPTZ"))
        case exp.Localtimestamp():
            node.replace(_cast(local.replace(tzinfo=None).isoformat(sep=" "), "TIMESTAMP"))
        case exp.CurrentTime():
            node.replace(_cast(local.timetz().isoformat(), "TIMETZ"))
        case exp.Localtime():
            node.replace(_cast(local.time().isoformat(), "TIME"))
        case exp.Anonymous() if node.name.lower() in _TIMESTAMPS_WITH_ZONE and not node.expressions:
            node.replace(_cast(moment, "TIMESTAMPTZ"))
        case exp.Anonymous() if node.name.lower() == "age" and len(node.expressions) == 1:
            # With one argument it counts from midnight of the current day.
            node.set("expressions", [_cast(local.date().isoformat(), "TIMESTAMP"), *node.expressions])


def _cast(text: str, kind: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), exp.DataType.build(kind, dialect="duckdb"))


# Functions of SQLite whose first argument, or second after a format, is a moment; without one they mean now.
_FIRST_ARGUMENT = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})


def _pin_sqlite(node: exp.Expr, local: datetime) -> None:
    match node:
        case exp.CurrentDate():
            node.replace(exp.Literal.string(local.date().isoformat()))
        case exp.CurrentTimestamp():
            node.replace(exp.Literal.string(_sqlite_moment(local)))
        case exp.CurrentTime():
            node.replace(exp.Literal.string(local.strftime("%H:%M:%S")))
        case exp.Literal() if node.is_string and node.name.strip().lower() == "now" and _is_moment(node):
            _without_zone_modifiers(node)
            node.replace(exp.Literal.string(_sqlite_moment(local)))
        case exp.Date() if node.this is None and not node.expressions:
            node.set("this", exp.Literal.string(_sqlite_moment(local)))
        case exp.Anonymous() if node.name.lower() in _FIRST_ARGUMENT and not node.expressions:
            node.set("expressions", [exp.Literal.string(_sqlite_moment(local))])


def _sqlite_moment(local: datetime) -> str:
    return local.strftime("%Y-%m-%d %H:%M:%S")


def _is_moment(node: exp.Expr) -> bool:
    """Whether the text "now" stands where a function of dates takes a moment."""
    parent = node.parent
    if isinstance(parent, exp.TsOrDsToTimestamp | exp.TsOrDsToDate):
        return True
    if isinstance(parent, exp.Date):
        return parent.this is node
    if not isinstance(parent, exp.Anonymous):
        return False
    name = parent.name.lower()
    position = next(i for i, argument in enumerate(parent.expressions) if argument is node)
    if name in _FIRST_ARGUMENT:
        return position == 0
    return (name == "strftime" and position == 1) or (name == "timediff" and position <= 1)


def _without_zone_modifiers(node: exp.Expr) -> None:
    """The literal already is local time: 'localtime' would shift it once more."""
    parent = node.parent
    if isinstance(parent, exp.Anonymous):
        parent.set("expressions", [part for part in parent.expressions if not _is_zone_modifier(part)])


def _is_zone_modifier(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and node.name.strip().lower() in ("localtime", "utc")
