"""The clock of a plan: whatever asks the database what time it is gets the ask's own time, as a literal, instead.

"Today" is a day where the asker is, so the present moment becomes local time there, without a zone, as most databases
store theirs. Only where seconds are counted, a zone is asked for, or it meets a column that knows its zone does it stay
a moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlglot import exp

from askwell.sql.context import QueryContext

# A column's note of what its values are: "zoned" for moments, "local" for dates and times without a zone.
_KIND = "kind of time"
_ZONED = re.compile(r"with time zone|timestamp_?(tz|ltz)|timetz|datetimeoffset", re.I)
_TIME = re.compile(r"date|time", re.I)


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment of the ask: `local` is it where the asker is, in the IANA zone `zone`."""

    local: datetime
    zone: str

    def date(self) -> exp.Expr:
        """Today."""
        return literal(self.local.date().isoformat(), exp.DType.DATE)

    def time(self) -> exp.Expr:
        """The time of day."""
        return literal(self.local.time().isoformat(), exp.DType.TIME)

    def timestamp(self) -> exp.Expr:
        """The local time, without a zone."""
        return literal(without_zone(self.local), _TIMESTAMP)

    def moment(self) -> exp.Expr:
        """The moment itself."""
        return literal(self.local.isoformat(sep=" "), exp.DType.TIMESTAMPTZ)


_TIMESTAMP = exp.DType.TIMESTAMP
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.NullSafeEQ, exp.NullSafeNEQ)


def literal(text: str, kind: exp.DType) -> exp.Expr:
    """The text as a date or time."""
    return exp.cast(exp.Literal.string(text), exp.DataType(this=kind))


def without_zone(moment: datetime) -> str:
    """The moment as its clock shows it."""
    return moment.replace(tzinfo=None).isoformat(sep=" ")


def note_kind(column: exp.Expr, type_name: str) -> None:
    """Note on a column of the tree what kind of time its values are, if any, by its SQL type."""
    if _TIME.search(type_name):
        column.meta[_KIND] = "zoned" if _ZONED.search(type_name) else "local"


def is_time(value: exp.Expr) -> bool:
    """Whether this is a column of dates or times."""
    return value.unnest().meta.get(_KIND) is not None


def is_zoned(value: exp.Expr) -> bool:
    """Whether the value is a moment because a column in it is: itself, give or take an interval, or cut to a unit."""
    inner = value.unnest()
    if isinstance(inner, exp.Column):
        return bool(inner.meta.get(_KIND) == "zoned")
    if isinstance(inner, exp.Sub | exp.Add):
        return is_zoned(inner.this) and isinstance(inner.expression, exp.Interval)
    cut = isinstance(inner, exp.TimestampTrunc | exp.Min | exp.Max | exp.Coalesce)
    return cut and inner.this is not None and is_zoned(inner.this)


