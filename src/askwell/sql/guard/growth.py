"""Functions that make much out of little: bounded here, because an engine's memory limit is no boundary.

A chain of such calls multiplies, so the product along a nesting is what counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from askwell.sql.guard.bounds import interval_seconds, magnitude, upper_bound, year_of
from askwell.sql.guard.functions import SERIES
from askwell.sql.guard.outcome import Refused, Rule

MAX_LENGTH = 10_000
MAX_SERIES = 1_000_000
MAX_TOTAL = 1_000_000_000
# What a series between two dates of the data is taken for when it is multiplied.
_USUAL_SERIES = 1_000
MAX_DIRECTIVES = 400
_MAX_YEARS = 10_000
# When an end of a date series is not a constant, a business's dates are taken to lie within this many years.
_ASSUMED_YEARS = 100.0
_YEAR = 31_536_000.0

# Untyped functions with an argument that sets a size: name → position of the argument.
_SIZED: dict[str, int] = {
    "list_resize": 1,
    "array_resize": 1,
    "lpad": 1,
    "rpad": 1,
    "repeat": 1,
    "replicate": 1,
    "space": 0,
    "bar": 3,
    "to_base": 2,
    "equi_width_bins": 2,
    "str": 1,
    "reservoir_quantile": 2,
    "approx_top_k": 1,
    "lttb": 2,
    "combinations": 1,
    "ngrams": 1,
}
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
        seconds = _SECONDS_A_DAY
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
    return years * _YEAR / seconds


_SECONDS_A_DAY = 86_400.0
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
