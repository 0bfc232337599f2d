"""A chart made anew with another type or other axes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.charts.adjusting import Adjustment, adjust_chart
from askwell.charts.checking import chart_type_of, check_allowed
from askwell.charts.plan import Chart, NoChart
from askwell.charts.words import CHART_TYPES
from tests.charts.results import MONTHS, Rows, columns
from tests.support.examples import examples
from tests.support.tables import case_rows

RESULT = columns("month", "city", "kind", "revenue", "orders")
ROWS: Rows = [(m, c, k, 100 + len(c), 40) for m in MONTHS[:3] for c in ("Oslo", "Rome") for k in ("web", "store")]


def adjusted(**wanted: Any) -> Chart:
    chart = adjust_chart(Adjustment(**wanted), RESULT, ROWS)
    assert isinstance(chart, Chart), chart
    return chart


def channels(chart: Chart) -> dict[str, Any]:
    return {channel: one["field"] for channel, one in chart.chart_schema["encoding"].items() if channel != "order"}


@pytest.mark.parametrize("kind", CHART_TYPES)
def test_every_type_can_be_had_without_naming_an_axis(kind: Any) -> None:
    chart = adjusted(chart_type=kind)
    assert chart.chart_type == kind == chart_type_of(chart.chart_schema)
    assert check_allowed(chart.chart_schema, RESULT) == chart.chart_schema


def test_named_axes_win() -> None:
    chart = adjusted(chart_type="bar", x_axis="city", y_axis="orders")
    assert channels(chart) == {"x": "city", "y": "orders"}
    grouped = adjusted(chart_type="grouped_bar", x_axis="kind", y_axis="revenue", x_offset="city")
    assert channels(grouped) == {"x": "kind", "y": "revenue", "xOffset": "city", "color": "city"}
    stacked = adjusted(chart_type="stacked_bar", x_axis="city", y_axis="revenue", color="month")
    assert channels(stacked) == {"x": "city", "y": "revenue", "color": "month"}
    assert channels(adjusted(chart_type="pie", theta="orders", color="kind")) == {"theta": "orders", "color": "kind"}
    assert channels(adjusted(chart_type="line", x_axis="city"))["x"] == "city"


def test_amounts_on_the_x_axis_make_bars_run_to_the_right() -> None:
    assert channels(adjusted(chart_type="bar", x_axis="revenue", y_axis="city")) == {"x": "revenue", "y": "city"}
    assert channels(adjusted(chart_type="bar", x_axis="revenue"))["x"] == "revenue"
    assert channels(adjusted(chart_type="bar", y_axis="city"))["y"] == "city"


LONG: Rows = [(f"A rather long name of a customer {at}", 40 - at) for at in range(28)]


@pytest.mark.parametrize("kind", ["bar", "pie", "line", "area"])
def test_a_category_and_a_value_need_no_axes(kind: Any) -> None:
    chart = adjust_chart(Adjustment(kind, category="name", value="n"), columns("name", "n"), LONG)
    assert isinstance(chart, Chart)
    placed = {"bar": ("y", "x"), "pie": ("color", "theta")}.get(kind, ("x", "y"))
    assert {channel: chart.chart_schema["encoding"][channel]["field"] for channel in placed} == dict(
        zip(placed, ("name", "n"), strict=True)
    )
    assert chart.reasoning == ""


def test_a_category_and_a_value_are_named_in_what_is_refused() -> None:
    bar = adjust_chart(Adjustment("bar", category="n", value="name"), columns("name", "n"), LONG)
    assert isinstance(bar, NoChart)
    assert (bar.missing, bar.reason) == ("value", "value: name holds no amounts that could be drawn.")
    pie = adjust_chart(Adjustment("pie", category="name", value="n"), columns("name", "n"), [("a", -1), ("b", 2)])
    assert isinstance(pie, NoChart)
    assert pie.missing == "value"
    nothing = adjust_chart(Adjustment("pie", category="name", value="n"), columns("name", "n"), [("a", 0), ("b", 2)])
    assert isinstance(nothing, Chart)


def test_what_a_category_and_a_value_leave_open() -> None:
    assert Adjustment("stacked_bar", category="city", value="n").open_channels() == ("color",)
    assert Adjustment("pie", category="city").open_channels() == ("theta",)
    assert Adjustment("pie", category="city", value="n").placed() == {"color": "city", "theta": "n"}


def test_an_axis_may_be_named_as_it_is_shown() -> None:
    assert channels(adjusted(chart_type="bar", x_axis="City", y_axis="REVENUE")) == {"x": "city", "y": "revenue"}


def test_several_amounts_become_series_where_nothing_else_tells_them_apart() -> None:
    chart = adjust_chart(Adjustment("multi_line"), columns("month", "paid", "open"), [(m, 5, 9) for m in MONTHS])
    assert isinstance(chart, Chart)
    assert chart.chart_schema["transform"] == [{"fold": ["paid", "open"], "as": ["Measure", "Value"]}]


@pytest.mark.parametrize(
    ("wanted", "names", "rows", "missing"),
    case_rows(__file__, "what_is_impossible_names_the_channel", "wanted", "names", "rows", "missing"),
)
def test_what_is_impossible_names_the_channel(wanted: Any, names: list[str], rows: Rows, missing: str) -> None:
    refused = adjust_chart(Adjustment(**wanted), columns(*names), rows)
    assert isinstance(refused, NoChart)
    assert refused.missing == missing
    assert missing in refused.reason


@settings(max_examples=examples(1200), deadline=None)
@given(
    st.sampled_from(sorted(CHART_TYPES)),
    st.lists(st.sampled_from(["", *(column.name for column in RESULT), "nope"]), min_size=5, max_size=5),
)
def test_named_columns_are_in_the_chart_or_the_reason_says_why(kind: Any, names: list[str]) -> None:
    chart = adjust_chart(Adjustment(kind, *names), RESULT, ROWS)
    if isinstance(chart, NoChart):
        assert chart.missing
        return
    assert check_allowed(chart.chart_schema, RESULT) == chart.chart_schema
    used = channels(chart)
    for name, channel in (("x_axis", "x"), ("y_axis", "y"), ("theta", "theta")):
        named = names[("x_axis", "y_axis", "x_offset", "color", "theta").index(name)]
        if named and name in CHART_TYPES[kind].needed:
            assert used[channel] == named
