"""Words that a model does not have and somebody has said the meaning of: "zorbs" are what it calls customers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from askwell.question.lexicon import english
from askwell.question.stems import Stems, stems_of_word
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.semantic_parsing.linking import LONGEST_NAME
from askwell.semantic_parsing.model.catalog import EXACT, Catalog, Target

# What may stand in the words of a name as questions have it.
_WORDS = re.compile(r"[\w &/'’-]+")

# What words that were taught mean, by their stems.
Taught = Mapping[Stems, Target]
NOTHING: Taught = {}


def key_of(said: str) -> Stems:
    """The stems of words as a question has them; none where there are no words."""
    return _stems(tokenize(said))


def _stems(tokens: Iterable[Token]) -> Stems:
    return tuple(s for token in tokens if token.kind is not TokenKind.MARK for s in stems_of_word(token.low))


def why_not_taught(said: str, target: Target, catalog: Catalog) -> str | None:
    """Why words cannot be taught to mean a table or column of the model, as words without a full stop; None where they
    can. What the model calls something else stays that, and what every question is made of means what it means."""
    tokens = tokenize(said)
    key = _stems(tokens)
    is_plain = _WORDS.fullmatch(said) and all(token.kind in (TokenKind.WORD, TokenKind.MARK) for token in tokens)
    if not key or not is_plain:
        return "it has no words, or more than words"
    if len(tokens) > LONGEST_NAME:
        return f"it has more than {LONGEST_NAME} words"
    if _is_of_every_question([token.low for token in tokens]):
        return "every question is made of such words"
    named = [known for known, level in catalog.words.get(key, {}).items() if level == EXACT]
    if key in catalog.metrics or (named and target not in named):
        return "the model calls something else so"
    return None


def _is_of_every_question(lows: Sequence[str]) -> bool:
    """Whether nothing but phrases of questions, and words that say nothing, stands there."""
    lexicon, reached = english(), {0}
    for start, low in enumerate(lows):
        if start in reached:
            longest = range(start + 1, min(start + lexicon.longest, len(lows)) + 1)
            reached.update(end for end in longest if tuple(lows[start:end]) in lexicon.phrases)
            reached.update({start + 1} if low in lexicon.fillers | lexicon.verbs else ())
    return len(lows) in reached


def unknown_to(catalog: Catalog, taught: Taught) -> Taught:
    """Those of which the model itself says nothing, and whose meaning it has."""
    there = {*catalog.facts.tables, *catalog.facts.columns}
    known = catalog.words
    return {
        key: target
        for key, target in taught.items()
        if target in there and key not in known and key not in catalog.metrics
    }
