"""Marks such as `[1]` in what a language model writes: which passage each names, and where it stands in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askwell.pipelines.generation.question import PromptPassage

# `[1]`, and `[1, 2]` which some models write for two. Of four digits it is a year, and no mark.
_NUMBERS = r"\d{1,3}(?: ?, ?\d{1,3}){0,9}"
MARK = re.compile(rf"([ \t]?)\[ ?({_NUMBERS}) ?\]")
# What may yet become a mark, or stands before one.
_BEGUN = re.compile(r"(?:[ \t]|[ \t]?\[[\d, ]{0,60})\Z")


@dataclass(frozen=True, slots=True)
class Citation:
    """The passage of a document that a mark such as `[1]` names. The mark stands from the character `start` of a text
    to before `end`; the text of an ask is `sql_generation_reasoning` where there is one, else the answer."""

    n: int
    document_id: str
    title: str
    locator: str
    quote: str
    start: int
    end: int


class MarkedText:
    """A text as it is written, from its character `position` on: marks that name one of the `passages` stay, each by
    itself, and others are taken out, with the blank before them. What may yet become a mark is held back. Without
    passages nothing is a mark."""

    def __init__(self, passages: Sequence[PromptPassage], position: int = 0) -> None:
        self._passages = {one.number: one for one in passages}
        self._position = position
        self._held = ""
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of the marks that were given out by now, in the order of the text."""
        return tuple(self._citations)

    def add(self, piece: str) -> str:
        """What can be given out now that this piece has come."""
        if not self._passages:
            return piece
        text = self._held + piece
        begun = _BEGUN.search(text, max(0, len(text) - 70))
        ready = len(text) if begun is None else begun.start()
        self._held = text[ready:]
        return self._resolved(text[:ready])

    def rest(self) -> str:
        """What was held back, when no more comes."""
        text, self._held = self._held, ""
        return self._resolved(text)

    def _resolved(self, text: str) -> str:
        kept: list[str] = []
        at = 0
        for mark in MARK.finditer(text):
            self._give(kept, text[at : mark.start()])
            at = mark.end()
            named = [self._passages[n] for n in map(int, mark[2].split(",")) if n in self._passages]
            if named:
                self._give(kept, mark[1])
            for one in named:
                self._cite(kept, one)
        self._give(kept, text[at:])
        return "".join(kept)

    def _give(self, kept: list[str], text: str) -> None:
        kept.append(text)
        self._position += len(text)

    def _cite(self, kept: list[str], one: PromptPassage) -> None:
        start = self._position
        self._give(kept, f"[{one.number}]")
        self._citations.append(citation_of(one, start, self._position))


def citation_of(one: PromptPassage, start: int, end: int) -> Citation:
    """The citation of a passage by the mark that stands there."""
    return Citation(one.number, one.document_id, one.title, one.locator, one.quote, start, end)


def cited(text: str, passages: Sequence[PromptPassage]) -> tuple[str, tuple[Citation, ...]]:
    """The text without marks that name none of the passages, and the citations of the others."""
    marked = MarkedText(passages)
    return marked.add(text) + marked.rest(), marked.citations


def unmarked(text: str, citations: Sequence[Citation]) -> str:
    """The text without the marks of its citations."""
    for one in reversed(citations):
        text = text[: one.start] + text[one.end :]
    return text
