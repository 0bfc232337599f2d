"""The questions that statements answer."""

from __future__ import annotations

import asyncio
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field
from sqlglot import parse_one

from askwell.errors import AskwellError
from askwell.job_kinds.results import JobResult
from askwell.job_kinds.tools import ToolsKind, rejected
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Sql
from askwell.services.projects import ProjectModel
from askwell.sql.outcome import CheckMode, RejectedSql, ValidSql
from askwell.sql.wording import describe_sql, question_of_sql

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
        generation = self.tools.asks.generation
        question = by_tree
        if generation is not None:
            language = job.request.configurations.language
            try:
                written = await generation.question.run(
                    sql=checked.sql, words=description, language=language, dialect=project.engine.dialect
                )
                question = written.text or by_tree
            except AskwellError as error:
                return by_tree, None if by_tree else error.message
        return question, None if question else "No question in plain words fits it."


def _in_words(valid: ValidSql, project: ProjectModel) -> tuple[str, str]:
    tree = parse_one(valid.sql, dialect=project.engine.dialect)
    dialect = project.engine.dialect
    return question_of_sql(tree, project.model, dialect), describe_sql(tree, project.model, dialect)
