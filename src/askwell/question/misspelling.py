"""Words that are no words of the model or of questions, but nearly are: "custmers"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from askwell.question.lexicon import english
from askwell.question.short_names import ShortNames
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import stem

# Letters that a word needs before one, and before two of them may be wrong: shorter words are too near to others.
_ONE_WRONG, _TWO_WRONG = 5, 8
# Letters that a word of every question, and any other one, needs before two of them may have changed places.
_SWAPPED, _SURELY_SWAPPED = 3, 6
# Letters from which on a vowel more or less makes no other word.
_LONG = 6
_MOST_NEAR = 6


_NONE_SHORT = ShortNames()


@dataclass(frozen=True, slots=True)
class Fix:
    """A word as it was written, and what it was taken for."""

    written: str
    meant: str


def mended(
    tokens: Sequence[Token], known: Collection[str], short: ShortNames = _NONE_SHORT
) -> tuple[tuple[Token, ...], tuple[Fix, ...]]:
    """The tokens with misspelt words put right, and what was put right. `known` are all words, in lower case, and
    `short` the names that are short for others."""
    fixes: list[Fix] = []
    found: list[Token] = []
    shortened = short.read(tokens, known)
    for place, token in enumerate(tokens):
        meant = shortened.get(place) or _meant(token, known)
        if meant is not None:
            fixes.append(Fix(token.text, meant))
            token = replace(token, text=meant, low=meant)
        found.append(token)
    return tuple(found), tuple(fixes)


def _meant(token: Token, known: Collection[str]) -> str | None:
    """What a word that is none was meant to be."""
    word = token.low
    if token.kind is not TokenKind.WORD or word in known or not word.isalpha() or not word.isascii():
        return None
    if (meant := _swapped(word, known)) is not None:
        return meant
    meant = nearest(word, known)
    if meant is not None and word.endswith(english().verb_endings) and not meant.endswith(english().verb_endings):
        return None  # what was "inspected" is no inspector
    # a word that would only be left out: of another letter it may be another word
    return meant if meant is None or not _says_little(meant) or _is_slip(word, meant) else None


def _says_little(word: str) -> bool:
    """Whether it is a word of questions, and perhaps none of the data: "missions" are not "missing"."""
    return word in english().verbs or word in english().fillers or (word,) in english().phrases


def _is_slip(word: str, meant: str) -> bool:
    """Whether two words differ in double letters, an "e", or in long words any vowel: "writen", "orderd", "anythng"."""
    vowels = "aeiou" if len(word) >= _LONG else "e"
    first, second = ([letter for letter, _ in groupby(one) if letter not in vowels] for one in (word, meant))
    return first == second


def _swapped(word: str, known: Collection[str]) -> str | None:
    """The one known word of which two letters have changed places: "teh", "mnay". Of short words only those of every
    question: a cat is no act."""
    if len(word) < _SWAPPED:
        return None
    sure = known if len(word) >= _SURELY_SWAPPED else english().everywhere
    found = [one for one in _swaps(word) if one in known and one in sure]
    return found[0] if len(found) == 1 else None


def _swaps(word: str) -> set[str]:
    return {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)} - {word}


def nearest(word: str, known: Collection[str]) -> str | None:
    """The one known word, in lower case, that is nearest, where it is near enough. Of several forms of one word that
    which is most like a slip; of two words that of which two letters have changed places, or none."""
    if len(word) < _ONE_WRONG:
        return None
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = 1 if len(word) < _TWO_WRONG else 2
    near = sorted(other for other in known if other[:1] == word[:1] and abs(len(other) - len(word)) <= most)
    found = extract(word, near, scorer=OSA.distance, score_cutoff=most, limit=_MOST_NEAR)
    best = [other for other, distance, _ in found if distance == found[0][1]]
    if len(_stems(best)) > 1:
        best = [other for other in best if other in _swaps(word)]
    slips = [other for other in best if _is_slip(word, other)]
    return (slips or best)[0] if len(_stems(best)) == 1 else None


def _stems(words: Iterable[str]) -> set[str]:
    return {stem(word) for word in words}
