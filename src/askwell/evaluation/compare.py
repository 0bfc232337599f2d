"""Two runs over the same questions, side by side (`askwell eval compare`): which questions flipped, whether that may be
chance, and what each run cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell.evaluation.ask_outcomes import AskOutcome
from askwell.evaluation.asks_report import AsksReport
from askwell.evaluation.asks_setup import differences
from askwell.evaluation.results_file import read_results
from askwell.evaluation.significance import mcnemar_p

Pair = tuple[AskOutcome, AskOutcome]

# Figures of both runs that stand side by side.
_SIDE_BY_SIDE = (
    "correct", "wrong", "failed", "llm_calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd",
    "timed", "p50_ms", "p95_ms", "waits_mean", "replies_from_cache",
)  # fmt: skip
_MOST_FLIPS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Paired:
    """How the questions of both runs came out by one measure. `p` is McNemar's exact two-sided p-value."""

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float

    def as_json(self) -> dict[str, float]:
        """One object, JSON-ready."""
        counts = {"both": self.both, "only_a": self.only_first, "only_b": self.only_second, "neither": self.neither}
        return counts | {"p": round(self.p, 6)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`pairs` are the questions that both runs scored. `unpaired` counts those of one run alone, or with an outage in
    one of them; `different` says what the runs do not have in common."""

    pairs: tuple[Pair, ...]
    unpaired: int
    different: tuple[str, ...]

    @property
    def strict(self) -> Paired:
        """By strict match."""
        return _paired(self.pairs, lambda one: one.verdict == "correct")

    @property
    def contained(self) -> Paired:
        """By "gold columns contained"."""
        return _paired(self.pairs, lambda one: one.contained)

    def flips(self) -> list[Pair]:
        """The questions that are right in one run alone, those first that only the second has right."""
        flipped = [(a, b) for a, b in self.pairs if (a.verdict == "correct") != (b.verdict == "correct")]
        return sorted(flipped, key=lambda pair: pair[0].verdict == "correct")

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        first, second = self._figures()
        return {
            "pairs": len(self.pairs),
            "unpaired": self.unpaired,
            "different": list(self.different),
            "strict": self.strict.as_json(),
            "contained": self.contained.as_json(),
            "a": first,
            "b": second,
            "flips": [
                {"db_id": a.db_id, "id": a.id, "question": a.question, "a": _how(a), "b": _how(b)}
                for a, b in self.flips()
            ],
        }

    def as_table(self) -> str:
        """Lines for people."""
        first, second = self._figures()
        lines = [f"questions in both  {len(self.pairs)}, {self.unpaired} more in one alone or with an outage"]
        lines += [f"different          {line}" for line in self.different] or ["different          nothing is noted"]
        lines += ["", "                    both  only A  only B  neither  chance (McNemar, exact, two-sided)"]
        for name, one in (("strict match", self.strict), ("columns contained", self.contained)):
            counts = f"{one.both:>5}  {one.only_first:>6}  {one.only_second:>6}  {one.neither:>7}"
            lines.append(f"{name:<19}{counts}  p = {one.p:.4f}")
        lines += ["", f"{'':<20}{'A':>12}{'B':>12}"]
        lines += [f"{name:<20}{first[name]:>12}{second[name]:>12}" for name in _SIDE_BY_SIDE]
        flips = self.flips()
        lines += ["", f"{len(flips)} questions flipped"]
        for a, b in flips[:_MOST_FLIPS_SHOWN]:
            lines += [f"  {a.id} ({a.db_id}): {a.question}", f"      A {_how(a)}", f"      B {_how(b)}"]
        if len(flips) > _MOST_FLIPS_SHOWN:
            lines.append(f"  and {len(flips) - _MOST_FLIPS_SHOWN} more: --json has them all")
        return "\n".join(lines)

    def _figures(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Of the questions in both alone."""
        first = AsksReport(tuple(a for a, _ in self.pairs)).as_json()
        second = AsksReport(tuple(b for _, b in self.pairs)).as_json()
        return {key: first[key] for key in _SIDE_BY_SIDE}, {key: second[key] for key in _SIDE_BY_SIDE}


def compare_results(first: Path, second: Path) -> Comparison:
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
    return Comparison(pairs, in_all - len(pairs), tuple(differences(a.run, b.run)))


def _paired(pairs: Sequence[Pair], is_right: Callable[[AskOutcome], bool]) -> Paired:
    found = [(is_right(a), is_right(b)) for a, b in pairs]
    only_first, only_second = found.count((True, False)), found.count((False, True))
    both, neither = found.count((True, True)), found.count((False, False))
    return Paired(both, only_first, only_second, neither, mcnemar_p(only_first, only_second))


def _how(outcome: AskOutcome) -> str:
    return " ".join(filter(None, (outcome.verdict, outcome.failure, f"({outcome.why})" if outcome.why else "")))
