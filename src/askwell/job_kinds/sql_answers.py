"""Answers in words from the rows of a statement, streamed while they are written."""

from __future__ import annotations

import asyncio
import time
from typing import ClassVar

from pydantic import BaseModel

from askwell.asks.rows_in_words import MOST_ROWS, NO_ROWS, number_warning, rows_in_words, unsupported_numbers
from askwell.errors import AskwellError
from askwell.job_kinds.results import JobResult, ResultData
from askwell.job_kinds.tools import ToolsKind, reads_secrets, rejected
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Question, Sql, Text
from askwell.providers.engine.base import QueryRows
from askwell.services.projects import ProjectModel
from askwell.sql.outcome import CheckMode, RejectedSql

_ROW_LIMIT = 500
# Of the time that is left, the part that a language model may write for: the rest is for telling the rows without it.
_SHARE_OF_WRITING = 0.9


class SqlAnswersBody(Body):
    """`sql_data` are the statement's rows, where the client has them."""

    query: Question
    sql: Sql
    sql_data: ResultData | None = None
    custom_instruction: Text | None = None


class SqlAnswersResult(JobResult):
    query_id: str
    num_rows_used_in_llm: int | None = None
    invalid_sql: str | None = None


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
        rows = await self._rows(job, project)
        generation = self.tools.asks.generation
        if not rows.rows or generation is None:
            return await self._by_ourselves(job, rows)
        # Values of sensitive columns do not leave for a language model.
        if await asyncio.to_thread(reads_secrets, project, job.request.sql, rows):
            return await self._by_ourselves(job, rows)
        return await self._by_model(job, project, rows, begun)

    async def _rows(self, job: Job[SqlAnswersBody, JobState], project: ProjectModel) -> QueryRows:
        request = job.request
        if request.sql_data is None:
            return (await self.rows(job, project, request.sql, _ROW_LIMIT))[1]
        checked = await self.checked(job, project, request.sql, CheckMode.DRY_PLAN)
        if isinstance(checked, RejectedSql):
            raise rejected(checked)
        return request.sql_data.rows()

    async def _by_ourselves(self, job: Job[SqlAnswersBody, JobState], rows: QueryRows) -> JobState:
        shown = min(len(rows.rows), MOST_ROWS)
        job.advance(self.live("succeeded", num_rows_used_in_llm=shown))
        job.stream.append(await asyncio.to_thread(rows_in_words, rows) if rows.rows else NO_ROWS)
        return self.finished(num_rows_used_in_llm=shown)

    async def _by_model(
        self, job: Job[SqlAnswersBody, JobState], project: ProjectModel, rows: QueryRows, begun: float
    ) -> JobState:
        request, generation = job.request, self.tools.asks.generation
        assert generation is not None
        question = self.question(job, project, request.query)
        instructions = await self.tools.asks.retrieval.instructions(project, request.query, "answer")
        fitted = await generation.rows_for_answer(question, sql=request.sql, result=rows, instructions=instructions)
        if not fitted.shown:
            return await self._by_ourselves(job, rows)
        left = None if self.deadline is None else self.deadline - (time.monotonic() - begun)
        job.advance(self.live("succeeded", num_rows_used_in_llm=fitted.shown))
        try:
            written = await generation.answer.run(
                question,
                sql=request.sql,
                rows=fitted,
                instructions=instructions,
                on_delta=job.stream.append,
                timeout=None if left is None else left * _SHARE_OF_WRITING,
            )
        except AskwellError as error:
            if job.stream.text():
                raise
            job.stream.append(await asyncio.to_thread(rows_in_words, rows))
            told = f"The language model wrote nothing; the rows are told as they are. {error.message}"
            return self.finished(num_rows_used_in_llm=fitted.shown, warnings=[told])
        if not written.text:
            job.stream.append(await asyncio.to_thread(rows_in_words, rows))
        counts = (fitted.shown, fitted.total)
        wrong = await asyncio.to_thread(
            unsupported_numbers, written.text, rows, request.query, request.sql, counts=counts
        )
        warning = number_warning(wrong)
        if warning:
            job.stream.append(f"\n\n{warning}")
        return self.finished(num_rows_used_in_llm=fitted.shown, warnings=[warning] if warning else None)
