"""Words of names that are short for words of a question: `CMPLNT` for "complaints", `rep_cst` for "repair cost"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

from askwell.mdl.abbreviations import ABBREVIATIONS, consonants, is_everyday
from askwell.mdl.names import singular
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import Stems, plain_english, stem, stems_of_word
from askwell.resources import words_file

# How much of a word a short one keeps: all its consonants, most with the last one, or only its beginning.
_ALL, _MOST, _BEGINNING = range(3)
_LEAST_SHARE, _FEWEST = 0.6, 3
# Letters of the longest beginning of a word that is short for it, and those that it leaves out at least.
_LONGEST_BEGINNING, _SHORTEST_REST = 4, 3
# What is done is called by whoever does it, and when.
_ENDINGS = ("er", "ers", "ed", "ing")
_SHORT_WORDS = words_file("askwell.mdl", "short_words.yaml")
_LISTED = {short: stem(word) for short, word in _SHORT_WORDS["shorts"].items()} | {
    short: stem(whole[0]) for short, whole in ABBREVIATIONS.items() if len(whole) == 1
}


@dataclass(frozen=True, slots=True)
class ShortNames:
    """`shorts` are words of names that may be short, `pairs` such as follow each other in one; `named` is what tables
    and columns are called already, `parts` what is in longer names. All in lower case."""

    shorts: Collection[str] = ()
    pairs: Collection[tuple[str, str]] = ()
    named: Collection[Stems] = ()
    parts: Collection[Stems] = ()

    def read(self, tokens: Sequence[Token], known: Collection[str]) -> dict[int, str]:
        """What words of a question mean, by their places; of English that is `known` only what leaves no doubt."""
        found: dict[int, str] = {}
        for place, token in enumerate(tokens):
            pair = self._pair(tokens[place : place + 2])
            found |= {place: pair[0], place + 1: pair[1]} if pair else {}
            if place not in found and (meant := self._single(token, known)) is not None:
                found[place] = meant
        return {place: meant for place, meant in found.items() if meant != tokens[place].low}

    def _single(self, token: Token, known: Collection[str]) -> str | None:
        if not _is_word(token) or token.low in english().everywhere or stems_of_word(token.low) in self.named:
            return None
        word = token.low
        ranks = {short: rank for short in self.shorts if (rank := _stands_for(short, word)) is not None}
        best = sorted((short for short in ranks if ranks[short] == min(ranks.values())), key=len)
        if not best or not all(_in_order(short, best[-1]) for short in best):
            return None
        is_english = word in known and word not in english().nouns
        return best[-1] if ranks[best[-1]] <= (_ALL if is_english else self._least(word)) else None

    def _least(self, word: str) -> int:
        """How little a short word may keep of it: more where it is a part of names as it is."""
        return _MOST if stems_of_word(word) in self.parts else _BEGINNING

    def _pair(self, tokens: Sequence[Token]) -> tuple[str, str] | None:
        said = [token.low for token in tokens if _is_word(token)]
        if len(said) < 2:
            return None
        if tuple(part for word in said for part in stems_of_word(word)) in self.named:
            return None
        found = [pair for pair in self.pairs if all(map(_may_stand_for, pair, said))]
        if english().everywhere.issuperset(said):  # "day rate"
            found = [pair for pair in found if set(pair) & set(said)]
        return found[0] if len(found) == 1 else None


@cache
def noun_for(short: str) -> str:
    """The one English noun whose consonants a lower-case word of a name is: "patient" for `ptnt`; itself otherwise."""
    if short in _LISTED and short not in ABBREVIATIONS:
        return str(_SHORT_WORDS["shorts"][short])
    if short in plain_english() or short in english().nouns or set("aeiou") & set(short[1:]) or short in ABBREVIATIONS:
        return short
    for words, least in product((_SHORT_WORDS["endings"].values(), english().nouns), (_ALL, _BEGINNING)):
        fits = [
            noun for noun in words if _rank(short, noun) is least and len(consonants(short)) >= _FEWEST + least // 2
        ]
        if len({stem(noun) for noun in fits}) == 1:
            return min(fits, key=len)
    return short


def _is_word(token: Token) -> bool:
    return token.kind is TokenKind.WORD and token.low.isascii() and token.low.isalpha() and len(token.low) > 2


def _may_stand_for(short: str, word: str) -> bool:
    """Whether a short word may be that beside another one that fits."""
    if short == word or stem(short) == stem(word) or _rank(short, word) is not None:
        return True
    return 1 < len(short) < len(word) and (word.startswith(short) or consonants(word) == short)


def _stands_for(short: str, word: str) -> int | None:
    """How much it keeps, if it is listed as that or no other noun fits as well: `dep` is a department."""
    if short in _LISTED:
        return _ALL if stem(word) == _LISTED[short] else None
    if (rank := _rank(short, word)) is None:
        return None
    return rank if all(other == stem(word) for other, fits in _nouns(short) if fits <= rank) else None


@cache
def _nouns(short: str) -> tuple[tuple[str, int], ...]:
    """The stems of English nouns that a short word fits, and how well."""
    fits = ((stem(noun), _rank(short, noun)) for noun in english().nouns)
    return tuple((noun, rank) for noun, rank in fits if rank is not None)


@lru_cache(maxsize=100_000)
def _rank(short: str, word: str) -> int | None:
    if short[:1] != word[:1] or len(short) < _FEWEST or is_everyday(short):
        return None
    return min(_ranks(short, word), default=None)


def _ranks(short: str, word: str) -> Iterator[int]:
    kept = consonants(short)
    for whole in (word, singular(word), *(word.removesuffix(end) for end in _ENDINGS if word.endswith(end))):
        every = consonants(whole)
        if len(short) >= len(word) or not _in_order(short, whole):
            continue
        if len(kept) >= _FEWEST and kept == every:
            yield _ALL
        elif len(kept) >= max(_FEWEST, _LEAST_SHARE * len(every)) and kept[-1] == every[-1]:
            yield _MOST
        elif whole.startswith(short):
            if len(short) <= _LONGEST_BEGINNING and len(whole) >= len(short) + _SHORTEST_REST:
                yield _BEGINNING
        elif len(kept) >= _FEWEST and every.startswith(kept):
            yield _BEGINNING


def _in_order(short: str, whole: str) -> bool:
    letters = iter(whole)
    return all(letter in letters for letter in short)
