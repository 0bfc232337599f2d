"""Fits the figures of `sql/rules/calibration.json` on the tuning databases of a folder of questions, and on questions
of business users (`business.py`), each file with its folder of databases:

    python -m askwell.evaluation.fit_rules QUESTIONS.jsonl DATABASES_DIR [BUSINESS.jsonl DATABASES_DIR]... [--write]

A logistic regression (L2) says how probable it is that a reading is right, from its assumptions and form: once on the
benchmark alone, for `strict`, and once with the business questions, for `balanced`. A benchmark has habits that no
business user has (which columns are shown, say), so business questions weigh more than their number. The two thresholds
are the lowest at which predictions for benchmark databases that a fold was not fitted on are right often enough.
Without `--write` it only prints the curve.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askwell.evaluation.business import answers, read_business_questions
from askwell.evaluation.rules import is_right
from askwell.evaluation.scoring import SqliteReader
from askwell.evaluation.text2sql import (
    introspected_model,
    read_questions,
    read_spider_tables,
    sampled_values,
    split_of,
)
from askwell.sql import rules
from askwell.sql.rules import Abstention, RuleTranslator
from askwell.sql.rules.confidence import STRICT_EXCLUDES

CALIBRATION = Path(rules.__file__).with_name("calibration.json")
FOLDS = 8
RIDGE = 8.0
FEWEST_EXAMPLES = 12
# Above what is promised (0.95 and 0.85): databases that nobody looked at are harder than those of the tuning split.
STRICT_PRECISION = 0.968
BALANCED_PRECISION = 0.858
# No single answer leaves that is much less often right than two times in three, however good the others are.
BALANCED_FLOOR = 0.66
# How many questions of the benchmark one business question weighs as much as.
BUSINESS_WEIGHT = 12
SMOOTHING = (-0.004, -0.002, 0.0, 0.002, 0.004)


@dataclass(frozen=True, slots=True)
class Example:
    """A translated question of the tuning split: its database, what its reading rests on, and whether it was right."""

    db_id: str
    features: frozenset[str]
    right: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights by feature name; `bias` for a reading without any."""

    bias: float
    weights: dict[str, float]

    def scores(self, examples: Sequence[Example]) -> np.ndarray[Any, Any]:
        """Probabilities, as `confidence.Calibration` computes them."""
        logits = [self.bias + sum(self.weights.get(f, 0.0) for f in e.features) for e in examples]
        return np.asarray(1 / (1 + np.exp(-np.clip(np.array(logits), -30, 30))))


def fit(examples: Sequence[Example]) -> Fit:
    """Newton's method on the penalised likelihood; features that are too rare to learn from are left out."""
    counts = Counter(f for e in examples for f in e.features)
    names = sorted(f for f, n in counts.items() if n >= FEWEST_EXAMPLES)
    place = {name: i + 1 for i, name in enumerate(names)}
    x = np.zeros((len(examples), len(names) + 1))
    x[:, 0] = 1
    for row, example in enumerate(examples):
        for feature in example.features:
            if feature in place:
                x[row, place[feature]] = 1
    y = np.array([float(e.right) for e in examples])
    penalty = np.full(len(names) + 1, RIDGE)
    penalty[0] = 1e-6
    w = np.zeros(len(names) + 1)
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (p - y) + penalty * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-8:
            break
    return Fit(float(w[0]), {name: float(w[i]) for name, i in place.items()})


def out_of_fold(examples: Sequence[Example], business: Sequence[Example] = ()) -> np.ndarray[Any, Any]:
    """A probability for each example by a fit that did not see its database; business examples are in every fit."""
    fold = np.array([hashlib.sha256(e.db_id[::-1].encode()).digest()[0] % FOLDS for e in examples])
    scores = np.zeros(len(examples))
    for k in range(FOLDS):
        inside = [*(e for e, f in zip(examples, fold, strict=True) if f != k), *weighted(business)]
        held = [e for e, f in zip(examples, fold, strict=True) if f == k]
        if held:
            scores[fold == k] = fit(inside).scores(held)
    return scores


def weighted(business: Sequence[Example]) -> list[Example]:
    """Business examples as often as they weigh."""
    return list(business) * BUSINESS_WEIGHT


