"""An ask as accepted, and how far a language model has come in choosing tables for it. The record keeps `to_json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from askwell.asks.clarification import Clarification, Filling, KeptBindings
from askwell.pipelines.generation.question import HistoryTurn, QueryRequirements, TableVerdict
from askwell.pipelines.generation.reading import JoinSaid
from askwell.providers.llm.base import Usage
from askwell.sql.bindings import FREE


@dataclass(frozen=True, slots=True)
class TableSelection:
    """`reasoning` and `rephrased` are what was made of the question before. `verdicts` has the tables that were judged;
    `tables` are those that are needed, None until all are judged and seen together; `requirements` are None until they
    are known, and `joins` are what was said of how sure their joins are, or those of an ask that asked back. `usage`
    is what the ask has cost by then."""

    reasoning: str | None = None
    rephrased: str | None = None
    verdicts: Mapping[str, TableVerdict] = field(default_factory=dict)
    tables: tuple[str, ...] | None = None
    requirements: QueryRequirements | None = None
    joins: tuple[JoinSaid, ...] = ()
    usage: Usage = field(default_factory=Usage)


# Questions that one ask may ask back, one after the other.
MOST_ASKED_BACK = 8


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with its options, as accepted. `timezone` is an IANA name; `histories` are oldest first. What is
    said of it `teaches` the project, unless a language model says it. `meant` is what the question means, as whoever
    asks it said with it. Where it is `interactive` it may be asked back: `bindings` is `meant` and what was answered by
    now, and `asked_back` how often; `selection` is how far a language model has come in choosing tables, `filling` what
    was said of the parameters of a saved question, and `asked` what was asked back where the words that were
    said to it are still to be matched with it. `passages` says whether documents are searched too; None leaves it to
    the configuration."""

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
    teaches: bool = True
    passages: bool | None = None
    meant: KeptBindings = FREE
    bindings: KeptBindings = FREE
    asked_back: int = 0
    selection: TableSelection | None = None
    filling: Filling | None = None
    asked: Clarification | None = None

    def to_json(self) -> dict[str, Any]:
        """The request as the record keeps it."""
        kept: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return kept

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AskRequest:
        """The request back from the record. Fields of another version are left out."""
        return _adapter().validate_python(data)


@cache
def _adapter() -> TypeAdapter[AskRequest]:
    return TypeAdapter(AskRequest)


def asked_for(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody asked for, of a request as the record keeps it: without what was answered since, and without what
    earlier versions did not know where nobody asked for it."""
    without = {"bindings", "asked_back", "selection", "filling", "asked"}
    without |= {"interactive"} if not kept.get("interactive") else set()
    without |= {"teaches"} if kept.get("teaches", True) else set()
    without |= {"passages"} if kept.get("passages") is None else set()
    without |= {"meant"} if not kept.get("meant") else set()
    return {name: value for name, value in kept.items() if name not in without}
