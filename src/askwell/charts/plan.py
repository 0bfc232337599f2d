"""What a chart shows, before it is written as Vega-Lite.

That is what goes where, what may be put together, how fine moments are shown; and what stands on the chart: titles,
and formats of numbers and times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, Role, day_span
from askwell.charts.fields import writable
from askwell.charts.words import CHART_TYPES, ChartType, chart_words
from askwell.mdl.names import plural, singular
from askwell.mdl.units import with_unit
from askwell.spelling import spelled_words

_CALL = re.compile(r"(\w+)\s*\(\s*(?:distinct\s+)?(.*?)\s*\)", re.IGNORECASE | re.DOTALL)
_LONGEST_TITLE = 60
# From here on 12,500,000 is written 12.5M; billions would be "G", which readers take for something else.
_SHORT_FROM, _SHORT_UNTIL = 1e7, 1e9


@dataclass(frozen=True, slots=True)
class Labels:
    """How people call things. `titles` and `units` are by column name: a display name, and a unit such as EUR."""

    language: str = "English"
    titles: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def name(self, column: MeasuredColumn) -> str:
        """What a column is called, in words: `order_total` is Order total, and the `name` of genres is Genre."""
        name = self.titles.get(column.name) or words_of(column.name)
        if column.of_table and name.lower() in chart_words().thing_names:
            name = singular(words_of(column.of_table))
        return writable(name)

    def axis(self, column: MeasuredColumn, aggregate: str = "") -> str:
        """The title of its axis, with its unit; `aggregate` (sum, mean) says what the chart itself makes of it."""
        name = self.name(column)
        # A column of totals or averages says so itself.
        if aggregate and chart_words().aggregates.isdisjoint(column.words):
            name = self._phrases[aggregate].format(name=self._inside(name))
        unit = self.units.get(column.name)
        return with_unit(name, writable(unit)) if unit else name

    def moments(self, column: MeasuredColumn, grain: Grain) -> str:
        """The title of an axis on which moments are put together by the `grain`."""
        unit: str = self._phrases["grains"][grain]
        names = {name for period in chart_words().periods.values() for name in period.names}
        return unit if names.issuperset(column.words) else f"{self.name(column)} ({self._inside(unit)})"

    def cut(self, shown: int) -> str:
        """That only so many rows were read."""
        return str(self._phrases["cut"]).format(shown=f"{shown:,}")

    def listed(self, columns: list[MeasuredColumn]) -> str:
        """Several names as one."""
        names = [self.name(columns[0]), *(self._inside(self.name(column)) for column in columns[1:])]
        last = names.pop()
        return f"{', '.join(names)}{self._phrases['and']}{last}" if names else last

    def title(self, measure: str, by: str, and_by: str = "") -> str:
        """The title of a chart that shows `measure` by one or two things."""
        template = self._phrases["two" if and_by else "one"]
        return str(template).format(measure=measure, by=self._inside(by), and_by=self._inside(and_by))

    def selection(self, kind: str, shown: int, count: int) -> str:
        """That only the `first`, the `largest` or the `smallest` are drawn."""
        return str(self._phrases[kind]).format(shown=shown, count=count)

    def together(self, column: MeasuredColumn, aggregate: str) -> str:
        """That the chart adds up or averages the rows that have the same value of `column`."""
        return str(self._phrases["added" if aggregate == "sum" else "averaged"]).format(
            name=self._inside(self.name(column))
        )

    def _inside(self, name: str) -> str:
        return _continued(name) if self._phrases["names"] == "small" else name

    @property
    def _phrases(self) -> Mapping[str, Any]:
        titles = chart_words().titles
        return titles.get(self.language.strip().capitalize(), titles["neutral"])


def words_of(name: str) -> str:
    """A column's name as a title: `orderTotal`, `ORDER_TOTAL` and `order total` are Order total, `number_of_track` is
    Number of tracks, `sum(price)` is Sum of price, and words in capitals among others stay so."""
    if call := _CALL.fullmatch(name.strip()):
        function, inner = call[1], call[2]
        plain = words_of(function)
        return plain if inner in ("", "*", "1") else f"{plain} of {_continued(words_of(inner))}"[:_LONGEST_TITLE]
    known = chart_words().function_names.get(name.lower())
    if known:
        return known
    words = spelled_words(name)
    if not words:
        return name[:_LONGEST_TITLE]
    if "".join(words).isupper() and (len(words) > 1 or len(words[0]) > 3):
        words = [word.lower() for word in words]
    words = [word.upper() if word.lower() == "id" else word if word.isupper() else word.lower() for word in words]
    if _is_count(words):
        words[-1] = plural(words[-1])
    text = " ".join(words)
    return (text[:1].upper() + text[1:])[:_LONGEST_TITLE]


def _is_count(words: list[str]) -> bool:
    """Whether the last word is what is counted, in the singular: number of track, but not number of hours worked."""
    return words[:2] == ["number", "of"] and len(words) > 2 and not any(plural(word) == word for word in words[2:])


def _continued(name: str) -> str:
    """A name behind others: with a small first letter, unless its first word is in capitals or a name of its own."""
    first = name.split(" ", 1)[0]
    return name if sum(letter.isupper() for letter in first) > 1 else name[:1].lower() + name[1:]


def number_format(columns: list[MeasuredColumn]) -> str:
    """The d3 format of an axis of these numbers."""
    largest = max(column.largest for column in columns)
    if all(column.is_share for column in columns) and largest <= 1 and not all(c.is_integral for c in columns):
        return ".0%" if largest > 0.05 else ".1%"
    if _SHORT_FROM <= largest < _SHORT_UNTIL:
        return "~s"
    if all(column.is_integral for column in columns) or largest >= 100:
        return ",.0f" if largest >= 10 else ",~f"
    return ",.2~f" if largest >= 0.01 or largest == 0 else ".2~e"


def time_format(column: MeasuredColumn) -> str:
    """The d3 format of an axis of moments."""
    days = day_span(column)
    match column.grain:
        case Grain.YEAR:
            return "%Y"
        case Grain.MONTH:
            return "%b %Y"
        case Grain.DAY:
            return "%b %Y" if days > 400 else "%-d %b %Y" if _crosses_years(column) else "%-d %b"
        case _:
            return "%H:%M" if days == 0 else "%-d %b %H:%M" if days < 8 else "%-d %b"


def _crosses_years(column: MeasuredColumn) -> bool:
    return len({value[:4] for value in column.known}) > 1


# At most so many bars, series, series beside each other, and slices.
MOST_BARS = 30
MOST_SERIES = 12
MOST_BESIDE = 4
MOST_SLICES = 6
# At most so many rows are drawn and handed out.
MOST_ROWS = 1_000
# A line of so many minutes is drawn as it is.
_MOST_POINTS = 60
MOST_TICKS = 12
_GRAINS = list(Grain)
# From so many days on, moments are put together by the year, the month, the day.
_BUCKETS = ((7_300, Grain.YEAR), (180, Grain.MONTH), (3, Grain.DAY), (0, Grain.HOUR))
_MOST_MOMENTS = 400
# Ticks every so many months where a year and more is shown.
_MONTH_STEPS = (1, 2, 3, 6, 12)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a result: Vega-Lite without its data. `chart_type` is "" where none makes sense: then `reasoning` says
    why, and `chart_schema` is empty."""

    reasoning: str
    chart_type: ChartType
    chart_schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoChart(Exception):
    """Why a chart cannot be made, or may not be drawn. `missing` is the channel that nothing is there for (x_axis,
    y_axis, x_offset, color, theta), where that is the reason."""

    reason: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """What goes where. `base` is what values are shown for (an axis, or a pie's slices), `measures` the values: several
    are shown as series of their own. `series` tells bars or lines apart. `is_ordered` says that the rows' order
    means something; `is_horizontal`, where it is given, which way bars run."""

    chart_type: ChartType
    base: MeasuredColumn | None
    measures: tuple[MeasuredColumn, ...]
    series: MeasuredColumn | None = None
    is_ordered: bool = False
    is_horizontal: bool | None = None

    @property
    def mark(self) -> str:
        """Vega-Lite's name for what is drawn."""
        return CHART_TYPES[self.chart_type].mark

    @property
    def is_folded(self) -> bool:
        """Whether several columns of amounts are turned into rows."""
        return len(self.measures) > 1

    @property
    def repeats(self) -> bool:
        """Whether several rows belong to one place of the chart."""
        if self.base is None:
            return False
        series = self.series.values if self.series else (None,) * len(self.base.values)
        return Counter(zip(self.base.values, series, strict=True)).most_common(1)[0][1] > 1

    @property
    def aggregate(self) -> str:
        """How values are put together where several belong to one place of the chart: "mean", "sum", or "" where none
        do."""
        if self.base is None or not (self.repeats or self.is_bucketed):
            return ""
        return "mean" if any(one.is_averaged for one in self.measures) else "sum"

    @property
    def grain(self) -> Grain:
        """As fine as the values are, or coarser where there are too many of them, or several of one moment."""
        base = self.base
        if base is None or base.role is not Role.TEMPORAL:
            return Grain.DAY
        repeated = self.series is None and not base.is_unique
        too_many = base.distinct > _MOST_MOMENTS or (base.distinct > _MOST_POINTS and base.grain is Grain.MINUTE)
        is_final = any(one.combining == "never" for one in self.measures)
        if is_final or (not repeated and not too_many):
            return base.grain
        span = day_span(base)
        bucket = next(grain for days, grain in _BUCKETS if span >= days)
        return min(bucket, base.grain, key=_GRAINS.index)

    @property
    def is_bucketed(self) -> bool:
        """Whether moments are put together, by the month for instance."""
        return self.base is not None and self.base.role is Role.TEMPORAL and self.grain is not self.base.grain


