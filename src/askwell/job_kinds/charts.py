"""Charts of results, charts that a person wants to look different, and pictures of charts that were made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel

from askwell.asks.ask import AskTools
from askwell.charts.adjusting import Adjustment, adjust_chart
from askwell.charts.choice import choose_chart
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, NoChart, with_cut
from askwell.charts.rendering import ChartRenderer, ImageFormat, with_data
from askwell.charts.words import ChartType, DrawnType
from askwell.errors import InvalidRequest, NotFound
from askwell.field_types import Flag, Identifier, Question, Sql, Text
from askwell.job_kinds.tools import ResultData, StatementResult, ToolsKind, query_context, reads_secrets
from askwell.jobs.kind import Job, JobFailed, JobState
from askwell.jobs.request import Body, Lenient
from askwell.messages import say
from askwell.pipelines.generation.charting import ResultToDraw
from askwell.principal import Person
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.services.projects import ProjectModel
from askwell.sql.checker import Executed
from askwell.sql.names import fold

ROW_LIMIT = 1_000


class ChartsBody(Body):
    """`data` are the statement's rows, where the client has them."""

    query: Question
    sql: Sql
    data: ResultData | None = None
    remove_data_from_chart_schema: Flag = True
    custom_instruction: Text | None = None


class AdjustmentOption(Lenient):
    """The type that is wanted, and columns of the result for its channels. `category` and `value` stand for them
    whichever way the chart lies."""

    chart_type: DrawnType
    x_axis: Identifier | None = None
    y_axis: Identifier | None = None
    x_offset: Identifier | None = None
    color: Identifier | None = None
    theta: Identifier | None = None
    category: Identifier | None = None
    value: Identifier | None = None


class ChartAdjustmentsBody(ChartsBody):
    """`chart_schema` is the chart as it was."""

    chart_schema: dict[str, Any]
    adjustment_option: AdjustmentOption


class ChartBody(BaseModel):
    """`chart_schema` is Vega-Lite; `chart_type` is "" where no chart says more than the rows."""

    reasoning: str
    chart_type: ChartType
    chart_schema: dict[str, Any]


