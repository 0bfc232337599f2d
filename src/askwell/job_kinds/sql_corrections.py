"""SQL that does not work, corrected."""

from __future__ import annotations

import asyncio
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.asks.proof import Proved
from askwell.asks.request import AskRequest
from askwell.job_kinds.results import JobResult
from askwell.job_kinds.tools import ToolsKind, rejected
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Flag, Identifier, Sql, Text
from askwell.services.projects import ProjectModel
from askwell.sql.extract import extract_sql
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql


class SqlCorrectionsBody(Body):
    """`error` is what the statement failed with. `retrieved_tables` are shown to the language model; those of the
    statement where they are left out."""

    sql: Sql
    error: Text
    retrieved_tables: Annotated[list[Identifier], Field(max_length=1_000)] | None = None
    use_dry_plan: Flag = False
    allow_dry_plan_fallback: Flag = True


class SqlCorrectionsResult(JobResult):
    """`response` is the statement that works; `invalid_sql` the last one that did not."""

    event_id: str
    response: str | None = None
    invalid_sql: str | None = None


_HINT = "Correct the statement by hand, or ask the question anew."


class SqlCorrections(ToolsKind[SqlCorrectionsBody]):
    """Correct a statement: slips without a language model, the rest by one. SQL that works comes back as it is."""

    name: ClassVar[str] = "sql_correction"
    noun: ClassVar[str] = "correction"
    path: ClassVar[str] = "sql-corrections"
    id_name: ClassVar[str] = "event_id"
    request: ClassVar[type[Body]] = SqlCorrectionsBody
    result: ClassVar[type[BaseModel]] = SqlCorrectionsResult
    statuses: ClassVar[tuple[str, ...]] = ("correcting",)

    async def run(self, job: Job[SqlCorrectionsBody, JobState]) -> JobState:
        request = job.request
        project = await self.project(job)
        checked = await self._proved(job, project)
        if not isinstance(checked, RejectedSql):
            # A statement in a fence or in prose was found there, and does not run as it came.
            as_it_came = extract_sql(request.sql) == request.sql.rstrip("; \t\n")
            sql = request.sql if as_it_came and not checked.repairs else checked.sql
            return self.finished(response=sql, warnings=list(checked.repairs) or None)
        # What is forbidden is no slip to correct.
        if self.tools.asks.generation is None or checked.kind is RejectionKind.GUARD:
            raise rejected(checked, _HINT)
        tables = request.retrieved_tables
        if tables is None:
            tables = await asyncio.to_thread(_tables_of, request.sql, project)
        known = [table.name for name in tables if (table := project.model.table(name)) is not None]
        told = request.error.strip() or checked.error
        found = await self.tools.asks.retrieval.run(project, told, tables=known, person=job.person)
        question = self.question(job, project, "")
        writing = self.writing(
            job,
            project,
            question,
            found,
            request=AskRequest(
                query="", use_dry_plan=request.use_dry_plan, allow_dry_plan_fallback=request.allow_dry_plan_fallback
            ),
            on_correcting=lambda refused: job.advance(self.live("correcting", invalid_sql=refused.sql or None)),
        )
        outcome = await writing.corrected(checked)
        if isinstance(outcome, Proved):
            return self.finished(response=outcome.valid.sql)
        raise rejected(outcome, _HINT)

    async def _proved(self, job: Job[SqlCorrectionsBody, JobState], project: ProjectModel) -> ValidSql | RejectedSql:
        """Checked, and run for a row: some errors show with the first value. One that is only slow works."""
        request = job.request
        mode = CheckMode.DRY_PLAN if request.use_dry_plan else CheckMode.DRY_RUN
        checked = await self.checked(job, project, request.sql, mode, fallback=request.allow_dry_plan_fallback)
        if isinstance(checked, RejectedSql) or request.use_dry_plan:
            return checked
        executed = await project.checker.execute(
            request.sql,
            context=self.context(job),
            row_limit=1,
            timeout=float(self.tools.asks.settings.engine_timeout),
        )
        if isinstance(executed, RejectedSql) and executed.kind is not RejectionKind.TIME_OUT:
            return executed
        return checked


def _tables_of(sql: str, project: ProjectModel) -> list[str]:
    try:
        tree = parse_one(sql, dialect=project.engine.dialect)
    except (SqlglotError, RecursionError):
        return []
    return list(dict.fromkeys(table.name for table in tree.find_all(exp.Table)))
