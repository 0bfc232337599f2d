"""How probable it is that a passage answers a question, by two looks at it.

The first chooses candidates among all passages:

- `nearness`: the cosine of the question and the nearest part of the passage; `sentence`: that of its nearest sentence.
- `coverage`: the share of the question's words that the passage has, with those of its title and headings, each
  weighing as much as it is rare among the passages.

Its weights are those of a logistic regression over the ten best passages for each of 180 questions, 60 of which no
passage answers (benchmarks/passages/tuning), made for scores to mean about what they mean after reranking: times 0.73,
and 1.33 added. `python -m askwell_evaluation.fit_passages` chooses the ten by these weights, and gives others that find
as many there.

The second reranks the best of them, where the embedder gives vectors of word pieces. The order is that of
`order_signals`, by a conditional logit:

- the cosine of the question and the nearest sentence;
- late interaction (Khattab and Zaharia 2020, "ColBERT"): the cosine of each word piece of the question and the most
  similar one of the passage, in context, with a mean by their weights. A piece weighs as much as it is rare among the
  candidates;
- the logarithm of the passage's length, because there is more in longer ones that may be similar.

Whether one answers is told by `answer_signals`, by a logistic regression.

The weights are those of `python -m askwell_evaluation.fit_passages` for 320 questions and 110 that nothing answers
(benchmarks/passages/tuning and blind). With those of one set, 93.3% and 92.5% of the other's questions have the right
passage among five (without reranking 88.3% and 88.5%), and where half of the unrelated ones find nothing 90.8% and
89.0% (85.8% and 85.5%). The signals were chosen with both sets in view.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askwell.providers.document_store.base import Hits, Scores
from askwell.providers.document_store.words import is_empty, terms
from askwell.providers.embedder.base import TokenVectors

# Passages that are looked at word by word: the best by each signal.
_CANDIDATES = 30
_BIAS, _NEARNESS, _SENTENCE, _COVERAGE = -3.65, 0.4, 6.68, 1.61
# Where there is no embedder: set by hand.
_BIAS_OF_WORDS, _COVERAGE_OF_WORDS = -1.6, 3.7


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a passage (`owner`), and the `text` of its nearest part. The cosines are None where there is no
    embedder; `words` is BM25."""

    owner: str
    text: str
    nearness: float | None
    sentence: float | None
    coverage: float
    words: float

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        if self.nearness is None:
            return logistic(_BIAS_OF_WORDS + _COVERAGE_OF_WORDS * self.coverage)
        near = _NEARNESS * self.nearness + _SENTENCE * self.nearest_sentence
        return logistic(_BIAS + near + _COVERAGE * self.coverage)

    @property
    def nearest_sentence(self) -> float:
        """The cosine of the nearest sentence, or of the nearest part where no sentence was found."""
        return self.sentence if self.sentence is not None else self.nearness or 0.0


def signals_of(
    question: str, parts: Hits, sentences: Hits, documents: Collection[str] | None = None
) -> Iterator[Signals]:
    """The signals of the passages that may answer the question, in no order. `parts` and `sentences` are what the
    store found of them; where there are `documents`, only what stands in those counts."""
    words, near = _by_owner(parts, parts.words, documents), _by_owner(parts, parts.cosines, documents)
    near_sentence = _by_owner(sentences, sentences.cosines, documents)
    best = {owner for scores in (words, near, near_sentence) for owner in _best(scores)}
    texts: defaultdict[str, set[str]] = defaultdict(set)
    nearest: dict[str, tuple[float, str]] = {}
    for document, cosine in zip(parts.documents, np.nan_to_num(parts.cosines, nan=-1.0).tolist(), strict=True):
        owner = document.owner
        if owner in best:
            texts[owner].update(terms(document.text))
            if owner not in nearest or cosine > nearest[owner][0]:
                nearest[owner] = cosine, document.text
    asked = list(dict.fromkeys(terms(question)))
    rarity = _rarity(asked, list(texts.values()), len(parts.owners))
    for owner, held in texts.items():
        coverage = sum(weight for term, weight in zip(asked, rarity, strict=True) if term in held)
        text = nearest[owner][1]
        yield Signals(owner, text, near.get(owner), near_sentence.get(owner), coverage, words.get(owner, 0.0))


def _by_owner(hits: Hits, scores: Scores, documents: Collection[str] | None) -> dict[str, float]:
    """The best score of each owner that has one, and is of one of the documents."""
    best = zip(hits.owners, hits.best(scores).tolist(), strict=True)
    return {
        owner: value
        for owner, value in best
        if not np.isnan(value) and (documents is None or document_of(owner) in documents)
    }


def document_of(owner: str) -> str:
    """The id of the document that a passage stands in."""
    return owner.rpartition("#")[0]


