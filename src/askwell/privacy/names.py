"""Names that are made of everyday words: what stands beside them tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from askwell.privacy.calendar_words import is_calendar
from askwell.privacy.vocabulary import SAME_EVERYWHERE, Vocabulary
from askwell.resources import words_file

_WORDS = words_file("askwell.privacy", "words.yaml")
_TITLES = "|".join(re.escape(word) for word in _WORDS["titles"].split())
_GIVEN = frozenset(_WORDS["given_names"].split())
_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-Þ])[^\W\d_]*(?:['’-][^\W\d_]+)*"
_AFTER_TITLE = re.compile(rf"(?<!\w)(?:{_TITLES})\.?[ \t]+({_CAPITAL}(?:[ \t]+{_CAPITAL})*)", re.IGNORECASE)
_PLACES = frozenset(one.replace("+", " ") for one in _WORDS["places"].split())
_CALENDAR = "|".join(word.capitalize() for word in _WORDS["calendar"])
_WITH_CALENDAR = re.compile(rf"(?<![\w.'’-])({_CAPITAL})[ -]({_CALENDAR})(?![\w-])(?![ ,]*\d)")
_BEFORE_SURNAME = re.compile(rf"(?<![\w.'’-])({_CAPITAL})[ -]\Z")
_SURNAME = re.compile(rf"[ -]({_CAPITAL})(?![\w'’])(?![ ,]*\d)")
_NUMBER_BEFORE = re.compile(r"\d(?:st|nd|rd|th|\.)?(?: of)? \Z")
# An item of a list of names.
_ITEM_BEGINS = re.compile(r"(?:(?:\A|\n)[ \t]*(?:[-*•]|\d{1,2}[.)])|[:;])[ \t]*\Z")
_ITEM_ENDS = re.compile(r"['’]?s?[ \t]*(?:[,;\n]|\Z)")
_MORE_FOLLOW = re.compile(r"[ \t]*(?:[,;]|(?:and|or|und|oder|et|ou|y|o|&)[ \t]+[A-ZÀ-ÖØ-Þ])")


def is_given(word: str) -> bool:
    """Whether it is an everyday word that people are called."""
    return word.lower() in _GIVEN


def sure_names(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """After a title, countries in several words, and everyday names beside a month or a day."""
    for one in _AFTER_TITLE.finditer(text):
        yield one.span(1)
    for one in _places(vocabulary.nobody).finditer(text):
        if not vocabulary.has_name(one[0]):
            yield one.span()
    for one in _WITH_CALENDAR.finditer(text):
        lower = one[1].lower()
        is_everyday = lower in SAME_EVERYWHERE or lower in vocabulary.plain.common or vocabulary.has(one[1])
        may_be_called_so = is_calendar(lower) or is_given(lower) or not is_everyday
        if may_be_called_so and not _NUMBER_BEFORE.search(text[: one.start()][-12:]):
            yield one.span()


@cache
def _places(known: frozenset[str]) -> re.Pattern[str]:
    """Those of the `known` ones that one word would not tell, and ours."""
    names = sorted(_PLACES | {name for name in known if " " in name}, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def is_item(text: str, start: int, end: int) -> bool:
    """Whether a word that seems to begin a sentence is one of a list of names."""
    begins = _ITEM_BEGINS.search("x" * (start > 12) + text[max(start - 12, 0) : start]) is not None
    return _MORE_FOLLOW.match(text, end) is not None or (begins and _ITEM_ENDS.match(text, end) is not None)


def whole_name(text: str, span: tuple[int, int], free: tuple[int, int], kept: Set[str]) -> tuple[int, int]:
    """The words written like names beside a value that is written so: "Rose" and "Price" of "Rose Price". Words of
    `kept` are none; nothing outside of `free` is taken."""
    start, end = span
    if (before := _BEFORE_SURNAME.search(text, free[0], start)) is not None:
        is_dated = is_calendar(before[1]) and _NUMBER_BEFORE.search(text[: before.start()][-12:]) is not None
        if (is_calendar(before[1]) or is_given(before[1])) and not is_dated:
            start = before.start()
    after = _SURNAME.match(text, end, free[1])
    while after is not None and (is_calendar(after[1]) or after[1].lower() not in kept):
        end = after.end()
        after = _SURNAME.match(text, end, free[1])
    return start, end