def put(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for the present moment, by the local time or, beside moments, by the moment."""
    top, plain = operand(node)
    if not _beside_moments(top):
        node.replace(clock.timestamp())
    elif plain:
        node.replace(clock.moment())
    else:
        node.replace(clock.timestamp())
        as_moment(top, clock)


def put_date(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for today; beside moments the day begins where the asker is."""
    top, _ = operand(node)
    beside = _beside_moments(top)
    new = node.replace(clock.date())
    if beside:
        as_moment(new if top is node else top, clock)


def as_moment(value: exp.Expr, clock: Clock) -> None:
    """Read a local time as one in the asker's zone."""
    local = exp.cast(value.copy(), exp.DataType(this=_TIMESTAMP))
    value.replace(exp.Paren(this=exp.AtTimeZone(this=local, zone=exp.Literal.string(clock.zone))))


def operand(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """What `node` is worked into, up to a whole side of a comparison; and whether only intervals were added to it."""
    top, plain = node, True
    while True:
        around = top.parent
        shifted = isinstance(around, exp.Add | exp.Sub) and isinstance(around.expression, exp.Interval)
        if around is not None and (shifted or isinstance(around, exp.Paren)):
            top = around
        elif isinstance(around, exp.TimestampTrunc | exp.Cast) and around.this is top:
            top, plain = around, False
        else:
            return top, plain


def _beside_moments(top: exp.Expr) -> bool:
    around = top.parent
    beside: list[exp.Expr | None] = []
    if isinstance(around, _COMPARISONS):
        beside = [around.args.get(key) for key in ("this", "expression", "low", "high")]
    elif isinstance(around, exp.Sub):
        beside = [around.this, around.expression]
    elif isinstance(around, exp.Anonymous) and around.name.lower() in ("age", "date_diff", "datediff"):
        beside = list(around.expressions)
    return any(isinstance(value, exp.Expr) and value is not top and is_zoned(value) for value in beside)


# Of DuckDB, and of PostgreSQL.
_ZONED_MOMENTS = frozenset(
    "now get_current_timestamp transaction_timestamp statement_timestamp clock_timestamp".split()  # noqa: SIM905 - reads better as words
)
_OF_MOMENTS = frozenset({"epoch", "epoch_ms", "epoch_us", "epoch_ns", "timezone", "unix_timestamp", "convert_tz"})
_PARTS_OF_TIME = frozenset({"date_part", "datepart"})


def _pin_zoned(node: exp.Expr, clock: Clock) -> None:
    """Replace `node` where it asks for the time: DuckDB, and what PostgreSQL has in common with it."""
    match node:
        case exp.CurrentDate():
            put_date(node, clock)
        case exp.CurrentTimestamp():
            put_moment(node, clock)
        case exp.Anonymous() if node.name.lower() in _ZONED_MOMENTS and not node.expressions:
            put_moment(node, clock)
        case exp.Localtimestamp():
            node.replace(clock.timestamp())
        case exp.CurrentTime() | exp.Localtime():
            node.replace(clock.time())
        case exp.Anonymous() if node.name.lower() == "current_localtime" and not node.expressions:
            node.replace(clock.time())
        case exp.Anonymous() if node.name.lower() == "age" and len(node.expressions) == 1:
            from_midnight(node, clock)


def from_midnight(age: exp.Expr, clock: Clock) -> None:
    """With one argument `age` counts from midnight of the current day."""
    midnight = clock.local.replace(hour=0, minute=0, second=0, microsecond=0)
    if is_zoned(age.expressions[0]):
        first = literal(midnight.isoformat(sep=" "), exp.DType.TIMESTAMPTZ)
    else:
        first = literal(without_zone(midnight), exp.DType.TIMESTAMP)
    age.set("expressions", [first, *age.expressions])


def put_moment(node: exp.Expr, clock: Clock) -> None:
    """Replace `node`, which asks for the present moment."""
    if counts_seconds(node):
        node.replace(clock.moment())
    else:
        put(node, clock)


def counts_seconds(node: exp.Expr) -> bool:
    """Whether a moment, perhaps after some arithmetic, is turned into seconds or into another zone's time."""
    around = node.parent
    while isinstance(around, exp.Add | exp.Sub | exp.Paren | exp.DateAdd | exp.DateSub):
        around = around.parent
    match around:
        case exp.TimeToUnix() | exp.UnixToTime() | exp.AtTimeZone() | exp.ConvertTimezone():
            return True
        case exp.Extract():
            return bool(around.this.name.lower() == "epoch")
        case exp.Anonymous():
            name = around.name.lower()
            of_epoch = name in _PARTS_OF_TIME and around.expressions[0].name.lower() == "epoch"
            return name in _OF_MOMENTS or of_epoch
    return False


_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1, "now": 0}
_DATE_KINDS = frozenset(
    exp.DType[name] for name in ["DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMPTZ"]
)


def _pin_postgres(node: exp.Expr, clock: Clock) -> None:
    """PostgreSQL, where words in texts ask for the time as well: DATE 'today'."""
    match node:
        case exp.Anonymous() if node.name.lower() == "timeofday":
            node.replace(exp.Literal.string(clock.local.strftime("%a %b %d %H:%M:%S.%f %Y %Z")))
        case exp.Literal() if node.is_string and node.name.strip().lower() in _DAYS:
            _pin_word(node, clock)
        case _:
            _pin_zoned(node, clock)


def _pin_word(node: exp.Expr, clock: Clock) -> None:
    """The words that PostgreSQL reads as a moment where it expects a date or time."""
    word = node.name.strip().lower()
    day = clock.local.date() + timedelta(days=_DAYS[word])
    parent = node.parent
    if isinstance(parent, exp.Cast) and parent.to.this in _DATE_KINDS:
        kind = parent.to.this
        node.replace(exp.Literal.string(_shown(word, str(day), kind, clock)))
    elif isinstance(parent, exp.Date | exp.TsOrDsToDate):
        node.replace(exp.Literal.string(str(day)))
    elif isinstance(parent, exp.Binary | exp.Between | exp.In) and any(
        isinstance(other, exp.Expr) and is_time(other) for other in parent.args.values()
    ):
        if word == "now":
            put_moment(node, clock)
        else:
            put_date(node, clock) if word == "today" else node.replace(literal(str(day), exp.DType.DATE))


def _shown(word: str, day: str, kind: exp.DType, clock: Clock) -> str:
    if kind is exp.DType.DATE:
        return day
    if kind in (exp.DType.TIME, exp.DType.TIMETZ):
        return clock.local.time().isoformat()
    zoned = kind is exp.DType.TIMESTAMPTZ
    if word == "now":
        return clock.local.isoformat(sep=" ") if zoned else without_zone(clock.local)
    return f"{day} 00:00:00" + (clock.local.isoformat()[-6:] if zoned else "")


_MYSQL_MOMENTS = frozenset({"now", "sysdate", "localtime", "localtimestamp", "current_timestamp"})


def _pin_mysql(node: exp.Expr, clock: Clock) -> None:
    """MySQL and MariaDB, whose times have no zone, but whose seconds are counted from one. Their clock shows no
    fractions of a second unless it is told to."""
    local = clock.local.replace(microsecond=0)
    in_utc = local.astimezone(UTC)
    match node:
        case exp.CurrentDate():
            node.replace(clock.date())
        case exp.CurrentTimestamp() | exp.Localtime() | exp.Localtimestamp():
            node.replace(_mysql_moment(node, clock))
        case exp.Anonymous() if node.name.lower() in _MYSQL_MOMENTS:
            node.replace(_mysql_moment(node, clock))
        case exp.CurrentTime():
            node.replace(literal(local.time().isoformat(), exp.DType.TIME))
        case exp.UtcDate():
            node.replace(literal(in_utc.date().isoformat(), exp.DType.DATE))
        case exp.UtcTime():
            node.replace(literal(in_utc.time().isoformat(), exp.DType.TIME))
        case exp.UtcTimestamp():
            node.replace(literal(without_zone(in_utc), exp.DType.DATETIME))
        case exp.Anonymous() if node.name.lower() == "unix_timestamp" and not node.expressions:
            node.replace(exp.Literal.number(int(local.timestamp())))


def _mysql_moment(node: exp.Expr, clock: Clock) -> exp.Expr:
    if counts_seconds(node):
        # In the session's zone, as the function around it expects.
        return exp.Anonymous(this="FROM_UNIXTIME", expressions=[exp.Literal.number(int(clock.local.timestamp()))])
    return literal(without_zone(clock.local.replace(microsecond=0)), exp.DType.DATETIME)


# Functions whose first argument is a moment; without one they mean now.
_OF_FIRST_ARGUMENT = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})


