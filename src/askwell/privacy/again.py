"""Values that have a token already, wherever they stand in a later text of the job."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askwell.privacy.calendar_words import is_period
from askwell.privacy.tokens import Value
from askwell.privacy.vocabulary import Vocabulary

_WORD = re.compile(r"[^\W_]+")
_RUN = re.compile(r"\w+")
_ENDS_WITH_RUN = re.compile(r"\w+\Z")
# A single letter stands in too many texts.
_LEAST_LETTERS = 2


class Again:
    """Finds them by their first word, whatever their number: prompts are long, and rows have many cells. A model writes
    the plural of what a token stands for by putting an s to it, and an alias by an underscore. `vocabulary` has the
    names of the semantic model, and none that statements brought."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._by_word: dict[str, list[tuple[int, Value]]] = {}

    def add(self, value: Value) -> None:
        """From now on it is found. Numbers are found by their digits, in every text."""
        first = _WORD.search(value.written)
        if value.kind == "NUMBER" or first is None or len(value.written.strip()) < _LEAST_LETTERS:
            return
        values = [*self._by_word.get(first[0], []), (first.start(), value)]
        # A new list: another thread may be going through the old one.
        self._by_word[first[0]] = sorted(values, key=lambda one: -len(one[1].written))

    def found(self, text: str) -> Iterator[tuple[int, int, Value]]:
        """Where they stand, whole words in the letter case that they have. Names of the model stay."""
        if not self._by_word:
            return
        least = 0
        for word in _WORD.finditer(text):
            for before, value in self._beginning_with(word[0]):
                start = word.start() - before
                end = start + len(value.written)
                if (
                    start >= least
                    and text.startswith(value.written, start)
                    and not is_period(text, start, end)
                    and _is_whole(text, start, end, self._vocabulary)
                ):
                    yield start, end, value
                    least = end
                    break

    def _beginning_with(self, word: str) -> list[tuple[int, Value]]:
        values = self._by_word.get(word, [])
        return values + self._by_word.get(word[:-1], []) if word.endswith("s") else values


def _is_whole(text: str, start: int, end: int, vocabulary: Vocabulary) -> bool:
    written = text[start:end]
    if vocabulary.has_name(written.strip()):
        return False
    if written[0].isalnum() and text[start - 1 : start].isalnum():
        return False
    after = text[end : end + 2]
    is_plural = after[:1] == "s" and not after[1:].isalnum()
    if written[-1].isalnum() and after[:1].isalnum() and not is_plural:
        return False
    # Within a longer name, such as `is_closed`, it stays where all of that is the model's.
    begun = _ENDS_WITH_RUN.search(text[max(start - 80, 0) : start])
    ended = _RUN.match(text, end)
    if begun is None and ended is None:
        return True
    return not vocabulary.has_name((begun[0] if begun else "") + written + (ended[0] if ended else ""))
