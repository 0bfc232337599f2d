"""Which tables have the words of a question, also where their names abbreviate them or run them together.

Terms that may stand for each other: of words that mean nearly the same, or of which one is said for the other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from askwell.mdl.names import is_left_of, words
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.indexing.texts import ModelTexts, own_name
from askwell.providers.document_store.base import Scores
from askwell.providers.document_store.words import terms
from askwell.question.lexicon import akin


@cache
def akin_terms() -> Mapping[str, frozenset[str]]:
    """By a term of `terms`, the terms that may stand for it. Read once, when it is first asked for."""
    found: dict[str, set[str]] = {}
    for group in akin().alike:
        of_group = {term for word in group for term in terms(word)}
        for term in of_group:
            found.setdefault(term, set()).update(of_group - {term})
    for word, others in akin().said_for.items():
        for term in terms(word):
            found.setdefault(term, set()).update(other for one in others for other in terms(one) if other != term)
    return {term: frozenset(others) for term, others in found.items()}


# How much a table has of a word that its names have in another form.
_SHORTENED = 0.5  # cust for customers
_WITHOUT_VOWELS = 0.8  # cstmr for customer
_CONTAINED = 0.7  # customers in newcustomerid
_LETTERS_LEFT = 0.5  # shpmt for shipment
_MISSPELT = 0.7  # custmer for customer
_AKIN = 0.4  # client for customer
# Shorter words are in too many names by chance.
_SHORTEST_WORD = 4
_SHORTEST_PREFIX = 3
_SHORTEST_RUN = 6
# Longer ones are no words, and each beginning of a word is looked up.
_LONGEST_WORD = 60
# Words of a question that are looked at: what they are about is said by then.
_MOST_READ = 200
# Names that contain a word; one that is in more of them tells nothing.
_MOST_NAMES = 50
# Words of a question that may be misspelt: each is compared with thousands.
_MOST_MISSPELT = 10
# A word so long may have two letters wrong.
_LONG = 8

_VOWELS_IN = re.compile("[aeiou]")
_VOWELS = str.maketrans("", "", "aeiou")
_Rows = NDArray[np.intp]


class TableWords:
    """The words in the texts of a model's tables, and those in their names. Read-only once built, which takes some
    tenths of a second for a thousand tables of twenty columns; a look-up takes well under a millisecond."""

    def __init__(self, model: SemanticModel) -> None:
        texts = ModelTexts(model)
        holders: dict[str, set[int]] = {}
        called: dict[str, set[int]] = {}
        by_word: dict[str, set[int]] = {}
        single: set[str] = set()
        for row, table in enumerate(model):
            own = own_name(table)
            for text in (texts.table(table, ()), *(texts.column(table, column) for column in table.columns)):
                for term in terms(text):
                    holders.setdefault(term, set()).add(row)
            for term in terms(texts.called(table)):
                called.setdefault(term, set()).add(row)
            for name in (own, *(column.name for column in table.columns)):
                parts = [part for part in words(name) if part.isalpha()]
                single.update(parts)
                for word in parts:
                    by_word.setdefault(word, set()).add(row)
        self.tables = tuple(model.tables)
        self._holders = _as_rows(holders)
        self._called = _as_rows(called)
        self._by_word = _as_rows(by_word)
        self._clipped: dict[str, list[str]] = {}
        for word in sorted(single):
            if len(word) >= _SHORTEST_PREFIX and not _VOWELS_IN.search(word, 1):
                self._clipped.setdefault(word[0], []).append(word)
        spelled: dict[str, list[str]] = {}
        for word in sorted(single):
            if len(word) > _SHORTEST_WORD:
                spelled.setdefault(word[0], []).append(word)
        self._misspelt = lru_cache(10_000)(partial(_nearest_names, spelled))
        self._endings = sorted(
            (word[start:], word)
            for word in single
            if len(word) >= _SHORTEST_RUN
            for start in range(len(word) - _SHORTEST_WORD + 1)
        )

    def found(self, question: str) -> Scores:
        """A row for each telling word of the question, a column for each table: how much the table has of the word,
        from 0 to 1."""
        asked = [(word, found[0]) for word in words(question)[:_MOST_READ] if (found := terms(word))]
        marks = np.zeros((len({term for _, term in asked}), len(self.tables)), np.float32)
        places: dict[str, int] = {}
        for word, term in asked:
            row = marks[places.setdefault(term, len(places))]
            if (known := self._holders.get(term)) is not None:
                row[known] = 1
            for name, share in self._names_like(word):
                tables = self._by_word[name]
                row[tables] = np.maximum(row[tables], share)
        # People write `key phrase` where a name has `keyphrase`.
        for (one, first), (other, second) in pairwise(asked):
            for joined in {one + other, one + other.removesuffix("s")} & self._by_word.keys():
                for term in (first, second):
                    marks[places[term], self._by_word[joined]] = 1
        unknown = 0
        for word, term in asked:
            row = marks[places[term]]
            for other in akin_terms().get(term, ()):
                if (known := self._holders.get(other)) is not None:
                    row[known] = np.maximum(row[known], np.float32(_AKIN))
            if unknown < _MOST_MISSPELT and not row.any():
                unknown += 1
                for name in self._misspelt(word):
                    row[self._by_word[name]] = _MISSPELT
        return marks

    def called(self, question: str) -> Scores:
        """The same for the names of tables alone, as they are written."""
        asked = list(dict.fromkeys(terms(question)))[:_MOST_READ]
        marks = np.zeros((len(asked), len(self.tables)), np.float32)
        for row, term in enumerate(asked):
            if (known := self._called.get(term)) is not None:
                marks[row, known] = 1
            for other in akin_terms().get(term, ()):
                if (known := self._called.get(other)) is not None:
                    marks[row, known] = np.maximum(marks[row, known], np.float32(_AKIN))
        return marks

    def _names_like(self, word: str) -> Iterator[tuple[str, float]]:
        """Words of names that may be a form of a word, and how much each says."""
        if not _SHORTEST_WORD <= len(word) <= _LONGEST_WORD or not word.isalpha():
            return
        single = word[:-1] if word.endswith("s") and len(word) > _SHORTEST_WORD else word
        for end in range(_SHORTEST_PREFIX, len(single)):
            if word[:end] in self._by_word:
                yield word[:end], _SHORTENED
        for form in {word, single}:
            bare = form[0] + form[1:].translate(_VOWELS)
            if bare != form and len(bare) > 1 and bare in self._by_word:
                yield bare, _WITHOUT_VOWELS
            for end in range(_SHORTEST_PREFIX + 1, len(bare)):
                if bare[:end] in self._by_word:
                    yield bare[:end], _SHORTENED
        if len(single) > _SHORTEST_WORD:
            yield from ((name, _LETTERS_LEFT) for name in self._clipped.get(single[0], ()) if is_left_of(name, single))
        yield from ((name, _CONTAINED) for name in self._names_with(single))

    def _names_with(self, word: str) -> list[str]:
        start = bisect_left(self._endings, (word, ""))
        found = []
        for ending, name in self._endings[start : start + _MOST_NAMES]:
            if not ending.startswith(word):
                break
            if len(name) >= len(word) + 2:
                found.append(name)
        return found


def _nearest_names(spelled: Mapping[str, list[str]], word: str) -> tuple[str, ...]:
    """The names' words that a word which is none of them was meant to be: one letter wrong, two in a long one."""
    if len(word) <= _SHORTEST_WORD or not word.isalpha():
        return ()
    wrong = 1 if len(word) < _LONG else 2
    found = process.extract(word, spelled.get(word[0], []), scorer=OSA.distance, score_cutoff=wrong, limit=_MOST_NAMES)
    return tuple(name for name, _, _ in found)


def _as_rows(sets: dict[str, set[int]]) -> dict[str, _Rows]:
    return {key: np.array(sorted(rows), np.intp) for key, rows in sets.items()}
