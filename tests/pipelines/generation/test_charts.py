"""Charts that a language model writes: taken when every check passes, else asked for once more, else without it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from askwell.charts.adjusting import Adjustment
from askwell.charts.checking import can_validate, read_chart
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, NoChart
from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.charting import (
    ResultToDraw,
    WrittenChart,
    chart_adjustment,
    chart_generation,
)
from askwell.pipelines.generation.question import Answered
from askwell.providers.engine.base import ResultColumn
from askwell.providers.llm.base import ModelCall, ModelReply, Usage
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.tables import case_rows, case_table

pytestmark = pytest.mark.skipif(not can_validate(), reason="needs askwell[charts]")

RESULT = ResultToDraw(
    "SELECT city, n FROM t ORDER BY rank",
    (ResultColumn("city", "VARCHAR"), ResultColumn("n", "INTEGER"), ResultColumn("kind", "VARCHAR")),
    (("Oslo", 3, "a"), ("Rome", 8, "b"), ("Bonn", 5, "a")),
    frozenset(),
)
SPEC: dict[str, Any] = case_table(__file__, "spec")


class Replies(RecordingModel):
    """A model that says one text after the other; an exception is raised."""

    def __init__(self, *texts: str | Exception) -> None:
        super().__init__()
        self.texts = list(texts)

    async def reply(self, call: ModelCall) -> ModelReply:
        next_one = self.texts.pop(0)
        if isinstance(next_one, Exception):
            raise next_one
        self.text = next_one
        return await super().reply(call)


def said(spec: Any = SPEC, chart_type: str = "bar", **changes: Any) -> str:
    chart = {**spec, **changes} if isinstance(spec, dict) else spec
    return json.dumps({"reasoning": "Weil.", "chart_type": chart_type, "chart_schema": chart})


async def written(*texts: str | Exception, result: ResultToDraw = RESULT) -> tuple[WrittenChart, Replies]:
    model = Replies(*texts)
    return await chart_generation.build(model).run(c.RICH_QUESTION, result, labels=Labels()), model


async def test_a_valid_chart_is_taken_without_its_nulls_and_in_the_statements_order() -> None:
    found, model = await written(said())
    assert (found.by_model, found.chart.chart_type, found.chart.reasoning) == (True, "bar", "Weil.")
    assert found.chart.chart_schema["encoding"] == {
        "x": {"field": "city", "type": "nominal", "title": "Stadt", "sort": None},
        "y": {"field": "n", "type": "quantitative", "title": "Zahl"},
    }
    assert found.usage == Usage(1, 10, 5)
    assert len(model.calls) == 1


async def test_of_many_rows_the_model_is_shown_a_few_and_how_many_there_are() -> None:
    rows = tuple((f"City {number}", number, "a") for number in range(137))
    _, model = await written(said(), result=replace(RESULT, rows=rows))
    prompt = str(model.calls[0])
    assert ("137" in prompt, prompt.count("City ")) == (True, 5)


async def test_the_reply_is_described_strictly_all_the_way_down() -> None:
    _, model = await written(said())

    def objects(schema: Any) -> list[dict[str, Any]]:
        inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
        mine = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
        return mine + [found for one in inner for found in objects(one)]

    assert model.calls[0].schema is not None
    for shape in objects(model.calls[0].schema.schema):
        assert shape["required"] == list(shape["properties"])
        assert shape["additionalProperties"] is False


async def test_a_refused_chart_is_asked_for_once_more_with_the_reason() -> None:
    found, model = await written(said(mark={"type": "image"}), said())
    assert found.by_model
    assert found.usage.llm_calls == 2
    assert "<problem>" not in model.calls[0].user
    assert "mark.type is none of arc, area, bar, line, point." in model.calls[1].user


@pytest.mark.parametrize(
    "texts",
    [
        ("", "no"),
        (said(data={"url": "https://example.com"}), said(params=[{"name": "p", "expr": "1"}])),
        (said(None), said(None)),
        (said(mark={"type": "arc"}), said({**SPEC, "encoding": {"x": SPEC["encoding"]["x"]}})),
        (ModelUnavailable("down"),),
        (said(mark={"type": "image"}), ModelUnavailable("down")),
    ],
)
async def test_where_no_chart_passes_the_deterministic_one_is_given(texts: tuple[str | Exception, ...]) -> None:
    found, model = await written(*texts)
    assert not found.by_model
    assert found.chart.chart_type == "bar"
    assert model.texts == []


async def test_a_model_may_say_that_no_chart_makes_sense() -> None:
    found, _ = await written(said(None, chart_type=""))
    assert (found.by_model, found.chart) == (True, Chart("Weil.", ""))


async def test_values_that_are_withheld_are_in_no_prompt() -> None:
    secret = replace(RESULT, withheld=frozenset({"city"}))
    _, model = await written(said(mark="pie"), said(), result=secret)
    for call in model.calls:
        assert "Oslo" not in call.system + call.user
        assert '["(withheld)", 3, "a"]' in call.user


async def test_no_rows_cost_no_call() -> None:
    found, model = await written(result=ResultToDraw("SELECT 1", RESULT.columns, (), frozenset()))
    assert (found.chart.chart_type, model.calls) == ("", [])


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ({"field": "city", "type": "quantitative"}, "holds no numbers"),
        ({"field": "n", "type": "temporal"}, "holds no times"),
        ({"field": "town", "type": "nominal"}, "isn't a column of the result"),
    ],
)
def test_types_have_to_fit_the_values(x: dict[str, str], words: str) -> None:
    spec = {"mark": "bar", "encoding": {"x": x, "y": {"field": "n", "type": "quantitative"}}}
    refused = read_chart("r", spec, RESULT.columns, RESULT.rows)
    assert isinstance(refused, NoChart)
    assert words in refused.reason


@pytest.mark.parametrize(
    ("mark", "encoding", "kind"),
    case_rows(__file__, "the_type_is_what_the_chart_is", "mark", "encoding", "kind"),
)
def test_the_type_is_what_the_chart_is(mark: str, encoding: dict[str, str], kind: str) -> None:
    channels = {at: {"field": f, "type": "quantitative" if f == "n" else "nominal"} for at, f in encoding.items()}
    chart = read_chart("r", {"mark": mark, "encoding": channels}, RESULT.columns, RESULT.rows)
    assert isinstance(chart, Chart)
    assert chart.chart_type == kind


async def adjusted(adjustment: Adjustment, *texts: str | Exception) -> tuple[Answered[Chart | NoChart], Replies]:
    model = Replies(*texts)
    run = chart_adjustment.build(model).run
    return await run(c.RICH_QUESTION, RESULT, adjustment=adjustment, labels=Labels()), model


async def test_nothing_is_asked_when_every_axis_is_named() -> None:
    found, model = await adjusted(Adjustment("bar", x_axis="city", y_axis="n"))
    assert isinstance(found.value, Chart)
    assert model.calls == []


async def test_the_model_fills_what_is_open_and_named_axes_stay() -> None:
    reply = json.dumps({"x_axis": "kind", "y_axis": "city", "x_offset": "", "color": "city", "theta": ""})
    found, _ = await adjusted(Adjustment("stacked_bar", y_axis="n"), reply)
    assert isinstance(found.value, Chart)
    encoding = found.value.chart_schema["encoding"]
    assert (encoding["x"]["field"], encoding["y"]["field"], encoding["color"]["field"]) == ("kind", "n", "city")


@pytest.mark.parametrize("text", ["", '{"x_axis": "nope"}', '{"x_axis": "n"}', ModelUnavailable("down")])
async def test_what_a_model_says_wrongly_is_filled_without_it(text: str | Exception) -> None:
    found, _ = await adjusted(Adjustment("bar", y_axis="n"), text)
    assert isinstance(found.value, Chart)
    assert found.value.chart_schema["encoding"]["x"]["field"] in ("city", "n")


async def test_what_is_impossible_names_its_channel() -> None:
    found, _ = await adjusted(Adjustment("bar", x_axis="nope", y_axis="n"))
    assert isinstance(found.value, NoChart)
    assert found.value.missing == "x_axis"
