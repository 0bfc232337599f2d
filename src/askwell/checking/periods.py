"""The period that a question says against the days that the statement takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from sqlglot import exp

from askwell.checking.dates import DateForm, DayEvaluator, format_of
from askwell.checking.finding import Finding, Rewrite, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords, flat_letters
from askwell.checking.statement import Written, names_of
from askwell.checking.values import ValueIndex
from askwell.mdl.semantic_model import ColumnRef, Table
from askwell.question.days import Days, days_at, moved, start_of
from askwell.question.filling import day_words
from askwell.question.lexicon import english
from askwell.question.periods import SURELY_YEARS
from askwell.question.stems import stems
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import MONTHS, PERIODS, SHIFTS

# Half-open; None where it has no such end.
Interval = tuple[date | None, date | None]
_DAY = timedelta(days=1)
_NOON = time(12)
# How far around a period days are looked at, and how many words before it may say "before".
_MONTHS_AROUND, _MOST_MONTHS, _NEAR = 26, 160, 4
# What is left of the name of a month where it is short.
_LETTERS = 3
_TIME_TYPES, _NUMBER_TYPES = ("DATE", "TIMESTAMP"), ("INT", "NUM", "REAL", "DOUBLE", "DEC", "FLOAT")
_W, _D = Severity.WRONG, Severity.DOUBT


@dataclass(frozen=True, slots=True)
class AskedPeriod:
    """A period in a question. `readings` are what may be meant, the likeliest first, and `loose` what others may mean
    by it; none where nothing certain can be said of its days."""

    words: str
    readings: tuple[Interval, ...]
    loose: tuple[Interval, ...]
    years: frozenset[str]


@dataclass(frozen=True, slots=True)
class DateFilter:
    """The conditions of a clause that are on one date column and nothing else."""

    ref: ColumnRef
    form: DateForm
    clause: exp.Expr
    conditions: tuple[exp.Expr, ...]

    def taken(self, days: Sequence[date], today: date, *, whole_days: bool = False) -> tuple[bool, ...] | None:
        """Which of the days it takes at noon; with `whole_days` as if the column had no times. None where that cannot
        be evaluated."""
        columns = {id(node) for condition in self.conditions for node in condition.find_all(exp.Column)}
        form = DateForm("%Y-%m-%d") if whole_days else self.form
        evaluator = DayEvaluator(columns, form, datetime.combine(today, _NOON))
        clock = _NOON if form.has_time else time.min
        found = [evaluator.accepts(self.conditions, datetime.combine(day, clock)) for day in days]
        return None if None in found else tuple(map(bool, found))


def periods(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> Iterator[Finding]:
    """Periods that are left out, differ, or that no word asks for; the wrong date column; days cut at midnight."""
    said, dates = list(asked_periods(asked, today)), ReadDates(asked, written, index)
    meant = [period for period in said if not period.years & dates.other_numbers and not dates.names(period.words)]
    filters = dates.filters
    if len(meant) == len(said) == 1 and len(filters) == 1 and not dates.is_mixed and not asked.cue("NOT"):
        yield from _different(meant[0], filters[0], written, today)
    elif meant and not dates.is_used and not any(period.years & dates.digits for period in meant):
        words = meant[0].words
        yield Finding("period_missing", _W, words, "", f"“{words}” is asked for, and the statement takes all days.")
    elif filters and filters[0].form.is_known and not said and not cues().first(asked, "time"):
        text = " AND ".join(map(written.text, filters[0].conditions))
        yield Finding("period_unasked", _D, "", text, f"No word asks for a period, and the statement has {text}.")
    yield from _other_date(asked, written, dates)
    yield from _cut(filters, written)


# -- the question ---------------------------------------------------------------------------------------------------


def asked_periods(asked: AskedWords, today: date) -> Iterator[AskedPeriod]:
    """The periods that a question says, in order."""
    tokens, at = _without_nouns(asked.tokens), 0
    while at < len(tokens):
        is_word = tokens[at].kind in (TokenKind.WORD, TokenKind.NUMBER)
        found = days_at(tokens, at, today, day_words()) if is_word else None
        if found is None or not _is_period(tokens, at, found[1]):
            at += 1
            continue
        days, end = found[0], at + found[1]
        words = tokens[at:end]
        years = {token.text[:4] for token in words if token.text[:4].isdigit()}
        years |= {str(day.year) for day in (days.start, days.end and days.end - _DAY) if day}
        readings: tuple[tuple[Interval, ...], tuple[Interval, ...]] = ((), ())
        if days.says_year and not _is_part_of_more(tokens, at, end):
            readings = _readings(days, words, today)
        yield AskedPeriod(" ".join(token.text for token in words), *readings, frozenset(years))
        at = end


def _without_nouns(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without what a year or a day is called before it: "in the year 2014"."""
    nouns = cues().words["period_nouns"]
    return [
        token for token, after in pairwise((*tokens, *tokens[-1:])) if token.low not in nouns or not after.text[:4].isdigit()
    ]


