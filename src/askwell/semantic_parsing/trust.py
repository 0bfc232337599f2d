"""How probable it is that the likeliest reading is right: the coverage gate as law, then a calibrated figure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.parser import Candidate

_MOST = 6.0


@dataclass(frozen=True, slots=True)
class Rival:
    """A candidate among others."""

    score: float
    sql: str
    covered: bool


def core(sql: str) -> str:
    """What a statement reads, whatever it shows of it."""
    return sql.split(" FROM ", 1)[-1]


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


@cache
def _fit() -> Mapping[str, float]:
    found: Mapping[str, float] = json.loads(
        resources.files("askwell.semantic_parsing").joinpath("trust.json").read_text("utf-8")
    )
    return found


def probability(candidates: Sequence[Candidate], words: int) -> float:
    """The probability (0–1) that the first candidate, which leaves nothing out, is right for somebody at work."""
    first = candidates[0]
    rivals = [Rival(c.score, c.sql, is_covered(c.features)) for c in candidates]
    found = signs(first.features, rivals, words)
    logit = sum(value * _fit().get(name, 0.0) for name, value in found.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
