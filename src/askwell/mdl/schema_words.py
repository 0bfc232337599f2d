"""The words of the names in one schema, written out as far as other names there write them out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from askwell.mdl.abbreviations import ABBREVIATIONS, BEGINNING, FEWEST, MOST, is_bare, kept_of, short_words
from askwell.mdl.names import singular, words
from askwell.mdl.semantic_model import Table

# Letters of an abbreviation that is sure to be one where something is written on to it.
_SURE = 4


class SchemaWords:
    """What words in names stand for: `HH_Id` beside `HHOLD_MST` is that of an hhold, `CUSTNO` is a cust no."""

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        names = (name for table in tables for name in (table.name, *(column.name for column in table.columns)))
        self._written = {word for name in names for word in words(name)}
        self._by_letter: defaultdict[str, set[str]] = defaultdict(set)
        for word in {part for whole in self._written for part in self._apart(whole)} - ABBREVIATIONS.keys():
            self._by_letter[word[0]].add(word)
        self._whole = {short: self._written_out(short) for same in self._by_letter.values() for short in same}

    def of(self, name: str) -> tuple[str, ...]:
        """The words of a name, in lower case."""
        return tuple(self._whole.get(part, part) for word in words(name) for part in self._apart(word))

    def _apart(self, word: str) -> tuple[str, ...]:
        for ending in short_words()["run_together"]:
            rest = word.removesuffix(ending)
            if rest != word and (rest in self._written or (len(rest) >= _SURE and rest in ABBREVIATIONS)):
                return rest, ending
        return (word,)

    def _written_out(self, short: str) -> str:
        if len(short) < 2 or not short.isalpha() or short in short_words()["everyday"]:
            return short
        longer = {word: kept for word in self._by_letter[short[0]] if (kept := _kept_of(short, word)) is not None}
        found = {singular(word) for word, kept in longer.items() if kept is min(longer.values())}
        whole = [word for word in found if all(_kept_of(word, other) is None for other in found)]
        return whole[0] if len(whole) == 1 else short


def _kept_of(short: str, whole: str) -> int | None:
    if len(short) < FEWEST:
        return BEGINNING if whole.startswith(short) and len(whole) > FEWEST else None
    is_short = is_bare(short) or (len(short) == FEWEST and whole.startswith(short))
    kept = kept_of(short, whole) if is_short else None
    return None if kept is MOST else kept
