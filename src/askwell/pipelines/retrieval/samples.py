"""Saved questions that are like this one, and how like."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from askwell.knowledge.questions import normalise_question
from askwell.pipelines.retrieval.context import Nearness, SampleSql
from askwell.pipelines.retrieval.question_facts import QuestionFacts
from askwell.pipelines.retrieval.thresholds import Thresholds
from askwell.providers.document_store.base import Hits
from askwell.providers.document_store.words import terms

# What sharing all its tables with the chosen ones adds to a sample's rank.
_TABLE_WEIGHT = 0.1

_IDENTIFIER = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A question with the SQL that answers it."""

    id: str
    question: str
    sql: str


def similarities(question: str, hits: Hits) -> dict[str, float]:
    """For each owner the likeness (0..1) of its best text: the cosine, or without vectors the share of common terms."""
    if not hits.documents:
        return {}
    if not np.isnan(hits.cosines).any():
        return dict(zip(hits.owners, hits.best(hits.cosines).tolist(), strict=True))
    best: dict[str, float] = {}
    own = _term_set(question)
    for row in np.flatnonzero(hits.words > 0).tolist():
        document = hits.documents[row]
        best[document.owner] = max(best.get(document.owner, 0.0), _common_share(own, _term_set(document.text)))
    return best


def _common_share(own: frozenset[str], other: frozenset[str]) -> float:
    """Dice's coefficient of two sets of terms, of which each has one."""
    return 2 * len(own & other) / (len(own) + len(other))


@lru_cache(maxsize=20_000)
def _term_set(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def choose_samples(
    question: str,
    similarity: Mapping[str, float],
    saved: Mapping[str, SavedQuestion],
    *,
    chosen_tables: Sequence[str],
    least: float,
    most: int,
    marks: Thresholds,
    facts_of: Callable[[str], QuestionFacts],
) -> tuple[SampleSql, ...]:
    """At most `most` saved questions that are at least `least` alike, best first, with their marks. `similarity` and
    `saved` go by the same keys."""
    tables = {name.lower() for name in chosen_tables}

    def rank(sample: SampleSql) -> float:
        named = {word.lower() for word in _IDENTIFIER.findall(sample.sql)} & tables
        return sample.similarity + _TABLE_WEIGHT * len(named) / max(len(tables), 1)

    alike = [
        SampleSql(known.id, known.question, known.sql, round(likeness, 4))
        for key, likeness in similarity.items()
        if likeness >= least and (known := saved.get(key)) is not None
    ]
    best = sorted(alike, key=rank, reverse=True)[:most]
    return tuple(_marked(question, sample, marks, facts_of) for sample in best)


def _marked(question: str, sample: SampleSql, marks: Thresholds, facts_of: Callable[[str], QuestionFacts]) -> SampleSql:
    nearness = _nearness(question, sample, marks, facts_of)
    return SampleSql(sample.id, sample.question, sample.sql, sample.similarity, nearness) if nearness else sample


def _nearness(
    question: str, sample: SampleSql, marks: Thresholds, facts_of: Callable[[str], QuestionFacts]
) -> Nearness | None:
    if normalise_question(question) == normalise_question(sample.question):
        return "the same"
    if marks.nearly_same is None or sample.similarity < marks.nearly_same:
        return None
    if facts_of(question) != facts_of(sample.question):
        return None
    return "the same" if marks.same is not None and sample.similarity >= marks.same else "nearly the same"