def _best(scores: dict[str, float]) -> Sequence[str]:
    return sorted(scores, key=lambda owner: -scores[owner])[:_CANDIDATES]


def _rarity(asked: Sequence[str], texts: Sequence[set[str]], count: int) -> list[float]:
    """What each word of the question weighs, all together 1."""
    held = [sum(term in text for text in texts) for term in asked]
    weights = [math.log(1 + (count - one + 0.5) / (one + 0.5)) for one in held]
    return [weight / (sum(weights) or 1.0) for weight in weights]


def logistic(value: float) -> float:
    """Between 0 and 1."""
    return 1 / (1 + math.exp(-value))


Floats = NDArray[np.float64]

# Fewer find fewer (10: 89.5% among five instead of 93%), more find as many.
RERANKED = 20
# Of the candidates together: a third of a second of one core, 0.4 of texts like code. 10,000 find 1.5% less on blind,
# no bound finds the same.
RERANKED_CHARACTERS = 11_000
# The best one is compared with so many that follow.
_RIVALS = 5
# A piece of the question with no piece more similar than this in any candidate is about something else.
_SIMILAR = 0.5

ORDER_WEIGHTS = np.array([13.63, 27.55, -0.82])
ANSWER_BIAS = 0.23
ANSWER_WEIGHTS = np.array([3.02, 0.13, -21.21, -2.28])
# How much less probable the next ones are; more would lose them to a least score.
_SLOPE = 0.1


@dataclass(frozen=True)
class Evidence:
    """Candidates for a question, a row each: the cosines of their nearest `sentences`, their `lengths` in word pieces,
    and in `similar` the best cosine of each word piece of the question, which is a column. `weights` are those of the
    columns, 1 together; `content` says which are no empty words."""

    owners: tuple[str, ...]
    sentences: Floats
    lengths: Floats
    similar: Floats
    weights: Floats
    content: NDArray[np.bool_]

    def order_signals(self) -> Floats:
        """A row for each candidate."""
        return np.stack([self.sentences, self.similar @ self.weights, np.log(self.lengths)], axis=1)

    def answer_signals(self, order: Floats) -> Floats:
        """For `order`, the candidates' worth: the best sentence's cosine; how far the best candidate is ahead of the
        next ones; how much better another has the word that it lacks most; and the share of words that none has."""
        best, *others = np.sort(order)[::-1][: _RIVALS + 1]
        ahead = best - np.mean(others) if others else 0.0
        weights = self.weights * self.content
        weights = weights / (weights.sum() or 1.0)
        anywhere = self.similar.max(axis=0)
        lacking = weights * (anywhere - self.similar[np.argmax(order)])
        return np.array([self.sentences.max(), ahead, lacking.max(), weights @ (anywhere < _SIMILAR)])


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage and how probable it is that it answers, between 0 and 1."""

    owner: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Passages, the most probable first; the `candidates` that they are, and the `evidence` that the first of them were
    reranked by, if they were."""

    passages: tuple[RankedPassage, ...]
    candidates: tuple[Signals, ...]
    evidence: Evidence | None


def within_bounds(candidates: Sequence[Signals]) -> Sequence[Signals]:
    """The first of the candidates, so many as are reranked: at least one."""
    best = candidates[:RERANKED]
    characters = np.cumsum([len(one.text) for one in best])
    return best[: max(1, int((characters <= RERANKED_CHARACTERS).sum()))]


def evidence_of(
    candidates: Sequence[Signals], question: TokenVectors, texts: Sequence[TokenVectors]
) -> Evidence | None:
    """What speaks for candidates, whose nearest parts are `texts`. None where a question or a text has no words."""
    if not question.pieces or not candidates or not all(text.pieces for text in texts):
        return None
    similar = np.stack([(text.vectors @ question.vectors.T).max(axis=0) for text in texts]).astype(np.float64)
    held = [set(text.pieces) for text in texts]
    frequency = np.array([sum(piece in pieces for pieces in held) for piece in question.pieces])
    weights = np.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
    return Evidence(
        tuple(one.owner for one in candidates),
        np.array([one.nearest_sentence for one in candidates]),
        np.array([float(len(text.pieces)) for text in texts]),
        similar,
        weights / weights.sum(),
        np.array([not is_empty(piece) for piece in question.pieces]),
    )


def reranked(evidence: Evidence) -> list[RankedPassage]:
    """The candidates, the most probable first."""
    order = evidence.order_signals() @ ORDER_WEIGHTS
    answered = ANSWER_BIAS + evidence.answer_signals(order) @ ANSWER_WEIGHTS
    scores = answered - _SLOPE * (order.max() - order)
    return [
        RankedPassage(evidence.owners[place], logistic(float(scores[place])))
        for place in np.argsort(-order, kind="stable")
    ]
