"""Charts that a language model chooses and writes, or fills the open channels of; where it cannot, those without it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from askwell.charts.adjusting import Adjustment, adjust_chart
from askwell.charts.checking import can_validate, read_chart
from askwell.charts.choice import choose_chart
from askwell.charts.columns import Role, measure_columns
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, NoChart
from askwell.charts.words import CHART_TYPES
from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.pipeline import TEXT, TEXTS, Asking, list_of, object_schema, pipeline
from askwell.pipelines.generation.question import Answered, QuestionContext, values_of
from askwell.pipelines.generation.reading import found_in
from askwell.pipelines.retrieval.context import InstructionText
from askwell.providers.engine.base import ResultColumn
from askwell.providers.llm.base import ModelReply, Usage

_SAMPLE_ROWS = 5
_LONGEST_CELL = 60
_WITHHELD = "(withheld)"
_KINDS = {
    Role.TEMPORAL: "time",
    Role.PERIOD: "names of periods",
    Role.MEASURE: "amount",
    Role.CATEGORY: "names",
    Role.IDENTIFIER: "identifier",
    Role.OTHER: "not for charts",
}


@dataclass(frozen=True, slots=True)
class ResultToDraw:
    """A statement and its rows, with the instructions of scope `chart` that apply. No model sees the values of the
    columns that are `withheld`: those that come from sensitive columns of the semantic model."""

    sql: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    withheld: frozenset[str]
    instructions: tuple[InstructionText, ...] = ()


def result_values(result: ResultToDraw) -> dict[str, Any]:
    """The values for the templates: few rows, with long cells cut."""
    shown = [column.name not in result.withheld for column in result.columns]
    measured = {one.name: one for one in measure_columns(result.columns, result.rows)}
    return {
        "sql": result.sql,
        "columns": [
            {"name": name, "kind": f"{_KINDS[one.role]}, {one.distinct} different"} for name, one in measured.items()
        ],
        "sample_rows": [_row(row, shown) for row in result.rows[:_SAMPLE_ROWS]],
        "row_count": len(result.rows),
        "instructions": result.instructions,
    }


def _row(row: Sequence[Any], shown: Sequence[bool]) -> str:
    cells = (_cell(value) if visible else _WITHHELD for value, visible in zip(row, shown, strict=False))
    return json.dumps(list(cells), ensure_ascii=False)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


@dataclass(frozen=True, slots=True)
class WrittenChart:
    """A chart, whether the model wrote it, and what the model cost."""

    chart: Chart
    by_model: bool
    usage: Usage


_ATTEMPTS = 2
_LONGEST_REASONING = 600
_OPEN_TEXT: Mapping[str, object] = {"type": ["string", "null"]}
_NOTHING: Mapping[str, object] = {"type": "null"}


def _object(**properties: Mapping[str, object]) -> Mapping[str, object]:
    return object_schema("part", **properties).schema


_CHANNEL_PARTS = ("field", "type", "title", "aggregate", "timeUnit", "stack")
_CHANNEL = {"anyOf": [_object(**dict.fromkeys(_CHANNEL_PARTS, _OPEN_TEXT)), _NOTHING]}
_CHART = _object(
    title=_OPEN_TEXT,
    mark=_object(type=TEXT),
    transform={"anyOf": [list_of(fold=TEXTS, **{"as": TEXTS}), _NOTHING]},
    encoding=_object(**dict.fromkeys(("x", "y", "xOffset", "color", "theta"), _CHANNEL)),
)


@pipeline(
    "chart_generation",
    reasoning=TEXT,
    chart_type={"type": "string", "enum": [*sorted(CHART_TYPES), ""]},
    chart_schema={"anyOf": [_CHART, _NOTHING]},
)
async def chart_generation(
    ask: Asking, question: QuestionContext, result: ResultToDraw, *, labels: Labels
) -> WrittenChart:
    """The model's chart, tried twice. Where none passes the checks, the model cannot be reached, or charts cannot be
    validated here, the deterministic one; `labels` are for that."""
    usage, problem = Usage(), ""
    for _ in range(_ATTEMPTS if result.rows and can_validate() else 0):
        try:
            values = values_of(question, None, problem=problem, **result_values(result))
            proposed, cost = await ask(values, _proposed_chart)
        except ModelUnavailable:
            break
        usage += cost
        if isinstance(proposed, tuple):
            # The first validation reads Vega-Lite's schema, which takes longer than other requests should wait.
            chart = await asyncio.to_thread(
                read_chart, *proposed, result.columns, result.rows, sql=result.sql, dialect=question.dialect
            )
        else:
            chart = proposed
        if isinstance(chart, Chart):
            return WrittenChart(chart, True, usage)
        problem = chart.reason
    drawn = await asyncio.to_thread(
        choose_chart,
        question.question,
        result.columns,
        result.rows,
        sql=result.sql,
        dialect=question.dialect,
        labels=labels,
    )
    return WrittenChart(drawn, False, usage)


def _proposed_chart(reply: ModelReply) -> tuple[tuple[str, Any] | Chart | NoChart, Usage]:
    """The reasoning and the schema of a reply, the reasoning alone where no chart fits, or why there is neither."""
    found = found_in(reply, "chart_schema", "chart_type")
    if not found:
        return NoChart("The reply was no chart."), reply.usage
    reasoning = " ".join(str(found.get("reasoning") or "").split())[:_LONGEST_REASONING]
    if schema := found.get("chart_schema"):
        return (reasoning, schema), reply.usage
    if found.get("chart_type") or not reasoning:
        return NoChart("The reply had no chart_schema."), reply.usage
    return Chart(reasoning, ""), reply.usage


_CHANNELS = ("x_axis", "y_axis", "x_offset", "color", "theta")


@pipeline("chart_adjustment", **dict.fromkeys(_CHANNELS, TEXT))
async def chart_adjustment(
    ask: Asking,
    question: QuestionContext,
    result: ResultToDraw,
    *,
    adjustment: Adjustment,
    labels: Labels,
) -> Answered[Chart | NoChart]:
    """A chart of another type or with other axes, with the named columns where they were named. The model is asked only
    for what is open; where its choice cannot be drawn, or it cannot be reached, what is open is filled without it."""
    draw = partial(
        adjust_chart,
        columns=result.columns,
        rows=result.rows,
        question=question.question,
        sql=result.sql,
        dialect=question.dialect,
        labels=labels,
    )
    usage = Usage()
    if result.rows and (channels := adjustment.open_channels()):
        asked = {
            "chart_type": adjustment.chart_type,
            "placed": list(adjustment.placed().items()),
            "open_channels": ", ".join(channels),
        }
        try:
            axes, usage = await ask(
                values_of(question, None, **asked, **result_values(result)),
                partial(_chosen_axes, result),
            )
        except ModelUnavailable:
            axes = {}
        chart = await asyncio.to_thread(draw, adjustment.filled(axes))
        if isinstance(chart, Chart):
            return Answered(chart, usage)
    return Answered(await asyncio.to_thread(draw, adjustment), usage)


def _chosen_axes(result: ResultToDraw, reply: ModelReply) -> tuple[dict[str, str], Usage]:
    """Columns of the result by channel, as a reply names them."""
    found = found_in(reply, *_CHANNELS)
    names = {column.name for column in result.columns}
    axes = {channel: name for channel in _CHANNELS if isinstance(name := found.get(channel), str) and name in names}
    return axes, reply.usage
