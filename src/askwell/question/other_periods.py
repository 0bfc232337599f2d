"""The period that a question says in its own words, and the question with another one in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from askwell.question.words import DAYS, NUMBER_WORDS, PERIODS, SHIFTS
from askwell.resources import words_file

_YEAR = r"(?<![\d/.,$€£#-])(?:19|20)\d\d(?![-/.,]?\d)"
# With the question about all time, no more than are read.
_MOST = 5


@dataclass(frozen=True, slots=True)
class OtherPeriod:
    """What a period is called, and the question about it."""

    label: str
    question: str


@dataclass(frozen=True, slots=True)
class SaidPeriod:
    """The words of a question for its only period, the question with `others` in their place, and with `everything`:
    without any, where that leaves words."""

    said: str
    others: tuple[OtherPeriod, ...]
    everything: OtherPeriod | None


def period_said(question: str, today: date) -> SaidPeriod | None:
    """The period that a question says, with those it could say instead; none that begins after today where it names one
    of the calendar. None where it says no period, several, or one between two ends."""
    found = list(_pattern().finditer(_masked(question)))
    if len(found) != 1:
        return None
    [match] = found
    before, after = question[: match.start()], question[match.end() :]
    if re.search(_words()["joined_before"], before, re.IGNORECASE) or re.search(
        _words()["joined_after"], after, re.IGNORECASE
    ):
        return None
    others = (
        OtherPeriod(label, _sentence(before + text + after, question))
        for label, text in _instead(match, after, today)
        if label.lower() != match["said"].lower()
    )
    return SaidPeriod(match["said"], tuple(others)[:_MOST], _without(match, question))


@cache
def _words() -> Mapping[str, Any]:
    return words_file("askwell.question", "other_periods.yaml")


@cache
def _pattern() -> re.Pattern[str]:
    words = _words()
    rows = [row for rows in words["parts"].values() for row in rows]
    shift, unit = _any_of(SHIFTS), f"{_any_of(set(PERIODS.values()))}s?"
    return re.compile(
        rf"""\b(?:(?P<before>{words["before"]})\s+)?(?P<article>the\s+)?(?P<noun>year\s+)?
        (?P<said>
            {shift}\s+(?P<count>\d{{1,4}}|{_any_of(NUMBER_WORDS)})\s+(?P<units>{unit})
          | {shift}\s+(?P<unit>{unit})
          | (?P<day>{_any_of(DAYS)})
          | (?P<part>{_any_of(name for row in rows for name in row)})(?P<joint>{words["joint"]})(?P<of>{_YEAR})
          | (?(before)(?P<month>{_any_of(words["parts"]["month"][0])})|(?!))
          | (?P<year>{_YEAR})
        )\b(?P<own>['’]s\b)?""",
        re.IGNORECASE | re.VERBOSE,
    )


def _any_of(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return f"(?:{'|'.join(re.escape(word) for word in longest_first)})"


def _masked(question: str) -> str:
    """With nothing in its quotation marks, at the same places."""
    return re.sub(_words()["quoted"], lambda match: "_" * len(match[0]), question)


def _instead(match: re.Match[str], after: str, today: date) -> Iterator[tuple[str, str]]:
    """What other periods are called, with what takes the place of all that was matched."""
    if match["year"]:
        for year in _stepped("year", int(match["year"]), 1, today):
            yield str(year), _with(match, str(year))
    elif match["part"]:
        yield from _parts(match, today)
    elif match["month"]:
        months = _words()["parts"]["month"][0]
        place = months.index(match["month"].lower())
        for step in _words()["steps"]["month"][:2]:
            month = _like(match["month"], months[(place + step) % 12])
            yield month, _with(match, month)
    else:
        yield from _usual(match, after)


def _parts(match: re.Match[str], today: date) -> Iterator[tuple[str, str]]:
    """Other quarters, halves or months, and the year of the one that is named."""
    kind, names = _row_of(match["part"].lower())
    said = int(match["of"]) * len(names) + names.index(match["part"].lower())
    for place in _stepped(kind, said, len(names), today):
        year, part = divmod(place, len(names))
        label = f"{_like(match['part'], names[part])}{match['joint']}{year}"
        yield label, _with(match, label)
    before = f"{match['before']} " if match["before"] else ""
    yield match["of"], f"{before}{match['of']}{match['own'] or ''}"


def _row_of(part: str) -> tuple[str, Sequence[str]]:
    return next((kind, row) for kind, rows in _words()["parts"].items() for row in rows if part in row)


def _stepped(kind: str, said: int, parts: int, today: date) -> Iterator[int]:
    """The neighbours of a year, or of one of the equal parts of a year, that have begun by today, each as the count of
    parts from the year 0 on."""
    now = today.year * parts + (today.month - 1) * parts // 12
    yield from (said + step for step in _words()["steps"][kind] if said + step <= now)


def _usual(match: re.Match[str], after: str) -> Iterator[tuple[str, str]]:
    unit = PERIODS[(match["unit"] or match["units"] or "day").lower()]
    before = match["before"] if match["before"] and match["before"].lower() not in _words()["loose"] else ""
    may_be_counted = not match["own"] and (match["before"] or re.search(_words()["goes_on"], after, re.IGNORECASE))
    for label in _words()["usual"][unit]:
        if label.split()[-1] in PERIODS.values() or label in DAYS:
            yield label, f"{before} {label}{match['own'] or ''}".strip()
        elif may_be_counted:
            yield label, f"{match['before'] or _words()['loose'][0]} the {label}"


def _with(match: re.Match[str], text: str) -> str:
    """What was matched, with other words for the period itself."""
    return match[0][: match.start("said") - match.start()] + text + (match["own"] or "")


def _like(said: str, other: str) -> str:
    """The other word in capital letters where those of the first one are."""
    if said.isupper():
        return other.upper()
    return other[:1].upper() + other[1:] if said[:1].isupper() else other


def _without(match: re.Match[str], question: str) -> OtherPeriod | None:
    start = match.start() if match["before"] or match["noun"] else match.start("said")
    before, after = question[:start].rstrip(), question[match.end() :].lstrip()
    text = (before + ("" if re.match(r"[,;.?!)]|$", after) else " ") + after).lstrip(" ,;")
    return OtherPeriod(_words()["everything"], _sentence(text, question)) if re.search(r"\w", text) else None


def _sentence(text: str, question: str) -> str:
    """Beginning with a capital letter where the question does."""
    return text[:1].upper() + text[1:] if question[:1].isupper() else text