_TELLING = (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.IDENTIFIER)


def why_not_together(plan: ChartPlan, columns: Sequence[MeasuredColumn]) -> str:
    """Why the chart would show what is not true: it would average averages, or stack them. "" where it would not."""
    final = [one.name for one in plan.measures if one.combining == "never"]
    if plan.base is None or not final:
        return ""
    if plan.repeats:
        used = {one.name for one in (plan.base, plan.series, *plan.measures) if one is not None}
        left = [one.name for one in columns if one.name not in used and one.role in _TELLING and one.distinct > 1]
        reason = f"{final[0]} has several values for one {plan.base.name}, and they can't be added up or averaged."
        if left:
            return f"{reason} Not in the chart: {', '.join(left)}."
        return f"{reason} The result has no column that tells them apart."
    if plan.chart_type in ("bar", "stacked_bar", "area") and _is_stacked(plan):
        return f"{final[0]} cannot be added up, so its values cannot stand on each other."
    return ""


def kept_apart(name: MeasuredColumn, columns: Sequence[MeasuredColumn]) -> MeasuredColumn | None:
    """The identifier that tells things of equal `name` apart: three customers who are called the same. None where
    names are enough."""
    if name.role is not Role.CATEGORY or name.is_unique:
        return None
    for one in columns:
        is_its_own = name.is_thing_name or not set(one.words[:-1]).isdisjoint(name.words)
        if is_its_own and one.role is Role.IDENTIFIER and one.distinct > name.distinct:
            if len(set(zip(one.values, name.values, strict=True))) == one.distinct:
                return one
    return None


