"""The words of the names in one schema, written out as far as other names there write them out."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.mdl.abbreviations import ABBREVIATIONS, consonants, is_everyday, run_together
from askwell.mdl.names import singular, words
from askwell.mdl.semantic_model import Table

# The longest beginning that is short for a word, and the letters that the whole has more at least.
_LONGEST_BEGINNING, _SHORTEST_REST = 3, 2
# Letters of an abbreviation that is sure to be one where something is written on to it.
_SURE = 4


class SchemaWords:
    """What words in names stand for: `HH_Id` beside `HHOLD_MST` is that of an hhold, `CUSTNO` is a cust no."""

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        self._written = {word for table in tables for one in (table, *table.columns) for word in words(one.name)}
        self._by_letter: dict[str, set[str]] = {}
        for word in {part for whole in self._written for part in self._apart(whole)} - ABBREVIATIONS.keys():
            self._by_letter.setdefault(word[0], set()).add(word)
        self._whole: dict[str, str] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """The words of a name, in lower case."""
        return tuple(self._of_word(part) for word in words(name) for part in self._apart(word))

    def _apart(self, word: str) -> tuple[str, ...]:
        for ending in run_together():
            rest = word.removesuffix(ending)
            if rest != word and (rest in self._written or (len(rest) >= _SURE and rest in ABBREVIATIONS)):
                return rest, ending
        return (word,)

    def _of_word(self, word: str) -> str:
        if word not in self._whole:
            self._whole[word] = self._written_out(word)
        return self._whole[word]

    def _written_out(self, short: str) -> str:
        if len(short) < 2 or not short.isalpha() or short in ABBREVIATIONS or is_everyday(short):
            return short
        longer = {word for word in self._by_letter.get(short[0], ()) if _is_cut(short, word)}
        same = {word for word in longer if len(short) > 2 and consonants(word) == consonants(short)}
        whole = {singular(word) for word in same or longer}
        whole = {word for word in whole if not any(word != other and _is_cut(word, other) for other in whole)}
        return whole.pop() if len(whole) == 1 else short


def _is_cut(short: str, whole: str) -> bool:
    if whole.startswith(short):
        return len(short) <= _LONGEST_BEGINNING and len(whole) >= len(short) + _SHORTEST_REST
    is_skeleton = len(short) > 2 and not set("aeiou") & set(short[1:]) and len(whole) > len(short)
    return is_skeleton and consonants(whole).startswith(consonants(short))
