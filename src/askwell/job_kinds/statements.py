"""Jobs about statements: answers in words, questions, corrections, explanations, and new SQL by an edited plan."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.asks.proof import Proved
from askwell.asks.request import AskRequest
from askwell.asks.rows_in_words import MOST_ROWS, NO_ROWS, number_warning, rows_in_words, unsupported_numbers
from askwell.errors import AskwellError
from askwell.field_types import Flag, Identifier, Question, Sql, Text
from askwell.job_kinds.tools import (
    ASK_CODES,
    CONFIGURE_ONE,
    NO_MODEL_CONFIGURED,
    JobResult,
    ResultData,
    StatementResult,
    ToolsKind,
    reads_secrets,
    rejected,
)
from askwell.jobs.kind import Job, JobFailed, JobState
from askwell.jobs.request import Body, MdlHash
from askwell.mdl.names import nearest_hint
from askwell.messages import say
from askwell.providers.engine.base import QueryRows
from askwell.providers.llm.call_options import within
from askwell.services.projects import ProjectModel
from askwell.sql.extract import extract_sql
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql
from askwell.sql.steps import Step, steps_of
from askwell.sql.wording import describe_sql, describe_step, question_of_sql

_ROW_LIMIT = 500
# Of the time that is left, the part that a language model may write for: the rest is for telling the rows without it.
_SHARE_OF_WRITING = 0.9


class SqlAnswersBody(Body):
    """`sql_data` are the statement's rows, where the client has them."""

    query: Question
    sql: Sql
    sql_data: ResultData | None = None
    custom_instruction: Text | None = None


class SqlAnswersResult(StatementResult):
    num_rows_used_in_llm: int | None = None


class SqlAnswers(ToolsKind[SqlAnswersBody]):
    """Answer a question in words, from the rows of its SQL. The result is `succeeded` as soon as the words begin; read
    them from the stream."""

    name: ClassVar[str] = "sql_answer"
    noun: ClassVar[str] = "answer"
    path: ClassVar[str] = "sql-answers"
    stream_path: ClassVar[str] = "/streaming"
    request: ClassVar[type[Body]] = SqlAnswersBody
    result: ClassVar[type[BaseModel]] = SqlAnswersResult
    statuses: ClassVar[tuple[str, ...]] = ("preprocessing", "succeeded")
    done: ClassVar[str] = "succeeded"

    async def run(self, job: Job[SqlAnswersBody, JobState]) -> JobState:
        begun = time.monotonic()
        project = await self.project(job)
        rows = await self.rows_of(job, project, job.request.sql, job.request.sql_data, _ROW_LIMIT)
        generation = self.tools.generation
        if not rows.rows or generation is None:
            return await self._by_ourselves(job, rows)
        # Values of sensitive columns do not leave for a language model.
        if await asyncio.to_thread(reads_secrets, project, job.request.sql, rows):
            return await self._by_ourselves(job, rows)
        return await self._by_model(job, project, rows, begun)

    async def _by_ourselves(self, job: Job[SqlAnswersBody, JobState], rows: QueryRows) -> JobState:
        shown = min(len(rows.rows), MOST_ROWS)
        job.advance(self.live("succeeded", num_rows_used_in_llm=shown))
        job.stream.append(await asyncio.to_thread(rows_in_words, rows) if rows.rows else NO_ROWS)
        return self.finished(num_rows_used_in_llm=shown)

    async def _by_model(
        self, job: Job[SqlAnswersBody, JobState], project: ProjectModel, rows: QueryRows, begun: float
    ) -> JobState:
        request, generation = job.request, self.tools.generation
        assert generation is not None
        question = self.question(job, project, request.query)
        instructions = await self.tools.retrieval.instructions(project, request.query, "answer")
        fitted = await generation.rows_for_answer(question, sql=request.sql, result=rows, instructions=instructions)
        if not fitted.shown:
            return await self._by_ourselves(job, rows)
        left = None if self.deadline is None else self.deadline - (time.monotonic() - begun)
        job.advance(self.live("succeeded", num_rows_used_in_llm=fitted.shown))
        try:
            with within(None if left is None else left * _SHARE_OF_WRITING):
                written = await generation.answer.run(
                    question,
                    sql=request.sql,
                    rows=fitted,
                    instructions=instructions,
                    on_delta=job.stream.append,
                )
        except AskwellError as error:
            if job.stream.text():
                raise
            job.stream.append(await asyncio.to_thread(rows_in_words, rows))
            warning = f"The language model wrote no answer, so you see the rows as they are. {error.message}"
            return self.finished(num_rows_used_in_llm=fitted.shown, warnings=[warning])
        if not written.value:
            job.stream.append(await asyncio.to_thread(rows_in_words, rows))
        counts = (fitted.shown, fitted.total)
        wrong = await asyncio.to_thread(
            unsupported_numbers, written.value, rows, request.query, request.sql, counts=counts
        )
        warning = number_warning(wrong)
        if warning:
            job.stream.append(f"\n\n{warning}")
        return self.finished(num_rows_used_in_llm=fitted.shown, warnings=[warning] if warning else None)


