"""How probable it is that the likeliest reading is right: the coverage gate as law, then a calibrated figure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from askwell.semantic_parsing.parser import Candidate

# A reading that leaves one of these out is none: a word of substance that nothing reads ends it.
UNREAD: tuple[str, ...] = (
    *("skip:unknown", "skip:verblike", "skip:proper", "skip:table", "skip:column", "skip:value", "skip:plain_value"),
    *("skip:literal", "skip:operator", "gap:", "sql:figure_over_repeats", "sql:group_ignored", "sql:contradiction"),
    *("sql:echo", "question:whether_all"),
)
_HARMLESS = frozenset({"sql:echo_beside"})
_MOST = 6.0


def is_covered(features: Mapping[str, float]) -> bool:
    """Whether every word of substance has a part in the reading, and every clause in the statement."""
    return not any(feature.startswith(UNREAD) and feature not in _HARMLESS for feature in features)


def core(sql: str) -> str:
    """What a statement reads, whatever it shows of it."""
    return sql.split(" FROM ", 1)[-1]


def signs(features: Mapping[str, float], scores: Sequence[float], sqls: Sequence[str], words: int) -> dict[str, float]:
    """What the probability is computed from: `features` of the first candidate; `scores` and `sqls` of all, the best
    first; `words` of the question."""
    first = scores[0]
    mass = sum(math.exp(max(-30.0, score - first)) for score in scores)
    rivals = [score for score, sql in zip(scores, sqls, strict=True) if core(sql) != core(sqls[0])]
    rival = min(first - rivals[0], _MOST) if rivals else _MOST
    margin = min(first - scores[1], _MOST) if len(scores) > 1 else _MOST
    skipped = sum(count for name, count in features.items() if name.startswith("skip:") and name.count(":") == 1)
    found = {name: float(min(count, 2)) for name, count in features.items()}
    return found | {
        "bias": 1.0,
        "margin": margin,
        "rival": rival,
        "rival:close": float(rival < 0.5),
        "share": 4.0 / mass,
        "skipped": float(skipped),
        "candidates": len(scores) / 6,
        "words": words / 10,
        "score": first / 5,
    }


@cache
def _fit() -> Mapping[str, float]:
    found: Mapping[str, float] = json.loads(
        resources.files("askwell.semantic_parsing").joinpath("trust.json").read_text("utf-8")
    )
    return found


def probability(candidates: Sequence[Candidate], words: int) -> float:
    """The probability (0–1) that the first candidate is right for somebody who asks at work."""
    first = candidates[0]
    found = signs(first.features, [c.score for c in candidates], [c.sql for c in candidates], words)
    logit = sum(value * _fit().get(name, 0.0) for name, value in found.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
