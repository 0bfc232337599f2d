"""The period that a question says against the days that the statement takes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from sqlglot import exp

from askwell.checking.dates import DayEvaluator
from askwell.checking.finding import Finding, Rewrite, Severity, finding
from askwell.checking.question import AskedWords, cues, flat_letters
from askwell.checking.statement import COMPARISONS, Written, named
from askwell.checking.values import ValueIndex
from askwell.mdl.expressions import conjuncts
from askwell.mdl.semantic_model import Column, ColumnRef
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import DateForm, date_form, format_of
from askwell.question.days import Days, days_at, moved, start_of
from askwell.question.filling import day_words
from askwell.question.lexicon import english
from askwell.question.periods import SURELY_YEARS, year_of
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import LISTING, MONTHS, NUMBER_WORDS, PERIODS, SHIFTS, stems

# Half-open; None where it has no such end.
Interval = tuple[date | None, date | None]
_DAY, _MIDNIGHT, _NOON = timedelta(days=1), time(tzinfo=UTC), time(12, tzinfo=UTC)
# How far around a period days are looked at, how many words before it may say "before", letters of a short month.
_MONTHS_AROUND, _MOST_MONTHS, _NEAR, _LETTERS = 26, 160, 4, 3
# Types of times that hold no days.
_NO_DAYS = frozenset({"TIME", "INTERVAL", "YEAR"})
_ISO, _YEAR = "%Y-%m-%d", re.compile(r"(?:19|20)\d\d")
# What texts that are compared with ISO dates are, patterns among them: "2026-10%".
_ISO_START = re.compile(r"(?:19|20)\d\d(?:-\d\d?(?:-\d\d?.*)?)?[-%_]*")
_OF_DATES = (exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp)
_TESTS = (*COMPARISONS, exp.In, exp.Between)
_CLAUSES = (exp.Where, exp.Having, exp.Join)
_BUCKETS = (exp.Group, exp.TimeToStr, exp.TimestampTrunc, exp.DateTrunc, exp.Extract, exp.Year, exp.Month)


@dataclass(frozen=True, slots=True)
class AskedPeriod:
    """A period in a question. `readings` are what may be meant, the likeliest first; none where nothing certain can be
    said of its days. `is_possessive`: "this year's panto" is no condition on days. `bare` are the last days that a
    month or a day without a year can be."""

    words: str
    readings: tuple[Interval, ...]
    years: frozenset[str]
    is_possessive: bool = False
    bare: Interval | None = None


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
        clock = _NOON if form.has_time else _MIDNIGHT
        found = [evaluator.accepts(self.conditions, datetime.combine(day, clock)) for day in days]
        return None if None in found else tuple(map(bool, found))

    @property
    def is_until_now(self) -> bool:
        """Whether it only tells what is over from what is to come."""
        names = [one.name for part in self.conditions for one in part.find_all(exp.Literal)]
        return names == ["now"] or (not names and any(part.find(exp.CurrentDate) for part in self.conditions))

    def text(self, written: Written) -> str:
        return " AND ".join(map(written.text, self.conditions))


def periods(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> Iterator[Finding]:
    """Periods that are left out, differ, or that no word asks for; the wrong date column; days cut at midnight."""
    said = list(asked_periods(asked, today, frozenset().union(*map(named, written.tables))))
    dates = ReadDates(said, written, index)
    now = cues().words["moments"]
    conditions = [one for one in said if now.isdisjoint(one.words.lower().split()) and not dates.explain(one)]
    meant = [one for one in conditions if not one.is_possessive]
    filters = dates.filters
    only = filters[0] if len(filters) == 1 and not dates.is_mixed else None
    found: list[Finding] = []
    if only is not None and len(conditions) == len(said) == 1:
        found = list(_different(conditions[0], only, written, today, is_turned=bool(asked.cue("NOT"))))
    if only is not None and len(said) == 1 and said[0].bare is not None and not said[0].readings:
        low, high = said[0].bare
        following = low and moved(low, "year", 1), high and moved(high, "year", 1)
        latest = replace(said[0], readings=((low, high), following))
        years = {year for part in only.conditions for year in _YEAR.findall(only.text(written))}
        if years and years.isdisjoint(said[0].years):
            differs = _different(latest, only, written, today, is_turned=bool(asked.cue("NOT")))
            found = [replace(one, severity=Severity.DOUBT, rewrite=None) for one in differs]
    if found or (said and (found := list(_every_year(asked, said, dates, index, today)))):
        yield from found
    elif meant and not dates.is_used:
        yield finding("period_missing", meant[0].words)
    elif len(said) == len(meant) == 1 and meant[0].readings and not dates.is_restricted and not written.has(exp.Limit):
        yield finding("period_missing", meant[0].words, severity=Severity.DOUBT)
    elif filters and filters[0].form.is_known and not (said or filters[0].is_until_now or cues().first(asked, "time")):
        yield finding("period_unasked", sql=filters[0].text(written))
    yield from _other_date(asked, meant, written, dates)
    for one in filters:
        yield from _cut(one, written, today)


# -- the question ---------------------------------------------------------------------------------------------------


def asked_periods(asked: AskedWords, today: date, events: Set[str] = frozenset()) -> Iterator[AskedPeriod]:
    """The periods that a question says, in order. `events` are the stems of what has days: "last month's rentals" is
    a condition on them."""
    nouns, at = cues().words["period_nouns"], 0
    pairs = pairwise((*asked.tokens, *asked.tokens[-1:]))  # "in the year 2014" is "in the 2014"
    tokens = [token for token, after in pairs if token.low not in nouns or not after.text[:4].isdigit()]
    sums, toward = cues().words["come_to"], cues().words["toward"]  # "what did they come to last month"
    pairs = pairwise((*tokens[:1], *tokens))
    tokens = [one for before, one in pairs if one.low not in toward or before.low not in sums]
    while at < len(tokens):
        is_word = tokens[at].kind in (TokenKind.WORD, TokenKind.NUMBER)
        found = days_at(tokens, at, today, day_words()) if is_word else None
        if found is None or not _is_period(tokens[at : at + found[1]], tokens[at - 1].low if at else ""):
            at += 1
            continue
        days, end = found[0], at + found[1]
        words = tokens[at:end]
        years = {token.text[:4] for token in words if token.text[:4].isdigit()}
        years |= {str(day.year) for day in (days.start, days.end and days.end - _DAY) if day}
        is_open = None in (days.start, days.end) and any(token.low in MONTHS for token in words)
        is_of_month = tokens[max(at, 1) - 1].low in MONTHS.keys() - cues().words["month_or_word"]
        is_month_open = is_open and not any(len(one.text) > 3 and one.text[:4].isdigit() for one in words)
        is_more = is_of_month or is_month_open or _is_part_of_more(tokens, at, end)
        readings = tuple(_readings(days, words, today)) if days.says_year and not is_more else ()
        bare = (days.start, days.end) if not (days.says_year or is_more) else None
        owned = {one for token in tokens[end + 1 : end + 2] for one in stems(token.low)}
        is_possessive = any(token.low == "'s" for token in tokens[end : end + 1]) and owned.isdisjoint(events)
        yield AskedPeriod(" ".join(token.text for token in words), readings, frozenset(years), is_possessive, bare)
        at = end


def _is_period(words: Sequence[Token], before: str) -> bool:
    """Whether a bare number is a year, a short word a month, and "the last day" none of the data."""
    first, may_be = words[0], before in cues().words["before_a_year"]
    if len(words) == 1 and first.text.isdigit():
        return may_be and int(first.text) in SURELY_YEARS
    if len(words) > 1 and PERIODS.get(words[-1].low) == "day" and SHIFTS.get(words[-2].low):
        return False
    months = [token for token in words if token.low in MONTHS]
    has_year = any(token.text[:4].isdigit() for token in words)
    is_month = any(month.text[:1].isupper() or month.low not in cues().words["month_or_word"] for month in months)
    return has_year or not months or (may_be and is_month)


def _is_part_of_more(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether the words around a period make another one of it: "2005 or later", "before the end of 2016"."""
    words, edges = cues().words, {token.low for token in (*tokens[max(at - 1, 0) : at], *tokens[end : end + 1])}
    near = {token.low for token in tokens[max(at - _NEAR, 0) : at]}
    has_clock = any(":" in token.text for token in tokens[at:end])
    ends = ((tokens[at - 1], tokens[at - 2]) if at > 1 else None, tokens[end : end + 2])
    beside = any(two and len(two) > 1 and two[0].low in LISTING and year_of(two[1]) for two in ends)  # "2022 and 2024"
    return bool(edges & words["more_periods"] or near & words["limits"] or has_clock or beside)


