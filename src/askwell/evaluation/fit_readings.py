"""Learning from execution: the weights that rank readings (`learned.yaml`), and how sure the first is (`trust.json`).

    python -m askwell.evaluation.fit_readings CANDIDATES.jsonl [CANDIDATES.jsonl …] [--write]

The files come from `reading_candidates`. Whole databases are left out in turn, and what is printed are the figures on
those. The ranker is log-linear over the candidates of a question and starts from the hand-set priors (Berant et al.,
EMNLP 2013); sureness is a logistic regression with a ridge. One business question weighs as much as `BUSINESS_WEIGHT`
of a benchmark, which trains business sense away.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from askwell import semantic_parsing
from askwell.evaluation.rules import BANDS
from askwell.semantic_parsing.coverage import is_covered, preferred
from askwell.semantic_parsing.parser import weigh
from askwell.semantic_parsing.scoring import priors
from askwell.semantic_parsing.trust import Rival, Trust, signs

BUSINESS_WEIGHT = 4.0
FOLDS = 6
RANK_RIDGE, TRUST_RIDGE = 2.0, 40.0
RAREST_TO_RANK, RAREST_TO_TRUST = 5, 8
KNOTS = 12
SHARES = (0.05, 0.1, 0.2, 0.28, 0.35, 0.45, 0.55, 0.7, 1.0)

Array = np.ndarray[Any, Any]
Row = dict[str, Any]


class Sparse:
    """Rows of named features as flat arrays."""

    def __init__(self, rows: Sequence[Mapping[str, float]], names: Mapping[str, int]) -> None:
        cells = [(r, names[f], v) for r, row in enumerate(rows) for f, v in row.items() if f in names]
        self._row = np.array([cell[0] for cell in cells], dtype=np.int64)
        self._column = np.array([cell[1] for cell in cells], dtype=np.int64)
        self._value = np.array([cell[2] for cell in cells], dtype=float)
        self._shape = len(rows), len(names)

    def dot(self, weights: Array) -> Array:
        found: Array = np.bincount(self._row, self._value * weights[self._column], self._shape[0])
        return found

    def transposed(self, by_row: Array) -> Array:
        found: Array = np.bincount(self._column, self._value * by_row[self._row], self._shape[1])
        return found


def climb(gradient: Callable[[Array], Array], start: Array, steps: int = 300, rate: float = 0.05) -> Array:
    """Adam (Kingma and Ba, 2015), uphill."""
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        weights += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def common(rows: Iterable[Mapping[str, float]], rarest: int) -> dict[str, int]:
    """The features that are there often enough to learn from, each with a place."""
    seen = Counter(name for row in rows for name in row)
    return {name: place for place, name in enumerate(sorted(n for n, count in seen.items() if count >= rarest))}


def fit_ranker(questions: Sequence[Row]) -> dict[str, float]:
    """Weights that make the right candidates of each question the likeliest, near the priors."""
    useful = [q for q in questions if 0 < sum(c["right"] for c in q["candidates"]) < len(q["candidates"])]
    rows = [c["features"] for q in useful for c in q["candidates"]]
    group = np.array([number for number, q in enumerate(useful) for _ in q["candidates"]])
    right = np.array([c["right"] for q in useful for c in q["candidates"]], dtype=float)
    worth = np.array([_worth(q) for q in useful])[group]
    names, known = common(rows, RAREST_TO_RANK), priors()
    sparse = Sparse(rows, names)
    start = np.array([known.get(name, 0.0) for name in names])

    def gradient(weights: Array) -> Array:
        odds = np.exp(np.clip(sparse.dot(weights), -40, 40))
        every = odds / np.bincount(group, odds)[group]
        good = odds * right
        good = good / np.bincount(group, good)[group]
        slope: Array = sparse.transposed(worth * (good - every)) - RANK_RIDGE * (weights - start)
        return slope

    weights = climb(gradient, start)
    learned = {name: round(float(weights[place]), 3) for name, place in names.items()}
    return {name: weight for name, weight in learned.items() if weight != known.get(name, 0.0)}


def _worth(question: Row) -> float:
    return BUSINESS_WEIGHT if question["business"] else 1.0


def ranked(questions: Sequence[Row], learned: Mapping[str, float]) -> list[Row]:
    """The questions with their candidates in the order of these weights."""
    weights = {**priors(), **learned}
    found = []
    for question in questions:
        scored = [{**c, "score": weigh(c["features"], weights)} for c in question["candidates"]]
        order = preferred([c["score"] for c in scored], [is_covered(c["features"]) for c in scored])
        found.append({**question, "candidates": [scored[place] for place in order]})
    return found


def signs_of(question: Row) -> dict[str, float]:
    """What sureness of a ranked question is computed from."""
    candidates = question["candidates"]
    rivals = [Rival(c["score"], c["sql"], is_covered(c["features"])) for c in candidates]
    return signs(candidates[0]["features"], rivals, len(question["question"].split()))


def fit_trust(questions: Sequence[Row]) -> dict[str, float]:
    """Weights of the probability that the first candidate shows what was asked for, of those that the gate lets
    through."""
    asked = [q for q in questions if q["candidates"] and is_covered(q["candidates"][0]["features"])]
    rows = [signs_of(q) for q in asked]
    right = np.array([q["candidates"][0]["shown"] for q in asked], dtype=float)
    worth = np.array([_worth(q) for q in asked])
    names = common(rows, RAREST_TO_TRUST)
    sparse = Sparse(rows, names)

    def gradient(weights: Array) -> Array:
        return sparse.transposed(worth * (right - 1 / (1 + np.exp(-sparse.dot(weights))))) - TRUST_RIDGE * weights

    weights = climb(gradient, np.zeros(len(names)))
    return {name: round(float(weights[place]), 3) for name, place in names.items() if abs(weights[place]) > 5e-4}


def sureness(question: Row, trust: Trust) -> float | None:
    """The probability of the first candidate; None where the gate lets none through."""
    if not question["candidates"] or not is_covered(question["candidates"][0]["features"]):
        return None
    return trust.probability(signs_of(question))


def observed(found: Sequence[tuple[Row, float | None]]) -> list[tuple[float, float]]:
    """What was said and what was observed, both growing, in bands of about as many answers each: isotonic regression
    by pooling what falls (Ayer et al., 1955)."""
    sure = sorted((p, q["candidates"][0]["shown"]) for q, p in found if p is not None)
    size = max(1, len(sure) // KNOTS)
    bands: list[list[tuple[float, int]]] = [[]]
    for said, right in sure:  # what is as sure stays together
        if len(bands[-1]) >= size and bands[-1][-1][0] < said:
            bands.append([])
        bands[-1].append((said, right))
    pooled: list[list[tuple[float, int]]] = []
    for band in bands:
        pooled.append(band)
        while len(pooled) > 1 and _share(pooled[-2]) >= _share(pooled[-1]):
            last = pooled.pop()
            pooled[-1] = [*pooled[-1], *last]
    return [(round(float(np.mean([p for p, _ in band])), 4), round(_share(band), 4)) for band in pooled]


def _share(band: Sequence[tuple[float, int]]) -> float:
    return sum(right for _, right in band) / len(band)


def left_out(questions: Sequence[Row]) -> list[tuple[Row, float | None]]:
    """Each question as it is ranked and trusted by fits that have not seen its database."""
    databases = sorted({q["db"] for q in questions})
    fold = {db: number % FOLDS for number, db in enumerate(databases)}
    found = []
    for number in range(FOLDS):
        inside = [q for q in questions if fold[q["db"]] != number]
        learned = fit_ranker(inside)
        trust = Trust(fit_trust(ranked(inside, learned)))
        outside = ranked([q for q in questions if fold[q["db"]] == number], learned)
        found += [(q, sureness(q, trust)) for q in outside]
    return found


def report(found: Sequence[tuple[Row, float | None]], name: str) -> None:
    """First right, precision at growing shares (to the column, and of what is shown), and reliability in bands."""
    answerable = sum(bool(q["golds"]) for q, _ in found)
    first = sum(bool(q["candidates"]) and q["candidates"][0]["right"] for q, _ in found)
    print(f"{name}: {len(found)} questions, first right {first / max(answerable, 1):.3f} of {answerable}")  # noqa: T201
    for verdict in ("right", "shown"):
        sure = sorted(((p, q["candidates"][0][verdict]) for q, p in found if p is not None), key=lambda pair: -pair[0])
        right = [int(r) for _, r in sure]
        points = [(round(len(found) * share), share) for share in SHARES]
        line = [f"{share:.0%}@{100 * sum(right[:n]) / n:.1f}" for n, share in points if 0 < n <= len(right)]
        every = f"all {len(right) / len(found):.1%}@{100 * np.mean(right):.1f}"
        print(f"  answered@{verdict} ", "  ".join(line), every)  # noqa: T201
    for low, high in itertools.pairwise(BANDS):
        band = [(p, q["candidates"][0]["shown"]) for q, p in found if p is not None and low <= p < high]
        if band:
            said, was = np.mean([p for p, _ in band]), np.mean([r for _, r in band])
            print(f"  said {low:.0%}–{min(high, 1):.0%}: {len(band):4d} answers, said {said:.1%}, right {was:.1%}")  # noqa: T201


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(arguments)
    questions = [json.loads(line) for path in args.files for line in path.read_text("utf-8").splitlines()]
    found = left_out(questions)
    report([pair for pair in found if not pair[0]["business"]], "benchmark")
    report([pair for pair in found if pair[0]["business"]], "business")
    if args.write:
        folder = Path(semantic_parsing.__file__).parent
        learned = fit_ranker(questions)
        (folder / "learned.yaml").write_text(yaml.safe_dump(learned), "utf-8")
        trust = fit_trust(ranked(questions, learned))
        fit = {"observed": observed(found), "weights": trust}
        (folder / "trust.json").write_text(json.dumps(fit, indent=0, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
