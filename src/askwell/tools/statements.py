"""The tool that runs a statement over the semantic model."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from askwell.jobs.request import MAX_SQL
from askwell.services.projects import ProjectModels
from askwell.services.statements import statement_rejected
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.tools.base import Arguments, Caller, Output, Progress, Result, Tool, ToolFailure
from askwell.tools.catalogue import model_of
from askwell.tools.rows import Table, for_model, for_people, is_withheld, withheld_table

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


class RunSql(Tool[RunSqlArguments]):
    """Run SQL that reads."""

    name: ClassVar[str] = "run_sql"
    title: ClassVar[str] = "Run SQL"
    description: ClassVar[str] = (
        "Runs one read-only SELECT over the semantic model and gives its rows. Anything that writes, reads other "
        "tables or calls unsafe functions is refused, with the rule."
    )
    arguments: ClassVar[type[Arguments]] = RunSqlArguments
    result: ClassVar[type[Result]] = SqlRows

    def __init__(self, projects: ProjectModels, engine_timeout: float) -> None:
        """`engine_timeout` is what a statement gets on the database, in seconds."""
        self._projects = projects
        self._engine_timeout = engine_timeout

    async def run(self, caller: Caller, arguments: RunSqlArguments, progress: Progress) -> Output:
        project = await model_of(self._projects, caller)
        executed = await project.checker.execute(
            arguments.sql, context=caller.context, row_limit=arguments.limit, timeout=self._engine_timeout
        )
        if isinstance(executed, RejectedSql):
            # What the guard and the binder say is of the statement alone; what the database says may be of its rows.
            if executed.kind in _OF_DATABASE and await is_withheld(project, arguments.sql):
                return Output(SqlRows(sql=arguments.sql, table=withheld_table(), warnings=[], repairs=[]))
            raise refused(executed)
        valid, rows = executed.valid, executed.rows
        table = await for_model(project, valid.sql, rows, arguments.limit)
        told = SqlRows(
            sql=valid.sql,
            planned_sql=valid.told_plan,
            table=table,
            warnings=[] if table.withheld else list(valid.warnings),
            repairs=list(valid.repairs),
        )
        return Output(told, rows=for_people(rows))


def refused(found: RejectedSql) -> ToolFailure:
    """A statement that does not pass, as the model that wrote it can mend it."""
    todo = "Correct the statement; describe_table shows the names and types that there are."
    return ToolFailure.of(statement_rejected(found, todo))
