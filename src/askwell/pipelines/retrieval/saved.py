"""Saved questions that are similar to a question, and how similar they are.

The thresholds belong to an embedder: the cosines of another one are spread differently."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from cachetools import LRUCache

from askwell.errors import EmbedderUnavailable
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.saved import SqlPair
from askwell.pipelines.retrieval.context import Nearness, SampleSql
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.providers.document_store.base import Hits
from askwell.providers.document_store.words import terms
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.question.same_wording import QuestionFacts, question_wording

logger = logging.getLogger(__name__)

# The nearest by the embedder of the index; a text that is new takes 1 to 4 ms.
_COMPARED = 20
# Vectors of 1.5 KB.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Likeness:
    """For each saved question, by its key, how like it is (0..1), and from where on that says something."""

    of: Mapping[str, float]
    marks: Thresholds


class MeasuredLikeness:
    """Compares words and questions by `embedder`. Their vectors are kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.marks = thresholds_of(embedder.identity)
        self._vectors: LRUCache[str, Vectors] = LRUCache(_KEPT)

    async def again(self, question: str, found: Likeness, texts: Mapping[str, str]) -> Likeness:
        """The nearest of what was found, measured by this embedder. `texts` are the saved questions by their keys."""
        nearest = sorted(found.of.keys() & texts.keys(), key=lambda key: -found.of[key])[:_COMPARED]
        if not nearest:
            return found
        try:
            vectors = await self._embedded({question, *(texts[key] for key in nearest)})
        except EmbedderUnavailable as error:
            logger.warning("saved questions are not measured", extra={"error": error.code})
            return found
        own = vectors[question]
        return Likeness({key: float(vectors[texts[key]] @ own) for key in nearest}, self.marks)

    async def between(self, words: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """How like each of the words is to each of the texts; empty where the embedder is out of reach, or nobody has
        measured what its similarities mean."""
        if not self.says_something:
            return []
        try:
            vectors = await self._embedded({*words, *texts})
        except EmbedderUnavailable:
            return []
        there = np.stack([vectors[text] for text in texts])
        return [[float(like) for like in there @ vectors[word]] for word in words]

    @property
    def says_something(self) -> bool:
        """Whether the similarities of the embedder are measured."""
        return self._embedder.dimension > 0 and self.marks.cosines_are_measured

    async def _embedded(self, texts: set[str]) -> dict[str, Vectors]:
        known = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        if new := sorted(texts - known.keys()):
            made = dict(zip(new, await self._embedder.embed(new), strict=True))
            self._vectors.update(made)
            known |= made
        return known


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`same` and `nearly_same` mark saved questions; None where nobody has measured this embedder: then only equal
    texts are the same. `chosen`: so like are free words at least to the option that they mean. `cosines_are_measured`
    where a cosine says whether a question is about a model; else words do.
    """

    same: float | None
    nearly_same: float | None
    cosines_are_measured: bool
    chosen: float = 1.0


# Of 81 hand-made answers about 24 pairs of options in 12 trades (56 mean an option in other words, 25 none): on the
# half
# that `chosen` was set by 5 of 29 were taken, on the half that was kept back 8 of 27, all of them rightly.
# With 0.45 it would be 22 of 56, and 6 wrong ones: to ask once more is better than that.
_MINILM = Thresholds(same=0.95, nearly_same=0.80, cosines_are_measured=True, chosen=0.55)
_UNMEASURED = Thresholds(same=None, nearly_same=None, cosines_are_measured=False)


def thresholds_of(embedder_identity: str) -> Thresholds:
    """The thresholds measured for an embedder."""
    if embedder_identity.startswith("all-MiniLM-L6-v2/"):
        return _MINILM
    return _UNMEASURED


# What reading only the first of the chosen tables adds to a sample's rank; the cosines of samples lie 0.3 apart. Among
# questions of Spider's training set the first sample read just the gold tables for 52.9% (49.7% by cosine alone).
_TABLE_WEIGHT = 0.15
# Samples whose SQL is looked at, for each one that may be shown: some read other tables, or no longer work.
_CANDIDATES = 2


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


def alike_samples(
    similarity: Mapping[str, float], saved: Mapping[str, SqlPair], *, least: float, most: int, tokens: int
) -> list[SampleSql]:
    """The candidates to be shown, the most alike first: saved questions that are at least `least` alike and fit into
    `tokens`, each question and each SQL once (the one that is more alike, else the one saved last). `similarity` and
    `saved` go by the same keys, saved last at the end."""
    alike = [key for key in reversed(list(saved)) if similarity.get(key, 0.0) >= least]
    found: list[SampleSql] = []
    seen: set[str] = set()
    for key in sorted(alike, key=lambda key: -similarity[key]):
        sample = SampleSql(saved[key].id, saved[key].question, saved[key].sql, round(similarity[key], 4))
        same = {f"question {normalise_question(sample.question)}", f"sql {' '.join(sample.sql.split()).rstrip('; ')}"}
        if not same & seen and _tokens(sample) <= tokens:
            found.append(sample)
        seen |= same
        if len(found) == most * _CANDIDATES:
            break
    return found


def choose_samples(
    question: str,
    alike: Sequence[SampleSql],
    tables_of: Mapping[str, Collection[str] | None],
    *,
    chosen_tables: Sequence[str],
    most: int,
    tokens: int,
    marks: Thresholds,
    facts_of: Callable[[str], QuestionFacts],
) -> tuple[SampleSql, ...]:
    """At most `most` of the candidates, of together at most about `tokens`, best first, with their marks. `tables_of`
    has the tables that each SQL reads; one that does not work over today's model has None, and is no example."""
    # The first of the chosen tables are surely meant, the last ones hardly.
    weight = {name: 1 - place / len(chosen_tables) for place, name in enumerate(chosen_tables)}

    def rank(sample: SampleSql) -> float:
        read = tables_of[sample.sql] or ()
        return sample.similarity + _TABLE_WEIGHT * sum(weight.get(name, 0.0) for name in read) / max(len(read), 1)

    working = [sample for sample in alike if tables_of.get(sample.sql) is not None]
    shown: list[SampleSql] = []
    for sample in sorted(working, key=rank, reverse=True):
        if len(shown) < most and _tokens(sample) <= tokens:
            tokens -= _tokens(sample)
            shown.append(replace(sample, nearness=_nearness(question, sample, marks, facts_of)))
    return tuple(shown)


def _tokens(sample: SampleSql) -> int:
    return estimated_tokens(sample.question) + estimated_tokens(sample.sql)


def _nearness(
    question: str, sample: SampleSql, marks: Thresholds, facts_of: Callable[[str], QuestionFacts]
) -> Nearness | None:
    if normalise_question(question) == normalise_question(sample.question):
        return "the same"
    if marks.nearly_same is None or sample.similarity < marks.nearly_same:
        return None
    if facts_of(question) != facts_of(sample.question):
        return None
    if marks.same is None or sample.similarity < marks.same:
        return "nearly the same"
    return "the same" if question_wording(question) == question_wording(sample.question) else "nearly the same"
