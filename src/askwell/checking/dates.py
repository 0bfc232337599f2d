"""Conditions on a date column, evaluated for one day after the other as the dialects compare dates and texts."""

from __future__ import annotations

import calendar
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlglot import exp

from askwell.question.days import moved, start_of

_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d",
    "%Y%m%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%Y-%m",
)
_LONGEST_FORMAT = 19
_JULIAN_DAY_OF_YEAR_1 = 1721424.5
_UNITS = ("day", "week", "month", "quarter", "year")
# A value of None is not known.
Value = Any


@dataclass(frozen=True, slots=True)
class Span:
    """A number of days, weeks, months, quarters or years."""

    count: int
    unit: str


@dataclass(frozen=True, slots=True)
class DateForm:
    """How a column writes its moments: as a type of the database (`format` is empty), as text in strftime's `format`
    (as a number, where `is_number`), or as `epoch` units a second since 1970. None of them where `is_known` is false."""

    format: str = ""
    is_number: bool = False
    epoch: int = 0
    has_time: bool = False
    is_known: bool = True

    @property
    def is_sortable(self) -> bool:
        return self.is_known and (not self.format or self.format.startswith("%Y"))

    def write(self, moment: datetime) -> Value:
        """The moment as the column holds it."""
        if not self.is_known:
            return None
        if self.epoch:
            return calendar.timegm(moment.timetuple()) * self.epoch
        if not self.format:
            return moment if self.has_time else _midnight(moment)
        text = moment.strftime(self.format)
        return int(text) if self.is_number else text


