"""Tools that put work to the service's jobs: a whole question, and a chart of a result."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from askwell.asks.corrections import Correction
from askwell.asks.request import AskRequest
from askwell.asks.result import ClarificationBody
from askwell.charts.words import DrawnType
from askwell.checking.sureness import Word
from askwell.errors import AskwellError, Conflict, InvalidRequest, NotFound
from askwell.field_types import MAX_SQL, MAX_TEXT
from askwell.job_kinds.charts import AdjustmentOption, ChartAdjustmentsBody, ChartsBody
from askwell.jobs.kind import JobState
from askwell.jobs.request import Configurations, TimeZone
from askwell.jobs.service import JobService
from askwell.tools.base import ENDS, Arguments, Caller, Output, Progress, ProjectTool, Result, ToolFailure, result_once
from askwell.tools.lookups import WITHHELD, Table, for_model, is_withheld, rows_of

MOST_ROWS = 200
_MOST_ANSWERS = 10
_WAITS = "awaiting_correction"
# What is told of a result as it is.
_TOLD = ("planned_sql", "assumptions", "warnings", "verdict", "sureness", "findings", "sql_source")

Answer = Annotated[str, Field(max_length=1_000)] | dict[str, Any]


class AskDataArguments(Arguments):
    question: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] = Field(
        description="The whole question in plain language; it has to stand alone."
    )
    execute: bool = Field(True, description="Whether to fetch the rows, or to write the SQL only.")
    thread_id: Annotated[str, Field(min_length=1, max_length=128)] | None = Field(
        None, description="A name for a conversation, for questions that belong together."
    )
    ask_id: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="After needs_clarification: the question that waits for an answer."
    )
    answers: Annotated[list[Answer], Field(max_length=_MOST_ANSWERS)] = Field(
        default=[],
        description="Answers to what was asked back, in order: the id or label of an option, other words, or an object "
        "with values by name.",
    )


class DataAnswer(Result):
    status: Literal["finished", "needs_clarification"]
    ask_id: str
    sql: str | None = None
    planned_sql: str | None = Field(None, description="The statement that the database ran.")
    table: Table | None = None
    text: str | None = Field(None, description="The answer in words, if the question needs no SQL.")
    assumptions: list[str] | None = Field(None, description="Assumptions behind the answer.")
    warnings: list[str] | None = None
    verdict: Word | None = Field(None, description="checked by a person, clear, or a guess.")
    sureness: float | None = Field(None, description="How often such answers were right, 0 to 1, if known.")
    confidence: float | None = Field(None, description="The same as sureness, for older clients.")
    findings: list[dict[str, str]] | None = Field(None, description="Problems found in the SQL.")
    sql_source: str | None = Field(None, description="history, view, rules or llm.")
    clarification: ClarificationBody | None = None


class AskData(ProjectTool[AskDataArguments], name="ask_data", arguments=AskDataArguments, result=DataAnswer):
    """Ask a whole question."""

    async def run(self, caller: Caller, arguments: AskDataArguments, progress: Progress) -> Output:
        ask_id = await self._begun(caller, arguments)
        try:
            result = await self._answered(ask_id, list(arguments.answers), progress)
        except ToolFailure:
            raise  # an answer that does not fit: the question still waits for one
        except BaseException:
            # The caller is gone, or out of time: no model or database works on for nobody.
            await self._doors.asks.stop(ask_id)
            raise
        return await self._told(caller, ask_id, result)

    async def _begun(self, caller: Caller, arguments: AskDataArguments) -> str:
        if arguments.ask_id is not None:
            await self._doors.asks.require_owner(arguments.ask_id, caller.project_id, caller.person)
            return arguments.ask_id
        return await self._doors.asks.start(
            AskRequest(
                query=arguments.question,
                project_id=caller.project_id,
                histories=caller.histories,
                thread_id=caller.thread_id or arguments.thread_id,
                request_from="api",
                language=caller.language,
                timezone=caller.timezone,
                execute=arguments.execute,
                session_properties=caller.session_properties,
                interactive=caller.interactive,
                # What a model answers for someone is no word of theirs; and the tools change nothing.
                teaches=False,
            ),
            person=caller.person,
        )

    async def _answered(self, ask_id: str, answers: list[Answer], progress: Progress) -> Mapping[str, Any]:
        """The end of an ask, or its state in which it waits for an answer that is not among these."""
        statuses = (*ENDS, _WAITS)
        result = await result_once(self._doors.asks, ask_id, statuses, progress)
        while result["status"] == _WAITS and answers:
            await self._give(ask_id, result["clarification"], answers.pop(0))
            result = await result_once(self._doors.asks, ask_id, statuses, progress)
        return result

    async def _give(self, ask_id: str, asked: Mapping[str, Any], answer: Answer) -> None:
        try:
            await self._doors.corrections.give(ask_id, correction_of(asked, answer))
        except Conflict:
            pass  # it was answered elsewhere meanwhile, or has expired: its state says so
        except (InvalidRequest, NotFound) as error:
            raise ToolFailure.of(error) from error

    async def _told(self, caller: Caller, ask_id: str, result: Mapping[str, Any]) -> Output:
        status = result["status"]
        if status == _WAITS:
            return Output(
                DataAnswer(status="needs_clarification", ask_id=ask_id, clarification=result["clarification"])
            )
        if status == "stopped":
            raise ToolFailure("STOPPED", "The question was stopped.", "Ask it again if it is still wanted.")
        if status == "failed":
            error = result["error"]
            raise ToolFailure(error["code"], error["message"], error.get("hint", ""))
        answer = DataAnswer(
            status="finished",
            ask_id=ask_id,
            confidence=result.get("sureness"),
            **{name: result[name] for name in _TOLD if name in result},
        )
        if result.get("type") == "GENERAL":
            answer.text = "".join([piece async for piece in await self._doors.asks.stream(ask_id)])
            return Output(answer)
        answer.sql = result["response"][0]["sql"]
        data = result.get("data")
        if data is None:
            return Output(answer)
        project = await self.model_of(caller)
        answer.table = await for_model(project, answer.sql or "", rows_of(data), MOST_ROWS)
        if answer.table.withheld:
            answer.warnings = answer.findings = None  # that there are no rows is something of the rows
        return Output(answer, rows=data)


def correction_of(asked: Mapping[str, Any], answer: Answer) -> Correction:
    """An answer to what was asked back: the id of an option, words, or values by name, of which none at all leaves out
    what may be left out."""
    asked_id = asked.get("id")
    if isinstance(answer, dict) and not answer:
        return Correction("skip", clarification_id=asked_id)
    if isinstance(answer, dict):
        return Correction("fields", values=answer, clarification_id=asked_id)
    options: Sequence[Mapping[str, Any]] = asked.get("options", ())
    if any(option["id"] == answer for option in options):
        return Correction("choice", answer, clarification_id=asked_id)
    return Correction("text", answer, clarification_id=asked_id)


# What a model has no use for: people have the data.
_DATA = "data"


class MakeChartArguments(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] = Field(
        description="The question that the chart answers."
    )
    sql: Annotated[str, Field(min_length=1, max_length=MAX_SQL)] | None = Field(
        None, description="The statement whose rows are drawn; or give data_ref."
    )
    data_ref: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="The ask_id of an answer of ask_data, whose rows are drawn."
    )
    chart_type: DrawnType | None = Field(None, description="Left out: the one that fits the rows best.")


class ChartMade(Result):
    chart_type: str = Field(description="Empty where no chart says more than the rows.")
    reasoning: str
    chart_schema: dict[str, Any] = Field(description="Vega-Lite, without the data.")


class MakeChart(ProjectTool[MakeChartArguments], name="make_chart", arguments=MakeChartArguments, result=ChartMade):
    """Draw a chart."""

    async def run(self, caller: Caller, arguments: MakeChartArguments, progress: Progress) -> Output:
        sql = await self._statement(caller, arguments)
        project = await self.model_of(caller)
        if await is_withheld(project, sql):
            chart = None
            with contextlib.suppress(ToolFailure):
                chart = (await self._drawn(caller, arguments, sql, progress))["chart_schema"] or None
            return Output(ChartMade(chart_type="", reasoning=WITHHELD, chart_schema={}), chart=chart)
        made = await self._drawn(caller, arguments, sql, progress)
        schema: dict[str, Any] = made["chart_schema"]
        bare = {name: value for name, value in schema.items() if name != _DATA}
        drawn = ChartMade(chart_type=made["chart_type"], reasoning=made["reasoning"], chart_schema=bare)
        return Output(drawn, chart=schema or None)

    async def _drawn(
        self, caller: Caller, arguments: MakeChartArguments, sql: str, progress: Progress
    ) -> Mapping[str, Any]:
        shared: dict[str, Any] = {
            "query": arguments.query,
            "sql": sql,
            "project_id": caller.project_id,
            "thread_id": caller.thread_id,
            "request_from": "api",
            "remove_data_from_chart_schema": False,
            "configurations": Configurations(language=caller.language, timezone=TimeZone(name=caller.timezone)),
        }
        made = await _ended(self._doors.jobs["chart"], ChartsBody(**shared), caller, progress)
        if arguments.chart_type is not None and made["chart_type"] != arguments.chart_type:
            option = AdjustmentOption(chart_type=arguments.chart_type)
            body = ChartAdjustmentsBody(**shared, chart_schema=made["chart_schema"], adjustment_option=option)
            made = await _ended(self._doors.jobs["chart_adjustment"], body, caller, progress)
        return made

    async def _statement(self, caller: Caller, arguments: MakeChartArguments) -> str:
        if arguments.sql is not None:
            return arguments.sql
        if arguments.data_ref is None:
            raise ToolFailure("BAD_ARGUMENTS", "make_chart needs sql or data_ref.", "Give one of the two.")
        try:
            await self._doors.asks.require_owner(arguments.data_ref, caller.project_id, caller.person)
            result = await self._doors.asks.result(arguments.data_ref)
        except NotFound as error:
            raise ToolFailure("NOT_FOUND", "There is no answer with that ask_id.", "Give sql instead.") from error
        if not result.get("response"):
            raise ToolFailure("NOT_FOUND", "That answer has no SQL, so there are no rows to draw.", "Give sql instead.")
        sql: str = result["response"][0]["sql"]
        return sql


async def _ended(
    jobs: JobService[Any, JobState], body: ChartsBody, caller: Caller, progress: Progress
) -> Mapping[str, Any]:
    """What came of a job. Raises `ToolFailure` where it failed; stops it where nobody waits any more."""
    job_id = await jobs.start(body, person=caller.person)
    try:
        result = await result_once(jobs, job_id, ENDS, progress)
    except AskwellError:
        raise
    except BaseException:
        await jobs.stop(job_id)
        raise
    if result["status"] != "finished":
        error = result.get("error", {"code": "STOPPED", "message": "The chart was stopped."})
        raise ToolFailure(error["code"], error["message"], error.get("hint", ""))
    made: Mapping[str, Any] = result["response"]
    return made
