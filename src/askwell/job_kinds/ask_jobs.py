"""Jobs about an ask: what its statement does step by step, and new SQL after somebody edited its plan."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field
from sqlglot import exp, parse_one

from askwell.asks.proof import Proved
from askwell.errors import AskwellError
from askwell.field_types import Identifier, Question, Sql, Text
from askwell.job_kinds.tools import ASK_CODES, CONFIGURE_ONE, NO_MODEL_CONFIGURED, StatementResult, ToolsKind, rejected
from askwell.jobs.kind import Job, JobFailed, JobState
from askwell.jobs.request import Body, MdlHash
from askwell.mdl.names import nearest_hint
from askwell.messages import say
from askwell.services.projects import ProjectModel
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql
from askwell.sql.steps import Step, steps_of
from askwell.sql.wording import describe_sql, describe_step


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
        generation = self.tools.asks.generation
        if generation is not None:
            question = self.question(job, project, request.query)
            try:
                written = await generation.summaries.run(question, steps=steps, words=description)
                problem = written.problem
            except AskwellError as error:
                problem = error.message
            if problem is None:
                description, summaries = written.description, written.summaries
            else:
                warnings = [f"These words are made from the statement, not by the language model: {problem}"]
        told = [
            {"sql": step.sql, "summary": summary, "cte_name": step.cte_name}
            for step, summary in zip(steps, summaries, strict=True)
        ]
        response: dict[str, Any] = {"description": description, "steps": told}
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
    told: set[str] = set()
    for step in steps:
        one = parse_one(step.sql, dialect=dialect)
        summaries.append(describe_step(one, project.model, dialect, name=step.cte_name, told=told))
        with_ = one.args.get("with_")
        told |= {cte.alias for cte in with_.expressions} if with_ is not None else set()
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
        request, generation = job.request, self.tools.asks.generation
        if generation is None:
            raise JobFailed("OTHERS", f"{NO_MODEL_CONFIGURED} A plan needs one to become SQL.", CONFIGURE_ONE)
        project = await self.project(job)
        before = await self.checked(job, project, request.sql, CheckMode.DRY_PLAN)
        # A statement that does not work is to be made anew; one that is forbidden is refused here as anywhere.
        if isinstance(before, RejectedSql) and before.kind is RejectionKind.GUARD:
            raise rejected(before)
        model = project.model
        known = [table.name for name in request.tables if (table := model.table(name)) is not None]
        warnings = [
            f"The model has no table {name[:64]}. {nearest_hint(name, model.tables)}".strip()
            for name in request.tables
            if model.table(name) is None
        ]
        found = await self.tools.asks.retrieval.run(project, request.question, tables=known, person=job.person)
        job.advance(self.live("generating"))
        question, plan = self.question(job, project, request.question), request.sql_generation_reasoning.strip()
        writing = self.writing(
            job,
            project,
            question,
            found,
            plan=plan or None,
            on_correcting=lambda refused: job.advance(self.live("correcting", invalid_sql=refused.sql or None)),
        )
        if plan:
            writing.first = await generation.regeneration.run(question, found, plan=plan, sql=request.sql)
        outcome = await writing.run()
        if isinstance(outcome, Proved):
            response = [{"sql": outcome.valid.sql, "type": "llm"}]
            return self.finished(response=response, warnings=[*warnings, *outcome.warnings, *outcome.doubts] or None)
        told = {"invalid_sql": outcome.sql or outcome.original_sql or None, "warnings": warnings or None}
        raise JobFailed("NO_RELEVANT_SQL", *say("jobs.plan_without_sql", error=outcome.error), fields=told)
