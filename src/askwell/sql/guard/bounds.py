"""The largest value a numeric expression can take, as far as its text alone tells."""

from __future__ import annotations

import re
from datetime import datetime

from sqlglot import exp

_NUMBER = re.compile(r"[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(r"\s*(-?\d{1,9})-(\d{1,2})-(\d{1,2})")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)|^\s*(\d{4})\d{4}(?!\d)")
_DAYS_BY_NAME = frozenset({"now", "today", "yesterday", "tomorrow", "epoch"})
_MANY_YEARS = 200

# What these can return at most, whatever they are given.
_SMALL: dict[str, float] = {
    "Year": 10_000,
    "YearOfWeek": 10_000,
    "Quarter": 4,
    "Month": 12,
    "Week": 53,
    "WeekOfYear": 53,
    "Day": 31,
    "DayOfMonth": 31,
    "DayOfYear": 366,
    "DayOfWeek": 7,
    "DayOfWeekIso": 7,
    "Hour": 24,
    "Minute": 60,
    "Second": 60,
    "Sign": 1,
    # Lengths of values that are themselves bounded (see `growth`).
    "Length": 10_000,
    "ArraySize": 10_000,
}
_EXTRACTED = 10_000.0
_PASS_THROUGH = ("Paren", "Floor", "Ceil", "Round", "Trunc", "Max", "Min", "AnyValue", "Abs")
_NUMERIC_TYPES = frozenset(
    "TINYINT SMALLINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT UINT128 DECIMAL DOUBLE FLOAT MEDIUMINT".split()  # noqa: SIM905
)


def magnitude(node: exp.Expr | None) -> float | None:
    """An upper bound of |value|, or None when the text does not give one.

    Knows numbers, arithmetic, casts to numbers, modulo, date parts, lengths, MIN/MAX of such, and scalar subqueries
    of such.
    """
    match node:
        case exp.Literal():
            return _number(node.name) if not node.is_string or _NUMBER.fullmatch(node.name.strip()) else None
        case exp.Kwarg():
            return magnitude(node.expression)
        case exp.Neg() | exp.Add() | exp.Sub() | exp.Mul() | exp.Div() | exp.IntDiv() | exp.Mod():
            return _of_arithmetic(node)
        case exp.Cast() | exp.TryCast():
            return magnitude(node.this) if node.to.this.name in _NUMERIC_TYPES else None
        case exp.Greatest() | exp.Least() | exp.Coalesce():
            bounds = [magnitude(part) for part in (node.this, *node.expressions)]
            return max(b for b in bounds if b is not None) if None not in bounds else None
        case exp.Extract():
            part = node.name.upper()
            return _EXTRACTED if not part.startswith("EPOCH") else None
        case exp.Subquery() if isinstance(node.this, exp.Select) and len(node.this.expressions) == 1:
            return magnitude(node.this.expressions[0].unalias())
    return _of_function(node) if node is not None else None


def _of_arithmetic(node: exp.Expr) -> float | None:
    match node:
        case exp.Neg():
            return magnitude(node.this)
        case exp.Add() | exp.Sub():
            left, right = magnitude(node.this), magnitude(node.expression)
            return left + right if left is not None and right is not None else None
        case exp.Mul():
            left, right = magnitude(node.this), magnitude(node.expression)
            return left * right if left is not None and right is not None else None
        case exp.Div() | exp.IntDiv():
            # Dividing by a whole number of at least one never makes a value larger.
            divisor = node.expression
            if isinstance(divisor, exp.Literal) and (_number(divisor.name) or 0) >= 1:
                return magnitude(node.this)
            return None
        case exp.Mod():
            return magnitude(node.expression)
    return None


def _of_function(node: exp.Expr) -> float | None:
    """Of functions that give little whatever they are given, and of those that give about what they are given."""
    name = type(node).__name__
    if name in _SMALL:
        return _SMALL[name]
    if name in _PASS_THROUGH:
        inner = magnitude(node.this)
        return inner + 1 if inner is not None else None
    return None


def upper_bound(node: exp.Expr | None) -> float | None:
    """An upper bound of the value: like `magnitude`, but one bounded argument of LEAST is enough."""
    while isinstance(node, exp.Paren | exp.Cast | exp.TryCast | exp.Floor | exp.Ceil):
        node = node.this
    if isinstance(node, exp.Least):
        bounds = [bound for part in (node.this, *node.expressions) if (bound := upper_bound(part)) is not None]
        return min(bounds) if bounds else None
    return magnitude(node)


