"""Functions that make much out of little: bounded by what the text says, as an engine's memory limit is no boundary.

A chain of such calls multiplies, so the product along a nesting is what counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlglot import exp

from askwell.sql.guard.functions import SERIES
from askwell.sql.guard.nodes import ALLOWED
from askwell.sql.guard.outcome import Refused, Rule

_NUMBER = re.compile(r"[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(r"\s*(-?\d{1,9})-(\d{1,2})-(\d{1,2})")
_YEAR_IN_TEXT = re.compile(r"(?<!\d)(\d{4})(?!\d)|^\s*(\d{4})\d{4}(?!\d)")
_DAYS_BY_NAME = frozenset({"now", "today", "yesterday", "tomorrow", "epoch"})
_MANY_YEARS = 200

# What these can return at most, whatever they are given.
_SMALL = {name: float(most) for most, names in ALLOWED["largest"].items() for name in names.split()}
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
    year = _YEAR_IN_TEXT.search(text)
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


_SECONDS: Mapping[str, float] = ALLOWED["seconds"]
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
    return str(ALLOWED["units"].get(name, name.removesuffix("S")))


MAX_LENGTH = 10_000
MAX_SERIES = 1_000_000
MAX_TOTAL = 1_000_000_000
# What a series between two dates of the data is taken for when it is multiplied.
_USUAL_SERIES = 1_000
MAX_DIRECTIVES = 400
_MAX_YEARS = 10_000
# When an end of a date series is not a constant, a business's dates are taken to lie within this many years.
_ASSUMED_YEARS = 100.0

# Untyped functions with an argument that sets a size: name → position of the argument.
_SIZED: dict[str, int] = {name: place for place, names in ALLOWED["sized"].items() for name in names.split()}
_SERIES_NAMES = frozenset({"range", "generate_series", "sequence", "generate_array", "repeat_row"})
_FORMATS = frozenset({"printf", "format", "sprintf"})
# Each at most doubles or triples the text it is given.
_DOUBLING = frozenset({"hex", "to_hex", "quote", "json_quote", "url_encode", "to_base64", "quote_literal"})
_BINARY = frozenset({"bin", "to_binary"})


def check_growth(node: exp.Expr) -> None:
    """Refuse a call that can make a value or a series too large; raises `Refused`."""
    name = node.name.lower() if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else ""
    if isinstance(node, tuple(SERIES)):
        _check_series(node)
    elif name in _SERIES_NAMES:
        # Known by type wherever it is legitimate; under this name it hides its bounds from the checks.
        raise Refused(Rule.SERIES, node, "Write the series with its plain function, so that its bounds can be read.")
    elif name in _FORMATS or isinstance(node, exp.Format | exp.FormatPhrase):
        _check_format(node, _format_text(node))
    elif isinstance(node, exp.Factorial):
        if (magnitude(node.this) or MAX_LENGTH) > 170:
            raise Refused(Rule.GROWTH, node, "The factorial of a number above 170 is not allowed.")
    elif isinstance(node, exp.Pow):
        if (magnitude(node.expression) or 0) > MAX_LENGTH:
            raise Refused(Rule.GROWTH, node, f"A power above {MAX_LENGTH} is not allowed.")
    factor = _factor(node, name)
    if factor > 1:
        _check_chain(node, factor)


def _check_chain(node: exp.Expr, factor: float) -> None:
    """The product of this call's factor with those around it stays within `MAX_LENGTH`."""
    product = factor
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.Func):
            outer = parent.name.lower() if isinstance(parent, exp.Anonymous | exp.AnonymousAggFunc) else ""
            product *= max(1.0, _factor(parent, outer))
        parent = parent.parent
    if product > MAX_LENGTH:
        raise Refused(
            Rule.GROWTH, node, f"The call can make a value more than {MAX_LENGTH} times as long as its input."
        )


def _factor(node: exp.Expr, name: str) -> float:
    """How many times longer the call's result can be than its input; infinite when its text does not say."""
    size: exp.Expr | None = None
    if name in _FORMATS or isinstance(node, exp.Format | exp.FormatPhrase):
        text = _format_text(node)
        return max(1.0, sum(_widths(text.name)) / 10) if isinstance(text, exp.Literal) else 1.0
    if isinstance(node, exp.Repeat):
        size = node.args.get("times")
    elif isinstance(node, exp.Pad):
        size = node.expression
    elif isinstance(node, exp.Space):
        size = node.this
    elif isinstance(node, exp.Replace | exp.RegexpReplace):
        return _replacement_factor(node)
    elif isinstance(node, exp.Hex | exp.LowerHex | exp.Base64Encode) or name in _DOUBLING:
        return 3.0
    elif name in _BINARY:
        return 8.0
    elif name in _SIZED:
        position = _SIZED[name]
        size = node.expressions[position] if len(node.expressions) > position else None
        if size is None:
            return 1.0
    else:
        return 1.0
    bound = upper_bound(size)
    return bound if bound is not None else float("inf")


def _replacement_factor(node: exp.Expr) -> float:
    replacement, pattern = node.args.get("replacement"), node.args.get("expression")
    if replacement is None:
        return 1.0
    if not isinstance(replacement, exp.Literal):
        return 100.0
    width = len(replacement.name)
    if isinstance(node, exp.Replace) and isinstance(pattern, exp.Literal) and pattern.name:
        return max(1.0, width / len(pattern.name))
    # A pattern can match at every place, the empty string included; \0 … \9 put the match itself back.
    return max(1.0, width + 1 + 10 * replacement.name.count("\\")) if width > 1 else 1.0


