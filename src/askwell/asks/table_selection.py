"""How far a language model has come in choosing tables for an ask, as a value that outlives a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from askwell.pipelines.generation.question import QueryRequirements, TableVerdict
from askwell.pipelines.generation.reading import JoinSaid
from askwell.providers.llm.base import Usage


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
