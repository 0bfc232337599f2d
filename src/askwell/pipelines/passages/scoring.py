"""How probable it is that a passage answers a question.

- `nearness`: the cosine of the question and the nearest part of the passage; `sentence`: that of its nearest sentence.
- `coverage`: the share of the question's words that the passage has, with those of its title and headings, each
  weighing as much as it is rare among the passages.

This chooses the candidates; the best of them are reranked where the embedder gives vectors of word pieces.

The weights are those of a logistic regression over the ten best passages for each of 180 questions, 60 of which no
passage answers (benchmarks/passages/tuning), made for scores to mean about what they mean after reranking: times 0.73,
and 1.33 added. `python -m askwell_evaluation.fit_passages` chooses the ten by these weights, and gives others that find
as many there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from askwell.providers.document_store.base import Hits, Scores
from askwell.providers.document_store.words import terms

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
