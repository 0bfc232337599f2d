"""Which of several things an answer in words means: "the second", "use orders, not invoices"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from askwell.question.words import ORDINAL_ENDINGS, ORDINALS, Stems, plain_english, stems
from askwell.resources import words_file

_PLACE = re.compile(rf"#?\(?([0-9]{{1,2}})(?:{'|'.join(ORDINAL_ENDINGS)})?[.)]?")
_EDGES = " \t\n.,;:!?\"'“”‘’"


def _words() -> Mapping[str, Any]:
    """The words of `choosing.yaml`: lower-case ones, and the places (from 1) that some of them mean."""
    return words_file("askwell.question", "choosing.yaml")


def chosen(answer: str, labels: Sequence[str], *, numbered: bool = True) -> int | None:
    """The place (from 0) of the label that the answer means: by its words, by its number, where labels are `numbered`
    for whoever answers, by saying which others are not meant. None where that is none of them, or several."""
    plain, known = _plain(answer), _Labels(labels, numbered=numbered)
    if direct := known.exactly(plain) or known.by_number(bare(plain)):
        return direct[0] if len(direct) == 1 else None
    meant, rejected = sides(answer)
    out = {place for text in rejected for place in known.meant_by(text)}
    left = [place for place in range(len(labels)) if place not in out]
    if meant:
        left = [place for place in known.meant_by(meant) if place in left]
    return left[0] if len(left) == 1 and (meant or out) else None


def is_yes(answer: str) -> bool:
    """Whether it agrees with the one thing that was offered."""
    return _plain(answer).replace("’", "'") in _words()["yes"]


def is_no(answer: str) -> bool:
    """Whether it says that nothing of what was offered is meant."""
    return _plain(answer).replace("’", "'") in _words()["no"]


def named_as(kind: Literal["table", "column"], text: str) -> str | None:
    """What a side of an answer names as a table ("table orders"), or as a column; None where it names none so."""
    word, _, name = text.partition(" ")
    return name or None if word in _words()["named"][kind] else None


@cache
def joined_by() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What an answer says before two things that are to be joined, and what between them."""
    return re.compile(_any_of("join")), re.compile(rf"{_any_of('joined_to')}|=+")


def _any_of(name: str) -> str:
    """A pattern for one of the words."""
    return rf"\b(?:{'|'.join(_words()[name])})\b"


class _Labels:
    def __init__(self, labels: Sequence[str], *, numbered: bool) -> None:
        self._plain, self._named = [_plain(label) for label in labels], [stems(label) for label in labels]
        self._numbered = numbered

    def meant_by(self, text: str) -> list[int]:
        """The places of the labels that one part of an answer may mean."""
        return self.exactly(text) or self.by_number(text) or _fitting(text, self._named)

    def exactly(self, text: str) -> list[int]:
        return [place for place, label in enumerate(self._plain) if text and label == text]

    def by_number(self, text: str) -> list[int]:
        place = _numbered(text, len(self._plain)) if self._numbered else None
        return [] if place is None else [place]


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES).casefold()


def _fitting(text: str, named: Sequence[Stems]) -> list[int]:
    """The labels that have all the words that were said; else those all of whose words were said, the longest ones,
    where nothing else was said that says something."""
    said = stems(text)
    if not said:
        return []
    whole = [place for place, words in enumerate(named) if words == said]
    with_all = whole or [place for place, words in enumerate(named) if set(said) <= set(words)]
    if with_all:
        return with_all
    within = [
        place
        for place, words in enumerate(named)
        if words and set(words) <= set(said) and all(stem in words or stem in _idle() for stem in said)
    ]
    longest = max((len(named[place]) for place in within), default=0)
    return [place for place in within if len(named[place]) == longest]


@cache
def _idle() -> frozenset[str]:
    """Stems of words that say nothing of what is meant."""
    words = _words()
    around = (word for phrase in (*words["opening"], *words["closing"]) for word in phrase.split())
    return frozenset(one for word in (*plain_english(), *around) for one in stems(word))


def _numbered(text: str, count: int) -> int | None:
    words = _words()
    place = words["places"].get(text) or ORDINALS.get(text)
    if text in words["last"]:
        place = count
    if text in words["first"]:
        place = 1
    if place is None and (match := _PLACE.fullmatch(text)):
        place = int(match[1])
    return place - 1 if place is not None and 1 <= place <= count else None


def bare(text: str) -> str:
    """A lower-case answer without what people say around what they mean."""
    words = _words()
    text = text.strip(_EDGES)
    changed = True
    while changed:
        changed = False
        for opening in words["opening"]:
            if text.startswith(f"{opening} "):
                text, changed = text[len(opening) + 1 :].strip(_EDGES), True
        for closing in words["closing"]:
            if text.endswith(f" {closing}"):
                text, changed = text[: -len(closing) - 1].strip(_EDGES), True
    return text


def sides(answer: str) -> tuple[str, list[str]]:
    """What is meant, and what is not, in lower case and without the words around it."""
    words, text = _words(), _plain(answer)
    for denial in _denials():
        if text.startswith(f"{denial} "):
            return "", list(_listed(text[len(denial) + 1 :]))
    for between in sorted(words["rather_than"], key=len, reverse=True):
        meant, found, rest = text.partition(f" {between} ")
        if found:
            return bare(meant), list(_listed(rest))
    return bare(text), []


def _listed(text: str) -> Iterator[str]:
    for part in re.split(f",|{_any_of('between')}", text):
        plain = part.strip(_EDGES)
        for denial in _denials():
            plain = plain.removeprefix(f"{denial} ")
        if said := bare(plain):
            yield said


def _denials() -> list[str]:
    """What stands before what is not meant, the longest first."""
    return sorted(_words()["not_this"], key=len, reverse=True)
