"""Conditions on a date column, evaluated for one day after the other as the dialects compare dates and texts."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlglot import exp

from askwell.mdl.written_values import DateForm
from askwell.question.days import moved, start_of

_LONGEST = 19
_JULIAN_DAY_OF_1970 = 2440587.5
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
# What evaluating raises for what it does not know.
_NOT_KNOWN = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
# datetime, str, int, float or bool; a number of units as (count, unit).
Value = Any
Rule = Callable[["DayEvaluator", Any], Value]


@dataclass
class DayEvaluator:
    """Evaluates expressions over the nodes in `columns`, which all are the same column."""

    columns: Collection[int]
    form: DateForm
    now: datetime
    moment: datetime = field(init=False)

    def accepts(self, conditions: Sequence[exp.Expr], moment: datetime) -> bool | None:
        """Whether all conditions hold at this moment; None where that is not known."""
        self.moment = moment
        try:
            found = [self.value(condition) for condition in conditions]
        except _NOT_KNOWN:
            return None
        return all(found)

    def value(self, node: Any) -> Value:
        return _RULES[type(node)](self, node)

    def column(self, node: exp.Expr) -> Value:
        if id(node) not in self.columns:
            raise LookupError
        return self.form.write(self.moment)

    def moment_of(self, node: Any) -> datetime:
        return self.as_moment(self.value(node))

    def as_moment(self, value: Value) -> datetime:
        if isinstance(value, datetime):
            return value
        if value == "now":
            return self.now
        if "-" not in value:
            raise ValueError
        return datetime.fromisoformat(value[:_LONGEST]).replace(tzinfo=UTC)

    def sides(self, left: Any, right: Any) -> tuple[Value, Value]:
        """Both sides of a comparison in one type."""
        one, other = self.value(left), self.value(right)
        if isinstance(one, datetime) or isinstance(other, datetime):
            return self.as_moment(one), self.as_moment(other)
        return (one, other) if isinstance(one, str) is isinstance(other, str) else (float(one), float(other))


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _text(value: Value) -> str:
    return str(value).removesuffix("+00:00").removesuffix(" 00:00:00")


def _span(count: Value, unit: object) -> Value:
    return int(count), str(unit or "day").lower().rstrip("s")


def _shifted(moment: datetime, span: Value, sign: int = 1) -> datetime:
    count, unit = span if isinstance(span, tuple) else (span, "day")
    return datetime.combine(moved(moment.date(), unit, sign * int(count)), moment.timetz())


def _truncated(moment: datetime, unit: str) -> datetime:
    return datetime.combine(start_of(unit.lower(), moment.date()), _1970.timetz())


def _part(moment: datetime, unit: str) -> int:
    week = moment.isocalendar()
    parts = {"year": moment.year, "quarter": (moment.month + 2) // 3, "month": moment.month, "day": moment.day}
    parts |= {"isodow": week.weekday, "dow": week.weekday % 7, "dayofweek": week.weekday % 7 + 1, "week": week.week}
    return parts[unit.lower()]


def _own_part(days: DayEvaluator, node: exp.Expr) -> int:
    return _part(days.moment_of(node.this), node.key)


def _modified(days: DayEvaluator, values: Sequence[Value]) -> datetime:
    """SQLite's date with its modifiers, such as "start of month" and "-7 days"."""
    is_epoch = "unixepoch" in values
    moment = _1970 + timedelta(seconds=values[0]) if is_epoch else days.as_moment(values[0])
    for said in values[1:]:
        if found := re.fullmatch(r"([+-]?\d+) (\w+)", said):
            moment = _shifted(moment, _span(found[1], found[2]))
        elif said.startswith("start of "):
            moment = _truncated(moment, said.removeprefix("start of "))
        elif said not in ("localtime", "utc", "unixepoch"):
            raise ValueError
    return moment


def _formatted(moment: datetime, form: str) -> str:
    if re.search(r"%[^YmdHMSBbjwuV]", form):
        raise ValueError
    return moment.strftime(form)


# Functions that the parser knows only by their names.
_CALLED: Mapping[str, Callable[[DayEvaluator, list[Value]], Value]] = {
    "now": lambda days, _: days.now,
    "getdate": lambda days, _: days.now,
    "date": lambda days, values: _midnight(_modified(days, values)),
    "datetime": _modified,
    "strftime": lambda days, values: _formatted(_modified(days, values[1:]), values[0]),
    "julianday": lambda days, values: (_modified(days, values) - _1970) / timedelta(1) + _JULIAN_DAY_OF_1970,
    "make_date": lambda _, values: _1970.replace(**dict(zip(("year", "month", "day"), values, strict=True))),
    "date_part": lambda days, values: _part(days.as_moment(values[1]), values[0]),
}


def _compared(test: Callable[[Value, Value], bool]) -> Rule:
    return lambda days, node: test(*days.sides(node.this, node.expression))


def _calculated(by: Callable[[Value, Value], Value]) -> Rule:
    return lambda days, node: by(days.value(node.this), days.value(node.expression))


