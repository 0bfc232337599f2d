"""Rows of a result, for a language model and for people."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from askwell.job_kinds.tools import reads_secrets
from askwell.pipelines.generation.result_rows import cut_cell
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.services.projects import ProjectModel

WITHHELD = (
    "The statement reads a column that holds secrets or personal data: its rows are shown to people, not to language "
    "models."
)


class ToolColumn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    type: str = Field(description="A SQL type.")


class Table(BaseModel):
    """Rows in the order of the result; each is as wide as there are columns."""

    model_config = ConfigDict(extra="forbid")

    columns: list[ToolColumn]
    rows: list[list[Any]]
    row_count: int = Field(description="How many rows were fetched.")
    truncated: bool = Field(description="Whether there are more rows than were fetched.")
    withheld: str | None = Field(None, description="Why rows are not shown here, where they are not.")


def for_people(rows: QueryRows) -> dict[str, Any]:
    """All of the rows, as JSON: `{columns, rows, row_count, truncated}`."""
    return {
        "columns": [{"name": column.name, "type": column.type} for column in rows.columns],
        "rows": [list(row) for row in rows.rows],
        "row_count": len(rows.rows),
        "truncated": rows.truncated,
    }


async def for_model(project: ProjectModel, sql: str, rows: QueryRows, limit: int) -> Table:
    """At most `limit` of the rows, long values cut; none of a statement that reads sensitive columns."""
    secret = await asyncio.to_thread(reads_secrets, project, sql, rows)
    shown = () if secret else rows.rows[:limit]
    return Table(
        columns=[ToolColumn(name=column.name, type=column.type) for column in rows.columns],
        rows=[[cut_cell(value) for value in row] for row in shown],
        row_count=len(rows.rows),
        truncated=rows.truncated or len(rows.rows) > limit,
        withheld=WITHHELD if secret else None,
    )


def rows_of(data: Mapping[str, Any]) -> QueryRows:
    """Rows back from what an ask told (`data` of its result)."""
    columns: Sequence[Mapping[str, str]] = data["columns"]
    return QueryRows(
        tuple(ResultColumn(one["name"], one["type"]) for one in columns),
        tuple(tuple(row) for row in data["rows"]),
        bool(data["truncated"]),
    )