def _number(text: str) -> float | None:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return float(text.replace("_", ""))
    except (ValueError, OverflowError):
        return None


def year_of(node: exp.Expr | None) -> float | None:
    """The year (with fraction) of a date or timestamp that is written out, cast or not, plus or minus an interval.

    None for what comes from the data; infinite for a text that is no date, and for data plus centuries.
    """
    while isinstance(node, exp.Cast | exp.TryCast | exp.Paren | exp.Date | exp.Timestamp | exp.TsOrDsToDate):
        node = node.this
    match node:
        case exp.CurrentDate() | exp.CurrentTimestamp() | exp.CurrentDatetime():
            return _this_year()
        case exp.DateFromParts():
            return magnitude(node.args.get("year"))
        case exp.Literal() if node.is_string:
            return _year_of_text(node.name)
        case exp.Add() | exp.Sub() | exp.DateAdd() | exp.DateSub() | exp.TsOrDsAdd() | exp.TimestampAdd():
            return _moved(year_of(node.this), node)
    return None


def _this_year() -> float:
    return float(datetime.now().year)  # noqa: DTZ005 - only the year's magnitude matters


def _year_of_text(text: str) -> float:
    found = _DATE.match(text)
    if found:
        return int(found[1]) + int(found[2]) / 12 + int(found[3]) / 366
    if text.strip().lower() in _DAYS_BY_NAME:
        return _this_year()
    year = _YEAR.search(text)
    return float(year[1] or year[2]) if year else float("inf")


def _moved(year: float | None, node: exp.Expr) -> float | None:
    """The year of `node`, a date of this `year` plus or minus something; without a year, only a large step counts."""
    seconds = interval_seconds(node.expression)
    if seconds is None:
        unit = _SECONDS.get(_unit(node.text("unit")) if node.args.get("unit") else "DAY")
        number = magnitude(node.expression)
        seconds = number * unit if number is not None and unit is not None else None
    years = (seconds or 0.0) / _SECONDS["YEAR"]
    if year is None:
        return float("inf") if years > _MANY_YEARS else None
    return year - years if isinstance(node, exp.Sub | exp.DateSub) else year + years


_SECONDS = {
    "MICROSECOND": 1e-6,
    "MILLISECOND": 1e-3,
    "SECOND": 1.0,
    "MINUTE": 60.0,
    "HOUR": 3600.0,
    "DAY": 86_400.0,
    "WEEK": 604_800.0,
    "MONTH": 2_592_000.0,
    "QUARTER": 7_776_000.0,
    "YEAR": 31_536_000.0,
    "DECADE": 315_360_000.0,
    "CENTURY": 3_153_600_000.0,
}
_INTERVAL_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


def interval_seconds(node: exp.Expr | None) -> float | None:
    """The length of an interval literal in seconds, or None when it is not one."""
    while isinstance(node, exp.Paren | exp.Neg) or (
        isinstance(node, exp.Cast) and node.to.this.name in ("INTERVAL", "TIMESTAMP")
    ):
        node = node.this
    if isinstance(node, exp.Literal) and node.is_string:
        return _interval_text(node.name)
    if not isinstance(node, exp.Interval) or node.this is None:
        return None
    amount = node.this
    while isinstance(amount, exp.Paren):
        amount = amount.this
    if not isinstance(amount, exp.Literal):
        return None
    if node.args.get("unit") is None:
        return _interval_text(amount.name)
    number = _number(amount.name)
    unit = _SECONDS.get(_unit(node.text("unit")))
    return number * unit if number is not None and unit is not None else None


def _interval_text(text: str) -> float | None:
    found = _INTERVAL_TEXT.fullmatch(text)
    if not found:
        return None
    unit = _SECONDS.get(_unit(found[2]))
    return float(found[1]) * unit if unit is not None else None


def _unit(name: str) -> str:
    name = name.upper()
    return {
        "D": "DAY",
        "H": "HOUR",
        "MON": "MONTH",
        "MONS": "MONTH",
        "Y": "YEAR",
        "MINS": "MINUTE",
        "SECS": "SECOND",
    }.get(name, name.removesuffix("S"))
