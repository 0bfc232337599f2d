"""SQLite, whose dates and times are texts, and whose functions of dates take "now" for one."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlglot import exp

from askwell.sql.planner.clock.moments import Clock

# Functions whose first argument is a moment; without one they mean now.
_OF_FIRST_ARGUMENT = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})


def pin(node: exp.Expr, clock: Clock) -> None:
    """Replace `node` where it asks for the time."""
    local = clock.local
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
