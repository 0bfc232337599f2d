"""Statements that people write: their rows, a file of them, or whether they answer a question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Required

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, Strict

from askwell.asks.result import Data
from askwell.field_types import Identifier, Question, Sql
from askwell.jobs.events import json_bytes
from askwell.jobs.request import FORBIDDEN, Configurations, ProjectBody
from askwell.knowledge.saved import PairParameter
from askwell.principal import Person
from askwell.row_files.files import RowFileFormat
from askwell.services.statements import PersonsStatement, SqlCheck
from askwell.web.deps import AnyCaller, body_of
from askwell.web.responses import (
    BINARY,
    CHANGES,
    NOT_FOUND,
    Responses,
    error_answer,
    file_answer,
    safe_name,
    while_connected,
)
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

# A statement of the longest kind, with every letter escaped.
MAX_BODY = 1024 * 1024
_MEDIA_TYPES: Mapping[RowFileFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
_NOT_INSTALLED: Responses = {501: error_answer("Workbooks take the extra `excel`")}
_OBJECTS = {"schema": {"type": "array", "items": {"type": "object"}}}
_FILE: Responses = {
    200: {
        "content": {
            media_type.partition(";")[0]: _OBJECTS if form == "json" else BINARY
            for form, media_type in _MEDIA_TYPES.items()
        }
    }
}
_ANSWERS = NOT_FOUND | CHANGES


Dialect = Literal["bigquery", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "trino", "tsql"]


class _StatementBody(ProjectBody):
    sql: Annotated[Sql, Field(description="One statement that reads, over the semantic model.")]
    configurations: Configurations = Configurations()

    def statement(self, person: Person) -> PersonsStatement:
        """What is to be run for the person."""
        return PersonsStatement(self.project_id, self.sql, self.configurations.timezone.name, person=person)


class SqlRunBody(_StatementBody):
    limit: Annotated[int, Strict(), Field(ge=1, le=10_000, description="How many rows at most.")] = 1_000
    parameters: Annotated[
        list[PairParameter], Field(max_length=50, description="What stands in it as `:name`, as in a SQL pair.")
    ] = []
    values: Annotated[
        dict[Identifier, Any], Field(max_length=50, description="Values of these, by name; else their defaults.")
    ] = {}

    def statement(self, person: Person) -> PersonsStatement:
        """With its parameters and values."""
        return replace(super().statement(person), parameters=self.parameters, values=self.values)


class SqlExportBody(_StatementBody):
    format: RowFileFormat
    name: Annotated[Identifier | None, Field(description="What the file is to be called.")] = None


class SqlCheckBody(_StatementBody):
    question: Annotated[Question, Field(description="What the statement is to answer.")]
    dialect: Annotated[
        Dialect | None, Field(description="The SQL that it is written in, where that is not the database's.")
    ] = None
    execute: Annotated[bool, Strict(), Field(description="Whether it is run, so that its rows are looked at too.")] = (
        False
    )


@FORBIDDEN
class SqlRun(Data, total=False):
    """The rows of a statement; values are as in `data` of an ask."""

    sql: Required[Annotated[str, Field(description="The statement as it was checked.")]]
    planned_sql: Annotated[str | None, Field(description="What the database ran.")]
    renamed: Annotated[bool | None, Field(description="True where the database has other names than the SQL.")]
    warnings: Required[list[str]]
    repairs: Required[Annotated[list[str], Field(description="What was mended in the statement.")]]
    ms: Required[float]


def routes(services: Container) -> APIRouter:
    """The routes /sql-runs, /sql-exports and /sql-checks."""
    router = new_router(tag="statements", role="ask", most_bytes=MAX_BODY)

    @router.post("/sql-runs", response_model=SqlRun, responses=_ANSWERS)
    async def run_sql(
        request: Request, caller: AnyCaller, body: Annotated[SqlRunBody, Depends(body_of(SqlRunBody))]
    ) -> Response:
        """Run a statement over the semantic model and give its rows. It passes the same check as every other, reads
        what the caller may read, and is cancelled where the client goes away."""
        statement = body.statement(await caller.counted())
        return await while_connected(request, rows(statement, body.limit), services.ending)

    @router.post("/sql-exports", response_class=StreamingResponse, responses=_ANSWERS | _NOT_INSTALLED | _FILE)
    async def export_sql(
        request: Request, caller: AnyCaller, body: Annotated[SqlExportBody, Depends(body_of(SqlExportBody))]
    ) -> Response:
        """Run a statement and give all its rows as a file, up to `settings.export_row_limit`. The file is whole: one
        that would not be is refused."""
        exporting = download(body.statement(await caller.counted()), body.format, body.name or "")
        return await while_connected(request, exporting, services.ending)

    @router.post("/sql-checks", response_model=SqlCheck, responses=_ANSWERS)
    async def check_sql(caller: AnyCaller, body: Annotated[SqlCheckBody, Depends(body_of(SqlCheckBody))]) -> SqlCheck:
        """Check whether a statement answers a question. It is run only with `execute`. A statement that may not be run,
        or is no SQL, is refused; one with unknown names is wrong."""
        statement = body.statement(await caller.counted())
        return await services.statements.check(statement, body.question, body.dialect, execute=body.execute)

    async def rows(said: PersonsStatement, limit: int) -> Response:
        result = await services.statements.run(said, limit)
        return Response(await asyncio.to_thread(json_bytes, result), media_type="application/json")

    async def download(said: PersonsStatement, form: RowFileFormat, name: str) -> Response:
        file = await services.statements.export(said, form)
        return file_answer(file, _MEDIA_TYPES[form], safe_name(name, form))

    return router
