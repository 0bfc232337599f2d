"""Words that are no words of the model or of questions, but nearly are: "custmers"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from askwell.question.lexicon import english
from askwell.question.stems import stem
from askwell.question.tokens import Token, TokenKind

# Letters that a word needs before one, and before two of them may be wrong: shorter words are too near to others.
_ONE_WRONG, _TWO_WRONG = 5, 8


@dataclass(frozen=True, slots=True)
class Fix:
    """A word as it was written, and what it was taken for."""

    written: str
    meant: str


def mended(tokens: Sequence[Token], known: Collection[str]) -> tuple[tuple[Token, ...], tuple[Fix, ...]]:
    """The tokens with misspelt words put right, and what was put right. `known` are all words, in lower case."""
    fixes: list[Fix] = []
    found: list[Token] = []
    for token in tokens:
        meant = _meant(token, known)
        if meant is not None:
            fixes.append(Fix(token.text, meant))
            token = replace(token, text=meant, low=meant)
        found.append(token)
    return tuple(found), tuple(fixes)


def _meant(token: Token, known: Collection[str]) -> str | None:
    """What a word that is none was meant to be."""
    word = token.low
    if token.kind is not TokenKind.WORD or word in known or not word.isalpha():
        return None
    meant = nearest(word, known)
    return None if meant in english().verbs or meant in english().fillers else meant  # that would only lose the word


def nearest(word: str, known: Collection[str]) -> str | None:
    """The one known word, in lower case, that is nearest, where it is near enough; of two, none."""
    if len(word) < _ONE_WRONG:
        return None
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = 1 if len(word) < _TWO_WRONG else 2
    near = sorted(other for other in known if other[:1] == word[:1] and abs(len(other) - len(word)) <= most)
    best = extract(word, near, scorer=OSA.distance, score_cutoff=most, limit=2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1] and not _same(best[0][0], best[1][0])):
        return None
    return str(best[0][0])


def _same(first: str, second: str) -> bool:
    """Whether two words are forms of one: reserve, reserved."""
    return stem(first) == stem(second)