def _readings(days: Days, words: Sequence[Token], today: date) -> Iterator[Interval]:
    """What may be meant by days, the likeliest first."""
    start, end, tomorrow = days.start, days.end, today + _DAY
    lows = [token.low for token in words]
    place = next((place for place, low in enumerate(lows) if low in SHIFTS), None)
    unit, starts, ends = PERIODS.get(lows[-1], "day"), [start], [end]
    if start is not None and (end is None or start <= today < end):
        ends += [tomorrow, None, *([today] if start < today else [])]
        counted = place is not None and not PERIODS.keys() & lows[place + 1 : place + 2]
        if counted and end == tomorrow:  # "last 3 months"
            first = start_of(unit, start)
            other = start - _DAY if unit in ("day", "week") else start + _DAY
            starts, ends = [start, other, first, moved(first, unit, 1)], [*ends, start_of(unit, today)]
    if end is not None and any(token.kind is TokenKind.NUMBER or token.low in NUMBER_WORDS for token in words):
        ends.append(end + _DAY)  # "the next 6 weeks"
    yield from ((one, other) for one in starts for other in ends)
    inner = days_at(words, 2 if {*lows[1:2]} & cues().words["before_a_year"] else 1, today, day_words())
    if lows[0] in cues().words["loose_limits"] and inner is not None:
        yield (start, inner[0].end) if start else (None, inner[0].start)
    if place is not None and place == len(lows) - 2 and SHIFTS[lows[place]] < 0 and start is not None:
        if unit == "week":
            yield start - _DAY, start + 6 * _DAY
        if unit == "week" or lows[place] in cues().words["rolling"]:
            back = moved(today, unit, -1)
            yield from ((one, other) for one in (back, back + _DAY) for other in (today, tomorrow, None))