def format_of(texts: Collection[str]) -> DateForm | None:
    """How all of these texts write dates; None where they are none."""
    some = [text.upper()[:_LONGEST_FORMAT] for text in sorted(texts)[:: max(1, len(texts) // 40)]]
    for one in _FORMATS if some else ():
        moments = [_parsed(text, one) for text in some]
        if all(moments):
            has_time = "%H" in one and any(moment and moment.hour + moment.minute for moment in moments)
            return DateForm(one, has_time=has_time)
    return None


@dataclass
class DayEvaluator:
    """Evaluates expressions over the nodes in `columns`, which all are the same column, at one moment after the
    other."""

    columns: Collection[int]
    form: DateForm
    now: datetime
    moment: datetime = field(init=False)

    def accepts(self, conditions: Sequence[exp.Expr], moment: datetime) -> bool | None:
        """Whether all conditions hold at this moment; None where that is not known."""
        self.moment = moment
        found = [self.value(condition) for condition in conditions]
        return None if None in found else all(found)

    def value(self, node: exp.Expr | None) -> Value:
        rule = _RULES.get(type(node)) if node is not None else None
        try:
            return rule(self, node) if rule is not None else None
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            return None

    def moment_of(self, node: exp.Expr | None) -> datetime | None:
        return self.as_moment(self.value(node))

    def as_moment(self, value: Value) -> datetime | None:
        if isinstance(value, datetime):
            return value
        if not isinstance(value, str):
            return None
        if value.lower() == "now":
            return self.now
        return datetime.fromisoformat(value[:_LONGEST_FORMAT]) if "-" in value else None

    def alike(self, left: Value, right: Value) -> tuple[Value, Value]:
        """Both sides of a comparison in one type; None for what is not known."""
        if left is None or right is None or isinstance(left, Span) or isinstance(right, Span):
            return None, None
        for one, other in ((left, right), (right, left)):
            if isinstance(one, datetime) and not isinstance(other, datetime):
                return self.as_moment(left), self.as_moment(right)
            if isinstance(one, int | float) and isinstance(other, str):
                return float(left), float(right)
        return left, right


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def _text(value: Value) -> str | None:
    if isinstance(value, datetime):
        return str(value) if value != _midnight(value) else str(value.date())
    return None if value is None or isinstance(value, Span) else str(value)


def _shifted(moment: datetime | None, span: Value, sign: int = 1) -> datetime | None:
    if moment is None or not isinstance(span, Span | int | float):
        return None
    if not isinstance(span, Span):
        return moment + timedelta(days=sign * span)
    return datetime.combine(moved(moment.date(), span.unit, sign * span.count), moment.time())


def _span(count: Value, unit: object) -> Span | None:
    name = str(unit or "day").lower().rstrip("s")
    return Span(int(count), name) if name in _UNITS and count is not None else None


def _part(moment: datetime | None, unit: str) -> int | None:
    """A part of a moment by its name."""
    if moment is None:
        return None
    iso = moment.isocalendar()
    parts = {"year": moment.year, "quarter": (moment.month + 2) // 3, "month": moment.month, "day": moment.day}
    parts |= {"isodow": iso.weekday, "dow": iso.weekday % 7, "dayofweek": iso.weekday % 7 + 1, "week": iso.week}
    return parts.get(unit.lower())


def _truncated(moment: datetime | None, unit: str) -> datetime | None:
    if moment is None or unit.lower() not in _UNITS:
        return None
    return datetime.combine(start_of(unit.lower(), moment.date()), datetime.min.time())


def _modified(days: DayEvaluator, values: Sequence[Value]) -> datetime | None:
    """SQLite's date with its modifiers, such as "start of month" and "-7 days"."""
    moment = days.as_moment(values[0])
    for said in values[1:]:
        if said == "unixepoch":
            moment = datetime(1970, 1, 1) + timedelta(seconds=values[0])
        elif moment is None or not isinstance(said, str):
            return None
        elif said.startswith("start of "):
            moment = _truncated(moment, said.removeprefix("start of "))
        elif found := re.fullmatch(r"([+-]?\d+) (\w+)", said):
            moment = _shifted(moment, _span(int(found[1]), found[2]))
        elif said not in ("localtime", "utc"):
            return None
    return moment


def _formatted(moment: datetime | None, form: Value) -> str | None:
    known = isinstance(form, str) and not re.search(r"%[^YmdHMSBbjwuV]", form)
    return moment.strftime(form) if moment is not None and known else None


def _called(days: DayEvaluator, node: exp.Expr) -> Value:
    """Functions that the parser knows only by their names."""
    name, values = node.name.lower(), [days.value(one) for one in node.expressions]
    if name in ("now", "getdate", "current_timestamp", "sysdate"):
        return days.now
    if not values:
        return None
    if name in ("date", "datetime"):
        moment = _modified(days, values)
        return _midnight(moment) if moment is not None and name == "date" else moment
    if name == "strftime":
        return _formatted(_modified(days, values[1:]), values[0])
    if name == "julianday":
        moment = _modified(days, values)
        seconds = moment.hour * 3600 + moment.minute * 60 if moment is not None else 0
        return moment and _JULIAN_DAY_OF_YEAR_1 + moment.toordinal() + seconds / 86400
    if name == "make_date" and None not in values:
        return datetime(*map(int, values))
    return _part(days.as_moment(values[1]), values[0]) if name == "date_part" else None


def _compared(test: Callable[[Value, Value], bool]) -> Callable[[DayEvaluator, Any], Value]:
    def rule(days: DayEvaluator, node: exp.Expr) -> Value:
        left, right = days.alike(days.value(node.this), days.value(node.expression))
        return None if left is None or right is None else test(left, right)

    return rule


def _between(days: DayEvaluator, node: exp.Between) -> Value:
    value = days.value(node.this)
    ends = [days.alike(value, days.value(node.args[name])) for name in ("low", "high")]
    if any(None in end for end in ends):
        return None
    return ends[0][0] >= ends[0][1] and ends[1][0] <= ends[1][1]


def _in(days: DayEvaluator, node: exp.In) -> Value:
    pairs = [days.alike(days.value(node.this), days.value(one)) for one in node.expressions]
    return None if not pairs or any(None in pair for pair in pairs) else any(a == b for a, b in pairs)


def _like(days: DayEvaluator, node: exp.Like) -> Value:
    text, wanted = _text(days.value(node.this)), days.value(node.expression)
    if text is None or not isinstance(wanted, str):
        return None
    pattern = "".join({"%": ".*", "_": "."}.get(one, re.escape(one)) for one in wanted)
    return re.fullmatch(pattern, text) is not None


def _joined(decides: bool) -> Callable[[DayEvaluator, Any], Value]:
    """AND, where False decides whatever is not known; OR, where True does."""

    def rule(days: DayEvaluator, node: exp.Expr) -> Value:
        sides = [days.value(node.this), days.value(node.expression)]
        return decides if decides in sides else None if None in sides else not decides

    return rule


def _negated(days: DayEvaluator, node: exp.Not) -> Value:
    value = days.value(node.this)
    return None if value is None else not value


def _is(days: DayEvaluator, node: exp.Is) -> Value:
    return False if isinstance(node.expression, exp.Null) and days.value(node.this) is not None else None


def _added(sign: int) -> Callable[[DayEvaluator, Any], Value]:
    def rule(days: DayEvaluator, node: exp.Expr) -> Value:
        left, right = days.value(node.this), days.value(node.args["expression"])
        if "unit" in node.args and not isinstance(right, Span):
            right = _span(right, node.args["unit"])
        if isinstance(left, int | float) and isinstance(right, int | float):
            return left + sign * right
        moment = days.as_moment(left)
        if isinstance(right, datetime) and moment is not None and sign < 0:
            return (moment - right).days
        return _shifted(moment, right, sign)

    return rule


def _difference(days: DayEvaluator, node: exp.DateDiff) -> Value:
    later, earlier = days.moment_of(node.this), days.moment_of(node.expression)
    is_days = str(node.args.get("unit") or "day").lower() == "day"
    return (later.date() - earlier.date()).days if later and earlier and is_days else None


def _cast(days: DayEvaluator, node: exp.Cast) -> Value:
    value = days.value(node.this)
    if node.is_type("date", "date32"):
        moment = days.as_moment(value)
        return _midnight(moment) if moment is not None else None
    if node.is_type("timestamp", "timestamptz", "datetime", "timestampntz"):
        return days.as_moment(value)
    if node.is_type(*exp.DataType.TEXT_TYPES):
        return _text(value)
    is_whole = node.is_type(*exp.DataType.INTEGER_TYPES) and isinstance(value, str | int | float)
    return int(float(value)) if is_whole else None


def _substring(days: DayEvaluator, node: exp.Substring) -> Value:
    text, start, length = _text(days.value(node.this)), days.value(node.args["start"]), node.args.get("length")
    return None if text is None else text[start - 1 :][: days.value(length) if length is not None else None]


def _year_month_day(days: DayEvaluator, node: exp.DateFromParts) -> Value:
    return datetime(*(int(days.value(node.args[name])) for name in ("year", "month", "day")))


def _day(days: DayEvaluator, node: exp.Expr) -> Value:
    moment = days.moment_of(node.this)
    return _midnight(moment) if moment is not None else None


def _part_called(unit: str) -> Callable[[DayEvaluator, Any], Value]:
    return lambda days, node: _part(days.moment_of(node.this), unit)


_RULES: Mapping[type[exp.Expr], Callable[[DayEvaluator, Any], Value]] = {
    exp.Column: lambda days, node: days.form.write(days.moment) if id(node) in days.columns else None,
    exp.Literal: lambda _, node: node.name if node.is_string else float(node.name) if "." in node.name else int(node.name),
    exp.Paren: lambda days, node: days.value(node.this),
    exp.Neg: lambda days, node: -days.value(node.this),
    exp.And: _joined(False),
    exp.Or: _joined(True),
    exp.Not: _negated,
    exp.Is: _is,
    exp.EQ: _compared(operator.eq),
    exp.NEQ: _compared(operator.ne),
    exp.GT: _compared(operator.gt),
    exp.GTE: _compared(operator.ge),
    exp.LT: _compared(operator.lt),
    exp.LTE: _compared(operator.le),
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Add: _added(1),
    exp.DateAdd: _added(1),
    exp.TsOrDsAdd: _added(1),
    exp.Sub: _added(-1),
    exp.DateSub: _added(-1),
    exp.Interval: lambda days, node: _span(days.value(node.this), node.args.get("unit")),
    exp.CurrentDate: lambda days, _: _midnight(days.now),
    exp.CurrentTimestamp: lambda days, _: days.now,
    exp.Localtimestamp: lambda days, _: days.now,
    exp.Date: _day,
    exp.TsOrDsToDate: _day,
    exp.TsOrDsToTimestamp: lambda days, node: days.moment_of(node.this),
    exp.UnixToTime: lambda days, node: datetime(1970, 1, 1) + timedelta(seconds=days.value(node.this)),
    exp.StrToDate: lambda days, node: _parsed(days.value(node.this), days.value(node.args["format"])),
    exp.TimeToStr: lambda days, node: _formatted(days.moment_of(node.this), days.value(node.args["format"])),
    exp.Year: _part_called("year"),
    exp.Quarter: _part_called("quarter"),
    exp.Month: _part_called("month"),
    exp.Day: _part_called("day"),
    exp.DayOfWeek: _part_called("dayofweek"),
    exp.Extract: lambda days, node: _part(days.moment_of(node.expression), node.name),
    exp.TimestampTrunc: lambda days, node: _truncated(days.moment_of(node.this), node.text("unit")),
    exp.DateTrunc: lambda days, node: _truncated(days.moment_of(node.this), node.text("unit")),
    exp.DateDiff: _difference,
    exp.DateFromParts: _year_month_day,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Substring: _substring,
    exp.Left: lambda days, node: (_text(days.value(node.this)) or "")[: days.value(node.expression)] or None,
}
