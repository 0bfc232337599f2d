"""Fits the weights by which passages are found to questions with the words that answer them:

    python -m askwell_evaluation.fit_passages FOLDER... [--config CONFIG.yaml]

Folders are as `askwell eval passages` takes them. Prints the weights for all of them, to be written
into `pipelines/passages/reranking.py` (candidates) and `reranking.py` (order, answer). Then, for each folder, what the
weights that were fitted to the others find in it: the share of the questions with the right passage among the first
five, where a least score keeps so many of the unrelated ones out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from askwell.config import Config, load_config
from askwell.pipelines.passages.reranking import Evidence, Floats, Ranking, Signals
from askwell_evaluation.passages import PassageSet, opened_library

CANDIDATES = 10
TOP = 5
RIDGE = 0.3
STEPS = 80
KEPT_OUT = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# What the answer's signals have to be multiplied with to vary as much as each other, roughly: for the ridge.
_SCALE = np.array([10.0, 0.5, 25.0, 4.0])


@dataclass(frozen=True)
class Example:
    """A question's ranking, and the passages that answer it."""

    ranking: Ranking
    right: frozenset[str]

    @property
    def evidence(self) -> Evidence:
        """Raises `ValueError` where the embedder gives no tokens."""
        if self.ranking.evidence is None:
            raise ValueError("the embedder gives no vectors of word pieces")
        return self.ranking.evidence

    def holds(self, owners: Sequence[str]) -> NDArray[np.bool_]:
        """Which of the passages answer."""
        return np.array([owner in self.right for owner in owners])


@dataclass(frozen=True)
class Weights:
    """Those of `reranking.py`; the answer's begin with the bias."""

    order: Floats
    answer: Floats

    def probability(self, example: Example) -> float:
        """How probable it is that one of the candidates answers; only to be compared."""
        return float(_answer_row(example, self.order) @ self.answer)

    def finds(self, example: Example) -> bool:
        """Whether a passage that answers is among the first five."""
        evidence = example.evidence
        best = np.argsort(-(evidence.order_signals() @ self.order), kind="stable")[:TOP]
        return bool(example.holds(evidence.owners)[best].any())


async def examples_of(given: PassageSet, config: Config) -> list[Example]:
    """The questions of a set, those that nothing answers last. Raises what the embedder raises."""
    async with opened_library(given.files, config) as library:
        asked = [(one.question, library.answers(one)) for one in given.asked]
        asked += [(question, frozenset()) for question in given.unrelated]
        return [Example(await library.search.ranked(library.project_id, one), right) for one, right in asked]


def fitted(examples: Sequence[Example]) -> Weights:
    """The weights of the reranking: a conditional logit for the order; for the answer a logistic regression between
    the questions that it finds and those that nothing answers, which together weigh as much."""
    order = _fitted_order([one for one in examples if one.holds(one.evidence.owners).any()])
    partial = Weights(order, np.zeros(len(_SCALE) + 1))
    used = [one for one in examples if not one.right or partial.finds(one)]
    rows = np.stack([_answer_row(one, order) for one in used])
    right = np.array([bool(one.right) for one in used])
    scale = np.concatenate([[1.0], _SCALE])
    each = np.where(right, 1.0, right.sum() / max((~right).sum(), 1))
    return Weights(order, regression(rows * scale, right, each) * scale)


def regression(rows: Floats, right: NDArray[np.bool_], each: Floats | None = None) -> Floats:
    """The weights of a logistic regression with a ridge, by Newton's method; `each` is what a row weighs."""
    each = np.ones(len(rows)) if each is None else each
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        probable = 1 / (1 + np.exp(-(rows @ weights)))
        spread = each * probable * (1 - probable) + 1e-9
        curvature = rows.T @ (rows * spread[:, None]) + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, rows.T @ (each * (right - probable)) - RIDGE * weights)
    return weights


def _fitted_order(examples: Sequence[Example]) -> Floats:
    scale = np.std(np.concatenate([one.evidence.order_signals() for one in examples]), axis=0)
    weights = np.zeros(len(scale))
    for _ in range(STEPS):
        gradient, curvature = -RIDGE * weights, RIDGE * np.eye(len(weights))
        for one in examples:
            rows = one.evidence.order_signals() / scale
            probable = np.exp(rows @ weights - (rows @ weights).max())
            probable /= probable.sum()
            right = probable * one.holds(one.evidence.owners)
            expected = probable @ rows
            gradient = gradient + right @ rows / right.sum() - expected
            curvature = curvature + (rows - expected).T @ ((rows - expected) * probable[:, None])
        weights = weights + np.linalg.solve(curvature, gradient)
    found: Floats = weights / scale
    return found


def _answer_row(example: Example, order: Floats) -> Floats:
    evidence = example.evidence
    return np.concatenate([[1.0], evidence.answer_signals(evidence.order_signals() @ order)])


def _candidate_row(one: Signals) -> tuple[float, float, float, float]:
    return (1.0, one.nearness or 0.0, one.nearest_sentence, one.coverage)


def curve(weights: Weights, examples: Sequence[Example]) -> str:
    """What is found where so many of the unrelated questions find nothing."""
    asked = [(weights.probability(one), weights.finds(one)) for one in examples if one.right]
    unrelated = sorted(weights.probability(one) for one in examples if not one.right)
    shares = []
    for share in KEPT_OUT:
        least = unrelated[max(round(share * len(unrelated)), 1) - 1]
        shares.append(f"{share:.0%} none {np.mean([found and value > least for value, found in asked]):.1%}")
    return ", ".join([f"without a least score {np.mean([found for _, found in asked]):.1%}", *shares])


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--config", type=Path)
    chosen = parser.parse_args()
    config = load_config(chosen.config, os.environ)
    sets = [asyncio.run(examples_of(PassageSet.read(folder), config)) for folder in chosen.folders]
    everything = [one for examples in sets for one in examples]
    best = [(one, found) for one in everything for found in one.ranking.candidates[:CANDIDATES]]
    candidates = regression(
        np.array([_candidate_row(found) for _, found in best]),
        np.array([found.owner in one.right for one, found in best]),
    )
    weights = fitted(everything)
    _say(f"candidates: bias, nearness, sentence, coverage: {candidates.round(2).tolist()}")
    _say(f"order: sentence, similar, length: {weights.order.round(2).tolist()}")
    _say(f"answer: bias, sentence, ahead, lacking, unknown: {weights.answer.round(2).tolist()}")
    for place, folder in enumerate(chosen.folders):
        others = [one for other, examples in enumerate(sets) if other != place for one in examples]
        if others:
            _say(f"{folder.name}, fitted to the others: {curve(fitted(others), sets[place])}")
        _say(f"{folder.name}, fitted to all: {curve(weights, sets[place])}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
