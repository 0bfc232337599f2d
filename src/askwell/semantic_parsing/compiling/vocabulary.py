"""What queries are written with: a model's names as a dialect spells them, and what is known of its columns.

Moments and periods in each dialect. Moments counted from today stay so in the SQL, so that a saved query means
"today" again when it is run later.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Self

from sqlglot import Dialect, exp, parse_one

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import Moment
from askwell.resources import words_file
from askwell.semantic_parsing.compiling.comparability import Literal, Meaningless
from askwell.semantic_parsing.forms import Clock, Metric
from askwell.semantic_parsing.model.facts import ColumnKind, ModelFacts
from askwell.semantic_parsing.model.measures import Formula
from askwell.sql.written_values import date_sql, number_sql

_DATA = words_file("askwell.semantic_parsing.compiling", "dialects.yaml")
# By the dialect: the start of the current period.
_STARTS: Mapping[str, Mapping[str, str]] = _DATA["starts"]
# Units of a moment that are counted from the start of another period, with that and the unit it is counted in.
_UNITS: dict[str, tuple[str, str]] = {
    "months_from_today": ("day", "month"),
    "years_from_today": ("day", "year"),
    "months_of_year": ("year", "month"),
}
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
    start, step = _UNITS.get(unit, (unit, unit))
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
    """The period a date falls in: the first day of it, or in SQLite and MySQL a text that sorts by time; the day of the
    week (0: Sunday) or its name, and the hour, are parts of any."""
    if unit == "weekday_name":
        found = exp.Case(this=bucket_sql(column, "weekday", dialect, is_text=is_text))
        for number, name in enumerate(_WEEKDAYS):
            found = found.when(exp.Literal.number(number), exp.Literal.string(name))
        return found
    if unit in ("weekday", "hour") or unit.endswith("_number"):
        return _part_of_date(column, unit.removesuffix("_number"), dialect, is_text=is_text)
    if dialect == "sqlite":
        return _sqlite_bucket(column, unit)
    if dialect == "mysql":
        return _mysql_bucket(column, unit)
    date = exp.Cast(this=column, to=exp.DataType.build("date")) if is_text else column
    return exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(unit), date])


def _part_of_date(column: exp.Expr, unit: str, dialect: str, *, is_text: bool) -> exp.Expr:
    pattern, field = _PARTS[unit]
    if dialect == "sqlite":
        text = exp.Anonymous(this="strftime", expressions=[exp.Literal.string(pattern), column])
        return exp.Cast(this=text, to=exp.DataType.build("bigint"))
    if dialect == "mysql":
        whole = exp.Extract(this=exp.var(field), expression=column)
        return exp.Sub(this=exp.DayOfWeek(this=column), expression=exp.Literal.number(1)) if field == "DOW" else whole
    time = exp.Cast(this=column, to=exp.DataType.build("timestamp")) if is_text else column
    return exp.Extract(this=exp.var(field), expression=time)


def _sqlite_bucket(column: exp.Expr, unit: str) -> exp.Expr:
    name = column.sql(dialect="sqlite")
    if unit == "week":  # its Monday: numbers of weeks begin anew on New Year
        return parse_one(f"date({name}, '-6 days', 'weekday 1')", read="sqlite")
    patterns = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
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


# Parts of a date by what SQLite and others call them.
_PARTS: Mapping[str, tuple[str, str]] = {"month": ("%m", "MONTH"), "weekday": ("%w", "DOW"), "hour": ("%H", "HOUR")}
_WEEKDAYS: tuple[str, ...] = tuple(_DATA["weekdays"].split())
_MINDS_CAPITALS = frozenset({"postgres", "duckdb", "snowflake", "bigquery", "trino"})
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_ANY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = re.compile(r"CHAR|TEXT|STRING|CLOB", re.IGNORECASE)
# Units of elapsed time by their milliseconds, as headings name them.
TIME_UNITS = {1_000: "seconds", 60_000: "minutes", 3_600_000: "hours", 86_400_000: "days"}
DAY = 86_400_000
_READS_ANYTHING = frozenset({"sqlite", "mysql"})
_FOLDS_NOTHING = frozenset({"sqlite", "duckdb", "mysql", "tsql", "bigquery"})


def one_of(this: exp.Expr, literals: Sequence[exp.Expr], *, negated: bool = False) -> exp.Expr:
    """That a value is one of the literals, or none of them."""
    if len(literals) == 1:
        return (exp.NEQ if negated else exp.EQ)(this=this, expression=literals[0])
    found = exp.In(this=this, expressions=list(literals))
    return exp.Not(this=found) if negated else found


class Vocabulary:
    """Names, literals and facts of columns, over one model in one dialect. Read-only after construction."""

    def __init__(self, facts: ModelFacts, dialect: str) -> None:
        self._facts = facts
        self.dialect = dialect
        self._asked: int | None = None
        known = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
        self._keywords = {*_DATA["reserved"].split(), *(word for word in known if word.isalpha())}

    def measuring(self, unit: int | None) -> Self:
        """The same where times between two dates are measured in the unit that was asked for, in milliseconds."""
        other = copy.copy(self)
        other._asked = unit
        return other

    def unit_of(self, ref: ColumnRef) -> int:
        """The milliseconds of the unit that a computed time is shown in: the one that was asked for, else what fits."""
        return self._asked or self._facts.columns[ref].duration or DAY

    def is_elapsed(self, ref: ColumnRef) -> bool:
        """Whether the column is computed as the time between two dates of a row."""
        formula = self._facts.columns[ref].formula
        return formula is not None and isinstance(formula.expression, exp.DateDiff)

    def heading(self, ref: ColumnRef) -> str:
        """What a column is called in a result: a computed time with its unit."""
        return f"{ref.column}_{TIME_UNITS[self.unit_of(ref)]}" if self.is_elapsed(ref) else ref.column

    def table(self, name: str) -> exp.Table:
        """A table by its name in the model."""
        return exp.Table(this=self.identifier(name))

    def column(self, ref: ColumnRef, *, qualified: bool) -> exp.Expr:
        """A column by its names in the model, or what it is computed from."""
        facts = self._facts.columns.get(ref)
        if facts is not None and facts.formula is not None:
            return self._written(facts.formula, self.unit_of(ref), qualified=qualified)
        table = self.identifier(ref.table) if qualified else None
        return exp.Column(this=self.identifier(ref.column), table=table)

    def _written(self, formula: Formula, unit: int = DAY, *, qualified: bool) -> exp.Expr:
        if isinstance(formula.expression, exp.DateDiff):
            return self._elapsed(formula.expression, unit, qualified=qualified)

        def written(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column):
                return node
            ref = ColumnRef(node.text("table"), node.name)
            is_date = isinstance(node.parent, exp.DateDiff)
            return self.date(ref, qualified=qualified) if is_date else self.column(ref, qualified=qualified)

        return formula.expression.transform(written)

    def _elapsed(self, between: exp.DateDiff, unit: int, *, qualified: bool) -> exp.Expr:
        """The time between two dates of a row: whole days only where neither has a time of day."""
        refs = [ColumnRef(end.text("table"), end.name) for end in (between.this, between.expression)]
        end, begin = (self.date(ref, "timestamp", qualified=qualified) for ref in refs)
        if unit == DAY and all(map(self._is_whole_day, refs)):
            return exp.DateDiff(this=end, expression=begin, unit=exp.var("DAY"))
        return elapsed_sql(end, begin, unit, self.dialect)

    def _is_whole_day(self, ref: ColumnRef) -> bool:
        return self.reads_types and self._facts.columns[ref].column.type.upper() == "DATE"

    def metric(self, metric: Metric) -> exp.Expr:
        """What a metric is computed from."""
        return self._written(metric.formula, qualified=True)

    def number(self, ref: ColumnRef) -> exp.Expr:
        """A column to compare, sort or compute with: text that holds numbers as numbers, what is none as NULL; dates in
        the order of time. Raises `Meaningless` for texts whose numbers may be read in two ways."""
        column, facts = self.column(ref, qualified=True), self._facts.columns[ref]
        if facts.number_form is not None and not facts.number_form.decimals:
            raise Meaningless("aggregate_of_what")
        if facts.date_form is not None:
            return column if facts.date_form.sorts else self.date(ref)
        return number_sql(column, facts.number_form, self.dialect) if facts.number_form is not None else column

    def kind_of(self, ref: ColumnRef) -> exp.Expr:
        """A column to group by: in small letters, without blanks around, where only these tell values apart, and what
        is short for another value as that."""
        column, facts = self.column(ref, qualified=True), self._facts.columns[ref]
        plain = exp.Lower(this=exp.Trim(this=column)) if facts.varies or facts.shortened else column
        whole = exp.Case(default=plain)
        for short, text in facts.shortened.items():
            whole = whole.when(plain.eq(exp.Literal.string(short)), exp.Literal.string(text))
        return whole if facts.shortened else plain

    def moment_of(self, ref: ColumnRef) -> exp.Expr:
        """A column of dates to compare with moments, or to take its periods."""
        is_written = self._facts.columns[ref].date_form is not None
        return self.date(ref) if is_written else self.column(ref, qualified=True)

    def date(self, ref: ColumnRef, to: str = "date", *, qualified: bool = True) -> exp.Expr:
        """A column to take a date apart or to count from: texts and numbers that hold dates as dates."""
        column, form = self.column(ref, qualified=qualified), self._facts.columns[ref].date_form
        if form is not None:
            return date_sql(column, form, self.dialect)
        is_text = self.reads_types and self.kind(ref) is ColumnKind.TEXT
        return exp.Cast(this=column, to=exp.DataType.build(to)) if is_text else column

    def identifier(self, name: str) -> exp.Identifier:
        """A name, quoted where the dialect would otherwise read it as something else."""
        plain = _ANY_NAME if self.dialect in _FOLDS_NOTHING else _PLAIN_NAME
        return exp.to_identifier(name, quoted=not plain.fullmatch(name) or name.upper() in self._keywords)

    @property
    def minds_capitals(self) -> bool:
        """Whether LIKE tells capitals from small letters."""
        return self.dialect in _MINDS_CAPITALS

    @property
    def reads_types(self) -> bool:
        """Whether a text is no number, and a number neither a text nor a truth value."""
        return self.dialect not in _READS_ANYTHING

    def kind(self, ref: ColumnRef) -> ColumnKind:
        """How the column's values behave."""
        return self._facts.columns[ref].kind

    def compared(self, ref: ColumnRef) -> exp.Expr:
        """A column to compare with another one."""
        return self.moment_of(ref) if self._facts.columns[ref].is_date else self.number(ref)

    def needs_text(self, ref: ColumnRef) -> bool:
        """Whether only the text of the column's values has parts to look for."""
        return self.reads_types and not _WORDS.search(self._facts.columns[ref].column.type)

    def holds_words(self, ref: ColumnRef) -> bool:
        """Whether the column's values are texts, one of which is empty."""
        column = self._facts.columns[ref]
        return column.kind is ColumnKind.TEXT and _WORDS.search(column.column.type) is not None

    def literal(self, value: Literal) -> exp.Expr:
        """A literal."""
        return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)

    def literal_of(self, value: Literal, ref: ColumnRef) -> exp.Expr:
        """A literal that the column's values compare with: TRUE and FALSE where 1 and 0 are no such values."""
        if self.reads_types and self.kind(ref) is ColumnKind.BOOLEAN and value in (0, 1):
            return exp.Boolean(this=bool(value))
        return self.literal(value)

    def moment(self, moment: Moment, ref: ColumnRef) -> exp.Expr:
        """A moment as the column's values compare with it."""
        return moment_sql(moment, self.dialect, as_text=self._is_text(ref))

    def bucket(self, column: exp.Expr, unit: str, ref: ColumnRef) -> exp.Expr:
        """The period that a date falls in, or the hour of a time of day."""
        if self.reads_types and self._facts.columns[ref].clock:
            return bucket_sql(exp.Cast(this=column, to=exp.DataType.build("time")), unit, self.dialect, is_text=False)
        return bucket_sql(column, unit, self.dialect, is_text=self._is_text(ref))

    def at_clock(self, ref: ColumnRef, relation: type[exp.Binary], clock: Clock) -> exp.Expr:
        """How the time of day that a column holds stands to another one."""
        column, text = self.moment_of(ref), exp.Literal.string(f"{clock.text}:00")
        if self.dialect == "sqlite":
            own: exp.Expr = exp.Anonymous(this="strftime", expressions=[exp.Literal.string("%H:%M:%S"), column])
            return relation(this=own, expression=text)
        if self.reads_types and self._is_text(ref) and not self._facts.columns[ref].clock:
            column = exp.Cast(this=column, to=exp.DataType.build("timestamp"))
        times = (exp.Cast(this=one, to=exp.DataType.build("time")) for one in (column, text))
        return relation(**dict(zip(("this", "expression"), times, strict=True)))

    def _is_text(self, ref: ColumnRef) -> bool:
        """Whether the dates that the column is read as are texts."""
        return self._facts.columns[ref].date_form is None and self.kind(ref) is not ColumnKind.DATE
