"""Which of several things an answer in words means: "the second", "use orders, not invoices"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import yaml

from askwell.question.stems import Stems, stems

_PLACE = re.compile(r"#?\(?([0-9]{1,2})(?:st|nd|rd|th)?[.)]?")
_EDGES = " \t\n.,;:!?\"'“”‘’"


@cache
def _words() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load(
        resources.files("askwell.question").joinpath("choosing.yaml").read_text("utf-8")
    )
    return found


def chosen(answer: str, labels: Sequence[str], *, numbered: bool = True) -> int | None:
    """The place (from 0) of the label that the answer means: by its words, by its number, where labels are `numbered`
    for whoever answers, by saying which others are not meant. None where that is none of them, or several."""
    plain = " ".join(answer.split()).strip(_EDGES).casefold()
    exact = [place for place, label in enumerate(labels) if label.casefold() == plain]
    if exact:
        return exact[0] if len(exact) == 1 else None
    if numbered and (place := _numbered(_bare(plain), len(labels))) is not None:
        return place
    meant, rejected = _sides(plain)
    named = [stems(label) for label in labels]
    out = {place for text in rejected for place in _fitting(stems(text), named)}
    left = [place for place in range(len(labels)) if place not in out]
    if meant:
        left = [place for place in _fitting(stems(_bare(meant)), named) if place in left]
    return left[0] if len(left) == 1 and (meant or out) else None


def _fitting(said: Stems, named: Sequence[Stems]) -> list[int]:
    """The labels that have all the words that were said; else those all of whose words were said, the longest ones."""
    if not said:
        return []
    whole = [place for place, words in enumerate(named) if words == said]
    with_all = whole or [place for place, words in enumerate(named) if set(said) <= set(words)]
    if with_all:
        return with_all
    within = [place for place, words in enumerate(named) if words and set(words) <= set(said)]
    longest = max((len(named[place]) for place in within), default=0)
    return [place for place in within if len(named[place]) == longest]


def _numbered(text: str, count: int) -> int | None:
    words = _words()
    place: int | None = words["places"].get(text)
    if text in words["last"]:
        place = count
    if text in words["first"]:
        place = 1
    if place is None and (match := _PLACE.fullmatch(text)):
        place = int(match[1])
    return place - 1 if place is not None and 1 <= place <= count else None


def _bare(text: str) -> str:
    """Without what people say around what they mean."""
    words = _words()
    text = text.strip(_EDGES)
    changed = True
    while changed:
        changed = False
        for opening in (*words["opening"], "the", "a"):
            if text.startswith(f"{opening} "):
                text, changed = text[len(opening) + 1 :].strip(_EDGES), True
        for closing in words["closing"]:
            if text.endswith(f" {closing}"):
                text, changed = text[: -len(closing) - 1].strip(_EDGES), True
    return text


def _sides(text: str) -> tuple[str, list[str]]:
    """What is meant, and what is not."""
    words = _words()
    for denial in sorted(words["not_this"], key=len, reverse=True):
        if text.startswith(f"{denial} "):
            return "", list(_listed(text[len(denial) + 1 :]))
    for between in sorted(words["rather_than"], key=len, reverse=True):
        meant, found, rest = text.partition(f" {between} ")
        if found:
            return meant.strip(_EDGES), list(_listed(rest))
    return text, []


def _listed(text: str) -> Iterator[str]:
    for part in re.split(r",|\bor\b|\band\b|\bnor\b", text):
        if bare := _bare(part):
            yield bare
