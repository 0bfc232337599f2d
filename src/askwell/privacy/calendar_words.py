"""Months and days that people are called like, too: what stands beside one tells which of both it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from askwell.resources import words_file

_WORDS = words_file("askwell.privacy", "words.yaml")
_DAYS_AND_MONTHS = frozenset(_WORDS["calendar"])
_CALENDAR = "|".join(sorted(_DAYS_AND_MONTHS, key=len, reverse=True))
_NAMING, _BEFORE_PERIODS, _UNTIL = ("|".join(_WORDS[name].split()) for name in ("named", "before_periods", "until"))
_WORD = re.compile(rf"(?<![\w.'’-])(?:{_CALENDAR})(?![\w-])", re.IGNORECASE)
# What says that a name follows, in the languages that are known here, and a column of names with its value.
_NAMED = re.compile(
    rf"(?:(?<!\w)(?:{_NAMING})"
    r"|names?[\"`]?(?:\s*(?:=|:|\b(?:is|was|are|equals|like)\b))?)\s*[\"'“‘]?\Z",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:{_BEFORE_PERIODS})\s+(?:(?:{_CALENDAR})(?:\s*(?:,|-|–|\band\b|\bor\b|\bto\b))+\s*)*"
    rf"|(?<!\w)from\s+(?:{_CALENDAR})\s+(?:{_UNTIL})\s+"
    r"|(?<!\w)(?:\d{1,2}(?:st|nd|rd|th|\.)?|NUMBER_\d+)\s+(?:of\s+)?)\Z",
    re.IGNORECASE,
)
_PERIOD_AFTER = re.compile(
    r"\.?,?\s*(?:['’]?\d{1,4}(?:st|nd|rd|th)?(?!\w)|NUMBER_\d)"
    rf"|\s*(?:{_UNTIL}|-|–)\s*(?:{_CALENDAR})(?!\w)"
    # The verb, which begins no text.
    r"|(?<=[\s\S]may)\s+(?:be|have|not)\b",
    re.IGNORECASE,
)
# How much of the text before a word is looked at.
_BEFORE = 60


def is_calendar(word: str) -> bool:
    return word.lower() in _DAYS_AND_MONTHS


def is_period(text: str, start: int, end: int) -> bool:
    """Whether the word is a month or a day where it stands: beside a year or a number of a day, or behind a word such
    as "in" or "since", unless it is said to be a name."""
    if not is_calendar(text[start:end]) or _is_named(text, start):
        return False
    before = text[max(start - _BEFORE, 0) : start]
    return _PERIOD_BEFORE.search(before) is not None or _PERIOD_AFTER.match(text, end) is not None


def calendar_names(text: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    """The months and days of a text that are names of somebody: behind a word such as "named", and those that are
    among the `known` names, or named elsewhere in the text, wherever they are not clearly a period."""
    found = list(_WORD.finditer(text))
    names = {one[0].lower() for one in found if _is_named(text, one.start())}
    names |= {name.lower() for name in known}
    for one in found:
        if one[0].lower() in names and not is_period(text, *one.span()):
            yield one.span()


def _is_named(text: str, start: int) -> bool:
    return _NAMED.search(text[max(start - _BEFORE, 0) : start]) is not None
