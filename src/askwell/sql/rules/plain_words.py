"""What words are by themselves, or by the words around them, whatever the model is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import MONTHS, NUMBER_WORDS
from askwell.sql.rules.lexicon import Evidence, Meanings
from askwell.sql.rules.spans import Span, Thing
from askwell.sql.rules.words.fillers import FILLERS, NO_VERBS, VERBS
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import EXISTENCE, RELATIONS

_VERB_ENDING = re.compile(r"(?:ed|ing)$")
_ARTICLES = frozenset({"the", "a", "an", "our", "their", "its", "his", "her"})
_TIMES = frozenset({"the", "last", "this", "q1", "q2", "q3", "q4"})
_RANKED = frozenset({"average", "mean", "median", "per", "each", "every", "most", "least", "top", "first", "last"})
_PARTS_OF_NAMES = frozenset({"first", "last", "middle"})


def stray_part_of_name(tokens: Sequence[Token], i: int) -> bool:
    """A "first" that is no part of a name: neither "first and last name" nor "first, middle and last names"."""
    near = [t.low for t in (*tokens[max(0, i - 3) : i], *tokens[i + 1 : i + 4])]
    return tokens[i].low in _PARTS_OF_NAMES and not any(word in _PARTS_OF_NAMES for word in near)


def is_verb_form(word: str) -> bool:
    """Whether a word ends as verbs do."""
    return word.islower() and bool(_VERB_ENDING.search(word))


def misread(mark: Mark, text: str, before: Token | None, following: Token | None) -> bool:
    """A phrase that means something else between its neighbours: "first name", "or less than", "biggest order by"."""
    if mark is Mark.SORT and text.partition(" ")[0] in ("order", "rank") and before is not None:
        return before.low in _ARTICLES or before.low in _RANKED or before.low.endswith("est")
    if mark is Mark.TOP and text == "first":
        return not _is_number(following)
    if mark is Mark.SORT and text in ("ordered in", "listed in"):
        return following is not None and (_is_number(following) or following.low in MONTHS or following.low in _TIMES)
    if mark is Mark.EQUALS and text.endswith(("name", "title")):
        return following is not None and following.low == "of"
    return mark is Mark.OR_MORE and following is not None and (following.low == "than" or _is_number(following))


def _is_number(token: Token | None) -> bool:
    return token is not None and (token.kind is TokenKind.NUMBER or token.low in NUMBER_WORDS)


def only_good(meanings: Meanings) -> tuple[Mapping[str, Evidence], Mapping[ColumnRef, Evidence]]:
    """A good name for a table leaves no room for poor names of columns, and the other way round."""
    tables, columns = meanings.tables, meanings.columns
    if any(e <= Evidence.TRIMMED for e in tables.values()) or any(e <= Evidence.TRIMMED for e in columns.values()):
        good_table = any(e <= Evidence.TRIMMED for e in tables.values())
        if good_table:
            return tables, {c: e for c, e in columns.items() if e <= Evidence.TRIMMED}
        return {t: e for t, e in tables.items() if e <= Evidence.TRIMMED}, columns
    return tables, columns


def is_latest(tokens: Sequence[Token], i: int) -> bool:
    """ "what was the last day" asks for one, and names none."""
    before = tuple(t.low for t in tokens[max(0, i - 2) : i])
    return tokens[i].low == "last" and before[1:] == ("the",) and before[0] in ("is", "was", "are", "were")


def is_pronoun(tokens: Sequence[Token], i: int) -> bool:
    """ "the one that …" counts nothing."""
    following = tokens[i + 1].low if i + 1 < len(tokens) else ""
    return tokens[i].low == "one" and following in ("of", "that", "with", "who", "which")


def is_verb(word: str) -> bool:
    if word in VERBS or word in RELATIONS:
        return True
    return bool(_VERB_ENDING.search(word)) and word not in NO_VERBS and stem(word) in stem_set(RELATIONS | EXISTENCE)


def unlinked(tokens: Sequence[Token], i: int) -> Span:
    token = tokens[i]
    shouted = len(token.text) > 1 and token.text.isupper() and not all(t.text.upper() == t.text for t in tokens)
    if token.low in FILLERS and not shouted:  # "us" is nothing, "US" is a country
        return Span(Thing.FILLER, token.text)
    noun = i > 0 and tokens[i - 1].low in _ARTICLES
    if i > 0 and token.text.islower() and is_verb(token.low) and not noun:
        return Span(Thing.FILLER, token.text, loose_verb=True)
    return Span(Thing.UNKNOWN, token.text)
