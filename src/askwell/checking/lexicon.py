"""The cues of checks as data, from `cues.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from askwell.checking.question import AskedWords
from askwell.mdl.semantic_model import Column
from askwell.question.stems import stem
from askwell.question.words import NUMBER_WORDS
from askwell.resources import words_file


@dataclass(frozen=True, slots=True)
class Cues:
    """`patterns` are found in the words of a question; `stems` are of words in names, and `words` these as they are
    written; `date_shapes` and `date_formats` match the beginnings of texts; `demands` are those of phrases, by the
    finding."""

    patterns: Mapping[str, re.Pattern[str]]
    stems: Mapping[str, frozenset[str]]
    words: Mapping[str, frozenset[str]]
    endings: Mapping[str, tuple[str, ...]]
    date_shapes: Mapping[str, re.Pattern[str]]
    date_formats: tuple[str, ...]
    demands: Mapping[str, Mapping[str, Any]]

    def first(self, asked: AskedWords, name: str) -> str:
        """The first words of a question that are of this kind; empty where there are none."""
        found = self.patterns[name].search(asked.text.lower())
        return found[0].strip() if found else ""

    def is_type(self, column: Column, name: str) -> bool:
        """Whether the type of a column has one of these in its name."""
        return column.type.upper() != "TIME" and any(kind in column.type.upper() for kind in self.words[name])

    def stated_limit(self, asked: AskedWords) -> tuple[str, str] | None:
        """The words that say how many rows are wanted, and their number in digits."""
        found = self.patterns["rows_wanted"].search(asked.text.lower())
        if found is None:
            return None
        said = next(part for part in found.groups() if part)
        return found[0], said if said.isdigit() else str(NUMBER_WORDS[said])


@cache
def cues() -> Cues:
    """The cues, read once."""
    data = words_file("askwell.checking", "cues.yaml")
    numbers = "|".join(word for word in NUMBER_WORDS if NUMBER_WORDS[word] > 1)
    patterns = {
        name: re.compile(rf"\b(?:{text.strip()})".replace("{number}", rf"\d+|{numbers}"))
        for name, text in data["patterns"].items()
    }
    words = {
        name: frozenset(said.split() if isinstance(said, str) else map(str, said))
        for name, said in data["stems"].items()
    }
    return Cues(
        patterns,
        {name: frozenset(map(stem, some)) for name, some in words.items()},
        words,
        {name: tuple(some) for name, some in data["endings"].items()},
        {name: re.compile(text) for name, text in data["date_shapes"].items()},
        tuple(data["date_formats"]),
        data["demands"],
    )