_AT_ONCE = 4


class SqlQuestionsBody(Body):
    sqls: Annotated[list[Sql], Field(min_length=1, max_length=50)]


class SqlQuestionsResult(JobResult):
    """`questions` has one for each statement, in their order; "" where no question fits, with a warning."""

    query_id: str
    questions: list[str] | None = None


class SqlQuestions(ToolsKind[SqlQuestionsBody]):
    """Write the question that each statement answers."""

    name: ClassVar[str] = "sql_question"
    noun: ClassVar[str] = "request for questions"
    path: ClassVar[str] = "sql-questions"
    request: ClassVar[type[Body]] = SqlQuestionsBody
    result: ClassVar[type[BaseModel]] = SqlQuestionsResult
    statuses: ClassVar[tuple[str, ...]] = ("generating",)
    done: ClassVar[str] = "succeeded"

    async def run(self, job: Job[SqlQuestionsBody, JobState]) -> JobState:
        project = await self.project(job)
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(sql: str) -> tuple[str, str | None]:
            async with slots:
                return await self._question(job, project, sql)

        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(one(sql)) for sql in job.request.sqls]
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        found = [task.result() for task in asked]
        warnings = [f"Statement {number}: {problem}" for number, (_, problem) in enumerate(found, 1) if problem]
        return self.finished(questions=[question for question, _ in found], warnings=warnings or None)

    async def _question(
        self, job: Job[SqlQuestionsBody, JobState], project: ProjectModel, sql: str
    ) -> tuple[str, str | None]:
        checked = await self.checked(job, project, sql, CheckMode.DRY_PLAN)
        if isinstance(checked, RejectedSql):
            return "", rejected(checked).message
        by_tree, description = await asyncio.to_thread(_in_words, checked, project)
        generation = self.tools.generation
        question = by_tree
        if generation is not None:
            language = job.request.configurations.language
            try:
                written = await generation.question.run(
                    sql=checked.sql, words=description, language=language, dialect=project.engine.dialect
                )
                question = written.value or by_tree
            except AskwellError as error:
                return by_tree, None if by_tree else error.message
        return question, None if question else "No question in plain words fits it."


def _in_words(valid: ValidSql, project: ProjectModel) -> tuple[str, str]:
    tree = parse_one(valid.sql, dialect=project.engine.dialect)
    dialect = project.engine.dialect
    return question_of_sql(tree, project.model, dialect), describe_sql(tree, project.model, dialect)


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


_HINT = "Correct the statement by hand, or ask the question again."


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
        if self.tools.generation is None or checked.kind is RejectionKind.GUARD:
            raise rejected(checked, _HINT)
        tables = request.retrieved_tables
        if tables is None:
            tables = await asyncio.to_thread(_tables_of, request.sql, project)
        found = await self.found(job, project, request.error.strip() or checked.error, tables)
        question = self.question(job, project, "")
        proving = AskRequest(
            query="", use_dry_plan=request.use_dry_plan, allow_dry_plan_fallback=request.allow_dry_plan_fallback
        )
        writing = self.writing(job, project, question, found, request=proving)
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
        executed = await self.executed(job, project, request.sql, 1)
        if isinstance(executed, RejectedSql) and executed.kind is not RejectionKind.TIME_OUT:
            return executed
        return checked


def _tables_of(sql: str, project: ProjectModel) -> list[str]:
    try:
        tree = parse_one(sql, dialect=project.engine.dialect)
    except (SqlglotError, RecursionError):
        return []
    return list(dict.fromkeys(table.name for table in tree.find_all(exp.Table)))


class AskDetailsBody(Body):
    query: Question
    sql: Sql
    mdl_hash: MdlHash | None = None


class StepBody(BaseModel):
    """`cte_name` is "" for the last step, which gives the answer. Each step's SQL runs alone."""

    sql: str
    summary: str
    cte_name: str


class DetailsBody(BaseModel):
    description: str
    steps: list[StepBody]


class AskDetailsResult(StatementResult):
    response: DetailsBody | None = None