def threshold(scores: np.ndarray[Any, Any], right: np.ndarray[Any, Any], precision: float) -> float:
    """The lowest probability from which on the predictions are right with this precision; the mean of several close
    precisions, as a single question moves a single crossing."""
    order = np.argsort(-scores, kind="stable")
    running = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    found = []
    for step in SMOOTHING:
        good = np.nonzero(running >= precision + step)[0]
        found.append(float(scores[order[good[-1]]]) if len(good) else 1.0)
    return float(np.mean(found))


def figures(examples: Sequence[Example], business: Sequence[Example] = ()) -> dict[str, Any]:
    """What `calibration.json` holds."""
    right = np.array([e.right for e in examples])
    firm = np.array([not e.features & STRICT_EXCLUDES for e in examples])
    balanced = max(BALANCED_FLOOR, threshold(out_of_fold(examples, business), right, BALANCED_PRECISION))
    strict = threshold(out_of_fold(examples)[firm], right[firm], STRICT_PRECISION)
    return {
        "unknown": -0.15,
        "strict": round(strict, 4),
        "balanced": round(balanced, 4),
        "benchmark": _as_json(fit(examples)),
        "business": _as_json(fit([*examples, *weighted(business)])),
    }


def _as_json(fitted: Fit) -> dict[str, Any]:
    weights = {name: round(weight, 4) for name, weight in sorted(fitted.weights.items())}
    return {"bias": round(fitted.bias, 4), "weights": weights}


def examples_of(questions: Path, databases: Path) -> tuple[list[Example], int]:
    """All translated questions of the tuning databases, and how many questions there are."""
    rows = [row for row in read_questions(questions) if row.scorable and split_of(row.db_id) == "tuning"]
    spider = read_spider_tables(questions.parent)
    examples: list[Example] = []
    for db_id in dict.fromkeys(row.db_id for row in rows):
        reader = SqliteReader(databases / f"{db_id}.sqlite")
        try:
            model = introspected_model(reader.connection, spider.get(db_id))
            translator = RuleTranslator(model, sampled_values(reader.connection, model), "sqlite")
            for row in (row for row in rows if row.db_id == db_id):
                reading = translator.read(row.question)
                if not isinstance(reading, Abstention):
                    outcome = translator.written(reading)
                    examples.append(Example(db_id, reading.features, is_right(reader, row, outcome)))
        finally:
            reader.close()
    return examples, len(rows)


def business_examples_of(questions: Path, databases: Path) -> list[Example]:
    """All translated questions of business users; one that has no answer is never right."""
    rows = read_business_questions(questions)
    examples: list[Example] = []
    for db_id in dict.fromkeys(row.db_id for row in rows):
        reader = SqliteReader(databases / f"{db_id}.sqlite")
        try:
            model = introspected_model(reader.connection, None)
            translator = RuleTranslator(model, sampled_values(reader.connection, model), "sqlite")
            for row in (row for row in rows if row.db_id == db_id):
                reading = translator.read(row.question)
                if not isinstance(reading, Abstention):
                    right = answers(reader, row, translator.written(reading).sql)
                    examples.append(Example(f"business {db_id}", reading.features, right))
        finally:
            reader.close()
    return examples


def main(arguments: Sequence[str]) -> None:
    """Fit, print the cross-validated curve, and with `--write` replace the committed figures."""
    questions, databases, *others = (Path(argument) for argument in arguments if not argument.startswith("--"))
    examples, total = examples_of(questions, databases)
    pairs = zip(others[::2], others[1::2], strict=True)
    business = [example for pair in pairs for example in business_examples_of(*pair)]
    fitted = figures(examples, business)
    right = np.array([e.right for e in examples])
    firm = np.array([not e.features & STRICT_EXCLUDES for e in examples])
    for name, taken in (
        ("strict", (out_of_fold(examples) >= fitted["strict"]) & firm),
        ("balanced", out_of_fold(examples, business) >= fitted["balanced"]),
    ):
        sys.stdout.write(
            f"{name}: {taken.sum() / total:.1%} answered, {right[taken].mean():.1%} of them right (out of fold)\n"
        )
    if "--write" in arguments:
        CALIBRATION.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
