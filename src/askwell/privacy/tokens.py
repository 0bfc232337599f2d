"""Tokens: words that stand for values in prompts, and that models copy as they are.

`TEXT_1`, `NUMBER_2` and `DATE_3` read as what they stand for, and are a name or a part of a literal in every dialect of
SQL. `NAME_4` stands for a name that somebody made up, such as an alias.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["TEXT", "NUMBER", "DATE", "NAME"]
KINDS = ("TEXT", "NUMBER", "DATE", "NAME")
TOKEN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(KINDS)})_[0-9]+(?![0-9])")
# As models write them by mistake.
MISSPELT = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(KINDS)})[_ -]?([0-9]+)(?![0-9])", re.IGNORECASE)
# How a token may begin at the end of a piece of text.
_BEGUN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,6}(?:_[0-9]*)?\Z")


def as_token(text: str) -> str:
    """A token that may be misspelt, as it is written rightly."""
    return MISSPELT.sub(lambda found: f"{found[1].upper()}_{found[2]}", text)


@dataclass(frozen=True, slots=True)
class Value:
    """What a token stands for: as somebody wrote it, and as SQL writes it, without quotes."""

    kind: Kind
    written: str
    in_sql: str


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a text, and where."""

    start: int
    end: int
    value: Value


class Restoring:
    """Pieces of text with the values put back, however tokens are cut between them. `put_back` does it for a text."""

    def __init__(self, on_delta: Callable[[str], None], put_back: Callable[[str], str]) -> None:
        self._on_delta = on_delta
        self._put_back = put_back
        self._held = ""

    def __call__(self, piece: str) -> None:
        text = self._held + piece
        begun = _BEGUN.search(text)
        end = begun.start() if begun is not None and _may_become(begun[0]) else len(text)
        self._held = text[end:]
        self._tell(text[:end])

    def finish(self) -> None:
        """Nothing comes any more."""
        self._tell(self._held)
        self._held = ""

    def _tell(self, text: str) -> None:
        if text:
            self._on_delta(self._put_back(text))


def _may_become(word: str) -> bool:
    kind, underscore, _ = word.partition("_")
    return kind in KINDS if underscore else any(one.startswith(kind) for one in KINDS)
