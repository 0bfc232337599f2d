"""Words of which somebody has said the meaning: "zorbs" are what they call customers, "turnover" is a sum."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import DAYS, MONTHS, NUMBER_WORDS, PERIODS, Stems, stems_of_word
from askwell.semantic_parsing.forms import Metric, Value
from askwell.semantic_parsing.linking import LONGEST_NAME
from askwell.semantic_parsing.model.catalog import EXACT, Catalog, Target
from askwell.semantic_parsing.model.measures import figure_over
from askwell.semantic_parsing.model.names import value_words

# What may stand in the words of a name as questions have it.
_WORDS = re.compile(r"[\w &/'’-]+")


@dataclass(frozen=True, slots=True)
class Meant:
    """What words mean. What a person wrote is `firm`: it counts before what the words could mean by part of a name, as
    an everyday word for another, or by a guess of the model's draft. Else it counts where the model says nothing of
    them."""

    target: Target | Metric | Value
    firm: bool = False


# What words that were taught mean, by their stems.
Taught = Mapping[Stems, Meant]
NOTHING: Taught = {}


def taught_metric(said: str, text: str, table: str | None, model: SemanticModel) -> Metric | str:
    """The figure that words are taught to mean, written as SQL, over the rows of a table (without it, that of its
    columns); why it is none, as words that fit after "because"."""
    found = figure_over(text, table, model)
    if isinstance(found, str):
        return found
    base, formula = found
    name = "_".join(re.findall(r"\w+", said.lower()))
    return Metric(ColumnRef(base.name, name), base.name, formula, taught=True)


def key_of(said: str) -> Stems:
    """The stems of words as a question has them; none where there are no words."""
    return _stems(tokenize(said))


def _stems(tokens: Iterable[Token]) -> Stems:
    return tuple(s for token in tokens if token.kind is not TokenKind.MARK for s in stems_of_word(token.low))


def why_not_taught(said: str, target: Target | Metric, catalog: Catalog) -> str | None:
    """Why words cannot be taught to mean something, as words without a full stop; None where they
    can. What the model calls something else stays that, and what every question is made of means what it means."""
    tokens = tokenize(said)
    key = _stems(tokens)
    is_plain = _WORDS.fullmatch(said) and all(token.kind in (TokenKind.WORD, TokenKind.MARK) for token in tokens)
    is_plain = is_plain and unicodedata.normalize("NFKC", said) == said
    if not key or not is_plain:
        return "it has no words, or more than words"
    if len(tokens) > LONGEST_NAME:
        return f"it has more than {LONGEST_NAME} words"
    lows = [token.low for token in tokens if token.kind is TokenKind.WORD]
    if _is_made_of(lows, _says_nothing_new) or (len(lows) == 1 and _is_of_any_data(lows[0])):
        return "words of it mean something in every question"
    if value_words(said) in catalog.values:
        return "it is a value of the data"
    named = [known for known, level in catalog.words.get(key, {}).items() if level == EXACT]
    if target in named:
        return None
    if _is_made_of(lows, lambda part: _says_nothing_new(part) or catalog.is_owners_word(_stems_of(part))):
        return "the model calls something else so"
    return None


def _is_made_of(lows: Sequence[str], is_one: Callable[[Sequence[str]], bool]) -> bool:
    """Whether words can be taken apart into such parts."""
    reached = {0}
    for start in range(len(lows)):
        if start in reached:
            reached.update(end for end in range(start + 1, len(lows) + 1) if is_one(lows[start:end]))
    return len(lows) in reached


def _says_nothing_new(lows: Sequence[str]) -> bool:
    """Whether these are a phrase of questions, or a word that says nothing."""
    lexicon = english()
    meant = lexicon.phrases.get(tuple(lows), ())
    if meant and not lexicon.nameable.issuperset(category for category, _ in meant):
        return True
    return len(lows) == 1 and lows[0] in lexicon.fillers | lexicon.verbs


def _is_of_any_data(word: str) -> bool:
    """Whether it says when or how many, or is a word that questions about any data have."""
    of_time = word in MONTHS or word in PERIODS or word in DAYS or word in NUMBER_WORDS
    return of_time or bool(english().of_any_data & set(_stems_of([word])))


def _stems_of(lows: Iterable[str]) -> Stems:
    return tuple(one for low in lows for one in stems_of_word(low))


def applicable(catalog: Catalog, taught: Taught) -> Taught:
    """What counts in a model: not what it has a name for itself, nor what means something that it has not."""
    return {
        key: meant for key, meant in taught.items() if _is_there(meant.target, catalog) and _counts(key, meant, catalog)
    }


def _is_there(target: Target | Metric | Value, catalog: Catalog) -> bool:
    if isinstance(target, Value):
        return all(ref in catalog.facts.columns for ref, _ in target.options)
    if not isinstance(target, Metric):
        return target in catalog.facts.tables or target in catalog.facts.columns
    columns = target.formula.expression.find_all(exp.Column)
    return all(ColumnRef(column.table, column.name) in catalog.facts.columns for column in columns)


def _counts(key: Stems, meant: Meant, catalog: Catalog) -> bool:
    if catalog.is_owners_word(key):
        return False
    return meant.firm or (key not in catalog.words and key not in catalog.metrics)