# -- the statement --------------------------------------------------------------------------------------------------


class ReadDates:
    """The dates that a statement reads: their columns, and the conditions on them. `is_mixed`: others have them too."""

    def __init__(self, said: Sequence[AskedPeriod], written: Written, index: ValueIndex) -> None:
        compared: defaultdict[ColumnRef, frozenset[str]] = defaultdict(frozenset)
        for part in written.filters:
            compared[part.ref] |= {value.name for value in part.values}
        self.written, years = written, {year for period in said for year in period.years}
        refs = [(ColumnRef(table.name, column.name), column) for table in written.tables for column in table.columns]
        counted = {ref for one in written.literals if one.name == "unixepoch" for ref in _refs(written, one.parent)}
        converted = {ref for node in written.tree.find_all(*_OF_DATES) for ref in _refs(written, node.this)} - counted
        converted |= {ref for node in written.tree.find_all(*COMPARISONS) for ref in _beside_now(written, node)}
        forms = {
            ref: _form(column, index.texts.get(ref, frozenset()), compared[ref], years, is_iso=ref in converted)
            for ref, column in refs
        } | dict.fromkeys(counted, DateForm(epoch=1, has_time=True))
        self.forms = {ref: form for ref, form in forms.items() if form is not None}
        self.is_mixed = bool(self.read_in(exp.Case, exp.Filter))
        self.filters = tuple(self._filters())
        cases = [node for one in written.tree.find_all(exp.Case, exp.Filter) for node in one.find_all(*_TESTS)]
        is_case = any(ref in self.forms for node in cases for ref in _refs(written, node))
        sums = [one for node in written.tree.find_all(exp.AggFunc) for one in node.find_all(*_TESTS)]
        is_case |= any(ref in self.forms for node in sums for ref in _refs(written, node))
        self.is_restricted = is_case or bool(self.read_in(*_CLAUSES))
        self.is_used = self.is_restricted or bool(self.read_in(exp.Group, exp.Window, exp.Order))

    def explain(self, period: AskedPeriod) -> bool:
        """Whether the words are those of a table, a column, or of what other columns are compared with."""
        own = {id(one) for found in self.filters for part in found.conditions for one in part.find_all(exp.Literal)}
        texts = [*self.written.bound.tables, *(ref.column for ref in self.written.columns)]
        texts += [one.name for one in self.written.literals if id(one) not in own and not self.is_mixed]
        names = {flat_letters(text) for text in texts}
        words = {flat_letters(period.words), *period.years}
        short = {word[:_LETTERS] for word in period.words.lower().split() if word in MONTHS}
        return bool(short & names) or any(word in name for word in words for name in names)

    def read_in(self, *kinds: type[exp.Expr]) -> set[ColumnRef]:
        """The date columns in clauses of these kinds, but for tests of whether there is a value."""
        nodes = (node for one in self.written.tree.find_all(*kinds) for node in one.find_all(exp.Column))
        refs = (self.written.refs.get(id(node)) for node in nodes if not isinstance(node.parent, exp.Is))
        return {ref for ref in refs if ref is not None and ref in self.forms}

    def _filters(self) -> Iterator[DateFilter]:
        for clause in self.written.tree.find_all(*_CLAUSES):
            found: dict[ColumnRef, list[exp.Expr]] = {}
            for part in conjuncts(clause.args.get(_key(clause))):
                nodes = [] if part.find(exp.Select) else part.find_all(exp.Column)
                refs = {self.written.refs.get(id(node)) for node in nodes}
                dated = {ref for ref in refs if ref is not None and ref in self.forms}
                if dated and len(refs) == 1 and part.find(exp.Null) is None:
                    found.setdefault(dated.pop(), []).append(part)
                self.is_mixed |= bool(dated and len(refs) > 1)
            for ref, parts in found.items():
                yield DateFilter(ref, self.forms[ref], clause, tuple(parts))


