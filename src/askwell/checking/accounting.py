"""Words of the question that nothing in the statement stands for."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.checking.finding import Finding, Severity
from askwell.checking.question import AskedWords, flat_letters, is_left_of
from askwell.checking.statement import Written
from askwell.checking.words import stems_akin
from askwell.mdl.names import listed, words
from askwell.question.lexicon import english
from askwell.question.plain_english import plain_english
from askwell.question.stems import stems
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import EVERYDAY

_SHORTEST = 3


def unaccounted(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """A note with the words of substance that stand for no name, value or operator of the statement."""
    named = {word for ref in written.columns for word in words(ref.column)} | {
        word for table in written.tables for word in words(table.name)
    }
    values = flat_letters(" ".join(literal.name for literal in written.literals))
    known = written.stems | written.described
    operators = {place for cue in asked.cues for place in range(cue.start, cue.end)}
    left = [
        token.text
        for place, token in enumerate(asked.tokens)
        if place not in operators
        and _has_substance(token)
        and not set(stems(token.low)) & known
        and not stems_akin(set(stems(token.low)), known)
        and flat_letters(token.text)[:5] not in values
        and not any(is_left_of(name, token.low) for name in named if len(name) > 1)
    ]
    if left:
        said = tuple(dict.fromkeys(left))
        message = f"Nothing in the statement stands for {listed(f'“{word}”' for word in said)}."
        yield Finding("words_left", Severity.NOTE, " ".join(said), "", message)


def _has_substance(token: Token) -> bool:
    lexicon = english()
    if token.kind is not TokenKind.WORD or len(token.low) < _SHORTEST or token.low in EVERYDAY:
        return False
    if token.low in lexicon.function_words or token.low in lexicon.everywhere or token.low in lexicon.fillers:
        return False
    return token.low not in plain_english()