class ChartsResult(StatementResult):
    response: ChartBody | None = None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a chart is made of."""

    project: ProjectModel
    rows: QueryRows
    labels: Labels
    result: ResultToDraw


class _ChartKind(ToolsKind[ChartsBody]):
    """Both kinds fetch rows, and end with a chart of them."""

    noun: ClassVar[str] = "chart"
    result: ClassVar[type[BaseModel]] = ChartsResult
    statuses: ClassVar[tuple[str, ...]] = ("fetching", "generating")
    codes: ClassVar[frozenset[str]] = frozenset({"NO_CHART", "OTHERS"})

    async def run(self, job: Job[ChartsBody, JobState]) -> JobState:
        drawn = await self._fetched(job)
        job.advance(self.live("generating"))
        chart = await self._chart(job, drawn)
        if isinstance(chart, NoChart):
            raise JobFailed("NO_CHART", chart.reason, "Name columns of the result for the channels of this chart.")
        if drawn.rows.truncated:
            chart = with_cut(chart, len(drawn.rows.rows), drawn.labels)
        schema = chart.chart_schema if chart.chart_type else {}
        if schema and not job.request.remove_data_from_chart_schema:
            schema = await asyncio.to_thread(with_data, schema, drawn.rows.columns, drawn.rows.rows)
        return self.finished(
            response={"reasoning": chart.reasoning, "chart_type": chart.chart_type, "chart_schema": schema}
        )

    async def _fetched(self, job: Job[ChartsBody, JobState]) -> _Drawn:
        """The rows of the request, or those that its SQL gives. Raises `JobFailed`, also where there are none."""
        request = job.request
        project = await self.project(job)
        rows = await self.rows_of(job, project, request.sql, request.data, ROW_LIMIT)
        if request.data is None:
            rows = replace(rows, columns=_flagged(project, rows))
        if not rows.rows:
            raise JobFailed("NO_CHART", "There are no rows to draw.", "Ask for a period that has rows.")
        instructions = await self.tools.retrieval.instructions(project, request.query, "chart")
        secret = await asyncio.to_thread(reads_secrets, project, request.sql, rows)
        withheld = frozenset(column.name for column in rows.columns) if secret else frozenset[str]()
        result = ResultToDraw(request.sql, rows.columns, rows.rows, withheld, instructions)
        return _Drawn(project, rows, _labels(project, rows, request.configurations.language), result)

    async def _chart(self, job: Job[ChartsBody, JobState], drawn: _Drawn) -> Chart | NoChart:
        request, rows, labels = job.request, drawn.rows, drawn.labels
        wanted = None
        if isinstance(request, ChartAdjustmentsBody):
            wanted = Adjustment(**request.adjustment_option.model_dump(exclude_none=True))
        if (generation := self.tools.generation) is not None:
            question = self.question(job, drawn.project, request.query)
            if wanted is None:
                return (await generation.charts.run(question, drawn.result, labels=labels)).chart
            adjusting = generation.chart_adjustment
            return (await adjusting.run(question, drawn.result, adjustment=wanted, labels=labels)).value
        choose: Callable[..., Chart | NoChart] = choose_chart if wanted is None else partial(adjust_chart, wanted)
        draw = partial(choose, sql=request.sql, dialect=drawn.project.engine.dialect, labels=labels)
        return await asyncio.to_thread(draw, question=request.query, columns=rows.columns, rows=rows.rows)


class Charts(_ChartKind):
    """Draw a result as a chart, in Vega-Lite: the one that a language model chooses, where it passes every check, else
    the one that fits the columns."""

    name: ClassVar[str] = "chart"
    path: ClassVar[str] = "charts"
    request: ClassVar[type[Body]] = ChartsBody


class ChartAdjustments(_ChartKind):
    """Draw a result differently, with the type and the columns that a person names. What is left open is filled in."""

    name: ClassVar[str] = "chart_adjustment"
    path: ClassVar[str] = "chart-adjustments"
    request: ClassVar[type[Body]] = ChartAdjustmentsBody


def _flagged(project: ProjectModel, rows: QueryRows) -> tuple[ResultColumn, ...]:
    """The columns with the type BOOLEAN where the model says so: some databases give 0 and 1 for it."""
    flags = {fold(one.name) for table in project.model for one in table.columns if one.type.upper() in _BOOLEANS}
    return tuple(replace(one, type="BOOLEAN") if fold(one.name) in flags else one for one in rows.columns)


_BOOLEANS = ("BOOL", "BOOLEAN", "BIT")


def _labels(project: ProjectModel, rows: QueryRows, language: str) -> Labels:
    """Display names and units of the model's columns that are called like the result's."""
    named = {fold(column.name): column for table in project.model for column in table.columns}
    found = {column.name: named[fold(column.name)] for column in rows.columns if fold(column.name) in named}
    return Labels(
        language,
        {name: column.display_name for name, column in found.items() if column.display_name},
        {name: column.unit for name, column in found.items() if column.unit}
        | {column.name: column.unit for column in rows.columns if column.unit},
    )


class ChartImages:
    """Draws finished charts in child processes. The rows are those that came with the request, or they are read anew:
    none are kept."""

    def __init__(self, tools: AskTools, renderer: ChartRenderer) -> None:
        self._tools = tools
        self._renderer = renderer

    async def draw(
        self,
        jobs: Any,
        job_id: str,
        image: ImageFormat,
        *,
        width: int | None = None,
        height: int | None = None,
    ) -> bytes:
        """The picture of a chart, one of `jobs`, as the caller may use them. Raises `NotFound` until it is finished,
        or where there is no chart in it, and what `ChartRenderer.render` raises."""
        request, result = await jobs.request_and_result(job_id)
        response = result.get("response") or {}
        schema = response.get("chart_schema")
        if result.get("status") != "finished":
            raise NotFound(*say("charts.not_finished", job_id=job_id[:64]))
        if not schema:
            raise NotFound(*say("charts.none_fits", job_id=job_id[:64]))
        columns, rows = await self._rows(request, await jobs.person(job_id))
        schema = {name: part for name, part in schema.items() if name != "data"}
        return await self._renderer.render(schema, columns, rows, image, width=width, height=height)

    async def _rows(
        self, request: ChartsBody, person: Person
    ) -> tuple[Sequence[ResultColumn], Sequence[Sequence[Any]]]:
        """As whoever the chart was made for may read them."""
        if request.data is not None:
            given = request.data.rows()
            return given.columns, given.rows
        project = await self._tools.projects.require_for(person, request.project_id)
        executed = await project.checker.execute(
            request.sql,
            context=query_context(request, datetime.now().astimezone(), person),
            row_limit=ROW_LIMIT,
            timeout=float(self._tools.settings.engine_timeout),
        )
        if not isinstance(executed, Executed):
            raise InvalidRequest(f"The rows of the chart can't be read any more: {executed.error}", executed.hint)
        return executed.rows.columns, executed.rows.rows

    async def close(self) -> None:
        """End what is still drawing. Safe to call twice."""
        await self._renderer.close()