def _refs(written: Written, node: exp.Expr | None) -> list[ColumnRef]:
    """The one column that is in an expression, where it is a column of a table."""
    return refs if node is not None and len(refs := list({*written.refs_in(node)})) == 1 else []


def _beside_now(written: Written, node: exp.Expr) -> list[ColumnRef]:
    """The column that is compared with a moment that is counted from now."""
    moment, refs = node.args.get("expression"), _refs(written, node.this)
    is_now = moment is not None and any(one.name == "now" for one in moment.find_all(exp.Literal))
    return refs if is_now and isinstance(node.this, exp.Column) else []


def _form(
    column: Column, texts: frozenset[str], numbers: frozenset[str], years: set[str], *, is_iso: bool
) -> DateForm | None:
    """How a column with these texts, that is compared with these numbers, holds dates; None where it has none. Of a
    column that has too many texts to know them, what it is compared with says how (`is_iso`: date functions read it).
    """
    family = type_family(column.type)
    is_number = family is TypeFamily.NUMBER
    is_time = family is TypeFamily.TIME and column.type.upper() not in _NO_DAYS
    if written := date_form(column.name, texts, column.epoch, is_number=is_number):
        return written
    is_year = named(column) & cues().stems["year"] or (is_number and numbers and numbers <= years)
    if is_year and all(number.isdigit() and int(number) in SURELY_YEARS for number in numbers):
        return DateForm("%Y", is_number=is_number)
    if found := format_of(numbers if is_number else texts):
        return replace(found, is_number=is_number)
    if family is TypeFamily.TEXT and not texts and named(column) & cues().stems["date"]:
        if all(map(_ISO_START.fullmatch, numbers)) and (numbers or is_iso):
            return DateForm(_ISO)
    if is_time and not texts:
        return DateForm(has_time="TIME" in column.type.upper())
    return DateForm(is_known=False) if is_time or (numbers and named(column) & cues().stems["surely_date"]) else None


def _key(clause: exp.Expr) -> str:
    return "on" if isinstance(clause, exp.Join) else "this"


# -- the comparison -------------------------------------------------------------------------------------------------


def _different(
    period: AskedPeriod, found: DateFilter, written: Written, today: date, *, is_turned: bool
) -> Iterator[Finding]:
    """Where the days that are taken are those of no reading. What was not done in a period may be what was done last
    before it (`is_turned`)."""
    meant = period.readings[0] if period.readings else (None, None)
    unit = "year" if found.form.format == "%Y" else "day"
    if meant == (None, None) or any(day is not None and start_of(unit, day) != day for day in meant):
        return
    days = _days_around(period.readings, found, today)
    taken, whole = found.taken(days, today), found.taken(days, today, whole_days=found.form.has_time)
    before = [(None, reading[0]) for reading in period.readings if is_turned]
    if taken is None or any(_is_one_of(one, days, (*period.readings, *before)) for one in (taken, whole)):
        return  # what is cut at midnight is said by `_cut`
    said, runs = said_interval(*meant), _said_runs(_runs(found, days, taken, today))
    rewrite = with_interval(written, found, meant, f"“{period.words}” is read as {said}.")
    yield finding("period_differs", period.words, found.text(written), rewrite=rewrite, said=said, taken=runs)


