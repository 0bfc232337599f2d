"""An ask as accepted, and how far a language model has come in choosing tables for it. The record keeps `to_json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from askwell.asks.clarification import Clarification, Filling
from askwell.pipelines.generation.question import HistoryTurn, QueryRequirements, TableVerdict
from askwell.pipelines.generation.reading import JoinSaid
from askwell.providers.llm.base import Usage
from askwell.sql.bindings import FREE, Bindings


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

    def to_json(self) -> dict[str, Any]:
        """As the record keeps it."""
        kept = asdict(self)
        return kept | {"requirements": self.requirements.to_json() if self.requirements is not None else None}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Back from the record."""
        verdicts = {
            name: TableVerdict(**{**verdict, "columns": tuple(verdict["columns"])})
            for name, verdict in kept["verdicts"].items()
        }
        tables, requirements = kept["tables"], kept["requirements"]
        return cls(
            reasoning=kept["reasoning"],
            rephrased=kept["rephrased"],
            verdicts=verdicts,
            tables=tuple(tables) if tables is not None else None,
            requirements=QueryRequirements.from_json(requirements) if requirements is not None else None,
            joins=tuple(kept.get("joins", ())),
            usage=Usage(**kept["usage"]),
        )


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
    meant: Bindings = FREE
    bindings: Bindings = FREE
    asked_back: int = 0
    selection: TableSelection | None = None
    filling: Filling | None = None
    asked: Clarification | None = None

    def to_json(self) -> dict[str, Any]:
        """The request as the record keeps it."""
        selection = self.selection.to_json() if self.selection is not None else None
        said = {"meant": self.meant.to_json(), "bindings": self.bindings.to_json()}
        asked = self.asked.to_json() if self.asked is not None else None
        return {**asdict(self), **said, "selection": selection, "asked": asked}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AskRequest:
        """The request back from the record. Fields of another version are left out."""
        known = {name: data[name] for name in cls.__slots__ if name in data}
        turns = tuple(HistoryTurn(turn["question"], turn["sql"]) for turn in known.get("histories", ()))
        said = {name: Bindings.from_json(known.get(name, {})) for name in ("meant", "bindings")}
        kept = known.get("selection")
        selection = TableSelection.from_json(kept) if kept is not None else None
        filling = Filling.from_json(known["filling"]) if known.get("filling") else None
        asked = Clarification.from_json(known["asked"]) if known.get("asked") else None
        read = {"histories": turns, "selection": selection, "filling": filling, "asked": asked}
        return cls(**{**known, **said, **read})


def asked_for(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody asked for, of a request as the record keeps it: without what was answered since, and without what
    earlier versions did not know where nobody asked for it."""
    without = {"bindings", "asked_back", "selection", "filling", "asked"}
    without |= {"interactive"} if not kept.get("interactive") else set()
    without |= {"teaches"} if kept.get("teaches", True) else set()
    without |= {"passages"} if kept.get("passages") is None else set()
    without |= {"meant"} if not kept.get("meant") else set()
    return {name: value for name, value in kept.items() if name not in without}
