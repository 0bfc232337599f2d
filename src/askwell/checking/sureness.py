"""How often answers with such findings were right: one number with one meaning for every source."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from askwell.checking.finding import Finding, Verdict, verdict_of

Source = Literal["history", "view", "rules", "llm", "given"]
Word = Literal["checked", "clear", "guess"]

# From here on an answer is called clear: see docs/checking.md for how often such answers were right.
CLEAR = 0.9


@dataclass(frozen=True, slots=True)
class Origin:
    """How a statement came about; `given` is one that somebody wants checked. `reading` is the share of like readings
    of the grammar that were right (0 to 1), and `agreement` that of several statements of a language model that gave
    the same result; None where there is none. `corrections` are those of a language model."""

    source: Source
    reading: float | None = None
    agreement: float | None = None
    corrections: int = 0


@dataclass(frozen=True, slots=True)
class SurenessModel:
    """A logistic regression: a weight for each feature, by source."""

    weights: Mapping[str, Mapping[str, float]]

    def of(self, findings: Sequence[Finding], origin: Origin) -> float | None:
        """The sureness (0 to 1) of a statement; None for a source that nothing was measured of."""
        return self.probability(origin.source, features(findings, origin))

    def probability(self, source: str, found: Mapping[str, float]) -> float | None:
        """The same of features."""
        weights = self.weights.get(source)
        if weights is None:
            return None
        logit = sum(value * weights.get(name, 0.0) for name, value in found.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def features(findings: Sequence[Finding], origin: Origin) -> dict[str, float]:
    """What the sureness of a statement is computed from."""
    found = {f"code:{finding.code}": 1.0 for finding in findings}
    found |= {f"verdict:{verdict_of(tuple(findings))}": 1.0, "bias": 1.0, "corrected": float(origin.corrections > 0)}
    if origin.reading is not None:
        share = min(max(origin.reading, 0.01), 0.99)
        found["reading"] = math.log(share / (1 - share))
    if origin.agreement is not None:
        found |= {"voted": 1.0, "agreement": origin.agreement}
    return found


@cache
def fitted() -> SurenessModel:
    """The model as `askwell eval check --fit` made it."""
    text = resources.files("askwell.checking").joinpath("sureness.json").read_text("utf-8")
    return SurenessModel(json.loads(text))


def sureness(findings: Sequence[Finding], origin: Origin) -> float | None:
    """How often answers with these findings, of this origin, were right (0 to 1); None where nothing was measured."""
    return fitted().of(findings, origin)


def word_for(sure: float | None, findings: tuple[Finding, ...], source: Source) -> Word:
    """What people are shown in place of the number."""
    if source in ("history", "view"):
        return "checked"
    is_clear = sure is not None and sure >= CLEAR and verdict_of(findings) is Verdict.SOUND
    return "clear" if is_clear else "guess"