def _every_year(
    asked: AskedWords, said: Sequence[AskedPeriod], dates: ReadDates, index: ValueIndex, today: date
) -> Iterator[Finding]:
    """A month of every year, where one is said. Without its year, only of dates that are known to lie in several."""
    first, written = start_of("year", today), dates.written
    days = [moved(first, "month", month) + 14 * _DAY for month in range(-24, 12)]
    recurring: dict[ColumnRef, list[DateFilter]] = {}
    others = dates.read_in(exp.Group)
    for node in written.tree.find_all(*_TESTS):
        refs = set(written.refs_in(node))
        if node.find(exp.Select) or not refs & dates.forms.keys():
            continue
        one = DateFilter(ref := min(refs & dates.forms.keys()), dates.forms[ref], node, (node,))
        taken = one.taken(days, today) if len(refs) == 1 else None
        if taken is not None and any(taken[:12]) and not all(taken) and taken[:12] == taken[12:24] == taken[24:]:
            recurring.setdefault(ref, []).append(one)
        elif not isinstance(node, exp.Is):
            others.add(ref)
    names = {stem for part in written.filters for stem in stems(part.ref.column)}
    found = [one for ref, some in recurring.items() if ref not in others for one in some]
    if not found or cues().first(asked, "all_years") or names & cues().stems["year"]:
        return
    years = {year for text in index.texts.get(found[0].ref, ()) for year in _YEAR.findall(text)}
    is_certain = any(period.bare is None for period in said)
    if is_certain or len(years) > 1:
        yield finding("every_year", said[0].words, found[0].text(written), Severity.WRONG if is_certain else None)


def _cut(found: DateFilter, written: Written, today: date) -> Iterator[Finding]:
    """A last day of which only the midnight is taken."""
    days = _days_around((), found, today) if found.form.has_time else []
    taken, whole = found.taken(days, today) or (), found.taken(days, today, whole_days=True) or ()
    for day, is_taken, is_whole in zip(days, taken, whole, strict=False):
        if is_whole and not is_taken and day != today:
            runs, said = _runs(found, days, whole, today, whole_days=True), f"All of {said_day(day)} is taken."
            rewrite = with_interval(written, found, runs[0], said) if len(runs) == 1 else None
            text, column = found.text(written), found.ref.column
            yield finding("cut_at_midnight", sql=text, rewrite=rewrite, column=column, day=said_day(day))


def _is_one_of(taken: tuple[bool, ...] | None, days: Sequence[date], readings: Sequence[Interval]) -> bool:
    wanted = [[(low is None or low <= day) and (high is None or day < high) for day in days] for low, high in readings]
    return taken is not None and list(taken) in wanted