def _is_period(tokens: Sequence[Token], at: int, length: int) -> bool:
    """Whether a bare number is a year, and a short word a month."""
    first, before = tokens[at], tokens[at - 1].low if at else ""
    if PERIODS.get(tokens[at + length - 1].low) == "day" and SHIFTS.get(tokens[at + length - 2].low):
        return False  # "the last day" is one of the data
    if length == 1 and first.text.isdigit():
        return before in cues().words["before_a_year"] and int(first.text) in SURELY_YEARS
    if any(token.text.isdigit() and len(token.text) == 4 for token in tokens[at : at + length]):
        return True
    months = [token for token in tokens[at : at + length] if token.low in MONTHS]
    return not months or (before in cues().words["before_a_year"] and months[0].text[:1].isupper())


def _is_part_of_more(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether the words around a period make another one of it: "2005 or later", "before the end of 2016"."""
    edges = {token.low for token in (*tokens[max(at - 1, 0) : at], *tokens[end : end + 1])}
    limits = {word for name in ("since", "after", "before", "until") for word in getattr(day_words(), name)}
    near = {token.low for token in tokens[max(at - _NEAR, 0) : at]} & limits - cues().words["more_periods"]
    has_clock = any(":" in token.text for token in tokens[at:end])
    return bool(edges & cues().words["more_periods"] or near or has_clock)


def _readings(days: Days, words: Sequence[Token], today: date) -> tuple[tuple[Interval, ...], tuple[Interval, ...]]:
    """What may be meant by days, the likeliest first, and what others may mean."""
    start, end = days.start, days.end
    found: list[Interval] = [(start, end)]
    loose: list[Interval] = []
    tomorrow = today + _DAY
    lows = [token.low for token in words]
    shift = next((place for place, low in enumerate(lows) if low in SHIFTS), None)
    is_counted = shift is not None and lows[shift + 1] not in PERIODS
    if start is not None and (end is None or start <= today < end):
        ends = (end, tomorrow, today, None) if start < today else (end, tomorrow, None)
        starts = [start]
        if is_counted and end == tomorrow:
            unit = PERIODS[lows[-1]]
            first = start_of(unit, start)
            found = [(start + _DAY, end)] if unit in ("day", "week") else found
            starts += [start + _DAY, first, moved(first, unit, 1)]
            ends = (*ends, start_of(unit, today))
        found += [(one, other) for one in starts for other in ends]
    elif end is None and start is not None and lows[0] == "from":
        inner = days_at(words, 1, today, day_words())
        found += [(start, inner[0].end)] if inner is not None else []
    elif start is None and end is not None and lows[0] in ("until", "till", "by", "to"):
        one = days_at(words, 1, today, day_words())
        found += [(None, one[0].start)] if one is not None else []
    elif shift is not None and not is_counted and SHIFTS[lows[shift]] < 0 and start is not None and end is not None:
        unit = PERIODS[lows[shift + 1]]
        back = moved(today, unit, -1)
        rolling = [(one, other) for one in (back, back + _DAY) for other in (today, tomorrow, None)]
        found, loose = (found, rolling) if lows[shift] == "last" and unit != "week" else (found + rolling, [])
        found += [(start - _DAY, end - _DAY)] if unit == "week" else []
    return tuple(found), tuple(loose)


# -- the statement --------------------------------------------------------------------------------------------------


class ReadDates:
    """The dates that a statement reads: conditions on them, and numbers and names that may be years."""

    def __init__(self, asked: AskedWords, written: Written, index: ValueIndex) -> None:
        self._asked, self._written, self._index = asked, written, index
        self._forms: dict[ColumnRef, DateForm | None] = {}
        self._compared: dict[ColumnRef, list[exp.Literal]] = {}
        for part in written.filters:
            self._compared.setdefault(part.ref, []).extend(part.values)
        self.is_mixed = False
        self.filters = tuple(self._filters())

    @property
    def other_numbers(self) -> set[str]:
        """Numbers that columns without dates are compared with."""
        return {value.name for ref, some in self._compared.items() if self.form(ref) is None for value in some}

    @property
    def digits(self) -> set[str]:
        """Years in the names and texts of the statement."""
        texts = [*self._written.bound.tables, *(ref.column for ref in self._written.columns)]
        texts += [literal.name for literal in self._written.literals]
        return {text[at : at + 4] for text in texts for at in range(len(text)) if text[at : at + 4].isdigit()}

    def names(self, words: str) -> bool:
        """Whether words are those of a column, or a text of the statement; of a month, also its first letters."""
        flat = {flat_letters(words)} | {word[:_LETTERS] for word in words.lower().split() if word in MONTHS}
        texts = [flat_letters(literal.name) for literal in self._written.literals if literal.is_string]
        texts += [flat_letters(ref.column) for ref in self._written.columns]
        return any(one == text or (len(one) > _LETTERS and one in text) for one in flat for text in texts)

    @property
    def is_used(self) -> bool:
        """Whether a date decides which rows are read, or how they are grouped."""
        kinds = (exp.Where, exp.Having, exp.Join, exp.Case, exp.Filter, exp.Group, exp.Window, exp.Limit)
        nodes = (node for kind in kinds for one in self._written.tree.find_all(kind) for node in one.find_all(exp.Column))
        refs = (self._written.refs.get(id(node)) for node in nodes)
        return any(ref is not None and self.form(ref) is not None for ref in refs)

    def form(self, ref: ColumnRef) -> DateForm | None:
        """How a column holds dates; None where it has none."""
        if ref not in self._forms:
            self._forms[ref] = self._form(ref)
        return self._forms[ref]

    def _form(self, ref: ColumnRef) -> DateForm | None:
        column, texts = self._written.column(ref), self._index.texts.get(ref, frozenset())
        if column is None or column.type.upper() == "TIME":
            return None
        if column.epoch:
            return DateForm(epoch={"seconds": 1, "millis": 1_000, "micros": 1_000_000}.get(column.epoch, 1), has_time=True)
        kind, named = column.type.upper(), {stem for name in names_of(column) for stem in stems(name)}
        numbers = {value.name for value in self._compared.get(ref, ())}
        is_number = any(one in kind for one in _NUMBER_TYPES)
        are_years = all(number.isdigit() and int(number) in SURELY_YEARS for number in numbers)
        if are_years and (named & cues().stems["year"] or (is_number and numbers and numbers <= self._years_said())):
            return DateForm("%Y", is_number=is_number)
        if any(one in kind for one in _TIME_TYPES):
            if texts:
                return format_of(texts) or DateForm(is_known=False)
            has_time = "TIME" in kind
            form = "%Y-%m-%d %H:%M:%S" if has_time else "%Y-%m-%d"
            return DateForm(form if self._written.bound.dialect == "sqlite" else "", has_time=has_time)
        if is_number and numbers and all(len(number) == 8 and format_of({number}) for number in numbers):
            return DateForm("%Y%m%d", is_number=True)
        found = format_of(texts) if not is_number else None
        return found or (DateForm(is_known=False) if numbers and named & cues().stems["surely_date"] else None)

    def _years_said(self) -> set[str]:
        years = [int(number) for number in self._asked.numbers if number.isdigit() and int(number) in SURELY_YEARS]
        return {str(year + step) for year in years for step in (-1, 0, 1)}

    def _filters(self) -> Iterator[DateFilter]:
        for clause in self._written.tree.find_all(exp.Where, exp.Having, exp.Join):
            found: dict[ColumnRef, list[exp.Expr]] = {}
            for part in _conjuncts(clause):
                nodes = [] if part.find(exp.Select) else list(part.find_all(exp.Column))
                refs = {self._written.refs.get(id(node)) for node in nodes}
                dated = {ref for ref in refs if ref is not None and self.form(ref) is not None}
                if dated and len(refs) == 1 and part.find(exp.Null) is None:
                    found.setdefault(dated.pop(), []).append(part)
                self.is_mixed |= bool(dated and len(refs) > 1)
            for ref, parts in found.items():
                form = self.form(ref)
                if form is not None:
                    yield DateFilter(ref, form, clause, tuple(parts))
        inner = [node for one in self._written.tree.find_all(exp.Case, exp.Filter) for node in one.find_all(exp.Column)]
        self.is_mixed |= any((ref := self._written.refs.get(id(node))) and self.form(ref) for node in inner)


def _conjuncts(clause: exp.Expr) -> list[exp.Expr]:
    condition = clause.args.get(_key(clause))
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition] if condition else []


def _key(clause: exp.Expr) -> str:
    return "on" if isinstance(clause, exp.Join) else "this"


# -- the comparison -------------------------------------------------------------------------------------------------


def _different(period: AskedPeriod, found: DateFilter, written: Written, today: date) -> Iterator[Finding]:
    """Where the days that are taken are those of no reading."""
    if not period.readings or (found.form.format == "%Y" and not _is_of_years(period.readings[0])):
        return
    days = _days_around((*period.readings, *period.loose), found, today)
    taken = found.taken(days, today)
    if taken is None or _is_one_of(taken, days, period.readings):
        return
    if found.form.has_time and (whole := found.taken(days, today, whole_days=True)) is not None:
        if _is_one_of(whole, days, period.readings):
            return  # what is cut at midnight is said by `_cut`
    severity = _D if _is_one_of(taken, days, period.loose) else _W
    runs = _runs(lambda day: bool((found.taken([day], today) or (False,))[0]), days, taken)
    text, meant = " AND ".join(map(written.text, found.conditions)), said_interval(*period.readings[0])
    message = f"“{period.words}” is {meant}; the statement takes {_said_runs(runs)}."
    rewrite = with_interval(written, found, period.readings[0], f"“{period.words}” is read as {meant}.")
    yield Finding("period_differs", severity, period.words, text, message, rewrite)


def _is_of_years(interval: Interval) -> bool:
    return all(day is None or (day.month, day.day) == (1, 1) for day in interval)


def _is_one_of(taken: tuple[bool, ...], days: Sequence[date], readings: Sequence[Interval]) -> bool:
    return any(
        taken == tuple((start is None or start <= day) and (end is None or day < end) for day in days)
        for start, end in readings
    )


def _days_around(readings: Sequence[Interval], found: DateFilter, today: date) -> list[date]:
    """Days by which periods can be told apart: around each end, around what the statement names, and three of each
    month."""
    ends = {end for reading in readings for end in reading if end is not None}
    named = [format_of({one.name}) and one.name[:10] for part in found.conditions for one in part.find_all(exp.Literal)]
    near = ends | {date.fromisoformat(one) for one in named if one and one.count("-") == 2} | {today}
    days = {day + step * _DAY for day in near for step in (-2, -1, 0, 1)}
    first = start_of("month", moved(min(ends), "month", -_MONTHS_AROUND))
    last = moved(max(ends), "month", _MONTHS_AROUND)
    for count in range(min((last - first).days // 30, _MOST_MONTHS)):
        month = moved(first, "month", count)
        days |= {month - _DAY, month, month + 14 * _DAY}
    return sorted(days)


def _runs(takes: Callable[[date], bool], days: Sequence[date], taken: Sequence[bool]) -> list[Interval]:
    """The runs of days that are taken; open at the ends of what was looked at."""
    runs: list[Interval] = [(None, None)] if taken[0] else []
    for (one, before), (other, after) in pairwise(zip(days, taken, strict=True)):
        if before != after:
            turn = next(day for n in range(1, (other - one).days + 1) if takes(day := one + n * _DAY) == after)
            runs = [*runs, (turn, None)] if after else [*runs[:-1], (runs[-1][0], turn)]
    return runs


def _said_runs(runs: Sequence[Interval]) -> str:
    if not runs:
        return "none of the days around it"
    if runs == [(None, None)]:
        return "all days around it"
    months = {start.month for start, end in runs if start and end and moved(start, "month", 1) == end and start.day == 1}
    if len(months) == 1 and len(runs) > 1 and all(start and start.month in months for start, _ in runs[1:]):
        return f"every {next(start for start, _ in runs if start):%B}"
    more = " and other days" if len(runs) > 1 else ""
    return said_interval(*runs[0]) + more


def said_day(day: date) -> str:
    """1 Jan 2024"""
    return f"{day.day} {day:%b %Y}"


def said_interval(start: date | None, end: date | None) -> str:
    """A period in words: "October 2026", "1 Jan 2024 and later"."""
    if start is None or end is None:
        return f"{said_day(start)} and later" if start else f"all before {said_day(end)}" if end else "all days"
    for unit, form in (("month", "%B %Y"), ("year", "%Y")):
        if start_of(unit, start) == start and moved(start, unit, 1) == end:
            return start.strftime(form)
    return said_day(start) + (f" to {said_day(end - _DAY)}" if end - start > _DAY else "")


def with_interval(written: Written, found: DateFilter, interval: Interval, said: str) -> Rewrite | None:
    """The statement with a period in the place of the conditions on its date column; None where the column's dates
    cannot be compared."""
    if not found.form.is_sortable:
        return None
    column = found.conditions[0].find(exp.Column)
    bounds: list[exp.Expr] = []
    for kind, day in zip((exp.GTE, exp.LT), interval, strict=True):
        if day is not None and column is not None:
            bounds.append(kind(this=column.copy(), expression=_literal(found.form, day)))
    return _replaced(written, found.clause, found.conditions, bounds, said)


def _literal(form: DateForm, day: date) -> exp.Expr:
    value = form.write(datetime.combine(day, time.min))
    return exp.Literal.number(value) if isinstance(value, int) else exp.Literal.string(str(value).removesuffix(" 00:00:00"))


def _replaced(
    written: Written, clause: exp.Expr, old: Sequence[exp.Expr], new: Sequence[exp.Expr], said: str
) -> Rewrite:
    """The statement with other conditions in the place of some of a clause."""
    tree = written.tree.copy()
    place = next(n for n, one in enumerate(written.tree.find_all(type(clause))) if one is clause)
    there = next(one for n, one in enumerate(tree.find_all(type(clause))) if n == place)
    gone = {id(one) for one in old}
    kept = [copy for one, copy in zip(_conjuncts(clause), _conjuncts(there), strict=True) if id(one) not in gone]
    there.set(_key(clause), exp.and_(*kept, *new))
    return Rewrite(tree, said)


def _cut(filters: Sequence[DateFilter], written: Written) -> Iterator[Finding]:
    """Last days of which only the midnight is taken."""
    for found in filters:
        for condition in found.conditions if found.form.has_time and not found.form.epoch else ():
            end = condition.args["high"] if isinstance(condition, exp.Between) else condition.expression
            if not isinstance(condition, exp.Between | exp.LTE) or not isinstance(condition.this, exp.Column):
                continue
            day = end.name if isinstance(end, exp.Literal) else end.this.name if isinstance(end, exp.Cast) else ""
            if format_of({day}) != DateForm("%Y-%m-%d"):
                continue
            next_day = date.fromisoformat(day) + _DAY
            new = [exp.LT(this=condition.this.copy(), expression=exp.Literal.string(str(next_day)))]
            if isinstance(condition, exp.Between):
                new.insert(0, exp.GTE(this=condition.this.copy(), expression=condition.args["low"].copy()))
            rewrite = _replaced(written, found.clause, [condition], new, f"All of {day} is taken.")
            text = written.text(condition)
            message = f"{text} leaves out {day} but for its midnight, since {found.ref.column} has times."
            yield Finding("cut_at_midnight", _D, "", text, message, rewrite)


# -- the column -----------------------------------------------------------------------------------------------------


def _other_date(asked: AskedWords, written: Written, dates: ReadDates) -> Iterator[Finding]:
    """The date of something else than what the question says was done."""
    if not dates.is_used:
        return
    used = {ref for ref in written.columns if dates.form(ref) is not None}
    lexicon = english()
    verbs = {one for token in asked.tokens if token.low.endswith(lexicon.past_endings) for one in stems(token.low)}
    for table in written.tables:
        mine = {ref for ref in used if ref.table == table.name}
        own = {stem for name in names_of(table) for stem in stems(name)}
        wanted = [ref for ref in _dated(table, dates) if _named(written, ref) & (verbs - own)]
        said = set(asked.stems) - own
        if mine and wanted and not any(_named(written, ref) & said or ref in wanted for ref in mine):
            verb = next(t.text for t in asked.tokens if set(stems(t.low)) & _named(written, wanted[0]))
            message = f"“{verb}” is about {wanted[0]}, and the statement goes by {min(mine)}."
            yield Finding("other_date", _D, verb, str(min(mine)), message)


def _dated(table: Table, dates: ReadDates) -> list[ColumnRef]:
    refs = [ColumnRef(table.name, column.name) for column in table.columns]
    return [ref for ref in refs if dates.form(ref) is not None]


def _named(written: Written, ref: ColumnRef) -> set[str]:
    """The stems of what a date column is called, without those that any date has."""
    column = written.column(ref)
    named = {stem for name in names_of(column) for stem in stems(name)} if column is not None else set()
    return named - cues().stems["date"] - cues().stems["year"]