def _is_stacked(plan: ChartPlan) -> bool:
    if plan.series is None:
        return plan.is_folded and plan.chart_type != "bar"
    return plan.base is not None and not plan.base.is_unique


def ticks_of(base: MeasuredColumn) -> Mapping[str, Any] | None:
    """A tick for each month or year, or for every few: by itself an axis would write a month twice."""
    span = day_span(base)
    if base.grain is Grain.YEAR:
        return {"interval": "year", "step": max(1, span // 365 // MOST_TICKS)}
    if base.grain is Grain.MONTH and span <= 365 * MOST_TICKS:
        step = next((step for step in _MONTH_STEPS if span / 30 / step <= MOST_TICKS), 12)
        return {"interval": "month", "step": step}
    if base.grain is Grain.DAY and span <= MOST_TICKS:
        return {"interval": "day", "step": 1}
    return None


def with_cut(chart: Chart, read: int, labels: Labels) -> Chart:
    """The same chart of the first `read` rows, there being more: its title and its reasoning say so."""
    if not chart.chart_type:
        return chart
    told = f"Only the first {read:,} rows were read: what comes after them is missing, also in what is put together."
    reasoning = f"{chart.reasoning} {told}".strip()
    title, said = chart.chart_schema.get("title"), labels.cut(min(read, MOST_ROWS))
    if said in str(title):
        return replace(chart, reasoning=reasoning)
    titled: object
    if isinstance(title, Mapping):
        titled = {**title, "text": f"{title.get('text', '')} ({said})".strip()}
    else:
        titled = (
            f"{title.removesuffix(')')}, {said})"
            if title and title.endswith(")")
            else f"{title or ''} ({said})".strip()
        )
    return replace(chart, reasoning=reasoning, chart_schema={**chart.chart_schema, "title": titled})
