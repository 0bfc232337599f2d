"""Abbreviations in names of databases, and the words that they stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from askwell.mdl.names import is_left_of, plural, singular, words
from askwell.mdl.semantic_model import Table
from askwell.resources import words_file
from askwell.spelling import spelled_words

# How much of a word a short one keeps: all its consonants, most with the last one, or only its beginning.
ALL, MOST, BEGINNING = range(3)
# Letters, and consonants, that a short word has at least; the share of a word's that are most.
FEWEST, _LEAST_SHARE = 3, 0.6
# Letters of the longest beginning of a word that is short for it, and those that it leaves out at least.
_LONGEST_BEGINNING, _SHORTEST_REST = 4, 2
# What is done is called by whoever does it, and when.
_ENDINGS = ("er", "ers", "ed", "ing")


@cache
def short_words() -> Mapping[str, Any]:
    """What `short_words.yaml` says, its lists as tuples; what is short for something else is no everyday word."""
    data = words_file("askwell.mdl", "short_words.yaml")
    lists = {name: tuple(data[name].split()) for name in ("everyday", "run_together")}
    return {**data, **lists, "everyday": frozenset((*lists["everyday"], *data["endings"]))}


ABBREVIATIONS: Mapping[str, tuple[str, ...]] = {
    short: tuple(whole.split()) for short, whole in short_words()["abbreviations"].items()
}


def written_out(words: Sequence[str]) -> tuple[str, ...]:
    """Lower-case words with the abbreviations among them written out: `cust`, `qty` → customer, quantity."""
    return tuple(whole for word in words for whole in ABBREVIATIONS.get(word) or _several(word) or (word,))


def _several(word: str) -> tuple[str, ...]:
    """What the plural of an abbreviation stands for: `appts`."""
    *first, last = ABBREVIATIONS.get(word.removesuffix("s"), ("",))
    return (*first, plural(last)) if last and last not in short_words()["everyday"] else ()


def is_bare(word: str) -> bool:
    """Whether there are no vowels after its first letter."""
    return not set("aeiou") & set(word[1:])


def consonants(word: str) -> str:
    """A lower-case word without the vowels after its first letter, and with double letters once: `cmplnt`."""
    kept = word[:1] + "".join(letter for letter in word[1:] if letter not in "aeiou")
    return "".join(letter for letter, _ in groupby(kept))


def ending_written_out(name: str) -> str:
    """A name of several words with the last one written out: `species_cd` → species code."""
    *first, last = spelled_words(name) or [""]
    whole = short_words()["endings"].get(last.lower())
    return " ".join((*first, whole)) if first and whole else name


@lru_cache(maxsize=100_000)
def kept_of(short: str, word: str) -> int | None:
    """How much a short word keeps of a longer one that it may stand for; None where it may not."""
    if short[:1] != word[:1] or not FEWEST <= len(short) < len(word) or short in short_words()["everyday"]:
        return None
    return min(_ways(short, word), default=None)


def _ways(short: str, word: str) -> Iterator[int]:
    kept = consonants(short)
    for whole in (word, singular(word), *(word.removesuffix(end) for end in _ENDINGS if word.endswith(end))):
        every = consonants(whole)
        is_short = len(short) <= _LONGEST_BEGINNING and len(whole) >= len(short) + _SHORTEST_REST
        begins = is_short or _is_cut(short, whole)
        if is_left_of(short, whole) and kept == every and len(kept) >= FEWEST:
            yield ALL
        elif is_left_of(short, whole) and len(kept) >= max(FEWEST, _LEAST_SHARE * len(every)) and kept[-1] == every[-1]:
            yield MOST
        elif begins if whole.startswith(short) else len(kept) >= FEWEST and is_bare(short) and every.startswith(kept):
            yield BEGINNING


def _is_cut(short: str, whole: str) -> bool:
    """Whether a word ends between a consonant of the whole and a vowel, and no ending follows: `contam`, `purch`."""
    rest = whole[len(short) :]
    return len(rest) > 2 and rest not in _ENDINGS and short[-1] not in "aeiou" and rest[0] in "aeiou"


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
