"""What SQLite has no function of its own for, said with the functions it has."""

from __future__ import annotations

import re

from sqlglot import exp

# strftime's letters for what is taken out of a date: as numbers, as in the databases that have these functions.
_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S"}
_TRUNCATED = {"YEAR": "%Y-01-01", "MONTH": "%Y-%m-01", "DAY": "%Y-%m-%d"}
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_OF_CLOCK = frozenset({"HOUR", "MINUTE", "SECOND"})
# The parser writes these in words of SQLite that say less: months as 30 days, hours of a date, a number without digits.
LOSES_MEANING = (exp.Extract, exp.DateDiff, exp.DateAdd, exp.Trunc)
# What a format may hold here, and letters of a format of another kind that were left as they are.
_LETTERS = re.compile(r"(?:[^%]|%[dfHjJmMsSwWY%])*")
_LEFT_OVER = re.compile(r"(?<!%)[A-Za-z]")
_NOW = {"NOW": "CURRENT_TIMESTAMP", "GETDATE": "CURRENT_TIMESTAMP", "SYSDATE": "CURRENT_TIMESTAMP"}
_TODAY = frozenset({"CURDATE", "TODAY"})


def in_sqlite(node: exp.Func, name: str) -> exp.Expr | None:
    """The call in SQLite's words, or None where it has none that mean the same."""
    anonymous = isinstance(node, exp.Anonymous)
    arguments = list(node.expressions) if anonymous else list(_arguments(node))
    if name in _NOW and not arguments:
        return exp.CurrentTimestamp()
    if name in _TODAY and not arguments:
        return exp.CurrentDate()
    if name in ("DAYOFMONTH", "DAY_OF_MONTH"):
        name = "DAY"
    if name in _PARTS and len(arguments) == 1:
        return _part(name, arguments[0])
    if name in ("EXTRACT", "DATE_PART", "DATEPART") and len(arguments) == 2:
        part = arguments[0].name.upper()
        return _part(part, arguments[1]) if part in _PARTS else None
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.text("unit").upper()
        return _strftime(_TRUNCATED[unit], node.this) if unit in _TRUNCATED else None
    if isinstance(node, exp.DateSub | exp.DateAdd):
        return _date_moved(node)
    if isinstance(node, exp.DateDiff) or (name == "DATEDIFF" and len(arguments) == 2):
        return _days_between(node, *arguments[:2])
    return _of_text(node)


def _of_text(node: exp.Func) -> exp.Expr | None:
    if isinstance(node, exp.Left | exp.Right):
        return _end_of(node)
    if isinstance(node, exp.ConcatWs):
        return _joined_with(*node.expressions)
    return _joined(node.expressions) if isinstance(node, exp.Concat) else None


def keeps_format(written: exp.Expr, name: str, dialect: str) -> bool:
    """Whether the formats of dates in a translated call are whole: every part of them has its like here."""
    formats = [one.name for one in written.find_all(exp.Literal) if one.is_string and "%" in one.name]
    if dialect == "sqlite" and not all(map(_LETTERS.fullmatch, formats)):
        return False
    return name != "TO_CHAR" or (bool(formats) and not any(map(_LEFT_OVER.search, formats)))


def _date_moved(node: exp.DateSub | exp.DateAdd) -> exp.Expr | None:
    sign = "-" if isinstance(node, exp.DateSub) else "+"
    number, unit = node.expression, (node.text("unit") or "DAY").upper()
    if isinstance(number, exp.Interval):
        number, unit = number.this, number.text("unit").upper()
    if not isinstance(number, exp.Literal) or not number.name.isdigit() or unit not in _UNITS:
        return None
    return _moved("DATETIME" if unit in _OF_CLOCK else "DATE", node.this, f"{sign}{number.name} {unit}")


def _days_between(node: exp.Func, later: exp.Expr, earlier: exp.Expr) -> exp.Expr | None:
    """Counted by the days of the calendar, whatever the time of day."""
    if node.text("unit").upper() not in ("", "DAY"):
        return None
    first, second = (
        exp.Anonymous(this="JULIANDAY", expressions=[exp.Anonymous(this="DATE", expressions=[one.copy()])])
        for one in (later, earlier)
    )
    return exp.Cast(this=exp.Paren(this=exp.Sub(this=first, expression=second)), to=exp.DataType.build("INTEGER"))


def _end_of(node: exp.Left | exp.Right) -> exp.Expr | None:
    """LEFT and RIGHT. Databases differ about how many characters a negative number is."""
    text, count = node.this, node.expression
    if isinstance(count, exp.Neg):
        return None
    if isinstance(node, exp.Left):
        return _substr(text, exp.Literal.number(1), count)
    if isinstance(count, exp.Literal) and count.name.strip("0"):
        return _substr(text, exp.Neg(this=count.copy()))
    length = exp.Length(this=text.copy())
    start = exp.Add(
        this=exp.Sub(this=length, expression=exp.Paren(this=count.copy())), expression=exp.Literal.number(1)
    )
    return _substr(text, exp.Anonymous(this="MAX", expressions=[start, exp.Literal.number(1)]))


def moved_in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """`CURRENT_DATE - INTERVAL 1 MONTH` as SQLite says it; None where the start is not known to be a date or time."""
    interval = node.expression
    if not isinstance(node, exp.Add | exp.Sub) or not isinstance(interval, exp.Interval):
        return None
    start = {exp.CurrentDate: "DATE", exp.CurrentTimestamp: "DATETIME"}.get(type(node.this))
    number, unit = interval.this, interval.text("unit").upper()
    if start is None or not isinstance(number, exp.Literal) or not number.name.isdigit() or unit not in _UNITS:
        return None
    sign = "-" if isinstance(node, exp.Sub) else "+"
    return _moved(start, node.this, f"{sign}{number.name} {unit}")


def _moved(function: str, start: exp.Expr, by: str) -> exp.Expr:
    return exp.Anonymous(this=function, expressions=[start.copy(), exp.Literal.string(by)])


def _arguments(node: exp.Func) -> list[exp.Expr]:
    return [value for key in ("this", "expression") if isinstance(value := node.args.get(key), exp.Expr)]


def _part(part: str, value: exp.Expr) -> exp.Expr:
    return exp.Cast(this=_strftime(_PARTS[part], value), to=exp.DataType.build("INTEGER"))


def _strftime(letters: str, value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(letters), value.copy()])


def _substr(*arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="SUBSTR", expressions=[argument.copy() for argument in arguments])


def _joined(parts: list[exp.Expr]) -> exp.Expr:
    """`concat(a, b)` as newer versions of SQLite have it: a part that is null is empty."""
    joined = _or_empty(parts[0])
    for part in parts[1:]:
        joined = exp.DPipe(this=joined, expression=_or_empty(part))
    return exp.Paren(this=joined)


def _joined_with(separator: exp.Expr, *parts: exp.Expr) -> exp.Expr:
    """`concat_ws(separator, a, b)`: each part that is not null with the separator before it, less the first of these;
    null where the separator is."""
    pairs = [exp.DPipe(this=separator.copy(), expression=part.copy()) for part in parts]
    start = exp.Add(this=exp.Length(this=separator.copy()), expression=exp.Literal.number(1))
    return _substr(_joined(pairs).this, start)


def _or_empty(part: exp.Expr) -> exp.Expr:
    if isinstance(part, exp.Literal):
        return part.copy()
    return exp.Coalesce(this=part.copy(), expressions=[exp.Literal.string("")])
