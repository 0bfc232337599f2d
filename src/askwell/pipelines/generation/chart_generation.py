"""A chart that a language model chooses and writes; where it cannot, the one that is chosen without it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from askwell.charts.checking import InvalidChart, can_validate
from askwell.charts.choice import choose_chart
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart
from askwell.charts.types import CHART_TYPES
from askwell.charts.written import read_chart
from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.chart_values import ResultToDraw, result_values
from askwell.pipelines.generation.model_call import TEXT, TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_ATTEMPTS = 2
_LONGEST_REASONING = 600
_OPEN_TEXT = {"type": ["string", "null"]}
_NOTHING = {"type": "null"}


def _object(name: str, **properties: Any) -> dict[str, Any]:
    return dict(object_schema(name, **properties).schema)


_CHANNEL_PARTS = ("field", "type", "title", "aggregate", "timeUnit", "stack")
_CHANNEL = {"anyOf": [_object("channel", **dict.fromkeys(_CHANNEL_PARTS, _OPEN_TEXT)), _NOTHING]}
_FOLD = _object("fold", fold=TEXTS, **{"as": TEXTS})
_CHART = _object(
    "chart",
    title=_OPEN_TEXT,
    mark=_object("mark", type=TEXT),
    transform={"anyOf": [{"type": "array", "items": _FOLD}, _NOTHING]},
    encoding=_object("encoding", **dict.fromkeys(("x", "y", "xOffset", "color", "theta"), _CHANNEL)),
)
_SCHEMA = object_schema(
    "chart_generation",
    reasoning=TEXT,
    chart_type={"type": "string", "enum": [*sorted(CHART_TYPES), ""]},
    chart_schema={"anyOf": [_CHART, _NOTHING]},
)


@dataclass(frozen=True, slots=True)
class WrittenChart:
    """A chart, whether the model wrote it, and what the model cost."""

    chart: Chart
    by_model: bool
    usage: Usage


@dataclass(frozen=True, slots=True)
class ProposedChart:
    """What a reply holds: a chart that passed every check, or why there is none."""

    chart: Chart | InvalidChart
    usage: Usage


def prompt_text(prompt: Prompt, question: QuestionContext, result: ResultToDraw, problem: str) -> PromptText:
    return prompt.write(values_of(question, None, problem=problem, **result_values(result)))


async def proposed_chart(model_reply: ModelReply, question: QuestionContext, result: ResultToDraw) -> ProposedChart:
    found = None if model_reply.truncated else read_object(model_reply.text, "chart_schema", "chart_type")
    if found is None:
        return ProposedChart(InvalidChart("The reply was no chart."), model_reply.usage)
    reasoning = " ".join(str(found.get("reasoning") or "").split())[:_LONGEST_REASONING]
    schema = found.get("chart_schema")
    if not schema:
        if found.get("chart_type") or not reasoning:
            return ProposedChart(InvalidChart("The reply had no chart_schema."), model_reply.usage)
        return ProposedChart(Chart(reasoning, ""), model_reply.usage)
    # The first validation reads Vega-Lite's schema, which takes longer than other requests should wait.
    chart = await asyncio.to_thread(
        read_chart, reasoning, schema, result.columns, result.rows, sql=result.sql, dialect=question.dialect
    )
    return ProposedChart(chart, model_reply.usage)


class ChartGeneration(ModelPipeline[ProposedChart], result=proposed_chart, schema=_SCHEMA):
    """Chooses the chart of an answer."""

    async def run(
        self, question: QuestionContext, result: ResultToDraw, *, labels: Labels, timeout: float | None = None
    ) -> WrittenChart:
        """The model's chart, tried twice. Where none passes the checks, the model cannot be reached, or charts cannot
        be validated here, the deterministic one; `labels` are for that."""
        usage, problem = Usage(), ""
        for _ in range(_ATTEMPTS if result.rows and can_validate() else 0):
            try:
                proposed: ProposedChart = await self._ask(timeout, question=question, result=result, problem=problem)
            except ModelUnavailable:
                break
            usage += proposed.usage
            if isinstance(proposed.chart, Chart):
                return WrittenChart(proposed.chart, True, usage)
            problem = proposed.chart.reason
        chart = await asyncio.to_thread(
            choose_chart,
            question.question,
            result.columns,
            result.rows,
            sql=result.sql,
            dialect=question.dialect,
            labels=labels,
        )
        return WrittenChart(chart, False, usage)
