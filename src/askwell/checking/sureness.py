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

_SOURCE = "source:"
_VOUCHED = frozenset({"history", "view"})
# From here on an answer is called clear: see docs/checking.md for how often such answers were right.
CLEAR = 0.93


@dataclass(frozen=True, slots=True)
class Origin:
    """How a statement came about; `given` is one that a person wants checked. `reading` is the share of like readings
    of the grammar that were right (0 to 1), and `agreement` that of several statements of a language model that gave
    the same result; None where there is none. `corrections` are those of a language model; `second` says whether a
    second derivation, by the grammar, gave the same result."""

    source: Source
    reading: float | None = None
    agreement: float | None = None
    corrections: int = 0
    second: bool | None = None

    @property
    def is_vouched(self) -> bool:
        """Whether a person confirmed the statement."""
        return self.source in _VOUCHED


@dataclass(frozen=True, slots=True)
class SurenessModel:
    """A logistic regression over features, the same for all sources but for what each begins with."""

    weights: Mapping[str, float]

    def of(self, found: Mapping[str, float]) -> float | None:
        """The sureness (0 to 1) that features speak for; None for a source that nothing was measured of."""
        if not any(name.startswith(_SOURCE) and name in self.weights for name in found):
            return None
        logit = sum(value * self.weights.get(name, 0.0) for name, value in found.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def features(findings: Sequence[Finding], origin: Origin) -> dict[str, float]:
    """What the sureness of a statement is computed from."""
    verdict = verdict_of(tuple(findings))
    found = {f"{_SOURCE}{origin.source}": 1.0, f"verdict:{verdict}": 1.0, "corrected": float(origin.corrections > 0)}
    found |= {f"code:{finding.code}": 1.0 for finding in findings}
    found["words_left"] = float(sum(len(one.words.split()) for one in findings if one.code == "words_left"))
    if origin.reading is not None:
        share = min(max(origin.reading, 0.01), 0.99)
        found["reading"] = math.log(share / (1 - share))
    if origin.second is not None:
        found["second:same" if origin.second else "second:other"] = 1.0
    if origin.agreement is not None:
        found |= {"voted": 1.0, "agreement": origin.agreement}
    return found


@cache
def fitted() -> SurenessModel:
    """The model as `python -m askwell_evaluation.fit_sureness --write` made it."""
    text = resources.files("askwell.checking").joinpath("sureness.json").read_text("utf-8")
    return SurenessModel(json.loads(text))


def sureness(findings: Sequence[Finding], origin: Origin) -> float | None:
    """How often answers with these findings, of this origin, were right (0 to 1); None where nothing was measured."""
    return fitted().of(features(findings, origin))


def word_for(sure: float | None, findings: tuple[Finding, ...], source: Source) -> Word:
    """What people are shown in place of the number."""
    if source in _VOUCHED:
        return "checked"
    is_clear = sure is not None and sure >= CLEAR and verdict_of(findings) is Verdict.SOUND
    return "clear" if is_clear else "guess"
