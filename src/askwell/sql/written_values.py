"""Dates and numbers that a column holds in another form, as expressions of each dialect."""

from __future__ import annotations

import math
import re

from sqlglot import exp, parse_one

from askwell.mdl.written_values import DateForm, NumberForm

# How many characters a mark of a date takes, and what is none.
_WIDTHS = {"": 1, "Y": 4, **dict.fromkeys("mdHMS", 2)}
# A digit, and nothing that no number has.
_NUMBERS = ("*[0-9]*", "*[^0-9.+ -]*")


def date_sql(column: exp.Expr, form: DateForm, dialect: str) -> exp.Expr:
    """The date that a text or a number stands for; in SQLite as ISO text. NULL, where the database can, for others."""
    if dialect == "sqlite":
        return _sqlite_date(column, form)
    if form.epoch:
        units = exp.Literal.number(round(math.log10(form.epoch)))
        is_plain = form.is_number and form.epoch == 1  # no database takes fractions of milliseconds
        number = column if is_plain else exp.TryCast(this=column, to=exp.DataType.build("bigint"))
        return exp.cast(exp.UnixToTime(this=number, scale=units), "timestamp")
    text, written = exp.cast(column, "text") if form.is_number else column, form.format
    if dialect == "mysql" and "%d" not in written:  # it makes 2024-03-00 or NULL of a month
        text, written = exp.Concat(expressions=[exp.Literal.string("01 "), text]), f"%d {written}"
    moment = exp.StrToTime(this=text, format=exp.Literal.string(written), safe=True)
    return exp.cast(moment, "timestamp" if form.has_time else "date")


def _sqlite_date(column: exp.Expr, form: DateForm) -> exp.Expr:
    name, function = column.sql(dialect="sqlite"), "datetime" if form.has_time else "date"
    if form.epoch:
        seconds = name if form.epoch == 1 else f"{name} / {form.epoch}"
        return parse_one(f"{function}({seconds}, 'unixepoch')", read="sqlite")
    parts, place = dict[str, str](), 1
    for mark in re.findall("%(.)|.", form.format):
        if mark:
            parts[mark] = f"substr({name}, {place}, {_WIDTHS[mark]})"
        place += _WIDTHS[mark]
    text = " || '-' || ".join(parts.get(mark, "'01'") for mark in "Ymd")
    if form.has_time:
        text += " || ' ' || " + " || ':' || ".join(parts[mark] for mark in "HMS" if mark in parts)
    return parse_one(f"{function}({text})", read="sqlite")


def number_sql(text: exp.Expr, form: NumberForm, dialect: str) -> exp.Expr:
    """The number that a text is, and NULL where it is none, of which some databases make 0 and others an error."""
    for mark in form.out:
        text = exp.Replace(this=text, expression=exp.Literal.string(mark), replacement=exp.Literal.string(""))
    if form.decimals != ".":
        comma, point = exp.Literal.string(form.decimals), exp.Literal.string(".")
        text = exp.Replace(this=text, expression=comma, replacement=point)
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
