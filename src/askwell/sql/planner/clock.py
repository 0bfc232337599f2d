"""The clock of a plan: whatever asks the database what time it is gets the ask's own time instead.

"Today" is a day where the asker is, so the present moment becomes local time there, without a zone, as most databases
store theirs. Only where seconds are counted, or a zone is asked for, does it stay a moment.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from sqlglot import exp

from askwell.sql.context import QueryContext


def pin_clock(tree: exp.Query, context: QueryContext, dialect: str) -> None:
    """Replace the current date and time in `tree`, in place, by literals of `context.now` in `context.timezone`.

    For DuckDB and SQLite; other databases keep their own clock.
    """
    pin = {"duckdb": _pin_duckdb, "sqlite": _pin_sqlite}.get(dialect)
    if pin is None:
        return
    local = context.now.astimezone(ZoneInfo(context.timezone))
    for node in list(tree.walk()):
        pin(node, local)


# DuckDB

_MOMENTS = frozenset({"now", "get_current_timestamp", "transaction_timestamp"})
_OF_MOMENTS = frozenset({"epoch", "epoch_ms", "epoch_us", "epoch_ns", "timezone"})
_PARTS_OF_TIME = frozenset({"date_part", "datepart"})


def _pin_duckdb(node: exp.Expr, local: datetime) -> None:
    match node:
        case exp.CurrentDate():
            node.replace(_literal(local.date().isoformat(), "DATE"))
        case exp.CurrentTimestamp():
            node.replace(_moment(node, local))
        case exp.Anonymous() if node.name.lower() in _MOMENTS and not node.expressions:
            node.replace(_moment(node, local))
        case exp.Localtimestamp():
            node.replace(_literal(_without_zone(local), "TIMESTAMP"))
        case exp.CurrentTime() | exp.Localtime():
            node.replace(_literal(local.time().isoformat(), "TIME"))
        case exp.Anonymous() if node.name.lower() == "age" and len(node.expressions) == 1:
            # With one argument it counts from midnight of the current day.
            node.set("expressions", [_literal(local.date().isoformat(), "TIMESTAMP"), *node.expressions])


def _moment(node: exp.Expr, local: datetime) -> exp.Expr:
    if _counts_seconds(node):
        return _literal(local.isoformat(sep=" "), "TIMESTAMPTZ")
    return _literal(_without_zone(local), "TIMESTAMP")


def _counts_seconds(node: exp.Expr) -> bool:
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


def _without_zone(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(sep=" ")


def _literal(text: str, kind: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), exp.DataType.build(kind, dialect="duckdb"))


# SQLite

# Functions whose first argument is a moment; without one they mean now.
_OF_FIRST_ARGUMENT = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})


def _pin_sqlite(node: exp.Expr, local: datetime) -> None:
    match node:
        case exp.CurrentDate():
            node.replace(exp.Literal.string(local.date().isoformat()))
        case exp.CurrentTimestamp():
            node.replace(_text(local))
        case exp.CurrentTime():
            node.replace(exp.Literal.string(local.strftime("%H:%M:%S")))
        case exp.Literal() if node.is_string and node.name.strip().lower() == "now" and _is_moment(node):
            counts_seconds = _format_around(node) == "%s"
            _drop_zone_modifiers(node)
            node.replace(_text(local.astimezone(UTC) if counts_seconds else local))
        case exp.Date() if node.this is None and not node.expressions:
            node.set("this", _text(local))
        case exp.Anonymous() if node.name.lower() in _OF_FIRST_ARGUMENT and not node.expressions:
            in_utc = node.name.lower() == "unixepoch"
            node.set("expressions", [_text(local.astimezone(UTC) if in_utc else local)])


def _text(moment: datetime) -> exp.Expr:
    return exp.Literal.string(moment.strftime("%Y-%m-%d %H:%M:%S"))


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
    position = next(number for number, argument in enumerate(parent.expressions) if argument is node)
    if name in _OF_FIRST_ARGUMENT:
        return position == 0
    return (name == "strftime" and position == 1) or (name == "timediff" and position <= 1)


def _format_around(node: exp.Expr) -> str:
    """The format that the moment is written in, `%s` where it is counted in seconds of UTC."""
    parent = node.parent
    if isinstance(parent, exp.TsOrDsToTimestamp) and isinstance(parent.parent, exp.TimeToStr):
        return parent.parent.text("format")
    if isinstance(parent, exp.Anonymous):
        name = parent.name.lower()
        return "%s" if name == "unixepoch" else parent.expressions[0].name if name == "strftime" else ""
    return ""


def _drop_zone_modifiers(node: exp.Expr) -> None:
    """The literal already is local time: 'localtime' would shift it once more."""
    parent = node.parent
    if isinstance(parent, exp.Anonymous):
        parent.set("expressions", [part for part in parent.expressions if not _is_zone_modifier(part)])


def _is_zone_modifier(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and node.name.strip().lower() in ("localtime", "utc")
