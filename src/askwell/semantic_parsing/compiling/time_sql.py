"""Moments and periods in each dialect. Moments counted from today stay so in the SQL, so that a saved query means
"today" again when it is run later."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp, parse_one

from askwell.question.periods import Moment

# The start of the current period.
_STARTS: dict[str, dict[str, str]] = {
    "sqlite": {
        "day": "date('now'{0})",
        "week": "date('now', '-6 days', 'weekday 1'{0})",
        "month": "date('now', 'start of month'{0})",
        "quarter": (
            "date('now', 'start of month', '-' || ((CAST(strftime('%m', 'now') AS INTEGER) - 1) % 3) || ' months'{0})"
        ),
        "year": "date('now', 'start of year'{0})",
    },
    "mysql": {
        "day": "CURRENT_DATE",
        "week": "(CURRENT_DATE - INTERVAL WEEKDAY(CURRENT_DATE) DAY)",
        "month": "CAST(DATE_FORMAT(CURRENT_DATE, '%Y-%m-01') AS DATE)",
        "quarter": "(MAKEDATE(YEAR(CURRENT_DATE), 1) + INTERVAL (QUARTER(CURRENT_DATE) - 1) QUARTER)",
        "year": "MAKEDATE(YEAR(CURRENT_DATE), 1)",
    },
    "other": {
        "day": "CURRENT_DATE",
        "week": "DATE_TRUNC('week', CURRENT_DATE)",
        "month": "DATE_TRUNC('month', CURRENT_DATE)",
        "quarter": "DATE_TRUNC('quarter', CURRENT_DATE)",
        "year": "DATE_TRUNC('year', CURRENT_DATE)",
    },
}
# Units of a moment: the period it is counted from the start of, and the unit it is counted in.
_UNITS: dict[str, tuple[str, str]] = {
    "day": ("day", "day"),
    "week": ("week", "week"),
    "month": ("month", "month"),
    "quarter": ("quarter", "quarter"),
    "year": ("year", "year"),
    "months_from_today": ("day", "month"),
    "years_from_today": ("day", "year"),
}
# A digit, and nothing that no number has.
_NUMBERS = ("*[0-9]*", "*[^0-9.+ -]*")
_SQLITE_STEPS: dict[str, tuple[int, str]] = {"week": (7, "days"), "quarter": (3, "months")}


def moment_sql(moment: Moment, dialect: str, *, as_text: bool) -> exp.Expr:
    """A moment to compare a date with; `as_text` where dates are kept as ISO text."""
    if moment.day is not None:
        text = exp.Literal.string(moment.day.isoformat())
        if as_text or dialect == "sqlite":
            return text
        return exp.Cast(this=text, to=exp.DataType.build("date"))
    expression = _relative(moment.unit, moment.shift, dialect).copy()
    if as_text and dialect not in ("sqlite", "mysql"):
        return exp.Cast(this=exp.Cast(this=expression, to=exp.DataType.build("date")), to=exp.DataType.build("text"))
    return expression


@lru_cache(maxsize=256)
def _relative(unit: str, shift: int, dialect: str) -> exp.Expr:
    start, step = _UNITS[unit]
    if dialect == "sqlite":
        factor, name = _SQLITE_STEPS.get(step, (1, f"{step}s"))
        modifier = f", '{shift * factor:+d} {name}'" if shift else ""
        return parse_one(_STARTS["sqlite"][start].format(modifier), read="sqlite")
    text = _STARTS["mysql" if dialect == "mysql" else "other"][start]
    if shift:
        factor, step = (shift * 3, "month") if step == "quarter" and dialect != "mysql" else (shift, step)
        sign = "-" if shift < 0 else "+"
        amount = str(abs(factor)) if dialect == "mysql" else f"'{abs(factor)}'"
        text = f"{text} {sign} INTERVAL {amount} {step.upper()}"
    return parse_one(text, read="mysql" if dialect == "mysql" else "postgres")


def number_sql(text: exp.Expr, dialect: str) -> exp.Expr:
    """The number that a text is, and NULL where it is none, of which some databases make 0 and others an error."""
    double = exp.DataType.build("double")
    pattern = exp.Literal.string(r"^\s*[-+]?[0-9]+([.][0-9]+)?\s*$")
    match dialect:
        case "sqlite":  # without regular expressions
            digit, other = (exp.Glob(this=text.copy(), expression=exp.Literal.string(p)) for p in _NUMBERS)
            is_number = exp.and_(digit, exp.not_(other))
        case "postgres":
            is_number = exp.RegexpLike(this=text.copy(), expression=pattern)
        case "mysql":
            found = exp.Anonymous(this="REGEXP_INSTR", expressions=[text.copy(), pattern])
            is_number = exp.GT(this=found, expression=exp.Literal.number(0))
        case _:
            return exp.TryCast(this=text, to=double)
    return exp.Case().when(is_number, exp.Cast(this=text, to=double))


def elapsed_sql(end: exp.Expr, begin: exp.Expr, unit: int, dialect: str) -> exp.Expr:
    """The time between two dates as a fraction of a unit, which is given in milliseconds."""
    match dialect:
        case "sqlite":  # a Julian day is too coarse to compare with
            ends = (exp.Anonymous(this="strftime", expressions=[exp.Literal.string("%s"), one]) for one in (end, begin))
            last, first = (exp.Cast(this=one, to=exp.DataType.build("bigint")) for one in ends)
            seconds: exp.Expr = exp.paren(exp.Sub(this=last, expression=first))
        case "mysql" | "bigquery":
            seconds = exp.TimestampDiff(this=end, expression=begin, unit=exp.var("SECOND"))
        case _:
            seconds = exp.DateDiff(this=end, expression=begin, unit=exp.var("SECOND"))
    return exp.Div(this=seconds, expression=exp.Literal.number(f"{unit / 1000:.1f}"), typed=True)


def bucket_sql(column: exp.Expr, unit: str, dialect: str, *, is_text: bool) -> exp.Expr:
    """The period a date falls in: the first day of it, or in SQLite and MySQL a text that sorts by time."""
    if dialect == "sqlite":
        return _sqlite_bucket(column, unit)
    if dialect == "mysql":
        return _mysql_bucket(column, unit)
    date = exp.Cast(this=column, to=exp.DataType.build("date")) if is_text else column
    return exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), date])


def _sqlite_bucket(column: exp.Expr, unit: str) -> exp.Expr:
    name = column.sql(dialect="sqlite")
    patterns = {"day": "%Y-%m-%d", "week": "%Y-%W", "month": "%Y-%m", "year": "%Y"}
    if unit in patterns:
        return exp.Anonymous(this="strftime", expressions=[exp.Literal.string(patterns[unit]), column])
    quarter = f"strftime('%Y', {name}) || '-Q' || ((CAST(strftime('%m', {name}) AS INTEGER) + 2) / 3)"
    return parse_one(quarter, read="sqlite")


def _mysql_bucket(column: exp.Expr, unit: str) -> exp.Expr:
    name = column.sql(dialect="mysql")
    patterns = {"day": "%Y-%m-%d", "week": "%x-%v", "month": "%Y-%m", "year": "%Y"}
    if unit in patterns:
        return parse_one(f"DATE_FORMAT({name}, '{patterns[unit]}')", read="mysql")
    return parse_one(f"CONCAT(YEAR({name}), '-Q', QUARTER({name}))", read="mysql")