def _days_around(readings: Sequence[Interval], found: DateFilter, today: date) -> list[date]:
    """Days by which periods can be distinguished: around each end, around what the statement names, and three of each
    month."""
    named = {one.name for part in found.conditions for one in part.find_all(exp.Literal)}
    ends = {date.fromisoformat(one) for one in named if format_of(frozenset({one})) == DateForm("%Y-%m-%d")}
    ends = {end for end in ends if end.year in SURELY_YEARS}
    ends |= {end for reading in readings for end in reading if end is not None}
    days = {day + step * _DAY for day in {*ends, today} for step in (-2, -1, 0, 1)}
    first, last = start_of("month", min(days)), max(days)
    months = min((last - first).days // 30 + 2 * _MONTHS_AROUND, _MOST_MONTHS) if readings else 0
    for count in range(months):
        month = moved(first, "month", count - _MONTHS_AROUND)
        days |= {month - _DAY, month, month + 14 * _DAY}
    return sorted(days)


def _runs(
    found: DateFilter, days: Sequence[date], taken: Sequence[bool], today: date, *, whole_days: bool = False
) -> list[Interval]:
    """The runs of days that are taken; open at the ends of what was looked at."""
    runs: list[Interval] = [(None, None)] if taken[0] else []
    for (one, before), (other, after) in pairwise(zip(days, taken, strict=True)):
        if before != after:
            between = [one + n * _DAY for n in range(1, (other - one).days + 1)]
            turn = between[(found.taken(between, today, whole_days=whole_days) or (after,)).index(after)]
            runs = [*runs, (turn, None)] if after else [*runs[:-1], (runs[-1][0], turn)]
    return runs


def _said_runs(runs: Sequence[Interval]) -> str:
    if not runs or runs[0] == (None, None):
        return "all days around it" if runs else "none of the days around it"
    months = {said_interval(*run).split()[0] for run in runs if None not in run}
    if len(runs) > 1 and len(months) == 1 and months & {month.capitalize() for month in MONTHS}:
        return f"every {months.pop()}"
    return said_interval(*runs[0]) + " and other days" * (len(runs) > 1)


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
    if not found.form.is_known or found.form.format[:2] not in ("", "%Y"):
        return None
    clause, column, gone = found.clause.copy(), found.conditions[0].find(exp.Column), set(map(id, found.conditions))
    parts = [part.copy() for part in conjuncts(found.clause.args.get(_key(found.clause))) if id(part) not in gone]
    for kind, day in zip((exp.GTE, exp.LT), interval, strict=True):
        if day is not None and column is not None:
            value = found.form.write(datetime.combine(day, _MIDNIGHT))
            literal = exp.Literal.number(value) if isinstance(value, int) else exp.Literal.string(str(value)[:10])
            parts.append(kind(this=column.copy(), expression=literal))
    clause.set(_key(clause), exp.and_(*parts))
    return Rewrite(written.replaced(found.clause, clause), said)


# -- the column -----------------------------------------------------------------------------------------------------


def _other_date(
    asked: AskedWords, meant: Sequence[AskedPeriod], written: Written, dates: ReadDates
) -> Iterator[Finding]:
    """The date of something else than what the question says was done; or, where it says nothing but the thing, than
    that of the thing itself: orders.date."""
    lexicon, used = english(), dates.read_in(*_CLAUSES, *_BUCKETS)
    done = [one.low for one in asked.tokens if one.low in lexicon.verbs or one.low.endswith(lexicon.past_endings)]
    verbs = {stem for low in done for stem in stems(low)}
    any_date = cues().stems["date"] | cues().stems["year"]
    made = cues().words["made"]
    others = (
        verbs
        - cues().stems["made"]
        - cues().stems["auxiliary"]
        - {stem for text in written.texts for stem in stems(text)}
    )
    for table in written.tables:
        names = {ref: named(written.column(ref)) - any_date for ref in dates.forms if ref.table == table.name}
        own = named(table)
        mine = [ref for ref in names if ref in used]
        plain = [ref for ref in names if all(_is_of(name, own) for name in names[ref])]
        if not mine or any(names[ref] & (asked.stems - own) for ref in mine):
            continue
        wanted = [ref for ref in names if names[ref] & (verbs - own)]
        if wanted and not (mine[0] in plain and _says_date(asked, own, any_date)):
            verb = next(token.text for token in asked.tokens if names[wanted[0]] & set(stems(token.low)))
            yield finding("other_date", verb, str(mine[0]), wanted=wanted[0])
            continue
        is_made = any(low in made or (low.endswith(lexicon.past_endings) and own & set(stems(low))) for low in done)
        if is_made and meant and len(plain) == 1 and plain[0] not in used and own & asked.stems and others <= own:
            thing = next(token.text for token in asked.tokens if own & set(stems(token.low)))
            yield finding("other_date", thing, str(mine[0]), wanted=plain[0])


def _is_of(name: str, table: frozenset[str]) -> bool:
    """Whether a word of a column is one of its table's, or the beginning of one: inv_date of invoices."""
    return name in table or (len(name) >= _LETTERS and any(own.startswith(name) for own in table))


def _says_date(asked: AskedWords, table: frozenset[str], any_date: frozenset[str]) -> bool:
    """Whether the date of the table's rows is asked for: "by order date"."""
    pairs = pairwise(asked.tokens)
    return any(table & set(stems(one.low)) and any_date & set(stems(other.low)) for one, other in pairs)
