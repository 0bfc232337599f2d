"""Cell values by their words, so that a question that names a value leads to its column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.pipelines.retrieval.context import ValueMatch
from askwell.providers.document_store.words import is_empty

# The longest value, in words, that is looked for in a question.
_MOST_WORDS = 6
# Matches handed on: a word that is a value of many columns tells little.
_MOST_MATCHES = 20

_WORD = re.compile(r"\w+")


class ValueIndex:
    """Values of enums and of sampled columns. Read-only once built; a look-up takes some microseconds."""

    def __init__(self, model: SemanticModel, values: SampledValues) -> None:
        self._places: dict[str, list[tuple[ColumnRef, str]]] = {}
        for ref, found in _values(model, values):
            for value in found:
                if key := _key(value):
                    self._places.setdefault(key, []).append((ref, value))

    def matches(self, question: str) -> tuple[ValueMatch, ...]:
        """Values that the question names, longest first where they overlap. A value that is an everyday word ("in",
        "or") counts only where it is written in the value's own letter case and not in lower case."""
        words = list(_WORD.finditer(question))
        found: list[ValueMatch] = []
        start = 0
        while start < len(words) and len(found) < _MOST_MATCHES:
            for length in range(min(_MOST_WORDS, len(words) - start), 0, -1):
                span = words[start : start + length]
                text = question[span[0].start() : span[-1].end()]
                if places := self._named(text):
                    found += [ValueMatch(text, ref, value) for ref, value in places]
                    start += length
                    break
            else:
                start += 1
        return tuple(found[:_MOST_MATCHES])

    def _named(self, text: str) -> list[tuple[ColumnRef, str]]:
        key = _key(text)
        # "refunds" names the value "refund".
        places = self._places.get(key) or (self._places.get(key[:-1]) if len(key) > 3 and key.endswith("s") else None)
        if not places:
            return []
        if len(key) <= 2 or is_empty(key):
            return [(ref, value) for ref, value in places if value == text and not text.islower()]
        return places


def _values(model: SemanticModel, values: SampledValues) -> Iterator[tuple[ColumnRef, tuple[str, ...]]]:
    for table in model:
        for column in table.columns:
            ref = ColumnRef(table.name, column.name)
            if column.values and not column.sensitive:
                yield ref, column.values
            elif ref in values and not column.sensitive:
                yield ref, values[ref]


def _key(text: str) -> str:
    """The words of a value in one form. Values that are numbers have none: a number in a question is rarely one."""
    words = _WORD.findall(text.casefold())
    if len(words) > _MOST_WORDS or all(word.isdigit() for word in words):
        return ""
    return " ".join(words)
