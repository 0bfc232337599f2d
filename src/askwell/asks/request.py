"""What a caller asks for, as a value. The wire format is `web/schemas`; the record keeps `to_json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from askwell.pipelines.generation.question import HistoryTurn
from askwell.sql.bindings import FREE, Bindings


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with its options, as accepted. `timezone` is an IANA name; `histories` are oldest first. Where it is
    `interactive` it may be asked back what the question means: `bindings` is what was answered by now, and `asked_back`
    how often."""

    query: str
    project_id: str = "default"
    mdl_hash: str | None = None
    histories: tuple[HistoryTurn, ...] = ()
    thread_id: str | None = None
    request_from: Literal["ui", "api"] = "ui"
    language: str = "English"
    timezone: str = "UTC"
    ignore_sql_generation_reasoning: bool = False
    enable_column_pruning: bool = False
    use_dry_plan: bool = False
    allow_dry_plan_fallback: bool = True
    allow_data_preview: bool = False
    execute: bool = False
    suggest: bool = False
    custom_instruction: str | None = None
    session_properties: Mapping[str, str] = field(default_factory=dict)
    interactive: bool = False
    bindings: Bindings = FREE
    asked_back: int = 0

    def to_json(self) -> dict[str, Any]:
        """The request as the record keeps it."""
        return {**asdict(self), "bindings": self.bindings.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AskRequest:
        """The request back from the record. Fields of another version are left out."""
        known = {name: data[name] for name in cls.__slots__ if name in data}
        turns = tuple(HistoryTurn(turn["question"], turn["sql"]) for turn in known.get("histories", ()))
        bindings = Bindings.from_json(known.get("bindings", {}))
        return cls(**{**known, "histories": turns, "bindings": bindings})
