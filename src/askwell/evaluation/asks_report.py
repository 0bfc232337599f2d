"""What came of whole asks, in figures and a line each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from askwell.evaluation.ask_outcomes import AskOutcome
from askwell.evaluation.significance import Share, percentile, share_of

_MOST_OUTAGES_TOLD = 3
_COUNTED = ("llm_calls", "prompt_tokens", "cached_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class AsksReport:
    """Figures of one run. `left_out` counts questions whose gold is unfit by why, `not_asked` those that a run which
    ended early did not come to; `stopped_because` is why, else empty, and `was_cut_by_outages` whether it had to.
    `spent_usd` is what this run cost, in US dollars: not what is known from before, and not replies of the cache."""

    outcomes: tuple[AskOutcome, ...]
    left_out: dict[str, int] = field(default_factory=dict)
    not_asked: int = 0
    stopped_because: str = ""
    spent_usd: float = 0.0

    was_cut_by_outages: bool = False

    @property
    def measured(self) -> bool:
        """Whether the figures say something, and outages did not end the run."""
        return bool(self.scored) and not self.was_cut_by_outages

    @property
    def scored(self) -> tuple[AskOutcome, ...]:
        """All but outages: what is measured."""
        return tuple(one for one in self.outcomes if one.is_scored)

    @property
    def strict(self) -> Share:
        """How many are right: their rows are those of a gold."""
        return share_of(sum(one.verdict == "correct" for one in self.scored), len(self.scored))

    @property
    def contained(self) -> Share:
        """How many have a gold's rows and, among their columns, the gold's."""
        return share_of(sum(one.contained for one in self.scored), len(self.scored))

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        verdicts = Counter(one.verdict for one in self.outcomes)
        timed = [one for one in self.outcomes if one.is_timed]
        return {
            "questions": len(self.outcomes),
            "correct": verdicts["correct"],
            "wrong": verdicts["wrong"],
            "failed": verdicts["failed"],
            "outages": verdicts["outage"],
            "not_asked": self.not_asked,
            "left_out": self.left_out,
            "accuracy": self.strict.share,
            "strict": self.strict.as_json(),
            "contained": self.contained.as_json(),
            "by_source": self._by_source(),
            "failures": self.failures(),
            **{key: int(self._sum(key)) for key in _COUNTED},
            "cost_usd": round(self._sum("cost_usd"), 6),
            "spent_usd": round(self.spent_usd, 6),
            "replies_from_cache": sum(one.from_cache for one in self.outcomes),
            "with_failed_calls": sum(one.failed_calls > 0 for one in self.scored),
            "timed": len(timed),
            "p50_ms": _percentile((one.ms for one in timed), 50),
            "p95_ms": _percentile((one.ms for one in timed), 95),
            "waits_mean": round(sum(one.waits for one in timed) / len(timed), 2) if timed else 0.0,
            "waits_p95": int(_percentile((one.waits for one in timed), 95)),
            "stages": _stages(timed),
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        answered = figures["correct"] + figures["wrong"]
        precision = f"{figures['correct'] / answered:.1%}" if answered else "-"
        lines = [
            f"questions          {figures['questions']}",
            f"right              {figures['correct']}  ({precision} of the answered)",
            f"wrong              {figures['wrong']}",
            f"failed             {figures['failed']}",
            *_unless_zero(figures["outages"], "outages", "not scored; --resume asks them again"),
            *_unless_zero(figures["not_asked"], "not asked", "--resume asks them"),
            *_unless_zero(sum(self.left_out.values()), "left out", "their gold fails, is empty or is marked so"),
            "",
            f"strict match       {self.strict}",
            f"columns contained  {self.contained}",
            "",
            *_time_lines(figures, len(self.scored)),
            *_model_lines(figures),
        ]
        if figures["by_source"]:
            lines += ["", "right  wrong  answered by"]
        lines += [f"{one['correct']:>5}  {one['wrong']:>5}  {name}" for name, one in figures["by_source"].items()]
        if figures["stages"]:
            lines += ["", "p50 ms  p95 ms   asks  stage"]
        lines += [
            f"{one['p50_ms']:>6.0f}  {one['p95_ms']:>6.0f}  {one['asks']:>5}  {name}"
            for name, one in figures["stages"].items()
        ]
        return "\n".join(lines + self._failure_lines())

    def failures(self) -> dict[str, int]:
        """How many failed, or met an outage, in which way, the most frequent first."""
        return dict(Counter(one.failure for one in self.outcomes if one.failure).most_common())

    def _failure_lines(self) -> list[str]:
        failures = self.failures()
        lines = ["", "failed because"] if failures else []
        lines += [f"{count:>6}  {kind}" for kind, count in failures.items()]
        unmodelled = {one.db_id: one.why for one in self.outcomes if one.failure == "MODEL"}
        lines += [f"        {db_id}: {why}" for db_id, why in unmodelled.items()]
        outages = Counter(one.why for one in self.outcomes if not one.is_scored)
        lines += [f"        {count} × {why}" for why, count in outages.most_common(_MOST_OUTAGES_TOLD)]
        if self.stopped_because:
            lines += ["", f"Stopped early: {self.stopped_because}"]
        return lines

    def _sum(self, key: str) -> float:
        return sum(one.used(key) for one in self.outcomes)

    def _by_source(self) -> dict[str, dict[str, int]]:
        counts = Counter((one.source, one.verdict) for one in self.scored if one.verdict != "failed")
        sources = sorted({source for source, _ in counts})
        return {name: {"correct": counts[name, "correct"], "wrong": counts[name, "wrong"]} for name in sources}


def _unless_zero(count: int, name: str, what: str) -> list[str]:
    return [f"{name:<19}{count}  ({what})"] if count else []


def _time_lines(figures: dict[str, Any], scored: int) -> list[str]:
    timed = figures["timed"]
    if not timed:
        return ["time an ask        not measured: replies came from the cache"] if scored else []
    of = f"of {timed} asks without kept replies" if timed < scored else "beside the others"
    lines = [f"time an ask        p50 {figures['p50_ms']:.0f} ms, p95 {figures['p95_ms']:.0f} ms, {of}"]
    if figures["llm_calls"]:
        lines.append(f"model waits        {figures['waits_mean']:.2f} an ask, p95 {figures['waits_p95']}")
    return lines


def _model_lines(figures: dict[str, Any]) -> list[str]:
    if not figures["llm_calls"]:
        return []
    return [
        f"model calls        {figures['llm_calls']}, {figures['replies_from_cache']} of them from the reply cache",
        f"tokens             {figures['prompt_tokens']} in prompts ({figures['cached_tokens']} of them from the "
        f"server's cache), {figures['completion_tokens']} in replies",
        f"cost               ${figures['cost_usd']:.4f}, ${figures['spent_usd']:.4f} of it now",
        *_unless_zero(figures["with_failed_calls"], "failed calls", "asks that had one and ended all the same"),
    ]


def _stages(timed: Iterable[AskOutcome]) -> dict[str, dict[str, float]]:
    """By stage, in the order in which they were first met: how many asks had it, and its time in these."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for outcome in timed:
        for stage, ms in outcome.timings.items():
            times[stage].append(ms)
    return {
        stage: {"asks": len(found), "p50_ms": _percentile(found, 50), "p95_ms": _percentile(found, 95)}
        for stage, found in times.items()
    }


def _percentile(values: Iterable[float], percent: float) -> float:
    return round(percentile(list(values), percent), 1)
