"""Whether a question adds to the one before, and what stands beside a question without being asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from askwell.resources import words_file


@dataclass(frozen=True, slots=True)
class _Asides:
    """`charts` are set aside; `plainer` are turns of phrase with what they stand for."""

    charts: tuple[re.Pattern[str], ...]
    plainer: tuple[tuple[re.Pattern[str], str], ...]
    purposes: tuple[re.Pattern[str], ...]
    ends: re.Pattern[str]
    leaning: re.Pattern[str]
    questions: re.Pattern[str]


@cache
def _asides() -> _Asides:
    data = words_file("askwell.question", "asides.yaml")

    def compiled(pattern: str) -> re.Pattern[str]:
        named = pattern.replace("{chart}", data["chart"]).replace("{kind}", data["kind"])
        return re.compile(named, re.IGNORECASE)

    return _Asides(
        charts=tuple(map(compiled, (*data["tails"], *data["heads"]))),
        plainer=tuple((compiled(pattern), plainer) for pattern, plainer in data["plainer"].items()),
        purposes=tuple(map(compiled, data["purposes"])),
        ends=compiled(data["ends"]),
        leaning=compiled(data["leaning"]),
        questions=compiled(data["questions"]),
    )


def without_asides(question: str) -> str:
    """The question without a named type of chart, in plainer words where it has a turn of phrase. One that would be
    left empty stays as it is."""
    asides, spoken = _asides(), question.strip()
    for pattern in asides.charts:
        left = pattern.sub("", spoken)
        spoken = left if left.strip() else spoken
    for pattern, plainer in asides.plainer:
        spoken = pattern.sub(plainer, spoken)
    return spoken


def ways_to_read(question: str) -> Iterator[tuple[str, str, str]]:
    """What may be read as the question, each with what it leaves out and the sign of that: the whole, what is left
    without what it is asked for, and of several sentences the one that asks, if it says something by itself."""
    yield question, "", ""
    left, purposes = question, list[str]()
    for pattern in _asides().purposes:
        purposes += [left[match.start() : match.end() + 1] for match in pattern.finditer(left)]
        left = pattern.sub(", ", left).lstrip(" ,;:.")
    if purposes and left.strip(" .,;:?!()-"):
        yield left, " ".join(purposes), "aside:purpose"
    sentences = [part for part in _asides().ends.split(question.strip()) if part.strip()]
    if len(sentences) > 1:
        asking = [part for part in sentences if part.rstrip().endswith("?")]
        chosen = (asking or sentences)[-1]
        rest = [part for part in sentences if part is not chosen]
        if not _asides().leaning.search(chosen) and not any(map(_asides().questions.match, rest)):
            others = " ".join(rest)
            yield chosen, others, "aside:purpose" if others.endswith(":") else "sentence:dropped"


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    patterns = words_file("askwell.question", "follow_ups.yaml")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()}


def leans(question: str) -> bool:
    """Whether it begins as only what adds to an earlier question does."""
    return _patterns()["leaning"].search(question.strip()) is not None


def may_lean(question: str) -> bool:
    """Whether it begins as what adds to an earlier question may, and a whole one too."""
    return _patterns()["may_lean"].search(question.strip()) is not None


def is_whole(question: str) -> bool:
    """Whether it begins as only a whole question does."""
    return _patterns()["whole"].search(question.strip()) is not None


def refers_back(question: str) -> bool:
    """Whether it has a pronoun for what was asked before, and so says nothing without it: "total freight of those"."""
    return _patterns()["refers_back"].search(question) is not None


def is_possessive(text: str) -> bool:
    """Whether it has a word for what belongs to something that is named before, there or in an earlier question."""
    return _patterns()["possessive"].search(text) is not None
