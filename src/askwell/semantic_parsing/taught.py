"""Words of which somebody has said the meaning: "zorbs" are what they call customers, "turnover" is a sum."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.question.lexicon import english
from askwell.question.stems import Stems, stems_of_word
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.semantic_parsing.forms import Metric
from askwell.semantic_parsing.linking import LONGEST_NAME
from askwell.semantic_parsing.model.catalog import EXACT, Catalog, Target
from askwell.semantic_parsing.model.measures import figure_over

# What may stand in the words of a name as questions have it.
_WORDS = re.compile(r"[\w &/'’-]+")


@dataclass(frozen=True, slots=True)
class Meant:
    """What words mean. What a person wrote is `firm`: it counts before what the words could mean by part of a name, as
    an everyday word for another, or by a guess of the model's draft. Else it counts where the model says nothing of
    them."""

    target: Target | Metric
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
    return Metric(ColumnRef(base.name, name), base.name, formula)


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
    if not key or not is_plain:
        return "it has no words, or more than words"
    if len(tokens) > LONGEST_NAME:
        return f"it has more than {LONGEST_NAME} words"
    if _is_of_every_question([token.low for token in tokens]):
        return "every question is made of such words"
    named = [known for known, level in catalog.words.get(key, {}).items() if level == EXACT]
    if catalog.is_owners_word(key) and target not in named:
        return "the model calls something else so"
    return None


def _is_of_every_question(lows: Sequence[str]) -> bool:
    """Whether nothing but phrases of questions, and words that say nothing, stands there."""
    lexicon, reached = english(), {0}
    phrases = {words for words, meant in lexicon.phrases.items() if not lexicon.nameable.issuperset(dict(meant))}
    for start, low in enumerate(lows):
        if start in reached:
            longest = range(start + 1, min(start + lexicon.longest, len(lows)) + 1)
            reached.update(end for end in longest if tuple(lows[start:end]) in phrases)
            reached.update({start + 1} if low in lexicon.fillers | lexicon.verbs else ())
    return len(lows) in reached


def applicable(catalog: Catalog, taught: Taught) -> Taught:
    """What counts in a model: not what it has a name for itself, nor what means something that it has not."""
    return {
        key: meant for key, meant in taught.items() if _is_there(meant.target, catalog) and _counts(key, meant, catalog)
    }


def _is_there(target: Target | Metric, catalog: Catalog) -> bool:
    if not isinstance(target, Metric):
        return target in catalog.facts.tables or target in catalog.facts.columns
    columns = target.formula.expression.find_all(exp.Column)
    return all(ColumnRef(column.table, column.name) in catalog.facts.columns for column in columns)


def _counts(key: Stems, meant: Meant, catalog: Catalog) -> bool:
    if catalog.is_owners_word(key):
        return False
    return meant.firm or (key not in catalog.words and key not in catalog.metrics)