def check_total(nodes: Iterable[exp.Expr]) -> None:
    """Refuse series that are each within bounds but are multiplied by one another or by long values; raises `Refused`.

    Counts every pair as multiplied, so that it does not have to follow joins, lambdas and CTEs.
    """
    total = widest = 1.0
    last: exp.Expr | None = None
    for node in nodes:
        if isinstance(node, tuple(SERIES)):
            total *= max(1.0, min(_series_count(node) or 1.0, _USUAL_SERIES if not _constant(node) else MAX_SERIES))
            last = node
        elif isinstance(node, exp.Repeat | exp.Pad | exp.Space):
            widest = max(widest, _factor(node, ""))
    if last is not None and total * widest > MAX_TOTAL:
        raise Refused(Rule.SERIES, last, f"The series of the statement can make more than {MAX_TOTAL} values together.")


def _constant(node: exp.Expr) -> bool:
    return not any(isinstance(part, exp.Column | exp.Subquery) for part in node.walk())


def _check_series(node: exp.Expr) -> None:
    if isinstance(node, exp.Generator):
        # Rows for as long as a time limit says are refused, and rows without end.
        count = magnitude(node.args.get("rowcount"))
        if count is None or count > MAX_SERIES or node.args.get("timelimit") is not None:
            raise Refused(
                Rule.SERIES, node, f"A generator needs a row count, of at most {MAX_SERIES}, and no time limit."
            )
        return
    if node.args.get("end") is None:
        raise Refused(Rule.SERIES, node, "The series has no end.")
    count = _series_count(node)
    if count is None:
        raise Refused(Rule.SERIES, node, "The bounds of the series cannot be read from the text; use constants.")
    if count > MAX_SERIES:
        raise Refused(Rule.SERIES, node, f"The series can have more than {MAX_SERIES} values.")


def _series_count(node: exp.Expr) -> float | None:
    """How many values a series has at most; None when its text does not say."""
    if isinstance(node, exp.Generator):
        return magnitude(node.args.get("rowcount"))
    start, end = node.args.get("start"), node.args.get("end")
    step = node.args.get("step") or node.args.get("interval")
    if end is None:
        return None
    count = _date_count(start, end, step)
    return count if count is not None else _number_count(start, end, step)


def _number_count(start: exp.Expr | None, end: exp.Expr, step: exp.Expr | None) -> float | None:
    first = magnitude(start) if start is not None else 0.0
    last = magnitude(end)
    if first is None or last is None:
        return None
    if isinstance(start, exp.Literal) and isinstance(end, exp.Literal):
        span = abs(last - first)
    else:
        span = first + last
    width = step
    while isinstance(width, exp.Neg | exp.Paren):
        width = width.this
    if isinstance(width, exp.Literal):
        by = magnitude(width)
        return span / by if by else None
    return span if step is None else None


def _date_count(start: exp.Expr | None, end: exp.Expr, step: exp.Expr | None) -> float | None:
    """Values in a date series, or None when it is not one. Only the step has to be a constant."""
    seconds = interval_seconds(step)
    first, last = year_of(start), year_of(end)
    if seconds is None:
        if first is None or last is None or step is not None:
            return None
        seconds = _SECONDS["DAY"]
    if seconds <= 0:
        return None
    if any(year is not None and abs(year) > _MAX_YEARS for year in (first, last)):
        return float("inf")
    if first is not None and last is not None:
        years = abs(last - first)
    elif first is not None or last is not None:
        known = first if first is not None else last
        # The other end is data: dates of a business, up to some decades from now.
        years = max(_ASSUMED_YEARS, abs(2100.0 - (known or 0.0)))
    else:
        years = _ASSUMED_YEARS
    return years * _SECONDS["YEAR"] / seconds


# Printf's and Java's directives up to their letter, and those in braces.
_DIRECTIVE = re.compile(r"%[-+ #0,'!(<\d.*$]*|\{[^{}]*\}?")
_WIDTH = re.compile(r"\d+")
_NESTED_BRACES = re.compile(r"\{[^{}]*\{")


def _format_text(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return node.expressions[0] if node.expressions else None
    if isinstance(node, exp.FormatPhrase):
        return node.args.get("format")
    this = node.this
    return this if isinstance(this, exp.Expr) else (node.expressions[0] if node.expressions else None)


def _directives(pattern: str) -> list[str]:
    return _DIRECTIVE.findall(pattern.replace("%%", ""))


def _widths(pattern: str) -> list[float]:
    return [float(width[:18]) for directive in _directives(pattern) for width in _WIDTH.findall(directive)]


def _check_format(node: exp.Expr, text: exp.Expr | None) -> None:
    """A format has to be a literal whose widths have at most three digits and do not come from the arguments."""
    if not isinstance(text, exp.Literal) or not text.is_string:
        # MySQL's FORMAT(number, decimals) formats a number; there is no width in it.
        if isinstance(node, exp.Anonymous) and node.name.lower() == "format" and len(node.expressions) <= 3:
            decimals = magnitude(node.expressions[1]) if len(node.expressions) > 1 else None
            if decimals is not None and decimals <= 100:
                return
        raise Refused(Rule.FORMAT_WIDTH, node, "A format has to be written out as a literal.")
    pattern = text.name
    directives = _directives(pattern)
    if any("*" in d for d in directives) or _NESTED_BRACES.search(pattern) or max(_widths(pattern), default=0) > 999:
        raise Refused(Rule.FORMAT_WIDTH, node, "A width in the format is too large or taken from an argument.")
    if pattern.count("%") + pattern.count("{") > MAX_DIRECTIVES:
        raise Refused(Rule.FORMAT_WIDTH, node, f"The format has more than {MAX_DIRECTIVES} directives.")
