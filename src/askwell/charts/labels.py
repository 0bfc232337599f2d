"""Titles of charts and their axes, and formats of numbers and times on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, day_span
from askwell.charts.fields import writable
from askwell.charts.words import chart_words
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
