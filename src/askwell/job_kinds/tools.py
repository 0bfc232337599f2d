"""Steps and results that jobs around an answer share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.asks.ask import AskTools
from askwell.asks.proof import Proved, Prover
from askwell.asks.request import AskRequest
from askwell.asks.stages import Ledger
from askwell.asks.writing_step import SqlWriting
from askwell.errors import InvalidModel
from askwell.field_types import Identifier
from askwell.jobs.kind import Job, JobFailed, JobState, SimpleKind
from askwell.jobs.request import Body, Lenient
from askwell.knowledge.models import StoredModel
from askwell.mdl.secret_columns import is_secret, mentions
from askwell.messages import say
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.principal import Person
from askwell.privacy.current import current_vault
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.services.projects import ProjectModel, build
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.names import fold
from askwell.sql.outcome import SHORTEN, CheckMode, RejectedSql, RejectionKind, ValidSql

Mdl = Annotated[
    str | dict[str, Any] | None,
    Field(description="A semantic model, as JSON text or as the object. Left out: the project's current one."),
]


class JobError(BaseModel):
    code: str
    message: str
    hint: str | None = None


class JobResult(BaseModel):
    """Fields that are not known yet are absent."""

    model_config = ConfigDict(extra="forbid")

    status: str
    error: JobError | None = None
    warnings: list[str] | None = None
    trace_id: str


class StatementResult(JobResult):
    """Of a job about a statement; `invalid_sql` is the last one that did not pass."""

    query_id: str
    invalid_sql: str | None = None


class ColumnBody(Lenient):
    name: Identifier
    type: Annotated[str, Field(max_length=256)] = ""


class ResultData(Lenient):
    """Rows that a client has already: each as wide as there are columns."""

    columns: Annotated[list[Identifier | ColumnBody], Field(min_length=1, max_length=1_000)]
    data: list[list[Any]]

    @model_validator(mode="after")
    def _is_a_table(self) -> ResultData:
        width = len(self.columns)
        for number, row in enumerate(self.data, 1):
            if len(row) != width:
                raise ValueError(f"row {number} has {len(row)} values for {width} columns")
        return self

    def rows(self) -> QueryRows:
        """The rows as an engine gives them."""
        columns = (one if isinstance(one, ColumnBody) else ColumnBody(name=one) for one in self.columns)
        return QueryRows(
            tuple(ResultColumn(column.name, column.type) for column in columns), tuple(tuple(row) for row in self.data)
        )


BodyT = TypeVar("BodyT", bound=Body)

ASK_CODES = frozenset({"NO_RELEVANT_DATA", "NO_RELEVANT_SQL", "OTHERS"})

NO_MODEL_CONFIGURED = "No language model is configured."
CONFIGURE_ONE = "Configure one under `llm` in config.yaml."


class ToolsKind(SimpleKind[BodyT], Generic[BodyT]):
    """A kind that works on a project's semantic model."""

    def __init__(self, tools: AskTools) -> None:
        self.tools = tools
        self.deadline = float(tools.settings.ask_deadline)
        self.readable = float(tools.settings.ask_ttl)

    def require(self, request: BodyT) -> None:
        self.tools.projects.require_database(request.project_id)

    def about(self, request: BodyT) -> str:
        return str(getattr(request, "query", None) or getattr(request, "question", ""))

    def ended(self, state: JobState, seconds: float) -> None:
        self.tools.metrics.job_ended(self.name, state.status, seconds)

    async def project(self, job: Job[BodyT, JobState], mdl_hash: str | None = None) -> ProjectModel:
        """The current model of the job's project, or the one with that label, for whom the job is. Raises `JobFailed`
        without one, and as `ProjectModels.get_for` does."""
        request = job.request
        project = await self.tools.projects.get_for(job.person, request.project_id, mdl_hash)
        if project is not None:
            return project
        named = say("model.none_named", project_id=request.project_id, mdl_hash=mdl_hash[:64]) if mdl_hash else None
        raise JobFailed("RESOURCE_NOT_FOUND", *(named or say("model.none", project_id=request.project_id)))

    async def project_with(self, job: Job[BodyT, JobState], mdl: str | dict[str, Any] | None) -> ProjectModel:
        """A model that came with a request, checked as a preparation checks it and stored nowhere; without one the
        project's current model. Raises `JobFailed` with all problems where it does not validate."""
        request = job.request
        if mdl is None:
            return await self.project(job)
        database = self.tools.projects.database_for(request.project_id)
        try:
            read = await self.tools.projects.reader.read(mdl, database)
            if read.problems:
                raise JobFailed("MDL_PARSE_ERROR", "\n".join(map(str, read.problems)), "Correct the model.")
            stored = StoredModel(request.project_id, read.digest, "", read.text, None, (), datetime.now().astimezone())
            await self.tools.projects.reader.try_out(stored, database)
            project = await asyncio.to_thread(build, stored, database)
        except InvalidModel as refusal:
            raise JobFailed("MDL_PARSE_ERROR", refusal.message, refusal.hint) from None
        project.require_role(job.person)
        return replace(project, shows_values=current_vault() is None)

    def context(self, job: Job[BodyT, JobState]) -> QueryContext:
        """The moment, the time zone and the person that statements of the job are read for."""
        return query_context(job.request, job.now, job.person)

    def question(self, job: Job[BodyT, JobState], project: ProjectModel, question: str) -> QuestionContext:
        """The question as prompts are told of it."""
        configurations = job.request.configurations
        return QuestionContext(
            question=question.strip(),
            now=self.context(job).now,
            timezone=configurations.timezone.name,
            language=configurations.language,
            dialect=project.engine.dialect,
            custom_instruction=getattr(job.request, "custom_instruction", None),
        )

    def writing(
        self,
        job: Job[BodyT, JobState],
        project: ProjectModel,
        question: QuestionContext,
        found: RetrievedContext,
        *,
        plan: str | None = None,
        request: AskRequest | None = None,
    ) -> SqlWriting:
        """What writes and corrects SQL with the language model, as an ask does; `request` says how statements are
        proved. Raises `JobFailed` without a model."""
        tools = self.tools
        if tools.generation is None:
            raise JobFailed("OTHERS", NO_MODEL_CONFIGURED, CONFIGURE_ONE)

        def on_correcting(refused: RejectedSql, _: int) -> None:
            if "correcting" in self.statuses:
                job.advance(self.live("correcting", invalid_sql=refused.sql or None))

        ledger = Ledger(self.tools.metrics, tools.clock)
        asked = request or AskRequest(query=question.question)
        prover = Prover(project, asked, self.context(job), tools.settings, ledger, asked.query)
        return SqlWriting(tools.generation, question, found, plan, prover, tools.settings, ledger, on_correcting)

    async def found(
        self, job: Job[BodyT, JobState], project: ProjectModel, question: str, names: Sequence[str] = ()
    ) -> RetrievedContext:
        """The context for a question: with the tables of these names, those of them that there are."""
        tables = [table.name for name in names if (table := project.model.table(name)) is not None]
        return await self.tools.retrieval.run(project, question, tables=tables, person=job.person)

    async def generated(
        self, job: Job[BodyT, JobState], project: ProjectModel, question: str, *, wants_rows: bool
    ) -> str | None:
        """SQL that the language model writes for a question, that passes and may be what was asked; None where there is
        none."""
        found = await self.found(job, project, question)
        request = AskRequest(query=question, allow_data_preview=wants_rows)
        writing = self.writing(job, project, self.question(job, project, question), found, request=request)
        outcome = await writing.run()
        return outcome.valid.sql if isinstance(outcome, Proved) and not outcome.is_wrong else None

    async def checked(
        self,
        job: Job[BodyT, JobState],
        project: ProjectModel,
        sql: str,
        mode: CheckMode = CheckMode.DRY_RUN,
        *,
        fallback: bool = False,
    ) -> ValidSql | RejectedSql:
        """The statement, checked as far as `mode` says; `fallback` as in `SqlChecker.check`."""
        return await project.checker.check(
            sql,
            mode=mode,
            context=self.context(job),
            timeout=float(self.tools.settings.engine_timeout),
            allow_dry_plan_fallback=fallback,
        )

    async def executed(
        self, job: Job[BodyT, JobState], project: ProjectModel, sql: str, row_limit: int
    ) -> Executed | RejectedSql:
        """The statement, checked and run, with at most `row_limit` of its rows."""
        timeout = float(self.tools.settings.engine_timeout)
        return await project.checker.execute(sql, context=self.context(job), row_limit=row_limit, timeout=timeout)

    async def rows_of(
        self, job: Job[BodyT, JobState], project: ProjectModel, sql: str, sent: ResultData | None, row_limit: int
    ) -> QueryRows:
        """The rows that a client sent with a statement that passes, else those that it gives. Raises `JobFailed`."""
        if sent is None:
            executed = await self.executed(job, project, sql, row_limit)
            if isinstance(executed, RejectedSql):
                raise rejected(executed)
            return executed.rows
        checked = await self.checked(job, project, sql, CheckMode.DRY_PLAN)
        if isinstance(checked, RejectedSql):
            raise rejected(checked)
        return sent.rows()


