"""The tool that draws a result."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from askwell.charts.words import DrawnType
from askwell.errors import AskwellError, NotFound
from askwell.field_types import MAX_SQL, MAX_TEXT
from askwell.job_kinds.charts import AdjustmentOption, ChartAdjustmentsBody, ChartsBody
from askwell.jobs.kind import JobState
from askwell.jobs.request import Configurations, TimeZone
from askwell.jobs.service import JobService
from askwell.tools.base import ENDS, Arguments, Caller, Output, Progress, ProjectTool, Result, ToolFailure, result_once
from askwell.tools.statements import WITHHELD, is_withheld

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


class MakeChart(ProjectTool[MakeChartArguments]):
    """Draw a chart."""

    name: ClassVar[str] = "make_chart"
    arguments: ClassVar[type[Arguments]] = MakeChartArguments
    result: ClassVar[type[Result]] = ChartMade

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
        told = ChartMade(chart_type=made["chart_type"], reasoning=made["reasoning"], chart_schema=bare)
        return Output(told, chart=schema or None)

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