class AskDetails(ToolsKind[AskDetailsBody]):
    """Explain a statement: what it does, and what each of its steps does."""

    name: ClassVar[str] = "ask_details"
    noun: ClassVar[str] = "explanation"
    path: ClassVar[str] = "ask-details"
    result_path: ClassVar[str] = "/result"
    request: ClassVar[type[Body]] = AskDetailsBody
    result: ClassVar[type[BaseModel]] = AskDetailsResult
    statuses: ClassVar[tuple[str, ...]] = ("understanding", "searching", "generating")
    codes: ClassVar[frozenset[str]] = ASK_CODES

    async def run(self, job: Job[AskDetailsBody, JobState]) -> JobState:
        request = job.request
        project = await self.project(job, request.mdl_hash)
        job.advance(self.live("searching"))
        checked = await self.checked(job, project, request.sql)
        if isinstance(checked, RejectedSql):
            raise rejected(checked)
        job.advance(self.live("generating"))
        tree = await asyncio.to_thread(parse_one, checked.sql, dialect=project.engine.dialect)
        steps = await self._that_run(job, project, await asyncio.to_thread(steps_of, tree, project.engine.dialect))
        summaries, description = await asyncio.to_thread(_explained, tree, steps, project)
        warnings = None
        generation = self.tools.generation
        if generation is not None:
            question = self.question(job, project, request.query)
            try:
                written = await generation.summaries.run(question, steps=steps, words=description)
                problem = written.value.problem
            except AskwellError as error:
                problem = error.message
            if problem is None:
                description, summaries = written.value.description, written.value.summaries
            else:
                warnings = [f"These words are made from the statement, not by the language model: {problem}"]
        described = [
            {"sql": step.sql, "summary": summary, "cte_name": step.cte_name}
            for step, summary in zip(steps, summaries, strict=True)
        ]
        response: dict[str, Any] = {"description": description, "steps": described}
        return self.finished(response=response, warnings=warnings)

    async def _that_run(
        self, job: Job[AskDetailsBody, JobState], project: ProjectModel, steps: tuple[Step, ...]
    ) -> tuple[Step, ...]:
        """The steps that pass the check alone; the others are within the ones after them."""
        kept = [step for step in steps[:-1] if isinstance(await self.checked(job, project, step.sql), ValidSql)]
        return (*kept, steps[-1])


def _explained(tree: exp.Expr, steps: tuple[Step, ...], project: ProjectModel) -> tuple[tuple[str, ...], str]:
    """What each step does by itself, and what the whole statement does."""
    dialect = project.engine.dialect
    description = describe_sql(tree, project.model, dialect)
    if len(steps) == 1:
        return (description,), description
    summaries: list[str] = []
    described: set[str] = set()
    for step in steps:
        one = parse_one(step.sql, dialect=dialect)
        summaries.append(describe_step(one, project.model, dialect, name=step.cte_name, described=described))
        with_ = one.args.get("with_")
        described |= {cte.alias for cte in with_.expressions} if with_ is not None else set()
    return tuple(summaries), description


class AskFeedbacksBody(Body):
    """`tables` are those that the new SQL may read; `sql` is the statement from before."""

    question: Question
    tables: Annotated[list[Identifier], Field(max_length=1_000)]
    sql_generation_reasoning: Annotated[
        Text, Field(description="The plan, as it was edited. It binds. If it is empty, the question decides.")
    ]
    sql: Sql


class NewSql(BaseModel):
    sql: str
    type: Literal["llm"]


class AskFeedbacksResult(StatementResult):
    response: list[NewSql] | None = None


class AskFeedbacks(ToolsKind[AskFeedbacksBody]):
    """Write SQL by an edited plan. It takes a language model."""

    name: ClassVar[str] = "ask_feedback"
    noun: ClassVar[str] = "feedback"
    path: ClassVar[str] = "ask-feedbacks"
    request: ClassVar[type[Body]] = AskFeedbacksBody
    result: ClassVar[type[BaseModel]] = AskFeedbacksResult
    statuses: ClassVar[tuple[str, ...]] = ("searching", "generating", "correcting")
    codes: ClassVar[frozenset[str]] = ASK_CODES

    async def run(self, job: Job[AskFeedbacksBody, JobState]) -> JobState:
        request, generation = job.request, self.tools.generation
        if generation is None:
            raise JobFailed("OTHERS", f"{NO_MODEL_CONFIGURED} A plan needs one to become SQL.", CONFIGURE_ONE)
        project = await self.project(job)
        before = await self.checked(job, project, request.sql, CheckMode.DRY_PLAN)
        # A statement that does not work is to be made anew; one that is forbidden is refused here as anywhere.
        if isinstance(before, RejectedSql) and before.kind is RejectionKind.GUARD:
            raise rejected(before)
        model = project.model
        warnings = [
            f"The model has no table {name[:64]}. {nearest_hint(name, model.tables)}".strip()
            for name in request.tables
            if model.table(name) is None
        ]
        found = await self.found(job, project, request.question, request.tables)
        job.advance(self.live("generating"))
        question, plan = self.question(job, project, request.question), request.sql_generation_reasoning.strip()
        writing = self.writing(job, project, question, found, plan=plan or None)
        if plan:
            writing.first = await generation.regeneration.run(question, found, plan=plan, sql=request.sql)
        outcome = await writing.run()
        if isinstance(outcome, Proved):
            response = [{"sql": outcome.valid.sql, "type": "llm"}]
            return self.finished(response=response, warnings=[*warnings, *outcome.warnings, *outcome.doubts] or None)
        fields = {"invalid_sql": outcome.sql or outcome.original_sql or None, "warnings": warnings or None}
        raise JobFailed("NO_RELEVANT_SQL", *say("jobs.plan_without_sql", error=outcome.error), fields=fields)
