"""Words of names that are short for words of a question: `CMPLNT` for "complaints", `rep_cst` for "repair cost"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from askwell.mdl.abbreviations import (
    ABBREVIATIONS,
    ALL,
    BEGINNING,
    FEWEST,
    MOST,
    consonants,
    is_bare,
    kept_of,
    short_words,
)
from askwell.mdl.names import is_left_of, singular
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import Stems, plain_english, stem, stems, stems_of_word


@dataclass(frozen=True, slots=True)
class ShortNames:
    """`shorts` are words of names that may be short, `pairs` such as follow each other in one; `named` is what is
    called so already, and whether by its whole name. All in lower case."""

    shorts: Collection[str] = ()
    pairs: Collection[tuple[str, str]] = ()
    named: Mapping[Stems, bool] = field(default_factory=dict)

    def read(self, tokens: Sequence[Token], known: Collection[str]) -> dict[int, str]:
        """What words of a question mean, by their places; of English that is `known` only what leaves no doubt."""
        said = [token.low if token.kind is TokenKind.WORD and token.low.isalpha() else "" for token in tokens]
        found: dict[int, str] = {}
        for place, word in enumerate(said):
            pair = self._pair(*said[place : place + 2]) if place + 1 < len(said) else None
            found |= dict(enumerate(pair, place)) if pair else {}
            if place not in found and (meant := self._single(word, known)):
                found[place] = meant
        return {place: meant for place, meant in found.items() if meant != said[place]}

    def _single(self, word: str, known: Collection[str]) -> str | None:
        if len(word) < FEWEST or word in english().everywhere or self.named.get(stems_of_word(word)):
            return None
        kept = {short: rank for short in self.shorts if (rank := _stands_for(short, word)) is not None}
        best = sorted((short for short, rank in kept.items() if rank == min(kept.values())), key=len)
        if not best or not all(short == best[-1] or is_left_of(short, best[-1]) for short in best):
            return None
        is_english = word in known and word not in english().nouns
        least = ALL if is_english else MOST if stems_of_word(word) in self.named else BEGINNING
        return best[-1] if kept[best[-1]] <= least else None

    def _pair(self, *said: str) -> tuple[str, str] | None:
        if min(map(len, said)) < FEWEST or self.named.get(stems(" ".join(said))):
            return None
        found = [pair for pair in self.pairs if all(map(_may_stand_for, pair, said))]
        if english().everywhere.issuperset(said):  # "day rate"
            found = [pair for pair in found if set(pair) & set(said)]
        return found[0] if len(found) == 1 else None


@cache
def noun_for(short: str) -> str:
    """The one English noun whose consonants, or at least the first four, a lower-case word of a name is: "patient" for
    `ptnt`; itself otherwise."""
    if (listed := short_words()["shorts"].get(short)) is not None:
        return short if " " in listed else str(listed)
    is_word = short in plain_english() or short in english().nouns or not is_bare(short) or short in ABBREVIATIONS
    for least in () if is_word else (ALL, BEGINNING):
        fits = [noun for noun, kept in _nouns(short) if kept is least and (kept is ALL or len(short) > FEWEST)]
        if len({stem(noun) for noun in fits}) == 1:
            return min(fits, key=len)
    return short


@cache
def _nouns(short: str) -> tuple[tuple[str, int], ...]:
    """The nouns that a short word may stand for, and how much of them it keeps."""
    nouns = {*english().nouns, *short_words()["endings"].values()}
    return tuple((noun, kept) for noun in nouns if (kept := kept_of(short, noun)) is not None)


def _may_stand_for(short: str, word: str) -> bool:
    """Whether a short word may be that beside another one that fits."""
    if short in english().everywhere:  # "on" is no short "ones"
        return short == word
    is_cut = len(short) > 1 and (word.startswith(short) or consonants(word) == short)
    return stem(short) == stem(word) or is_cut or kept_of(short, word) is not None


def _stands_for(short: str, word: str) -> int | None:
    """How much it keeps, if it is listed as that or no other noun fits as well: `dep` is a department."""
    if (listed := short_words()["shorts"].get(short)) is not None:
        return ALL if stem(word) in map(stem, listed.split()) else None
    noun = singular(short)
    if short in english().everywhere or (noun in english().nouns and word.startswith(noun)):
        return None  # "tracksuits" are no `tracks`
    if word.endswith("ed") and (of_deed := _stands_for(short, f"{word[:-2]}ing")) is not None:
        return of_deed  # "booked" is in `bkg`
    kept = kept_of(noun, word)
    rivals = kept is not None and any(stem(one) != stem(word) and fits <= kept for one, fits in _nouns(short))
    return None if rivals else kept
