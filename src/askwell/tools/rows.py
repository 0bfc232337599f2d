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
    heading: str | None = Field(None, description="What it shows, with its unit, where the model knows that.")


class Table(BaseModel):
    """Rows in the order of the result; each is as wide as there are columns."""

    model_config = ConfigDict(extra="forbid")

    columns: list[ToolColumn]
    rows: list[list[Any]]
    row_count: int | None = Field(None, description="How many rows were fetched.")
    truncated: bool = Field(description="Whether there are more rows than were fetched.")
    has_cut_values: bool | None = Field(None, description="True where long values are shown cut (…).")
    withheld: str | None = Field(None, description="Why rows are not shown here, where they are not.")


def for_people(rows: QueryRows) -> dict[str, Any]:
    """All of the rows, as JSON: `{columns, rows, row_count, truncated}`."""
    return {
        "columns": [column.to_json() for column in rows.columns],
        "rows": [list(row) for row in rows.rows],
        "row_count": len(rows.rows),
        "truncated": rows.truncated,
    }


async def for_model(project: ProjectModel, sql: str, rows: QueryRows, limit: int) -> Table:
    """At most `limit` of the rows, long values cut. Of a statement that reads sensitive columns nothing, not even how
    many there are: by that alone a password can be asked out, letter by letter."""
    if await is_withheld(project, sql, rows):
        return withheld_table()
    shown = [[cut_cell(value) for value in row] for row in rows.rows[:limit]]
    return Table(
        columns=[ToolColumn(**column.to_json()) for column in rows.columns],
        rows=shown,
        row_count=len(rows.rows),
        truncated=rows.truncated or len(rows.rows) > limit,
        has_cut_values=any(cut != list(row) for cut, row in zip(shown, rows.rows, strict=False)) or None,
    )


async def is_withheld(project: ProjectModel, sql: str, rows: QueryRows | None = None) -> bool:
    """Whether language models are shown nothing of what a statement gives."""
    return await asyncio.to_thread(reads_secrets, project, sql, rows or QueryRows((), ()))


def withheld_table() -> Table:
    """What a model gets for every statement that reads sensitive columns, whatever comes of it."""
    return Table(columns=[], rows=[], truncated=False, withheld=WITHHELD)


def rows_of(data: Mapping[str, Any]) -> QueryRows:
    """Rows back from what an ask told (`data` of its result)."""
    columns: Sequence[Mapping[str, str]] = data["columns"]
    return QueryRows(
        tuple(ResultColumn(one["name"], one["type"], heading=one.get("heading")) for one in columns),
        tuple(tuple(row) for row in data["rows"]),
        bool(data["truncated"]),
    )
