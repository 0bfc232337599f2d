"""Tools that run statements, and their rows as models read them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from askwell.asks.result import DataColumn, data_of
from askwell.checking.finding import Severity
from askwell.field_types import MAX_SQL, MAX_TEXT
from askwell.job_kinds.tools import reads_secrets
from askwell.pipelines.generation.result_rows import cut_cell
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.services.projects import ProjectModel
from askwell.services.statements import SqlCheck, checked, statement_rejected
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.tools.base import Arguments, Caller, Output, Progress, ProjectTool, Result, ToolFailure

WITHHELD = (
    "The statement reads a column that holds secrets or personal data: its rows are shown to people, not to language "
    "models."
)


class Table(Result):
    """Rows in the order of the result; each is as wide as there are columns."""

    columns: list[DataColumn]
    rows: list[list[Any]]
    row_count: int | None = Field(None, description="How many rows were fetched.")
    truncated: bool = Field(description="Whether there are more rows than were fetched.")
    has_cut_values: bool | None = Field(None, description="True where long values are shown cut (…).")
    withheld: str | None = Field(None, description="Why rows are not shown here, where they are not.")


async def for_model(project: ProjectModel, sql: str, rows: QueryRows, limit: int) -> Table:
    """At most `limit` of the rows, long values cut. Of a statement that reads sensitive columns nothing, not even how
    many there are: by that alone a password can be asked out, letter by letter."""
    if await is_withheld(project, sql, rows):
        return withheld_table()
    columns: Any = [column.to_json() for column in rows.columns]
    shown = [[cut_cell(value) for value in row] for row in rows.rows[:limit]]
    return Table(
        columns=columns,
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


MOST_ROWS = 200
_OF_DATABASE = frozenset(
    {
        RejectionKind.DRY_RUN,
        RejectionKind.PREVIEW_FAILED,
        RejectionKind.PREVIEW_EMPTY_DATA,
        RejectionKind.TIME_OUT,
    }
)


class RunSqlArguments(Arguments):
    sql: Annotated[str, Field(min_length=1, max_length=MAX_SQL)] = Field(
        description="One SELECT over the names that find_tables and describe_table give, in the database's dialect."
    )
    limit: int = Field(100, ge=1, le=MOST_ROWS, description="How many rows at most.")


class SqlRows(Result):
    sql: str = Field(description="The statement as it was checked.")
    planned_sql: str | None = Field(None, description="The statement that the database ran.")
    table: Table
    warnings: list[str] = Field(description="What to keep in mind about these rows.")
    repairs: list[str] = Field(description="What was mended in the statement.")


class RunSql(ProjectTool[RunSqlArguments]):
    """Run SQL that reads."""

    name: ClassVar[str] = "run_sql"
    arguments: ClassVar[type[Arguments]] = RunSqlArguments
    result: ClassVar[type[Result]] = SqlRows

    async def run(self, caller: Caller, arguments: RunSqlArguments, progress: Progress) -> Output:
        project = await self.model_of(caller)
        executed = await project.checker.execute(
            arguments.sql, context=caller.context, row_limit=arguments.limit, timeout=self._doors.engine_timeout
        )
        if isinstance(executed, RejectedSql):
            # What the guard and the binder say is of the statement alone; what the database says may be of its rows.
            if executed.kind in _OF_DATABASE and await is_withheld(project, arguments.sql):
                return Output(SqlRows(sql=arguments.sql, table=withheld_table(), warnings=[], repairs=[]))
            raise refused(executed)
        valid, rows = executed.valid, executed.rows
        table = await for_model(project, valid.sql, rows, arguments.limit)
        doubts = await self._doubts(project, caller, valid.sql) if caller.question else ()
        told = SqlRows(
            sql=valid.sql,
            planned_sql=valid.told_plan,
            table=table,
            warnings=[] if table.withheld else list(dict.fromkeys((*valid.warnings, *doubts))),
            repairs=list(valid.repairs),
        )
        return Output(told, rows=data_of(rows))

    async def _doubts(self, project: ProjectModel, caller: Caller, sql: str) -> Sequence[str]:
        """What speaks against the statement as the answer to what the person said last."""
        found = await checked(project, sql, caller.question, caller.context, self._doors.engine_timeout)
        return [one["message"] for one in found.findings if one["severity"] != Severity.NOTE]


class CheckSqlArguments(Arguments):
    question: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] = Field(
        description="The question in plain language."
    )
    sql: Annotated[str, Field(min_length=1, max_length=MAX_SQL)] = Field(
        description="The statement that is to answer it, over the names that describe_table gives."
    )
    dialect: str | None = Field(None, description="The SQL that it is written in, where that is not the database's.")


class CheckedSql(Result, SqlCheck):
    """Whether a statement answers a question."""


class CheckSql(ProjectTool[CheckSqlArguments]):
    """Check SQL against a question."""

    name: ClassVar[str] = "check_sql"
    arguments: ClassVar[type[Arguments]] = CheckSqlArguments
    result: ClassVar[type[Result]] = CheckedSql

    async def run(self, caller: Caller, arguments: CheckSqlArguments, progress: Progress) -> Output:
        project = await self.model_of(caller)
        said = (arguments.sql, arguments.question, caller.context, self._doors.engine_timeout, arguments.dialect)
        return Output(CheckedSql(**dict(await checked(project, *said))))


def refused(found: RejectedSql) -> ToolFailure:
    """A statement that does not pass, as the model that wrote it can mend it."""
    todo = "Correct the statement; describe_table shows the names and types that there are."
    return ToolFailure.of(statement_rejected(found, todo))
