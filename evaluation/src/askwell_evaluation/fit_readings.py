"""Learning from execution: the weights that rank readings (`learned.yaml`), and how sure the first is (`trust.json`).

    python -m askwell_evaluation.fit_readings CANDIDATES.jsonl [CANDIDATES.jsonl …] [--write] [--sureness-only]

The files come from `reading_candidates`. Whole databases are left out in turn, and what is printed are the figures on
those. The ranker is log-linear over the candidates of a question and starts from the hand-set priors (Berant et al.,
EMNLP 2013); sureness is a logistic regression with a ridge. One business question weighs as much as `BUSINESS_WEIGHT`
of a benchmark, which trains business sense away. `--sureness-only` keeps the weights that rank as they are.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from askwell import semantic_parsing
from askwell.semantic_parsing.coverage import is_covered, preferred
from askwell.semantic_parsing.parser import weigh
from askwell.semantic_parsing.trust import Rival, Trust, priors, signs, weights
from askwell_evaluation.learning import Array, Sparse, climb, common, fit_probability, folds_of
from askwell_evaluation.rules import BANDS

BUSINESS_WEIGHT = 4.0
FOLDS = 6
RANK_RIDGE, TRUST_RIDGE = 2.0, 40.0
RAREST_TO_RANK, RAREST_TO_TRUST = 5, 8
KNOTS = 12
SHARES = (0.05, 0.1, 0.2, 0.28, 0.35, 0.45, 0.55, 0.7, 1.0)

Row = dict[str, Any]


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

    found = climb(gradient, start)
    learned = {name: round(float(found[place]), 3) for name, place in names.items()}
    return {name: weight for name, weight in learned.items() if weight != known.get(name, 0.0)}


def _worth(question: Row) -> float:
    return BUSINESS_WEIGHT if question["business"] else 1.0


def ranked(questions: Sequence[Row], learned: Mapping[str, float]) -> list[Row]:
    """The questions with their candidates in the order of these weights."""
    known = {**priors(), **learned}
    found = []
    for question in questions:
        scored = [{**c, "score": weigh(c["features"], known)} for c in question["candidates"]]
        order = preferred([c["score"] for c in scored], [is_covered(c["features"]) for c in scored])
        found.append({**question, "candidates": [scored[place] for place in order]})
    return found


def signs_of(question: Row) -> dict[str, float]:
    """What sureness of a ranked question is computed from."""
    candidates = question["candidates"]
    rivals = [Rival(c["score"], c["sql"], is_covered(c["features"])) for c in candidates]
    return signs(candidates[0]["features"], rivals, len(question["question"].split()))


def _passes_gate(question: Row) -> bool:
    return bool(question["candidates"]) and is_covered(question["candidates"][0]["features"])


def fit_trust(questions: Sequence[Row]) -> dict[str, float]:
    """Weights of the probability that the first candidate shows what was asked for, of those that the gate lets
    through."""
    asked = [q for q in questions if _passes_gate(q)]
    fitted = fit_probability(
        [signs_of(q) for q in asked],
        [q["candidates"][0]["shown"] for q in asked],
        rarest=RAREST_TO_TRUST,
        ridge=lambda _: TRUST_RIDGE,
        worth=[_worth(q) for q in asked],
    )
    return {name: round(weight, 3) for name, weight in fitted.items() if abs(weight) > 5e-4}


def sureness(question: Row, trust: Trust) -> float | None:
    """The probability of the first candidate; None where the gate lets none through."""
    return trust.probability(signs_of(question)) if _passes_gate(question) else None


def observed(found: Sequence[tuple[Row, float | None]]) -> list[tuple[float, float]]:
    """The sureness and what was observed, both growing, in bands of about as many answers each: isotonic regression
    by pooling what falls (Ayer et al., 1955)."""
    sure = sorted((p, q["candidates"][0]["shown"]) for q, p in found if p is not None)
    size = max(1, len(sure) // KNOTS)
    bands: list[list[tuple[float, int]]] = [[]]
    for share, right in sure:  # what is as sure stays together
        if len(bands[-1]) >= size and bands[-1][-1][0] < share:
            bands.append([])
        bands[-1].append((share, right))
    pooled: list[list[tuple[float, int]]] = []
    for band in bands:
        pooled.append(band)
        while len(pooled) > 1 and _share(pooled[-2]) >= _share(pooled[-1]):
            last = pooled.pop()
            pooled[-1] = [*pooled[-1], *last]
    return [(round(float(np.mean([p for p, _ in band])), 4), round(_share(band), 4)) for band in pooled]


def _share(band: Sequence[tuple[float, int]]) -> float:
    return sum(right for _, right in band) / len(band)


def left_out(
    questions: Sequence[Row], ranker: Callable[[Sequence[Row]], Mapping[str, float]]
) -> list[tuple[Row, float | None]]:
    """Each question as it is ranked and trusted by fits that have not seen its database."""
    found = []
    for outside, inside in folds_of(questions, lambda q: q["db"], FOLDS):
        learned = ranker(inside)
        trust = Trust(fit_trust(ranked(inside, learned)))
        found += [(q, sureness(q, trust)) for q in ranked(outside, learned)]
    return found


def report(found: Sequence[tuple[Row, float | None]], name: str) -> list[str]:
    """First right, precision at growing shares (to the column, and of what is shown), and reliability in bands."""
    answerable = sum(bool(q["golds"]) for q, _ in found)
    first = sum(bool(q["candidates"]) and q["candidates"][0]["right"] for q, _ in found)
    lines = [f"{name}: {len(found)} questions, first right {first / max(answerable, 1):.3f} of {answerable}"]
    for verdict in ("right", "shown"):
        sure = sorted(((p, q["candidates"][0][verdict]) for q, p in found if p is not None), key=lambda pair: -pair[0])
        right = [int(r) for _, r in sure]
        points = [(round(len(found) * share), share) for share in SHARES]
        line = [f"{share:.0%}@{100 * sum(right[:n]) / n:.1f}" for n, share in points if 0 < n <= len(right)]
        every = f"all {len(right) / len(found):.1%}@{100 * np.mean(right):.1f}"
        lines.append(f"  answered@{verdict}  {'  '.join(line)} {every}")
    for low, high in itertools.pairwise(BANDS):
        band = [(p, q["candidates"][0]["shown"]) for q, p in found if p is not None and low <= p < high]
        if band:
            mean, was = np.mean([p for p, _ in band]), np.mean([r for _, r in band])
            name = f"{low:.0%}–{min(high, 1):.0%}"
            lines.append(f"  said {name}: {len(band):4d} answers, said {mean:.1%}, right {was:.1%}")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sureness-only", action="store_true")
    given = parser.parse_args(arguments)
    questions = [json.loads(line) for path in given.files for line in path.read_text("utf-8").splitlines()]
    ranker = (lambda _: weights()) if given.sureness_only else fit_ranker
    found = left_out(questions, ranker)
    for name, business in (("benchmark", False), ("business", True)):
        print("\n".join(report([pair for pair in found if pair[0]["business"] is business], name)))  # noqa: T201
    if given.write:
        folder = Path(semantic_parsing.__file__).parent
        learned = ranker(questions)
        if not given.sureness_only:
            (folder / "learned.yaml").write_text(yaml.safe_dump(learned), "utf-8")
        trust = fit_trust(ranked(questions, learned))
        fit = {"observed": observed(found), "weights": trust}
        (folder / "trust.json").write_text(json.dumps(fit, indent=0, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
