"""Statements that people write: run over a project's model for some rows or for a file of all, and checked against a
question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any

from pydantic import BaseModel, Field

from askwell.checking.check import QuestionCheck
from askwell.checking.finding import Finding, FindingBody, Severity, Verdict, verdict_of
from askwell.checking.results import probed
from askwell.checking.sureness import Origin, sureness
from askwell.config import Settings
from askwell.errors import EngineUnavailable, InvalidRequest, ResultTooLarge, StatementRejected
from askwell.knowledge.saved import PairParameter, SqlPair
from askwell.messages import say
from askwell.principal import NOBODY, Person
from askwell.providers.engine.base import QueryRows, ResultColumn, TakeRows
from askwell.row_files.files import MOST_SHEET_ROWS, RowFileFormat, RowFiles
from askwell.services.pair_parameters import with_values
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.sql.binder import QUALIFIERS, bound_again, readable
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardRefusal
from askwell.sql.names import fold
from askwell.sql.outcome import SHORTEN, CheckMode, RejectedSql, RejectionKind, ValidSql

# Hears of a statement that a person ran: who, of which project, what for, the statement, and how many rows came.
Heard = Callable[[Person, str, str, Mapping[str, Any], int | None], None]


@dataclass(frozen=True, slots=True)
class PersonsStatement:
    """A statement over the model of a project, as sent. `timezone` is an IANA name. What stands in it as
    the name of one of `parameters`, which are as those of a saved pair, is taken from `values`."""

    project_id: str
    sql: str
    timezone: str = "UTC"
    person: Person = NOBODY
    parameters: Sequence[PairParameter] = ()
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class _Run:
    """What came of a statement so far; `sql` is it with its values."""

    sql: str
    rows: int | None = None
    columns: Sequence[ResultColumn] = field(default_factory=tuple)


class Statements:
    """Runs statements through the checker, as everything else is run."""

    def __init__(
        self,
        projects: ProjectModels,
        files: RowFiles,
        settings: Settings,
        *,
        now: Callable[[], datetime],
        clock: Callable[[], float],
        heard: Heard = lambda *_: None,
    ) -> None:
        """`now` is the wall clock, timezone-aware; `clock` times a statement, in seconds; `heard` is told of each."""
        self._projects, self._files, self._settings = projects, files, settings
        self._now, self._clock, self._heard = now, clock, heard

    async def run(self, said: PersonsStatement, limit: int) -> dict[str, Any]:
        """At most `limit` rows: `{sql, planned_sql?, renamed?, columns, rows, row_count, truncated, warnings, repairs,
        ms}`, with values as in `QueryRows`. Raises `StatementRejected`, `NotFound` without a model, as `with_values`,
        and as `ProjectModels.get_for` and the checker do. Cancelling it stops the statement."""
        with self._hearing(said, "sql_run") as run:
            project = await self._projects.require_for(said.person, said.project_id)
            if said.parameters or said.values:
                run.sql = await asyncio.to_thread(_with_values, said, project.engine.dialect)
            began = self._clock()
            executed = await project.checker.execute(
                run.sql,
                context=self._context(said),
                row_limit=limit,
                timeout=float(self._settings.engine_timeout),
            )
            if isinstance(executed, RejectedSql):
                raise statement_rejected(executed)
            valid, found = executed.valid, executed.rows
            run.rows = len(found.rows)
            body: dict[str, Any] = {"sql": valid.sql, "planned_sql": valid.shown_plan, "renamed": valid.renamed or None}
            return {name: value for name, value in body.items() if value is not None} | {
                "columns": [column.to_json() for column in found.columns],
                "rows": found.rows,
                "row_count": len(found.rows),
                "truncated": found.truncated,
                "warnings": list(valid.warnings),
                "repairs": list(valid.repairs),
                "ms": round((self._clock() - began) * 1_000, 1),
            }

    async def check(
        self, said: PersonsStatement, question: str, dialect: str | None = None, *, execute: bool = False
    ) -> SqlCheck:
        """See `checked`. Raises as that and as `run` do."""
        project = await self._projects.require_for(said.person, said.project_id)
        seconds = float(self._settings.engine_timeout)
        return await checked(project, said.sql, question, self._context(said), seconds, dialect, execute=execute)

    async def export(self, said: PersonsStatement, form: RowFileFormat) -> IO[bytes]:
        """All rows as a file, open at its beginning. Raises as `run`, and `ResultTooLarge` where they are more than
        `settings.export_row_limit`; as `RowFiles.write` besides."""
        self._files.require(form)
        with self._hearing(said, "sql_export") as run:
            project = await self._projects.require_for(said.person, said.project_id)

            async def fill(take: TakeRows) -> Sequence[ResultColumn]:
                await self._stream(project, said, form, take, run)
                return run.columns

            return await self._files.write(form, fill)

    async def _stream(
        self, project: ProjectModel, said: PersonsStatement, form: RowFileFormat, take: TakeRows, run: _Run
    ) -> None:
        most, what = self._settings.export_row_limit, "settings.export_row_limit"
        if form == "xlsx" and most > MOST_SHEET_ROWS:
            most, what = MOST_SHEET_ROWS, "what a sheet of a workbook holds"
        count = 0

        async def counted(rows: Sequence[Sequence[Any]]) -> None:
            nonlocal count
            count += len(rows)
            await take(rows)

        streamed = await project.checker.stream(
            said.sql,
            counted,
            context=self._context(said),
            timeout=float(self._settings.engine_timeout),
            row_limit=most,
        )
        if isinstance(streamed, RejectedSql):
            raise statement_rejected(streamed)
        run.rows, run.columns = count, streamed.end.columns
        if streamed.end.truncated:
            raise ResultTooLarge(*say("sql.too_many_rows", most=most, what=what))

    def _context(self, said: PersonsStatement) -> QueryContext:
        return QueryContext.of(said.person, self._now(), said.timezone)

    @contextmanager
    def _hearing(self, said: PersonsStatement, what: str) -> Iterator[_Run]:
        """Whoever listens is told in the end, also of what failed or was given up: the database may have run it."""
        run = _Run(said.sql)
        try:
            yield run
        finally:
            self._heard(said.person, said.project_id, what, {"sql": run.sql}, run.rows)


def _with_values(said: PersonsStatement, dialect: str) -> str:
    return with_values(SqlPair("", "", said.sql, tuple(said.parameters)), said.values, dialect)


class SqlCheck(BaseModel):
    """Whether a statement answers a question."""

    verdict: Verdict
    sureness: float | None = Field(None, description="How often statements with such findings are right, 0 to 1.")
    findings: list[FindingBody] = Field(description="What speaks against it, the worst first.")
    rewritten: str | None = Field(None, description="The statement put right, where that is certain.")


_CODES = {RejectionKind.GUARD: "SQL_REFUSED", RejectionKind.TIME_OUT: "SQL_TIMED_OUT"}
_TODO = "Correct the statement."
_ROWS, _PROBE_SECONDS = 1_000, 2.0


async def checked(
    project: ProjectModel,
    sql: str,
    question: str,
    context: QueryContext,
    seconds: float,
    dialect: str | None = None,
    *,
    execute: bool = False,
) -> SqlCheck:
    """Whether a statement answers `question`. `dialect` is the SQL that it
    is written in, where that is not the database's. Only with `execute` it is run, for at most so many `seconds`, and
    its rows are looked at where they come in that time. Raises `StatementRejected` for a statement that may not be run
    or cannot be read."""
    if dialect is not None and dialect != project.engine.dialect:
        sql = await asyncio.to_thread(_translated, sql, dialect, project)
    checker = project.checker
    outcome: Executed | ValidSql | RejectedSql | None = None
    if execute:
        outcome = await checker.execute(sql, context=context, row_limit=_ROWS, timeout=seconds, question=question)
    if outcome is None or (isinstance(outcome, RejectedSql) and outcome.kind is RejectionKind.TIME_OUT):
        outcome = await checker.check(
            sql,
            mode=CheckMode.DRY_PLAN,
            context=context,
            timeout=seconds,
            allow_dry_plan_fallback=False,
            question=question,
        )
    if isinstance(outcome, RejectedSql):
        if outcome.kind is not RejectionKind.BIND:
            raise statement_rejected(outcome)
        return _verdict((Finding("unknown_name", Severity.WRONG, "", outcome.sql, outcome.error),))
    valid, rows = (outcome.valid, outcome.rows) if isinstance(outcome, Executed) else (outcome, None)
    today = context.now.date()
    against = await asyncio.to_thread(lambda: QuestionCheck(question, project.model, project.value_index, today))
    bound = await asyncio.to_thread(bound_again, valid, project.model)
    assert bound is not None, "a statement that was planned binds"
    findings = await asyncio.to_thread(against.findings, bound, rows)
    if rows is not None:

        async def glance(text: str) -> QueryRows | None:
            try:
                limit = min(seconds, _PROBE_SECONDS)
                found = await checker.execute(text, context=context, row_limit=_ROWS, timeout=limit)
            except EngineUnavailable:  # the statement was looked at all the same
                return None
            return found.rows if isinstance(found, Executed) else None

        findings = await probed(findings, await asyncio.to_thread(against.probes, bound), bound.dialect, glance)
    better = await asyncio.to_thread(against.mended, bound, findings)
    return _verdict(findings, (readable(better.bound.tree, dialect or valid.dialect) or None) if better.said else None)


def _translated(sql: str, dialect: str, project: ProjectModel) -> str:
    """The statement in the database's dialect. Raises `StatementRejected` for what may not be run, or is none in its
    own, and `InvalidRequest` for an unknown dialect."""
    if dialect not in DIALECTS:
        raise InvalidRequest(*say("sql.unknown_dialect", dialect=dialect, dialects=", ".join(DIALECTS)))
    tables = {fold(name): None for name in project.model.tables}
    shape = Guard(dialect).check_shape(sql, Allowed(tables, QUALIFIERS.get(dialect, frozenset())))
    if isinstance(shape, GuardRefusal):
        raise StatementRejected("SQL_REFUSED", shape.message, _TODO)
    return shape.tree.sql(dialect=project.engine.dialect)


def _verdict(findings: tuple[Finding, ...], rewritten: str | None = None) -> SqlCheck:
    sure = sureness(findings, Origin("given"))
    return SqlCheck(
        verdict=verdict_of(findings),
        sureness=round(sure, 3) if sure is not None else None,
        findings=[finding.as_json() for finding in findings],
        rewritten=rewritten,
    )


def statement_rejected(found: RejectedSql, todo: str = _TODO) -> StatementRejected:
    """Why a statement has no rows, for its author. `todo` is what to do where nothing else is known."""
    suggested = "; ".join(found.suggestions)
    hint = found.hint or suggested or (SHORTEN if found.kind is RejectionKind.TIME_OUT else todo)
    return StatementRejected(_CODES.get(found.kind, "SQL_FAILED"), found.error_for_writer, hint)
