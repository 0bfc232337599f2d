"""What an agent's model writes, passed on as it comes: marks that name no passage taken out, and no figure told that
stands in nothing the run knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from askwell.agent.known import Known
from askwell.asks.citations import Citation, MarkedText
from askwell.pipelines.generation.question import PromptPassage

# A part that is checked at once ends with a line or a sentence. What stands before "." at the begin of a line is the
# number of a list.
_END = re.compile(r"\n|(?<!\s)[.!?:;…](?=\s)")
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,3}\Z")
# Without an end the rest is checked all the same: nobody reads a sentence of that length before it is whole.
_LONGEST_PART = 600
# As `asks.citations` reads them: also several in one pair of brackets.
_MARK = re.compile(r"\[ ?\d{1,3}(?: ?, ?\d{1,3}){0,9} ?\]")


class CheckedText:
    """One answer while it is written. `tell` gets what may be read, a sentence at a time: from the first one with an
    unknown figure on nothing more is told. `missing` says which, and `go_on` begins a continuation."""

    def __init__(self, known: Known, passages: Sequence[PromptPassage], tell: Callable[[str], None]) -> None:
        self._known = known
        self._passages = passages
        self._tell = tell
        self._held = ""
        self.told = ""
        self.missing: tuple[str, ...] = ()
        self._marked = MarkedText(passages)
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of what was told, in its order."""
        return (*self._citations, *self._marked.citations)

    def add(self, piece: str) -> None:
        """More was written."""
        if self.missing:
            return
        # An answer begins with its first word.
        self._held = self._held + piece if self.told else (self._held + piece).lstrip()
        while (end := self._end_of_part()) is not None and not self.missing:
            part, self._held = self._held[:end], self._held[end:]
            self._pass_on(part)

    def finish(self) -> None:
        """No more comes."""
        if not self.missing:
            part, self._held = self._held, ""
            self._pass_on(part)
        if not self.missing:
            self._give(self._marked.rest())
        self._held = ""

    def go_on(self) -> None:
        """What is written from now on continues what was told."""
        self.missing = ()
        self._held = ""
        self._citations += self._marked.citations
        if self.told and not self.told[-1].isspace():
            self._give(" ")
        self._marked = MarkedText(self._passages, len(self.told))

    def close(self, remark: str) -> None:
        """End with words of our own."""
        self._give(f"\n\n{remark}" if self.told else remark)

    def _end_of_part(self) -> int | None:
        for found in _END.finditer(self._held):
            if _LIST_NUMBER.search(self._held, 0, found.start()) is None:
                return found.end()
        return len(self._held) if len(self._held) > _LONGEST_PART else None

    def _pass_on(self, part: str) -> None:
        # Where there are no passages a number in brackets is one like others.
        self.missing = self._known.missing(_MARK.sub("", part) if self._passages else part)
        if not self.missing:
            self._give(self._marked.add(part))
        else:
            self._give(self._marked.rest())

    def _give(self, text: str) -> None:
        if text:
            self.told += text
            self._tell(text)


def citations_of(found: Sequence[Citation]) -> list[dict[str, Any]]:
    """Citations as clients get them."""
    return [asdict(one) for one in found]
