"""What came of each question, as a value and as a line of a results file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

# `outage`: something that the ask depends on was away, so its answer says nothing about how good answers are.
Verdict = Literal["correct", "wrong", "failed", "outage"]
_VERDICTS = ("correct", "wrong", "failed", "outage")


@dataclass(frozen=True, slots=True)
class AskOutcome:
    """One question and what came of it; every field is JSON-ready.

    `contained`: the answer has the gold's rows and, among its columns, the gold's. `failure` is the kind of a failed
    one: an error code, an intent, `MODEL` where its database has no model, `LATE` after the ask's deadline; of an
    outage what was away: `language_model`, `embedder`, `record`, `data_source.NAME`, or `MODEL` where what its
    preparation needs was. `why` is a sentence about what is
    wrong, else empty. `source` is where the SQL came from: history, view, rules or llm; "" without SQL. `ms` are
    milliseconds from acceptance to the end, `timings` those of each stage; `usage` counts the ask's calls, tokens and
    dollars; `waits` are model calls that followed one another, and `calls` all of them with their prompts; replies
    that were in the reply cache are counted in `from_cache`, and failed calls in `failed_calls`. `answer_rows` and
    `gold_rows` are the first rows of both results.
    """

    id: str
    db_id: str
    question: str
    verdict: Verdict
    contained: bool = False
    failure: str = ""
    why: str = ""
    source: str = ""
    golds: tuple[str, ...] = ()
    sql: str = ""
    planned_sql: str = ""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ms: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float] = field(default_factory=dict)
    waits: int = 0
    from_cache: int = 0
    failed_calls: int = 0
    answer_rows: Mapping[str, Any] | None = None
    gold_rows: Mapping[str, Any] | None = None
    calls: Sequence[Mapping[str, Any]] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the others of its file."""
        return self.db_id, self.id

    @property
    def is_scored(self) -> bool:
        """Whether it says how good answers are."""
        return self.verdict != "outage"

    @property
    def is_timed(self) -> bool:
        """Whether its times are those of an ask: replies from a cache come at once."""
        return self.is_scored and not self.from_cache

    def used(self, key: str) -> float:
        """A count of its usage: `llm_calls`, `prompt_tokens`, `cached_tokens`, `completion_tokens` or `cost_usd`; 0 of
        what was not counted."""
        return self.usage.get(key, 0)

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return asdict(self)


_FIELDS = frozenset(field.name for field in fields(AskOutcome))


def outcome_of(line: Mapping[str, Any]) -> AskOutcome:
    """The outcome that a line of a results file holds. Raises `ValueError`, `KeyError` or `TypeError` where it does
    not; keys of another version are passed over."""
    known = {key: value for key, value in line.items() if key in _FIELDS}
    if known["verdict"] not in _VERDICTS:
        raise ValueError("has a verdict that is not known")
    lists = {key: tuple(known.get(key) or ()) for key in ("golds", "assumptions", "warnings", "calls")}
    return AskOutcome(**{**known, **lists})