def _pin_sqlite(node: exp.Expr, clock: Clock) -> None:
    """SQLite, whose dates and times are texts, and whose functions of dates take "now" for one."""
    local = clock.local
    match node:
        case exp.CurrentDate():
            node.replace(exp.Literal.string(local.date().isoformat()))
        case exp.CurrentTimestamp():
            node.replace(_sqlite_text(local))
        case exp.CurrentTime():
            node.replace(exp.Literal.string(local.strftime("%H:%M:%S")))
        case exp.Literal() if node.is_string and node.name.strip().lower() == "now" and _is_moment(node):
            counts_seconds = _format_around(node) == "%s"
            _drop_zone_modifiers(node)
            node.replace(_sqlite_text(local.astimezone(UTC) if counts_seconds else local))
        case exp.Date() if node.this is None and not node.expressions:
            node.set("this", _sqlite_text(local))
        case exp.Anonymous() if node.name.lower() in _OF_FIRST_ARGUMENT and not node.expressions:
            in_utc = node.name.lower() == "unixepoch"
            node.set("expressions", [_sqlite_text(local.astimezone(UTC) if in_utc else local)])


def _sqlite_text(moment: datetime) -> exp.Expr:
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


_PINS: Mapping[str, Callable[[exp.Expr, Clock], None]] = {
    "duckdb": _pin_zoned,
    "sqlite": _pin_sqlite,
    "postgres": _pin_postgres,
    "mysql": _pin_mysql,
}


def pin_clock(tree: exp.Query, context: QueryContext, dialect: str) -> None:
    """Replace the current date and time in `tree`, in place, by literals of `context.now` in `context.timezone`.

    On DuckDB, SQLite, PostgreSQL and MySQL or MariaDB; other databases keep their own clock.
    """
    pin = _PINS.get(dialect)
    if pin is None:
        return
    local: datetime = context.now.astimezone(ZoneInfo(context.timezone))
    clock = Clock(local, context.timezone)
    for node in list(tree.walk()):
        pin(node, clock)
