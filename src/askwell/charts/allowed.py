"""What a chart may hold, place by place (`allowed.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from askwell.resources import words_file

_LISTS = words_file("askwell.charts", "allowed.yaml")


def _sets(name: str) -> Mapping[str, frozenset[str]]:
    return {part: frozenset(words.split()) for part, words in _LISTS[name].items()}


TOP, TITLE, MARKS, MARK, CHANNELS, LISTED_CHANNELS, CHANNEL, SORT, OPERATIONS = (
    frozenset(_LISTS[name].split())
    for name in ("top", "title", "marks", "mark", "channels", "listed_channels", "channel", "sort", "operations")
)
SETTINGS, NESTED, TRANSFORMS = _sets("settings"), _sets("nested"), _sets("transforms")
TIME_UNITS = frozenset(f"{zone}{unit}" for unit in _LISTS["time_units"].split() for zone in ("", "utc"))
CHOICES: Mapping[str, frozenset[str | bool | None]] = {
    **{setting: frozenset(values) for setting, values in _LISTS["choices"].items()},
    "aggregate": OPERATIONS,
    "timeUnit": TIME_UNITS,
}

# d3's formats of numbers and of times, and colours: others make the renderer fail.
_NUMBERS = r"(?:.?[<>=^])?[+\-( ]?[$#]?0?\d{0,2},?(?:\.\d{1,2})?~?[a-zA-Z%]?"
_TIMES = r"(?:%[-_0]?[aAbBcdefgGHIjLmMpqQsSuUVwWxXyYZ%]|[\w\s.,:/\-'’()])*"
FORMS: Mapping[str, re.Pattern[str]] = {
    "format": re.compile(f"{_NUMBERS}|{_TIMES}"),
    "color": re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}"),
    # A curve that runs beyond its points shows values that are not there.
    "interpolate": re.compile("linear|monotone|step|step-before|step-after"),
    "strokeJoin": re.compile("round|bevel|miter"),
    "scheme": re.compile(r"[a-z0-9\-]{2,30}"),
}

LARGEST = 1e15
