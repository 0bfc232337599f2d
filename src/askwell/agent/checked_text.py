"""What an agent's model writes, passed on as it comes, without marks that name no passage and without figures that the
run does not know. It knows those that were found, and those that people said; what its model wrote into a call, and got
back, was not found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from askwell.asks.citations import MARK, Citation, MarkedText
from askwell.asks.rows_in_words import KnownNumbers
from askwell.pipelines.generation.question import PromptPassage

# By chance any figure stands in an id.
_IDS = frozenset({"id", "ask_id", "document_id", "mark"})
# What repeats the call: the statement, what was mended in it, why it was refused, what is asked back about it.
_ECHOES = frozenset({"sql", "planned_sql", "repairs", "error", "clarification"})
# Of a statement and of arguments, what may be told: years and dates, which a model works out from "last month".
_DATE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b")
# A figure of a call that comes back in its result is none of the result's from here on: below it are counts, shares and
# limits that are found by chance.
_TELLING = 1_000
_YEARS = range(1900, 2100)


class Known:
    """The figures that may be told. Counts of what was found are figures too."""

    def __init__(self) -> None:
        self._numbers = KnownNumbers()

    def add(self, value: Any) -> None:
        """A text or a number that a person said, or JSON with the figures in it and the lengths of its lists."""
        self._add(value, KnownNumbers())

    def add_result(self, output: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        """What a tool gave for a call with these arguments."""
        echoes = [output[name] for name in _ECHOES if name in output]
        written = json.dumps([dict(arguments), echoes], ensure_ascii=False, default=str)
        of_call = KnownNumbers()
        of_call.add(written)
        self._numbers.add(*_DATE.findall(written))
        self._add({name: one for name, one in output.items() if name not in _ECHOES}, of_call)

    def _add(self, value: Any, of_call: KnownNumbers) -> None:
        if isinstance(value, Mapping):
            for name, one in value.items():
                if name not in _IDS:
                    self._add(name, of_call)
                    self._add(one, of_call)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            self._numbers.add(len(value))
            for one in value:
                self._add(one, of_call)
        else:
            self._numbers.add(value, but_not=lambda number: number in of_call and _tells(number))

    def missing(self, text: str) -> tuple[str, ...]:
        """The figures of a text that are not known, as written there."""
        return self._numbers.missing(text)


def _tells(number: Any) -> bool:
    return abs(number) >= _TELLING and number not in _YEARS


# A part that is checked at once ends with a line or a sentence. What stands before "." at the begin of a line is the
# number of a list.
_END = re.compile(r"\n|(?<!\s)[.!?:;…](?=\s)")
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,3}\Z")
# Without an end the rest is checked all the same: nobody reads a sentence of that length before it is whole.
_LONGEST_PART = 600
# Elements of HTML that fetch something or run.
_FETCHING = re.compile(
    r"<(?=\s*/?\s*(?:img|image|picture|source|iframe|frame|script|svg|video|audio|object|embed|link|style|meta|base|form|input)\b)",
    re.IGNORECASE,
)


class CheckedText:
    """One answer while it is written. `tell` gets what may be read, a sentence at a time: from the first one with an
    unknown figure on nothing more is told. `missing` says which figures, and `go_on` begins a continuation: of that,
    sentences with unknown figures are left out, and what was told before is not told again."""

    def __init__(self, known: Known, passages: Sequence[PromptPassage], tell: Callable[[str], None]) -> None:
        self._known = known
        self._passages = passages
        self._tell = tell
        self._held = ""
        self._begins = True
        self.shown = ""
        self.missing: tuple[str, ...] = ()
        self._leaves_out = False
        self._parts: list[str] = []
        self._repeated: list[str] = []
        self._marked = MarkedText(passages)
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of what was told, in its order."""
        return (*self._citations, *self._marked.citations)

    def add(self, piece: str) -> None:
        """More was written."""
        if self._is_over:
            return
        self._held += piece
        while (end := self._end_of_part()) is not None and not self._is_over:
            part, self._held = self._held[:end], self._held[end:]
            self._pass_on(part)

    def finish(self) -> None:
        """No more comes."""
        if not self._is_over:
            part, self._held = self._held, ""
            self._pass_on(part)
        if not self._is_over:
            self._give(self._marked.rest())
        self._held = ""

    def go_on(self) -> None:
        """What is written from now on continues what was told."""
        self.missing = ()
        self._held = ""
        self._begins = True
        self._leaves_out = True
        self._repeated = [part.strip() for part in self._parts]
        self._citations += self._marked.citations
        if self.shown and not self.shown[-1].isspace():
            self._give(" ")
        self._marked = MarkedText(self._passages, len(self.shown))

    def close(self, remark: str) -> None:
        """End with words of our own."""
        self._give(f"\n\n{remark}" if self.shown else remark)

    @property
    def _is_over(self) -> bool:
        return bool(self.missing) and not self._leaves_out

    def _end_of_part(self) -> int | None:
        for found in _END.finditer(self._held):
            if _LIST_NUMBER.search(self._held, 0, found.start()) is None:
                return found.end()
        return len(self._held) if len(self._held) > _LONGEST_PART else None

    def _pass_on(self, part: str) -> None:
        # An answer begins with its first word, and so does what goes on behind one that was begun.
        part = part.lstrip() if self._begins else part
        if not part:
            return
        if self._repeated and part.strip():
            # A model that begins anew, though it was told to go on.
            if part.strip() == self._repeated[0]:
                self._repeated.pop(0)
                return
            self._repeated = []
        # Where there are no passages a number in brackets is one like others.
        missing = self._known.missing(MARK.sub(" ", part) if self._passages else part)
        self.missing += missing
        if missing:
            self._give(self._marked.rest())
            return
        self._begins = False
        self._parts += [part] if part.strip() else []
        self._give(self._marked.add(_fetching_nothing(part)))

    def _give(self, text: str) -> None:
        if text:
            self.shown += text
            self._tell(text)


def _fetching_nothing(part: str) -> str:
    """Without images and the like: a page that shows them would fetch an address that a model, or a document that it
    read, made up."""
    return _FETCHING.sub("&lt;", part.replace("![", "!\\["))


def citations_of(found: Sequence[Citation]) -> list[dict[str, Any]]:
    """Citations as clients get them."""
    return [asdict(one) for one in found]
