"""Learning how sure an answer is (`checking/sureness.json`) from answers that were judged by execution.

    python -m askwell.evaluation.fit_sureness KEPT.jsonl [KEPT.jsonl …] [--write]

The files are those that `askwell eval check --keep` writes. Whole databases are left out in turn, and what is printed
are the figures on those.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from askwell import checking
from askwell.checking.sureness import CLEAR, SurenessModel
from askwell.evaluation.fit_readings import Sparse, climb, common

_RIDGE, _RAREST, _FOLDS, _BINS = 4.0, 8, 6, 10


@dataclass(frozen=True, slots=True)
class Answered:
    """A statement with what its sureness is computed from, and whether it was right."""

    db_id: str
    source: str
    features: Mapping[str, float]
    right: bool


def fit(answers: Sequence[Answered]) -> SurenessModel:
    """Weights by logistic regression, with a ridge that what a source begins with is free of."""
    rows = [one.features for one in answers]
    right = np.array([one.right for one in answers], dtype=float)
    names = common(rows, _RAREST)
    sparse = Sparse(rows, names)
    ridge = np.array([0.0 if name.startswith("source:") else _RIDGE for name in names])

    def gradient(weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        slope: np.ndarray[Any, Any] = sparse.transposed(right - 1 / (1 + np.exp(-sparse.dot(weights))))
        slope -= ridge * weights
        return slope

    weights = climb(gradient, np.zeros(len(names)), steps=600)
    return SurenessModel({name: round(float(weights[place]), 3) for name, place in names.items()})


def left_out(answers: Sequence[Answered]) -> list[tuple[Answered, float]]:
    """Each answer with its sureness by a fit that has not seen its database."""
    databases = sorted({one.db_id for one in answers})
    fold = {db_id: number % _FOLDS for number, db_id in enumerate(databases)}
    found = []
    for number in range(_FOLDS):
        model = fit([one for one in answers if fold[one.db_id] != number])
        found += said(model, [one for one in answers if fold[one.db_id] == number])
    return found


def said(model: SurenessModel, answers: Iterable[Answered]) -> list[tuple[Answered, float]]:
    """Each answer with its sureness; those of a source that nothing was measured of are left out."""
    sure = ((one, model.of(one.features)) for one in answers)
    return [(one, share) for one, share in sure if share is not None]


def reliability(found: Sequence[tuple[Answered, float]], clear_from: float) -> dict[str, Any]:
    """Ten bins of what was said against what was right, the expected calibration error (Naeini et al., 2015), and how
    many of the answers that are called clear were right."""
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for one, share in found:
        bins[min(int(share * _BINS), _BINS - 1)].append((share, one.right))
    table = [
        {
            "from": place / _BINS,
            "answers": len(some),
            "said": fmean(s for s, _ in some),
            "right": fmean(r for _, r in some),
        }
        for place, some in sorted(bins.items())
    ]
    gap = sum(row["answers"] * abs(row["said"] - row["right"]) for row in table) / max(len(found), 1)
    sound = [(one, share) for one, share in found if "verdict:sound" in one.features]
    clear = [one.right for one, share in sound if share >= clear_from]
    return {"answers": len(found), "error": gap, "clear": len(clear), "clear_right": sum(clear), "bins": table}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(arguments)
    lines = [json.loads(line) for path in args.files for line in path.read_text("utf-8").splitlines()]
    answers = [Answered(**line) for line in lines]
    by_source = defaultdict(list)
    for one, share in left_out(answers):
        by_source[one.source].append((one, share))
    for source, found in by_source.items():
        print(source, json.dumps(reliability(found, CLEAR)))  # noqa: T201
    if args.write:
        text = json.dumps(fit(answers).weights, indent=0, sort_keys=True)
        (Path(checking.__file__).parent / "sureness.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
