"""How probable it is that a passage answers a question.

- `nearness`: the cosine of the question and the nearest part of the passage; `sentence`: that of its nearest sentence.
- `coverage`: the share of the question's words that the passage has, with those of its title and headings, each
  weighing as much as it is rare among the passages.

The weights are those of a logistic regression over the ten best passages for each of 180 questions, 60 of which no
passage answers (benchmarks/passages/tuning). `python -m askwell.evaluation.fit_passages` chooses the ten by these
weights, and gives others that find as many there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from askwell.providers.document_store.base import Hits, Scores
from askwell.providers.document_store.words import terms

# Passages that are looked at word by word: the best by each signal.
_CANDIDATES = 30
_BIAS, _NEARNESS, _SENTENCE, _COVERAGE = -6.82, 0.55, 9.15, 2.2
# Where there is no embedder: set by hand.
_BIAS_OF_WORDS, _COVERAGE_OF_WORDS = -4.0, 5.0


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a passage (`owner`). The cosines are None where there is no embedder; `words` is BM25."""

    owner: str
    nearness: float | None
    sentence: float | None
    coverage: float
    words: float

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        if self.nearness is None:
            return _logistic(_BIAS_OF_WORDS + _COVERAGE_OF_WORDS * self.coverage)
        sentence = self.nearness if self.sentence is None else self.sentence
        near = _NEARNESS * self.nearness + _SENTENCE * sentence
        return _logistic(_BIAS + near + _COVERAGE * self.coverage)


def signals_of(question: str, parts: Hits, sentences: Hits) -> Iterator[Signals]:
    """The signals of the passages that may answer the question, in no order. `parts` and `sentences` are what the
    store found of them."""
    if not parts.owners:
        return
    words, near = _by_owner(parts, parts.words), _by_owner(parts, parts.cosines)
    near_sentence = _by_owner(sentences, sentences.cosines)
    best = {owner for scores in (words, near, near_sentence) for owner in _best(scores)}
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for document in parts.documents:
        if document.owner in best:
            texts[document.owner].update(terms(document.text))
    asked = list(dict.fromkeys(terms(question)))
    rarity = _rarity(asked, list(texts.values()), len(parts.owners))
    for owner, held in texts.items():
        coverage = sum(weight for term, weight in zip(asked, rarity, strict=True) if term in held)
        yield Signals(owner, near.get(owner), near_sentence.get(owner), coverage, words.get(owner, 0.0))


def _by_owner(hits: Hits, scores: Scores) -> dict[str, float]:
    """The best score of each owner that has one."""
    best = hits.best(scores)
    return {owner: value for owner, value in zip(hits.owners, best.tolist(), strict=True) if not np.isnan(value)}


def _best(scores: dict[str, float]) -> Sequence[str]:
    return sorted(scores, key=lambda owner: -scores[owner])[:_CANDIDATES]


def _rarity(asked: Sequence[str], texts: Sequence[set[str]], count: int) -> list[float]:
    """What each word of the question weighs, all together 1."""
    held = [sum(term in text for text in texts) for term in asked]
    weights = [math.log(1 + (count - one + 0.5) / (one + 0.5)) for one in held]
    return [weight / (sum(weights) or 1.0) for weight in weights]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
