"""Learning how sure an answer is (`checking/sureness.json`) from answers that were judged by execution.

    python -m askwell_evaluation.fit_sureness KEPT.jsonl [KEPT.jsonl …] [--write]

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

from askwell import checking
from askwell.checking.sureness import CLEAR, SurenessModel
from askwell_evaluation.learning import fit_probability, folds_of

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
    weights = fit_probability(
        [one.features for one in answers],
        [one.right for one in answers],
        rarest=_RAREST,
        ridge=lambda name: 0.0 if name.startswith("source:") else _RIDGE,
        steps=600,
    )
    return SurenessModel({name: round(weight, 3) for name, weight in weights.items()})


def left_out(answers: Sequence[Answered]) -> list[tuple[Answered, float]]:
    """Each answer with its sureness by a fit that has not seen its database."""
    found = []
    for outside, inside in folds_of(answers, lambda one: one.db_id, _FOLDS):
        found += with_sureness(fit(inside), outside)
    return found


def with_sureness(model: SurenessModel, answers: Iterable[Answered]) -> list[tuple[Answered, float]]:
    """Each answer with its sureness; those of a source that nothing was measured of are left out."""
    sure = ((one, model.of(one.features)) for one in answers)
    return [(one, share) for one, share in sure if share is not None]


def reliability(found: Sequence[tuple[Answered, float]], clear_from: float) -> dict[str, Any]:
    """Ten bins of sureness against what was right, the expected calibration error (Naeini et al., 2015), and how
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
    clear = [one.right for one, share in found if "verdict:sound" in one.features and share >= clear_from]
    return {"answers": len(found), "error": gap, "clear": len(clear), "clear_right": sum(clear), "bins": table}


def main(arguments: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    answers = [Answered(**json.loads(line)) for path in given.files for line in path.read_text("utf-8").splitlines()]
    by_source = defaultdict(list)
    for one, share in left_out(answers):
        by_source[one.source].append((one, share))
    for source, found in by_source.items():
        print(source, json.dumps(reliability(found, CLEAR)))  # noqa: T201
    if given.write:
        text = json.dumps(fit(answers).weights, indent=0, sort_keys=True)
        (Path(checking.__file__).parent / "sureness.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