def query_context(request: Body, now: datetime, person: Person) -> QueryContext:
    """A moment (timezone-aware), in the time zone of the caller, with what they may read."""
    return QueryContext.of(person, now, request.configurations.timezone.name)


def looks_at_rows(person: Person, mdl: str | dict[str, Any] | None) -> bool:
    """Whether statements over a model that came with a request may be run: it has what rules its sender likes, so for
    who signed in they are only proved."""
    return mdl is None or not person.has_signed_in


def reads_secrets(project: ProjectModel, sql: str, rows: QueryRows) -> bool:
    """Whether a statement names a sensitive column anywhere, or cannot be read, or its rows, which may be those that a
    client sent, have a column of such a name: no language model is then shown its values. Takes milliseconds: call it
    on a thread."""
    secret = {fold(column.name) for table in project.model for column in table.columns if is_secret(column)}
    if not secret:
        return False
    if any(fold(column.name) in secret for column in rows.columns):
        return True
    try:
        tree = parse_one(sql, dialect=project.engine.dialect)
    except (SqlglotError, RecursionError):
        return True
    if any(fold(name.this) in secret for name in tree.find_all(exp.Identifier)):
        return True
    tables = {fold(table.name): table for table in project.model}
    read = [(node, tables[fold(node.name)]) for node in tree.find_all(exp.Table) if fold(node.name) in tables]
    if any(table.statement and mentions(table.statement, secret) for _, table in read):
        return True
    holders = [node for node, table in read if any(map(is_secret, table.columns))]
    # A table's name, or its alias, where a column stands is the whole row: SELECT owners FROM owners.
    rows_of = {fold(name) for node in holders for name in (node.name, node.alias) if name}
    if any(fold(column.name) in rows_of for column in tree.find_all(exp.Column)):
        return True
    return bool(holders) and not all(isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))


_REFUSALS = {RejectionKind.GUARD: "The SQL was not accepted.", RejectionKind.TIME_OUT: "The SQL takes too long."}
_TODO = {
    RejectionKind.GUARD: "Send one statement that reads, over the semantic model.",
    RejectionKind.TIME_OUT: SHORTEN,
}


def rejected(found: RejectedSql, hint: str = "Correct the statement.") -> JobFailed:
    """How a job fails whose statement does not pass. The error names the guard's rule, where that refused it; `hint` is
    for what has none of its own."""
    return JobFailed(
        "OTHERS",
        f"{_REFUSALS.get(found.kind, 'The SQL does not work.')} {found.error_for_writer}",
        found.hint or _TODO.get(found.kind, hint),
        fields={"invalid_sql": found.sql or found.original_sql},
    )
