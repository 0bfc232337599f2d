"""Fits the weights by which passages are ranked to questions with the words that answer them:

    python -m askwell.evaluation.fit_passages FOLDER [--config CONFIG.yaml]

The folder is as `askwell eval passages` takes it. Prints the weights, and for some least scores how many of the
unrelated questions find nothing and how many of the others the right passage. Who likes them writes them into
`pipelines/passages/scoring.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from askwell.config import Config, load_config
from askwell.evaluation.passages import PassageSet, opened_library
from askwell.pipelines.passages.scoring import Signals

CANDIDATES = 10
TOP = 5
RIDGE = 0.3
STEPS = 80
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A question's best passages: their signals, a row each, and which of them answer it."""

    signals: Floats
    right: NDArray[np.bool_]


async def examples_of(given: PassageSet, config: Config) -> list[Example]:
    """The questions of a set, those that nothing answers last. Raises what the embedder raises."""
    found = []
    async with opened_library(given.files, config, lambda _: None) as library:
        asked = [(one.question, library.answers(one)) for one in given.asked]
        for question, right in (*asked, *((question, frozenset[str]()) for question in given.unrelated)):
            best = (await library.search.ranked(library.project_id, question))[:CANDIDATES]
            rows = np.array([_row(one) for one in best])
            found.append(Example(rows, np.array([one.owner in right for one in best])))
    return found


def fitted(examples: list[Example]) -> Floats:
    """The weights, the bias first: a logistic regression with a ridge, by Newton's method."""
    rows = np.concatenate([one.signals for one in examples])
    right = np.concatenate([one.right for one in examples]).astype(np.float64)
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        probable = _logistic(rows @ weights)
        spread = probable * (1 - probable) + 1e-9
        curvature = rows.T @ (rows * spread[:, None]) + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, rows.T @ (right - probable) - RIDGE * weights)
    return weights


def _row(one: Signals) -> tuple[float, float, float, float]:
    nearness = one.nearness if one.nearness is not None else 0.0
    return (1.0, nearness, one.sentence if one.sentence is not None else nearness, one.coverage)


def _logistic(values: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-values))
    return found


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--config", type=Path)
    chosen = parser.parse_args()
    given = PassageSet.read(chosen.folder)
    examples = asyncio.run(examples_of(given, load_config(chosen.config, os.environ)))
    weights = fitted(examples)
    sys.stdout.write(f"bias, nearness, sentence, coverage: {weights.round(2).tolist()}\n")
    scores = [_logistic(one.signals @ weights) for one in examples]
    asked, unrelated = len(given.asked), [score.max() for score in scores[len(given.asked) :]]
    for least in np.quantile(unrelated, [0.3, 0.5, 0.7, 0.9]) if unrelated else ():
        kept_out = np.mean([score < least for score in unrelated])
        held = zip(examples[:asked], scores[:asked], strict=True)
        found = np.mean([bool((one.right & (score >= least))[np.argsort(-score)[:TOP]].any()) for one, score in held])
        sys.stdout.write(f"least {least:.3f}: nothing for {kept_out:.1%} unrelated, the right one for {found:.1%}\n")


if __name__ == "__main__":
    main()
