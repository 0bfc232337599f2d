"""New SQL for a question whose reasoning plan somebody edited."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field

from askwell.asks.proof import Proved
from askwell.job_kinds.results import JobResult
from askwell.job_kinds.tools import ASK_CODES, CONFIGURE_ONE, NO_MODEL_CONFIGURED, ToolsKind, rejected
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Identifier, Question, Sql, Text
from askwell.jobs.simple import JobFailed
from askwell.mdl.names import nearest_hint
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind


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


class AskFeedbacksResult(JobResult):
    query_id: str
    response: list[NewSql] | None = None
    invalid_sql: str | None = None


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
        raise JobFailed(
            "NO_RELEVANT_SQL",
            f"No valid SQL was found for this plan. The last error: {outcome.error}",
            "Name the tables and columns in the plan as the model has them.",
            fields={"invalid_sql": outcome.sql or outcome.original_sql or None, "warnings": warnings or None},
        )