def _between(days: DayEvaluator, node: exp.Between) -> Value:
    low, high = (days.sides(node.this, node.args[name]) for name in ("low", "high"))
    return low[0] >= low[1] and high[0] <= high[1]


def _in(days: DayEvaluator, node: exp.In) -> Value:
    return node.args.get("query") is None and any(operator.eq(*days.sides(node.this, one)) for one in node.expressions)


def _like(days: DayEvaluator, node: exp.Expr) -> Value:
    pattern = re.escape(days.value(node.expression)).replace("%", ".*").replace("_", ".")
    return re.fullmatch(pattern, _text(days.value(node.this)))


def _added(sign: int) -> Rule:
    def rule(days: DayEvaluator, node: exp.Expr) -> Value:
        left, right = days.value(node.this), days.value(node.args["expression"])
        if "unit" in node.args and not isinstance(right, tuple):
            right = _span(right, node.args["unit"])
        if isinstance(left, int | float):
            return left + sign * right
        return (left - right).days if isinstance(right, datetime) else _shifted(days.as_moment(left), right, sign)

    return rule


def _difference(days: DayEvaluator, node: exp.DateDiff) -> Value:
    if str(node.args.get("unit") or "day").lower() != "day":
        raise ValueError
    return (days.moment_of(node.this).date() - days.moment_of(node.expression).date()).days


def _cast(days: DayEvaluator, node: exp.Cast) -> Value:
    value = days.value(node.this)
    if node.is_type(*exp.DataType.TEMPORAL_TYPES):
        return _midnight(days.as_moment(value)) if node.is_type("date") else days.as_moment(value)
    return int(value) if node.is_type(*exp.DataType.INTEGER_TYPES) else _text(value)


def _substring(days: DayEvaluator, node: exp.Substring) -> Value:
    start = days.value(node.args["start"]) - 1
    return _text(days.value(node.this))[start : start + days.value(node.args["length"])]


_RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Column: lambda days, node: days.column(node),
    exp.Literal: lambda _, node: node.to_py(),
    exp.Anonymous: lambda days, node: _CALLED[node.name.lower()](days, [days.value(one) for one in node.expressions]),
    exp.Paren: lambda days, node: days.value(node.this),
    exp.Neg: lambda days, node: -days.value(node.this),
    exp.And: lambda days, node: all([days.value(node.this), days.value(node.expression)]),
    exp.Or: lambda days, node: any([days.value(node.this), days.value(node.expression)]),
    exp.Not: lambda days, node: not days.value(node.this),
    **{kind: _compared(test) for kind, test in ((exp.EQ, operator.eq), (exp.NEQ, operator.ne))},
    **{kind: _compared(test) for kind, test in ((exp.GT, operator.gt), (exp.GTE, operator.ge))},
    **{kind: _compared(test) for kind, test in ((exp.LT, operator.lt), (exp.LTE, operator.le))},
    **{kind: _calculated(by) for kind, by in ((exp.Div, operator.floordiv), (exp.IntDiv, operator.floordiv))},
    exp.DPipe: lambda days, node: f"{_text(days.value(node.this))}{_text(days.value(node.expression))}",
    exp.Between: _between,
    exp.In: _in,
    **dict.fromkeys((exp.Like, exp.ILike), _like),
    **dict.fromkeys((exp.Add, exp.DateAdd, exp.TsOrDsAdd), _added(1)),
    **dict.fromkeys((exp.Sub, exp.DateSub), _added(-1)),
    exp.Interval: lambda days, node: _span(days.value(node.this), node.args.get("unit")),
    exp.CurrentDate: lambda days, _: _midnight(days.now),
    **dict.fromkeys((exp.CurrentTimestamp, exp.Localtimestamp), lambda days, _: days.now),
    **dict.fromkeys((exp.Date, exp.TsOrDsToDate), lambda days, node: _midnight(days.moment_of(node.this))),
    exp.TsOrDsToTimestamp: lambda days, node: days.moment_of(node.this),
    exp.UnixToTime: lambda days, node: _1970 + timedelta(seconds=days.value(node.this)),
    exp.TimeToStr: lambda days, node: _formatted(days.moment_of(node.this), days.value(node.args["format"])),
    **dict.fromkeys((exp.Year, exp.Quarter, exp.Month, exp.Day, exp.DayOfWeek), _own_part),
    exp.Extract: lambda days, node: _part(days.moment_of(node.expression), node.name),
    **dict.fromkeys(
        (exp.TimestampTrunc, exp.DateTrunc), lambda days, node: _truncated(days.moment_of(node.this), node.text("unit"))
    ),
    exp.DateDiff: _difference,
    exp.DateFromParts: lambda days, node: _1970.replace(**{one: days.value(part) for one, part in node.args.items()}),
    **dict.fromkeys((exp.Cast, exp.TryCast), _cast),
    exp.Substring: _substring,
    exp.Left: lambda days, node: _text(days.value(node.this))[: days.value(node.expression)],
}
