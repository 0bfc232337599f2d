"""Pictures of charts that were made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from askwell.charts.rendering import ChartRenderer, ImageFormat
from askwell.errors import InvalidRequest, NotFound
from askwell.job_kinds.charts import ROW_LIMIT, ChartsBody
from askwell.job_kinds.tools import JobTools, query_context
from askwell.messages import say
from askwell.principal import Person
from askwell.providers.engine.base import ResultColumn
from askwell.sql.checker import Executed


class ChartImages:
    """Draws finished charts in child processes. The rows are those that came with the request, or they are read anew:
    none are kept."""

    def __init__(self, tools: JobTools, renderer: ChartRenderer) -> None:
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
        """The picture of a chart, one of `jobs`, as whoever calls may use them. Raises `NotFound` until it is finished,
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
            timeout=float(self._tools.asks.settings.engine_timeout),
        )
        if not isinstance(executed, Executed):
            raise InvalidRequest(f"The rows of the chart cannot be read any more: {executed.error}", executed.hint)
        return executed.rows.columns, executed.rows.rows

    async def close(self) -> None:
        """End what is still drawing. Safe to call twice."""
        await self._renderer.close()
