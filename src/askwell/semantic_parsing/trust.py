"""The score of a reading, and how probably it is right."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from askwell.resources import text_of, words_file
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.parser import Candidate

_PACKAGE = "askwell.semantic_parsing"


@cache
def priors() -> Mapping[str, float]:
    """The weights that are set by hand, by feature."""
    data = words_file(_PACKAGE, "weights.yaml")
    flat: dict[str, float] = dict(data["rules"])
    for family, weights in data.items():
        if family != "rules":
            flat |= {f"{family}:{name}": weight for name, weight in weights.items()}
    return flat


@cache
def weights() -> Mapping[str, float]:
    """What readings are ranked by."""
    return {**priors(), **words_file(_PACKAGE, "learned.yaml")}


_MOST = 6.0


@dataclass(frozen=True, slots=True)
class Rival:
    """A candidate among others."""

    score: float
    sql: str
    covered: bool


def core(sql: str) -> str:
    """What a statement reads, whatever it shows of it."""
    parts = sql.split(" FROM ")
    depths = itertools.accumulate(part.count("(") - part.count(")") for part in parts)
    start = next((place for place, depth in enumerate(depths, 1) if not depth), 1)
    return " FROM ".join(parts[start:])  # what stands in brackets before it is shown


def signs(features: Mapping[str, float], rivals: Sequence[Rival], words: int) -> dict[str, float]:
    """What the probability is computed from: `features` of the first candidate that leaves nothing out; `rivals` are
    all, and it; `words` of the question."""
    skipped = sum(count for name, count in features.items() if name.startswith("skip:") and name.count(":") == 1)
    found = {name: float(min(count, 2)) for name, count in features.items()}
    return (
        found
        | _standing(rivals, "")
        | _standing([one for one in rivals if one.covered], ":covered")
        | {"bias": 1.0, "skipped": float(skipped), "candidates": len(rivals) / 6, "words": words / 10}
    )


def _standing(rivals: Sequence[Rival], kind: str) -> dict[str, float]:
    """How far the first is ahead of the others."""
    first, *others = rivals
    mass = sum(math.exp(max(-30.0, min(30.0, one.score - first.score))) for one in rivals)
    best = max((one.score for one in others), default=-math.inf)
    other = max((one.score for one in others if core(one.sql) != core(first.sql)), default=-math.inf)
    rival = max(-_MOST, min(_MOST, first.score - other))
    return {
        f"margin{kind}": max(-_MOST, min(_MOST, first.score - best)),
        f"rival{kind}": rival,
        f"rival:close{kind}": float(rival < 0.5),
        f"share{kind}": 4.0 / mass,
        f"score{kind}": first.score / 5,
    }


@dataclass(frozen=True, slots=True)
class Trust:
    """A logistic regression over signs, and how often what it was so sure of was right: pairs of what it says and what
    was observed on databases that it had not seen, both growing."""

    weights: Mapping[str, float]
    observed: Sequence[tuple[float, float]] = ()

    def probability(self, found: Mapping[str, float]) -> float:
        """The probability (0–1) that signs speak for."""
        logit = sum(value * self.weights.get(name, 0.0) for name, value in found.items())
        said = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
        knots = [(0.0, 0.0), *self.observed, (1.0, 1.0)] if self.observed else [(0.0, 0.0), (1.0, 1.0)]
        (low, was_low), (high, was_high) = next(pair for pair in itertools.pairwise(knots) if said <= pair[1][0])
        return was_low + (was_high - was_low) * (said - low) / (high - low)


@cache
def _fit() -> Trust:
    data = json.loads(text_of(_PACKAGE, "trust.json"))
    return Trust(data["weights"], [(said, was) for said, was in data["observed"]])


def probability(candidates: Sequence[Candidate], words: int) -> float:
    """The probability (0–1) that the first candidate, which leaves nothing out, is right for somebody at work."""
    first = candidates[0]
    rivals = [Rival(c.score, c.sql, is_covered(c.features)) for c in candidates]
    return _fit().probability(signs(first.features, rivals, words))
