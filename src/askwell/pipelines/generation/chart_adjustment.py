"""The columns for the channels of a chart that whoever changed its type left open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from askwell.charts.adjusting import Adjustment, adjust_chart
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, NoChart
from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.chart_values import ResultToDraw, result_values
from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_CHANNELS = ("x_axis", "y_axis", "x_offset", "color", "theta")
_SCHEMA = object_schema("chart_adjustment", **dict.fromkeys(_CHANNELS, TEXT))


@dataclass(frozen=True, slots=True)
class AdjustedChart:
    """The chart, or which channel cannot be filled, and what the model cost."""

    chart: Chart | NoChart
    usage: Usage


@dataclass(frozen=True, slots=True)
class ChosenAxes:
    """Columns of the result by channel, as a reply names them."""

    axes: Mapping[str, str]
    usage: Usage


def prompt_text(prompt: Prompt, question: QuestionContext, result: ResultToDraw, adjustment: Adjustment) -> PromptText:
    placed = list(adjustment.placed().items())
    asked = {
        "chart_type": adjustment.chart_type,
        "placed": placed,
        "open_channels": ", ".join(adjustment.open_channels()),
    }
    return prompt.write(values_of(question, None, **asked, **result_values(result)))


def chosen_axes(model_reply: ModelReply, result: ResultToDraw) -> ChosenAxes:
    found = {} if model_reply.truncated else read_object(model_reply.text, *_CHANNELS) or {}
    names = {column.name for column in result.columns}
    axes = {channel: name for channel in _CHANNELS if isinstance(name := found.get(channel), str) and name in names}
    return ChosenAxes(axes, model_reply.usage)


class ChartAdjustment(ModelPipeline[ChosenAxes], result=chosen_axes, schema=_SCHEMA):
    """Changes a chart's type or axes."""

    async def run(
        self,
        question: QuestionContext,
        result: ResultToDraw,
        *,
        adjustment: Adjustment,
        labels: Labels,
        timeout: float | None = None,
    ) -> AdjustedChart:
        """The chart with the named columns where they were named. The model is asked only for what is open; where its
        choice cannot be drawn, or it cannot be reached, what is open is filled without it."""

        def draw(wanted: Adjustment) -> Chart | NoChart:
            return adjust_chart(
                wanted,
                result.columns,
                result.rows,
                question=question.question,
                sql=result.sql,
                dialect=question.dialect,
                labels=labels,
            )

        usage = Usage()
        if result.rows and adjustment.open_channels():
            try:
                chosen: ChosenAxes = await self._ask(timeout, question=question, result=result, adjustment=adjustment)
            except ModelUnavailable:
                chosen = ChosenAxes({}, usage)
            usage = chosen.usage
            chart = await asyncio.to_thread(draw, adjustment.filled(dict(chosen.axes)))
            if isinstance(chart, Chart):
                return AdjustedChart(chart, usage)
        return AdjustedChart(await asyncio.to_thread(draw, adjustment), usage)
