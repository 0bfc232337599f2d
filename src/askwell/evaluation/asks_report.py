"""What came of whole asks, in figures and a line each."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from askwell.evaluation.text2sql import Question

Verdict = Literal["correct", "wrong", "failed"]


@dataclass(frozen=True, slots=True)
class AskOutcome:
    """One question: what came of it, milliseconds from acceptance to the end of the ask, and its result object.
    `failure` is the kind of a failed one: an error code, an intent, or `MODEL` where its database has no model. `why`
    is a sentence about what is wrong, else empty."""

    question: Question
    verdict: Verdict
    ms: float
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""
    why: str = ""

    @property
    def source(self) -> str:
        """Where the SQL came from: history, view, rules or llm; "" without SQL."""
        return str(self.result.get("sql_source", ""))

    def used(self, key: str) -> int:
        """A count of the ask's usage: `llm_calls`, `prompt_tokens` or `completion_tokens`."""
        return int(self.result.get("usage", {}).get(key, 0))

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready, of what a reader of wrong answers needs."""
        answers = self.result.get("response") or [{}]
        return {
            "id": self.question.id,
            "db_id": self.question.db_id,
            "question": self.question.question,
            "verdict": self.verdict,
            "source": self.source,
            "failure": self.failure,
            "why": self.why,
            "gold": list(self.question.golds),
            "sql": answers[0].get("sql", self.result.get("invalid_sql", "")),
            "planned_sql": self.result.get("planned_sql", ""),
            "assumptions": list(self.result.get("assumptions", ())),
            "warnings": list(self.result.get("warnings", ())),
            "llm_calls": self.used("llm_calls"),
            "ms": round(self.ms, 1),
        }


@dataclass(frozen=True, slots=True)
class AsksReport:
    """Figures of one run."""

    outcomes: tuple[AskOutcome, ...]

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        verdicts = Counter(one.verdict for one in self.outcomes)
        total = len(self.outcomes)
        return {
            "questions": total,
            "correct": verdicts["correct"],
            "wrong": verdicts["wrong"],
            "failed": verdicts["failed"],
            "accuracy": round(verdicts["correct"] / total, 4) if total else 0.0,
            "by_source": self._by_source(),
            "llm_calls": sum(one.used("llm_calls") for one in self.outcomes),
            "prompt_tokens": sum(one.used("prompt_tokens") for one in self.outcomes),
            "completion_tokens": sum(one.used("completion_tokens") for one in self.outcomes),
            "p50_ms": round(statistics.median(one.ms for one in self.outcomes), 1) if total else 0.0,
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        answered = figures["correct"] + figures["wrong"]
        precision = f"{figures['correct'] / answered:.1%}" if answered else "-"
        lines = [
            f"questions          {figures['questions']}",
            f"right              {figures['correct']}  (accuracy {figures['accuracy']:.1%} of all)",
            f"wrong              {figures['wrong']}  (precision {precision} of the answered)",
            f"failed             {figures['failed']}",
            f"time an ask        p50 {figures['p50_ms']:.0f} ms, beside the others that ran",
            f"model calls        {figures['llm_calls']}",
            f"tokens             {figures['prompt_tokens']} in prompts, {figures['completion_tokens']} in replies",
            "",
            "right  wrong  answered by",
        ]
        lines += [f"{one['correct']:>5}  {one['wrong']:>5}  {name}" for name, one in figures["by_source"].items()]
        lines += ["", "failed because"]
        lines += [f"{count:>6}  {kind}" for kind, count in self.failures().items()]
        unmodelled = {one.question.db_id: one.why for one in self.outcomes if one.failure == "MODEL"}
        lines += [f"        {db_id}: {why}" for db_id, why in unmodelled.items()]
        return "\n".join(lines)

    def failures(self) -> dict[str, int]:
        """How many failed in which way, the most frequent first."""
        return dict(Counter(one.failure for one in self.outcomes if one.failure).most_common())

    def _by_source(self) -> dict[str, dict[str, int]]:
        counts = Counter((one.source, one.verdict) for one in self.outcomes if one.verdict != "failed")
        sources = sorted({source for source, _ in counts})
        return {name: {"correct": counts[name, "correct"], "wrong": counts[name, "wrong"]} for name in sources}
