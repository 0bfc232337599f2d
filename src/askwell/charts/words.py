"""What names of columns and words of questions say about a chart: `words.yaml`, read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from askwell.resources import words_file

# The types of charts, as clients know them.
DrawnType = Literal["line", "bar", "pie", "grouped_bar", "stacked_bar", "area", "multi_line"]
ChartType = DrawnType | Literal[""]


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """Of a type of charts: Vega-Lite's mark, the channels that it needs, and the one that could tell values apart that
    it would have to put together, or that they cannot stand on."""

    mark: str
    needed: tuple[str, ...]
    tells_apart: str


CHART_TYPES: Mapping[ChartType, TypeFacts] = {
    "bar": TypeFacts("bar", ("x_axis", "y_axis"), "x_offset"),
    "line": TypeFacts("line", ("x_axis", "y_axis"), "color"),
    "area": TypeFacts("area", ("x_axis", "y_axis"), "color"),
    "grouped_bar": TypeFacts("bar", ("x_axis", "y_axis", "x_offset"), "x_offset"),
    "stacked_bar": TypeFacts("bar", ("x_axis", "y_axis", "color"), "color"),
    "multi_line": TypeFacts("line", ("x_axis", "y_axis", "color"), "color"),
    "pie": TypeFacts("arc", ("theta", "color"), "theta"),
}


@dataclass(frozen=True, slots=True)
class PeriodWords:
    """A unit of time that whole numbers count: how its columns are called, and between which numbers it is."""

    names: frozenset[str]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ChartWords:
    """The lists of `words.yaml`, which says what each is for."""

    identifiers: frozenset[str]
    coordinates: frozenset[str]
    aggregates: frozenset[str]
    final: frozenset[str]
    averages: frozenset[str]
    additive: frozenset[str]
    thing_names: frozenset[str]
    shares: frozenset[str]
    periods: Mapping[str, PeriodWords]
    ordered_names: tuple[Mapping[str, int], ...]
    asked_types: Mapping[ChartType, re.Pattern[str]]
    share_questions: re.Pattern[str]
    titles: Mapping[str, Mapping[str, Any]]
    function_names: Mapping[str, str]


_LISTS = ("identifiers", "coordinates", "aggregates", "final", "averages", "additive", "thing_names", "shares")


@cache
def chart_words() -> ChartWords:
    """The words, from the file beside this one."""
    given = words_file("askwell.charts", "words.yaml")
    return ChartWords(
        **{name: frozenset(given[name]) for name in _LISTS},
        periods={
            unit: PeriodWords(frozenset(one["names"]), one["low"], one["high"])
            for unit, one in given["periods"].items()
        },
        ordered_names=tuple({name: at for at, name in enumerate(names)} for names in given["ordered_names"]),
        asked_types={kind: _any_of(phrases) for kind, phrases in given["asked_types"].items()},
        share_questions=_any_of(given["share_questions"]),
        titles=given["titles"],
        function_names=given["function_names"],
    )


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b", re.IGNORECASE)
