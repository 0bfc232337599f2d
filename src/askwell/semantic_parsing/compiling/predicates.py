"""Conditions of a reading as SQL, periods among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any, Protocol

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.periods import YEARS, Moment, Period
from askwell.question.tokens import plain_number
from askwell.semantic_parsing.compiling.comparability import Meaningless, refuse_condition, refuse_joins
from askwell.semantic_parsing.compiling.joined import joining, on
from askwell.semantic_parsing.compiling.vocabulary import DAY, Vocabulary, one_of
from askwell.semantic_parsing.forms import (
    NEVER,
    Among,
    AnyOf,
    Average,
    Beside,
    Best,
    Clock,
    Compare,
    Duration,
    During,
    Every,
    Holds,
    Kin,
    Measure,
    Number,
    Only,
    Predicate,
    Query,
    Rank,
    Ref,
    Rows,
    Value,
    Without,
)
from askwell.semantic_parsing.grounding import Part
from askwell.semantic_parsing.model.catalog import DATE, FLAG, Catalog
from askwell.semantic_parsing.model.facts import ColumnKind


@dataclass(frozen=True, slots=True)
class PeriodWriter:
    """Writes conditions on dates, and on years that are numbers."""

    catalog: Catalog
    vocabulary: Vocabulary

    def within(self, column: ColumnRef, period: Period) -> exp.Expr:
        """That a column lies in a period. Raises `Meaningless` where it has no dates."""
        if period.start is None and period.end is None:
            raise Meaningless("no time")
        if self.catalog.is_year(column):
            return self._year_numbers(column, period)
        refuse_condition(self.catalog.column(column), self.vocabulary.dialect, with_period=True)
        if self.catalog.kind(column) != DATE:
            raise Meaningless("no date")
        ends = (None if end is None else self.vocabulary.moment(end, column) for end in (period.start, period.end))
        return _within(self.vocabulary.moment_of(column), *ends)

    def years(self, column: ColumnRef, op: str, numbers: list[Number]) -> exp.Expr:
        """A date beside bare numbers: they are years. Raises `Meaningless` where they are none."""
        years = [int(number) for number in numbers if number in YEARS]
        if len(years) != len(numbers):
            raise Meaningless("no year")
        first, last = Moment(date(years[0], 1, 1)), Moment(date(years[-1] + 1, 1, 1))
        bounds: dict[str, tuple[Moment | None, Moment | None]]
        bounds = {"=": (first, last), "between": (first, last), ">": (last, None), ">=": (first, None)}
        bounds |= {"<": (None, first), "<=": (None, last)}
        if op not in bounds:
            raise Meaningless("no relation of years")
        return self.within(column, Period(*bounds[op]))

    def _year_numbers(self, column: ColumnRef, period: Period) -> exp.Expr:
        if any(moment is not None and moment.day is None for moment in (period.start, period.end)):
            raise Meaningless("years that are counted from today")
        this = self.vocabulary.number(column)
        if period.year is not None:
            return exp.EQ(this=this, expression=exp.Literal.number(period.year))
        days = (None if end is None else end.day for end in (period.start, period.end))
        return _within(this, *(None if day is None else exp.Literal.number(day.year) for day in days))


def _within(this: exp.Expr, start: exp.Expr | None, end: exp.Expr | None) -> exp.Expr:
    pairs = ((exp.GTE, start), (exp.LT, end))
    return exp.and_(*(kind(this=this.copy(), expression=bound) for kind, bound in pairs if bound is not None))


OPERATORS: Mapping[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    ">": exp.GT,
    "<": exp.LT,
    ">=": exp.GTE,
    "<=": exp.LTE,
}
_PATTERNS = {"contain": "%{}%", "start": "{}%", "end": "%{}"}


class Selecting(Protocol):
    """What writes a whole SELECT that shows nothing but what it is asked for, for conditions that need one inside."""

    def inner(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Select: ...


@dataclass(slots=True)
class PredicateWriter:
    """Writes conditions of one SELECT; notes what tables they need and what features they show. `absent` are tables
    that stand in conditions alone, `barred` those of which no row may be there."""

    catalog: Catalog
    vocabulary: Vocabulary
    columns: Mapping[Part, ColumnRef]
    said: frozenset[str]
    selecting: Selecting
    needed: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)

    @property
    def _periods(self) -> PeriodWriter:
        return PeriodWriter(self.catalog, self.vocabulary)

    def column_of(self, part: Part) -> ColumnRef:
        """The column that a part means; its table is needed from now on."""
        column = self.columns[part]
        self.needed.append(column.table)
        return column

    def condition(self, predicate: Predicate, head: str | None) -> exp.Expr:
        """A condition on rows that are about `head`. Raises `Meaningless` where it cannot be one."""
        match predicate:
            case Holds():
                return self._holds(predicate, head)
            case Compare(Ref() | Measure()):
                return self._compare_own(predicate, head)
            case During():
                return self._during(predicate, head)
            case Among():
                return self._among(predicate, head)
            case Only():
                return self._only(predicate, head)
            case Without(other):
                self.features.append("sql:without")
                self.barred |= set() if other.where else {other.table}
                return exp.Not(this=self._related(other, head))
            case Best(of, rank):
                return self._best(of, rank)
            case Beside():
                return self._beside(predicate, head)
            case Kin():
                return self._kin(predicate, head)
            case Every(parts):
                return exp.and_(*(self.condition(part, head) for part in parts))
            case AnyOf(parts):
                return exp.paren(exp.or_(*(self.condition(part, head) for part in parts)))
        raise Meaningless(type(predicate).__name__)

    # ------------------------------------------------------------ values
    def _holds(self, predicate: Holds, head: str | None) -> exp.Expr:
        column = self.columns[predicate]
        is_of_others = predicate.negated and not predicate.omitted and column.table != head
        if is_of_others and head and self.catalog.key(head) is not None:
            self.features.append("sql:without_value")
            plain = replace(predicate, negated=False)
            inner = replace(self, columns={**self.columns, plain: column}, needed=[], features=[])
            self.needed.append(head)
            return exp.Not(this=inner._related(Rows(column.table, (plain,)), head))
        this = self.vocabulary.column(self.column_of(predicate), qualified=True)
        facts = self.catalog.column(column)
        texts = [_text_in(value, column) for value in predicate.values]
        refuse_condition(facts, self.vocabulary.dialect, values=texts)
        if facts.elements and all(text.lower() in facts.elements for text in texts):
            return self._in_lists(this, texts, negated=predicate.negated)
        said = zip(texts, predicate.values, strict=True)
        texts = list(dict.fromkeys(same for text, value in said for same in facts.spelled(text, value.text)))
        literals = [self._literal(text, column) for text in texts]
        return one_of(this, literals, negated=predicate.negated)

    def _in_lists(self, this: exp.Expr, texts: list[str], *, negated: bool) -> exp.Expr:
        """Whether lists that a column holds have one of the texts among their elements."""
        self.features.append("sql:in_lists")
        like = exp.ILike if self.vocabulary.minds_capitals else exp.Like
        found = exp.or_(*(like(this=this.copy(), expression=exp.Literal.string(f"%{text}%")) for text in texts))
        return exp.Not(this=exp.paren(found)) if negated else exp.paren(found) if len(texts) > 1 else found

    def _literal(self, text: str, column: ColumnRef) -> exp.Expr:
        if self.catalog.column(column).kind == "number":
            # Python takes digits of any script for a number, and a database those of one.
            if not (text.isascii() and text.replace(".", "", 1).isdigit()):
                raise Meaningless("a text is no number")
            return exp.Literal.number(text)
        return exp.Literal.string(text)

    # ------------------------------------------------------------ comparisons
    def _compare_own(self, predicate: Compare, head: str | None) -> exp.Expr:
        match predicate:
            case Compare(Ref() as left):
                table = self.columns[left].table
            case _:
                raise Meaningless("a figure of groups")
        never = predicate.right == (NEVER,)
        missing = (never or predicate.op == "blank") and not predicate.negated
        if missing and head is not None and not self.catalog.is_of_row(table, head):
            if never:
                return self._without(Rows(table, (replace(predicate, negated=True),)), head)
            raise Meaningless("what is missing of rows that may be missing")
        return self.compare(self.column_of(left), predicate)

    def compare(self, column: ColumnRef, predicate: Compare) -> exp.Expr:
        """A comparison of a column. Raises `Meaningless` where its values do not compare so."""
        predicate = replace(predicate, right=tuple(self._in_unit(value, column) for value in predicate.right))
        op, right = predicate.op, predicate.right
        self._check_compared(column, predicate)
        this = self.vocabulary.column(column, qualified=True)
        if op in _PATTERNS:
            if self.vocabulary.needs_text(column):
                this = exp.Cast(this=this, to=exp.DataType.build("text"))
            like = exp.ILike if self.vocabulary.minds_capitals else exp.Like
            found: exp.Expr = like(this=this, expression=exp.Literal.string(_PATTERNS[op].format(right[0])))
        elif op == "empty":
            return self._empty(column, this, predicate)
        elif op == "blank":
            found = exp.paren(exp.or_(*self._missing(column, this)))
        elif op == "flag":
            found = self._flag(column, this)
            if predicate.negated and not self.catalog.column(column).column.not_null:
                self.features.append("sql:flag_missing")
                return exp.paren(exp.or_(exp.Is(this=this.copy(), expression=exp.Null()), exp.Not(this=found)))
        elif op in ("month", "weekday", "hour"):
            found = self._part_of_time(column, op, right)
        elif right and isinstance(right[0], Ref):
            other = self.column_of(right[0])
            found = OPERATORS[op](this=self.vocabulary.compared(column), expression=self.vocabulary.compared(other))
        elif right and isinstance(right[0], Clock):
            times = [value for value in right if isinstance(value, Clock)]
            bounds = zip((">=", "<=") if op == "between" else (op,), times, strict=True)
            found = exp.and_(*(self.vocabulary.at_clock(column, OPERATORS[one], time) for one, time in bounds))
        elif right and isinstance(right[0], Average):
            found = self._beyond_average(column, op)
        else:
            found = self._amount(column, op, right)
        return exp.Not(this=found) if predicate.negated else found

    def _in_unit(self, value: Any, column: ColumnRef) -> Any:
        """An amount of time in the unit of the column; what is computed as a time is in days where no unit is said."""
        if isinstance(value, Clock):
            return value
        if not isinstance(value, Duration):
            unit = self.vocabulary.unit_of(column) if self.vocabulary.is_elapsed(column) else DAY
            if unit != DAY and not isinstance(value, Average):
                raise Meaningless("value_of_other_type")
            return value
        is_elapsed = self.vocabulary.is_elapsed(column)
        known = self.vocabulary.unit_of(column) if is_elapsed else self.catalog.column(column).duration
        if known is None:
            raise Meaningless("value_of_other_type")
        amount = value.milliseconds / known
        return int(amount) if amount == int(amount) else amount

    def _check_compared(self, column: ColumnRef, predicate: Compare) -> None:
        """Raise `Meaningless` where the types of the model do not allow the comparison."""
        op, right, facts = predicate.op, predicate.right, self.catalog.column(column)
        if op in ("empty", "blank") or (right and isinstance(right[0], Clock)):
            return
        check = partial(refuse_condition, facts, self.vocabulary.dialect)
        if op in _PATTERNS:
            check()
        elif right and isinstance(right[0], Average):
            check(than_average=True)
        elif right and isinstance(right[0], Ref):
            if self.columns[right[0]] == column:
                raise Meaningless("compared with itself")
            check(other=self.catalog.column(self.columns[right[0]]))
        elif op in ("month", "weekday", "hour") or (self.catalog.kind(column) == DATE and op != "flag"):
            check(with_period=True)
        else:
            values = tuple(value for value in right if isinstance(value, int | float | str))
            untyped = facts.kind is ColumnKind.TEXT and op in ("=", "!=")
            check(values=tuple(map(str, values)) if untyped else values)

    def _empty(self, column: ColumnRef, this: exp.Expr, predicate: Compare) -> exp.Expr:
        """No value; of dates also an empty text, and now also an end that lies ahead."""
        negated, is_date = predicate.negated, self.catalog.kind(column) == DATE
        missing = self._missing(column, this)
        found = missing if is_date else missing[:1]
        if is_date and predicate.right and english().ended_dates & set(self.catalog.column(column).words):
            found.append(self._periods.within(column, Period(Moment(shift=1), None)))
        if len(found) > 1:
            either = exp.paren(exp.or_(*found))
            return exp.Not(this=either) if negated else either
        return _is_there(this) if negated else found[0]

    def _missing(self, column: ColumnRef, this: exp.Expr) -> list[exp.Expr]:
        """No value, or one that says nothing: an empty text."""
        empty = [exp.EQ(this=this.copy(), expression=exp.Literal.string(""))]
        return [exp.Is(this=this, expression=exp.Null()), *(empty if self.vocabulary.holds_words(column) else ())]

    def _flag(self, column: ColumnRef, this: exp.Expr) -> exp.Expr:
        facts = self.catalog.column(column)
        if facts.truth:
            return one_of(this, [exp.Literal.string(text) for text in facts.truth])
        return exp.EQ(this=this, expression=self.vocabulary.literal_of(1, column))

    def _part_of_time(self, column: ColumnRef, op: str, right: tuple[Any, ...]) -> exp.Expr:
        """A month, one of the days of the week, or from one hour to before another."""
        part = self.vocabulary.bucket(self.vocabulary.moment_of(column), f"{op}_number", column)
        if op != "hour":
            return one_of(part, [exp.Literal.number(day) for day in right])
        self.features.append(f"sql:hours{right[0]}")
        return exp.Between(this=part, low=exp.Literal.number(right[0]), high=exp.Literal.number(right[1] - 1))

    def _beyond_average(self, column: ColumnRef, op: str) -> exp.Expr:
        own = self.vocabulary.number(column)
        mean = exp.select(exp.Avg(this=own.copy())).from_(self.vocabulary.table(column.table))
        return OPERATORS[op](this=own, expression=exp.Subquery(this=mean))

    def _amount(self, column: ColumnRef, op: str, right: tuple[object, ...]) -> exp.Expr:
        facts, this = self.catalog.column(column), self.vocabulary.column(column, qualified=True)
        written = [value for value in right if isinstance(value, int | float | str)]
        read = (plain_number(value) if isinstance(value, str) else value for value in written)
        numbers = [number for number in read if number is not None]
        if self.catalog.kind(column) == DATE and len(numbers) == len(right):
            return self._periods.years(column, op, numbers)
        is_flag = self.catalog.kind(column) == FLAG
        if is_flag and (op not in ("=", "!=") or numbers[:1] not in ([0], [1])):
            raise Meaningless("value_of_other_type")
        if facts.kind is ColumnKind.BOOLEAN:
            return OPERATORS[op](this=this, expression=self.vocabulary.literal_of(numbers[0], column))
        if op == "between":
            low, high = (self.vocabulary.literal(value) for value in numbers)
            return exp.Between(this=self.vocabulary.number(column), low=low, high=high)
        as_text = facts.kind is ColumnKind.TEXT and not facts.is_measure and op in ("=", "!=")
        if as_text and not facts.numeric_text and not facts.column.type:
            raise Meaningless("a number of words")
        literal = self.vocabulary.literal(str(written[0]) if as_text else numbers[0])
        return OPERATORS[op](this=this if as_text else self.vocabulary.number(column), expression=literal)

    # ------------------------------------------------------------ time

    def _during(self, predicate: During, head: str | None) -> exp.Expr:
        own = self.columns[predicate.of]
        if predicate.negated and head and own.table != head and not self.catalog.is_of_row(own.table, head):
            return self._without(Rows(own.table, (replace(predicate, negated=False),)), head)
        column = self.column_of(predicate.of)
        periods = [self._periods.within(column, period) for period in predicate.periods]
        found = exp.paren(exp.or_(*periods)) if len(periods) > 1 else periods[0]
        if not predicate.negated:
            return found
        there = _is_there(self.vocabulary.column(column, qualified=True))
        return exp.Not(this=exp.paren(exp.and_(there, found)))  # what never happened did not happen then

    def _without(self, rows: Rows, head: str) -> exp.Expr:
        """That a row has none such: what did not happen to any of them did not happen."""
        self.features.append("sql:without")
        self.needed.append(head)
        return exp.Not(this=self._related(rows, head))

    # ------------------------------------------------------------ other sets
    def _best(self, of: Rows | None, rank: Rank) -> exp.Expr:
        """What belongs to the first row of another set."""
        if of is None:
            if not isinstance(rank.by, Ref):
                raise Meaningless("the best of what")
            key = self.column_of(rank.by)
        else:
            found = self.catalog.key(of.table)
            if found is None:
                raise Meaningless("no key")
            key = found
        self.needed.append(key.table)
        shown = Ref(((key, 0),))
        where = of.where if of is not None else (Compare(shown, "empty", (), True),)
        query = Query(select=(shown,), head=key.table, where=where, rank=rank)
        best = self.selecting.inner(query, {**self.columns, shown: key})
        self.features.append("sql:best")
        inner = exp.select(exp.Star()).from_(best.subquery("best"))
        return exp.In(this=self.vocabulary.column(key, qualified=True), query=exp.Subquery(this=inner))

    def _among(self, among: Among, head: str | None) -> exp.Expr:
        """That a row is one of those which a query over its table leaves."""
        table = among.table or head
        key = self.catalog.key(table) if table is not None else None
        if key is None:
            raise Meaningless("no key")
        shown = Ref(((key, 0),), key.table)
        query = Query(select=(shown,), head=table, where=among.where)
        found = exp.Subquery(this=self.selecting.inner(query, {**self.columns, shown: key}))
        self.needed.append(key.table)
        one_of_them = exp.In(this=self.vocabulary.column(key, qualified=True), query=found)
        return exp.Not(this=one_of_them) if among.negated else one_of_them

    def _only(self, only: Only, head: str | None) -> exp.Expr:
        """That something is related which meets the conditions, and nothing that does not."""
        inner = replace(self, needed=[], features=[])
        for part in only.where:
            inner.condition(part, only.table)
        rows = Rows(only.table or inner.needed[0], only.where)
        if head is None or self.catalog.is_of_row(rows.table, head):
            return exp.and_(*(self.condition(part, head) for part in only.where))
        self.features.append("sql:only")
        return exp.and_(self._related(rows, head), exp.Not(this=self._related(rows, head, others=True)))

    def _kin(self, kin: Kin, head: str | None) -> exp.Expr:
        """Those who refer to a row of their own table, or whom it refers to."""
        table = kin.column.table
        key = self.catalog.key(table)
        if key is None or head != table:
            raise Meaningless("no_join_path")
        inner = replace(self, needed=[], features=[])
        shown, outer = (kin.column, key) if kin.above else (key, kin.column)
        rows = exp.select(self.vocabulary.column(shown, qualified=True)).from_(self.vocabulary.table(table))
        rows = rows.where(inner.condition(kin.who, table))
        if set(inner.needed) - {table}:
            raise Meaningless("no_join_path")
        self.needed.append(table)
        self.features.append("sql:kin")
        return exp.In(this=self.vocabulary.column(outer, qualified=True), query=exp.Subquery(this=rows))

    def _beside(self, beside: Beside, head: str | None) -> exp.Expr:
        """Those who are more, less or the same than others of their table, who are named."""
        column, op = self.column_of(beside.of), beside.op
        inner = replace(self, needed=[], features=[])
        who = inner.condition(beside.who, column.table)
        if head != column.table or set(inner.needed) - {head}:
            raise Meaningless("compared_apart")
        this = self.vocabulary.compared(column)
        rows = exp.select(this.copy()).from_(self.vocabulary.table(column.table)).where(who)
        if op == "=":
            same = exp.In(this=this, query=exp.Subquery(this=rows))
            return exp.and_(same, exp.Not(this=exp.paren(who.copy())))
        furthest = exp.Min(this=this.copy()) if op == "<" else exp.Max(this=this.copy())
        rows = rows.select(furthest, append=False)
        return OPERATORS[op](this=this, expression=exp.Subquery(this=rows))

    def _related(self, other: Rows, head: str | None, *, others: bool = False) -> exp.Expr:
        """EXISTS, which is right with missing values where IN is not. `others`: of those that the conditions leave
        out."""
        if head is None or other.table == head:
            raise Meaningless("without itself")
        inner = replace(self, needed=[], features=[])
        conditions = [inner.condition(part, other.table) for part in other.where]
        if others:
            conditions = [exp.Not(this=exp.Is(this=exp.paren(exp.and_(*conditions)), expression=exp.true()))]
        if head in inner.needed:
            raise Meaningless("a condition on what others are looked for")
        tree = joining(self.catalog, [head, other.table, *inner.needed], self.said)
        outward = [step for step in tree.joins if step.source == head]
        if len(outward) != 1:
            raise Meaningless("related in two ways")
        refuse_joins(tree.joins, self.catalog.facts, self.vocabulary.dialect)
        self.absent |= {step.table for step in tree.joins}
        self.needed.append(head)
        self.features += [f"join:{sign}" for sign in tree.signs]
        select = exp.select(exp.Literal.number(1)).from_(self.vocabulary.table(outward[0].table))
        for step in tree.joins:
            if step is not outward[0]:
                select = select.join(self.vocabulary.table(step.table), on=on(self.vocabulary, step), copy=False)
        return exp.Exists(this=select.where(on(self.vocabulary, outward[0]), *conditions, copy=False))


def _is_there(this: exp.Expr) -> exp.Expr:
    return exp.Is(this=this, expression=exp.Not(this=exp.Null()))


def _text_in(value: Value, column: ColumnRef) -> str:
    return next((text for held, text in value.options if held == column), value.text)
