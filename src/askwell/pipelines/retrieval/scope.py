"""Whether a question is about anything in the model.

Evidence is added up in units of a cosine: how near the nearest table or column is, and what the question's words say.
The weights are those of a logistic regression, rounded towards letting questions through, over 4,257 questions of 85
databases of Spider's training set and 90 of business users, against 218 questions about other things (those of
`benchmarks/scope`, the half for calibration) put to each of the databases. The README there has what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from askwell.pipelines.retrieval.context import Scope, ValueMatch
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.saved import Thresholds
from askwell.providers.document_store.base import Hits
from askwell.providers.document_store.words import terms
from askwell.question.about_data import (
    asks_an_assistant,
    measures_in_few_words,
    notes_down,
    speaks_of_our_own,
    without_names,
)

# What is enough.
_ENOUGH = 0.30
# A word of the question that a table or column goes by; one that a description or a value has, that people use for a
# name, or that a name is short for. More than two names add nothing.
_NAME = 0.25
_RELATED = 0.125
_MOST_NAMES = 0.5
_OUR_OWN = 0.20
# Short questions are near to nothing: a few noted words, a measure in few words, and nothing but words that questions
# about any data use. Set on questions of business users, against what they let in.
_NOTED = 0.08
_MEASURED = 0.10
_GENERAL_ALONE = 0.12
# Wording of questions to an assistant, where it names no table or column.
_ASSISTANT = -0.25
# Each telling word that leads nowhere, after the first: that may be a name. Half of what was fitted, and no more than
# three, because a stopped question costs more than one that is let through.
_UNKNOWN = -0.02
_MOST_UNKNOWN = 3
# What is taken for the nearest cosine where there is none, or none that was measured: three unknown words are too many.
_UNKNOWN_NEARNESS = 0.33

_NAMED = 3


def judge_scope(
    question: str,
    tables: Hits,
    columns: Hits,
    values: Sequence[ValueMatch],
    prepared: PreparedModel,
    thresholds: Thresholds,
) -> Scope:
    """In scope where there is evidence enough that the question is about a table, a column or a value."""
    best = _best_cosines(tables, columns)
    nearest = max(best.values(), default=None)
    known = nearest is not None and thresholds.cosines_are_measured
    evidence = (nearest if nearest is not None and known else _UNKNOWN_NEARNESS) + _said(question, values, prepared)
    # Without vectors the order of tables says nothing.
    names = sorted(best, key=lambda name: -best[name])[:_NAMED]
    return Scope(in_scope=evidence >= _ENOUGH, evidence=round(evidence, 4), nearest=tuple(names))


def _said(question: str, values: Sequence[ValueMatch], prepared: PreparedModel) -> float:
    """What the wording of a question says for it."""
    words = prepared.scope_words
    telling = words.telling(question)
    of_values = {term for match in values if match.is_named for term in terms(match.words)}
    named = telling & words.names | set(filter(words.named_in_short, telling))
    related = (telling & words.related | telling & of_values | set(filter(words.related_in_short, telling))) - named
    unknown = len(words.telling(without_names(question)) - named - related)
    to_an_assistant = not named and asks_an_assistant(question)
    return (
        min(_NAME * len(named) + _RELATED * len(related), _MOST_NAMES)
        + _OUR_OWN * speaks_of_our_own(question)
        + _NOTED * (notes_down(question) and not to_an_assistant)
        + _MEASURED * measures_in_few_words(question)
        + _GENERAL_ALONE * (not telling and not to_an_assistant and bool(terms(question)))
        + _ASSISTANT * to_an_assistant
        + _UNKNOWN * min(max(unknown - 1, 0), _MOST_UNKNOWN)
    )


def _best_cosines(tables: Hits, columns: Hits) -> dict[str, float]:
    """The best cosine of each table or a column of it; nothing where there are no vectors."""
    best: dict[str, float] = {}
    for hits in (tables, columns):
        for name, cosine in zip(hits.owners, hits.best(hits.cosines).tolist(), strict=True):
            if not math.isnan(cosine):
                best[name] = max(cosine, best.get(name, cosine))
    return best
