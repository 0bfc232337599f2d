"""The values of a model, and what else people write for them: parts of values, stems, codes, kinds of rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from askwell.mdl.abbreviations import ABBREVIATIONS, kept_of
from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import plurals, stem
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.semantic_parsing.model.names import ValueWords, value_words
from askwell.semantic_parsing.model.word_forms import word_forms

Words = TypeVar("Words", str, ValueWords)
_LONGEST_BEGINNING, _SHORTEST_ENDING = 4, 3
# A column of codes: how many it has at most, and what one is.
_MOST_CODES, _CODE = 12, re.compile(r"\s*[^\W\d_]{1,6}\s*")


class CellValues:
    """The values of one model. Read-only after construction."""

    def __init__(self, facts: ModelFacts, values: Mapping[ValueWords, Mapping[ColumnRef, str]]) -> None:
        self.facts, self.values = facts, values

    @cached_property
    def beginnings(self) -> Mapping[ValueWords, Mapping[ColumnRef, str]]:
        """The first words of longer values, where only one value of a column begins so."""
        lengths = range(1, _LONGEST_BEGINNING + 1)
        return _single((words[:n], held) for words, held in self.values.items() for n in lengths if n < len(words))

    @cached_property
    def endings(self) -> Mapping[str, Mapping[ColumnRef, str]]:
        """The last words of longer values, where only one value of a column ends so: "card" for `Credit Card`."""
        longer = ((words, held) for words, held in self.values.items() if len(words) > 1)
        return _single((words[-1], held) for words, held in longer if len(words[-1]) > _SHORTEST_ENDING)

    @cached_property
    def value_stems(self) -> Mapping[str, Mapping[ColumnRef, str]]:
        """Values of one word by their stem: "cancelled" for `cancel`."""
        found: dict[str, dict[ColumnRef, str]] = {}
        for words, held in self.values.items():
            if len(words) == 1 and len(words[0]) > 3 and words[0].isalpha():
                found.setdefault(stem(words[0]), {}).update(held)
        return found

    @cached_property
    def _codes(self) -> Mapping[ColumnRef, tuple[str, ...]]:
        """The columns that hold nothing but a few short codes, with these."""
        texts = ((ref, self.values_of(ref)) for ref, facts in self.facts.columns.items() if not facts.truth)
        return {ref: held for ref, held in texts if 1 < len(held) <= _MOST_CODES and all(map(_CODE.fullmatch, held))}

    def coded(self, word: str) -> Mapping[ColumnRef, str]:
        """The codes that a lower-case word is written as, where only one of a column may be: `CLSD` for "closed"."""
        short = {one for one, whole in ABBREVIATIONS.items() if whole == (word,)}
        found = {
            ref: [code for code in held if (low := code.strip().lower()) in short or kept_of(low, word) is not None]
            for ref, held in self._codes.items()
        }
        return {ref: codes[0] for ref, codes in found.items() if len({code.lower() for code in codes}) == 1}

    def values_of(self, ref: ColumnRef) -> tuple[str, ...]:
        """The values of a column that are known, each once."""
        return self._by_column.get(ref, ())

    @cached_property
    def _by_column(self) -> Mapping[ColumnRef, tuple[str, ...]]:
        found: dict[ColumnRef, dict[str, None]] = {}
        for ref, text in (one for held in self.values.values() for one in held.items()):
            found.setdefault(ref, {})[text] = None
        return {ref: tuple(texts) for ref, texts in found.items()}

    @cached_property
    def value_parts(self) -> frozenset[str]:
        """The words of longer values, in lower case."""
        return frozenset(word for words in self.values if len(words) > 1 for word in words)

    def meaning(self, ref: ColumnRef, text: str) -> ValueWords:
        """The words of what a value means, where the model says it."""
        return value_words(self.facts.columns[ref].column.value_names.get(text, ""))

    def is_kind(self, ref: ColumnRef, text: str, said: str) -> bool:
        """Whether a value is what several rows of its table are, as it was said: in the plural, and no name of one."""
        facts = self.facts.columns[ref]
        is_described = facts.words[-1] in word_forms().describing  # "cats" are no rows of a list of codes
        is_own = ref not in self.facts.tables[ref.table].labels and not (facts.is_link or is_described)
        return is_own and self.is_several(ref, text, said)

    def is_several(self, ref: ColumnRef, text: str, said: str) -> bool:
        """Whether a value was said in the plural."""
        words, lows = self.meaning(ref, text) or value_words(text), value_words(said)
        castings_failed = (plurals(words[-1])[0], *words[:-1])
        return lows[-1] in (*plurals(words[-1]), *plurals("".join(words))) or lows == castings_failed


def _single(parts: Iterable[tuple[Words, Mapping[ColumnRef, str]]]) -> Mapping[Words, Mapping[ColumnRef, str]]:
    """For parts of values the columns in which only one value has each."""
    found: dict[Words, dict[ColumnRef, str]] = {}
    for words, held in parts:
        known = found.setdefault(words, {})
        for ref, text in held.items():
            known[ref] = "" if ref in known and known[ref] != text else text
    return {words: kept for words, held in found.items() if (kept := {r: t for r, t in held.items() if t})}
