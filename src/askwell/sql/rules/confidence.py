"""How probable it is that a reading is right: a logistic regression over its assumptions and its form.

There are two fits. One is on questions as business users ask them beside a public benchmark, and decides in `balanced`.
The other is on the benchmark alone, which is stricter about what is shown than any user, and decides in `strict`. All
figures but `_TOO_RARE_TO_FIT` are fitted by `askwell.evaluation.fit_rules`, of the benchmark on its tuning databases
only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from askwell.sql.rules.translation import RulesMode, Translation

# What strict never takes for granted, however probable the rest makes the reading: tables that the question does not
# name, rows that a join repeats, rankings over joined rows, and verbs that relate to nothing.
STRICT_EXCLUDES = frozenset(
    {"rival_count", "bridge", "row_repeats", "ranked_join", "sibling_path", "ambiguous_path", "ambiguous_column"}
    | {"closing_verb", "time_of_other"}
)
# Weights that no fit gives: one of 481 benchmark questions with a time rests on another table's date, so that fitting
# would take it for no doubt.
_TOO_RARE_TO_FIT = {"time_of_other": -2.2}


@dataclass(frozen=True, slots=True)
class Fit:
    """`weights` by feature; an assumption that was never seen counts as `unknown`."""

    bias: float
    unknown: float
    weights: Mapping[str, float]

    def _unseen(self, feature: str) -> float:
        """A kind of assumption that fitting never saw is a doubt; a form that it never saw is none."""
        return 0.0 if ":" in feature or "@" in feature else self.unknown

    def probability(self, features: Iterable[str]) -> float:
        """The probability (0–1) that a reading with these features is right."""
        weights = {**self.weights, **_TOO_RARE_TO_FIT}
        score = self.bias + sum(weights.get(feature, self._unseen(feature)) for feature in set(features))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Both fits, and from which probability on `strict` (by `benchmark`) and `balanced` (by `business`) answer."""

    business: Fit
    benchmark: Fit
    strict: float
    balanced: float


@cache
def calibration() -> Calibration:
    """The fitted figures that come with the package."""
    figures = json.loads(resources.files("askwell.sql.rules").joinpath("calibration.json").read_text("utf-8"))
    return Calibration(
        business=_fit(figures, "business"),
        benchmark=_fit(figures, "benchmark"),
        strict=figures["strict"],
        balanced=figures["balanced"],
    )


def _fit(figures: Mapping[str, Any], name: str) -> Fit:
    return Fit(figures[name]["bias"], figures["unknown"], figures[name]["weights"])


def accepts(translation: Translation, mode: RulesMode) -> bool:
    """Whether a translation is sure enough to be the answer. All strict answers together are right about 95 times in
    100 on databases that fitting never saw, all balanced ones 88; the least sure balanced one about 3 times in 4."""
    if translation.modes is not None:
        return mode in translation.modes
    match mode:
        case RulesMode.STRICT:
            doubtful = any(assumption.kind in STRICT_EXCLUDES for assumption in translation.assumptions)
            return translation.benchmark_probability >= calibration().strict and not doubtful
        case RulesMode.BALANCED:
            return translation.probability >= calibration().balanced
        case RulesMode.OFF:
            return False
