"""Two runs over the same questions, side by side (`askwell eval compare`): which questions flipped, whether that may be
chance, and what each run cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell_evaluation.asks_options import differences
from askwell_evaluation.asks_report import asks_report
from askwell_evaluation.asks_results import AskOutcome, read_results
from askwell_evaluation.report import Report, mcnemar_p

Pair = tuple[AskOutcome, AskOutcome]

# Figures of both runs that stand side by side.
_SIDE_BY_SIDE = (
    "correct", "wrong", "failed", "llm_calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd",
    "timed", "p50_ms", "p95_ms", "waits_mean", "replies_from_cache",
)  # fmt: skip
_MOST_FLIPS_SHOWN = 40


def compare_results(first: Path, second: Path) -> Report:
    """Two results files, question by question. Raises `InvalidRequest` for files that cannot be read, that have no
    question in common, or have different ones under one id."""
    a, b = read_results(first), read_results(second)
    others = {outcome.key: outcome for outcome in b.outcomes}
    shared = [(one, others[one.key]) for one in a.outcomes if one.key in others]
    if not shared:
        raise InvalidRequest(
            f"{first} and {second} have no question in common.", "Compare two runs over the same questions."
        )
    for one, other in shared:
        if (one.question, one.golds) != (other.question, other.golds):
            raise InvalidRequest(
                f"{first} and {second} have different questions, or golds, under the id {one.id} ({one.db_id}).",
                "Compare two runs over the same questions.",
            )
    pairs = tuple((one, other) for one, other in shared if one.is_scored and other.is_scored)
    if not pairs:
        raise InvalidRequest(
            "No question was scored in both runs: all met an outage.", "Ask them again by `askwell eval asks --resume`."
        )
    in_all = len(a.outcomes) + len(b.outcomes) - len(shared)
    figures = {
        "pairs": len(pairs),
        "unpaired": in_all - len(pairs),
        "different": differences(a.run, b.run),
        "strict": _paired(pairs, lambda one: one.verdict == "correct"),
        "contained": _paired(pairs, lambda one: one.contained),
        "a": _side([one for one, _ in pairs]),
        "b": _side([other for _, other in pairs]),
        "flips": _flips(pairs),
    }
    return Report(figures, _lines(figures))


def _paired(pairs: Sequence[Pair], is_right: Callable[[AskOutcome], bool]) -> dict[str, float]:
    """How the questions came out by one measure; `p` is McNemar's exact two-sided p-value."""
    found = [(is_right(a), is_right(b)) for a, b in pairs]
    only_a, only_b = found.count((True, False)), found.count((False, True))
    both, neither = found.count((True, True)), found.count((False, False))
    p = round(mcnemar_p(only_a, only_b), 6)
    return {"both": both, "only_a": only_a, "only_b": only_b, "neither": neither, "p": p}


def _side(outcomes: Sequence[AskOutcome]) -> dict[str, Any]:
    figures = asks_report(outcomes).figures
    return {key: figures[key] for key in _SIDE_BY_SIDE}


def _flips(pairs: Sequence[Pair]) -> list[dict[str, str]]:
    """The questions that are right in one run alone, those first that only the second has right."""
    flipped = [(a, b) for a, b in pairs if (a.verdict == "correct") != (b.verdict == "correct")]
    return [
        {"db_id": a.db_id, "id": a.id, "question": a.question, "a": _how(a), "b": _how(b)}
        for a, b in sorted(flipped, key=lambda pair: pair[0].verdict == "correct")
    ]


def _how(outcome: AskOutcome) -> str:
    return " ".join(filter(None, (outcome.verdict, outcome.failure, f"({outcome.why})" if outcome.why else "")))


def _lines(figures: Mapping[str, Any]) -> list[str]:
    lines = [f"questions in both  {figures['pairs']}, {figures['unpaired']} more in one alone or with an outage"]
    lines += [f"different          {line}" for line in figures["different"] or ["nothing is noted"]]
    lines += ["", "                    both  only A  only B  neither  chance (McNemar, exact, two-sided)"]
    for name, key in (("strict match", "strict"), ("columns contained", "contained")):
        one = figures[key]
        counts = f"{one['both']:>5}  {one['only_a']:>6}  {one['only_b']:>6}  {one['neither']:>7}"
        lines.append(f"{name:<19}{counts}  p = {one['p']:.4f}")
    lines += ["", f"{'':<20}{'A':>12}{'B':>12}"]
    lines += [f"{name:<20}{figures['a'][name]:>12}{figures['b'][name]:>12}" for name in _SIDE_BY_SIDE]
    flips = figures["flips"]
    lines += ["", f"{len(flips)} questions flipped"]
    for flip in flips[:_MOST_FLIPS_SHOWN]:
        lines.append(f"  {flip['id']} ({flip['db_id']}): {flip['question']}")
        lines += [f"      {side} {flip[side.lower()]}" for side in "AB"]
    if len(flips) > _MOST_FLIPS_SHOWN:
        lines.append(f"  and {len(flips) - _MOST_FLIPS_SHOWN} more: --json has them all")
    return lines
