"""What a chart that somebody else wrote may hold."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.charts.checking import can_validate, check_allowed, check_schema
from askwell.charts.choice import choose_chart
from askwell.charts.plan import NoChart
from tests.charts.results import MONTHS, columns
from tests.support.examples import examples
from tests.support.tables import case_table

COLUMNS = columns("city", "month", "n", "a.b", "c[0]", "http_status")
BAR: dict[str, Any] = case_table(__file__, "bar")
needs_extra = pytest.mark.skipif(not can_validate(), reason="needs askwell[charts]")


def bar(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(BAR) | changes


def with_x(**changes: Any) -> dict[str, Any]:
    chart = bar()
    chart["encoding"]["x"] |= changes
    return chart


@needs_extra
def test_a_plain_chart_passes_as_it_is() -> None:
    assert check_schema(BAR, COLUMNS) == BAR


@needs_extra
@pytest.mark.parametrize("mark", ["bar", "line", "area", "point", {"type": "line", "point": {"filled": True}}])
def test_a_mark_may_be_short(mark: Any) -> None:
    checked = check_schema(bar(mark=mark), COLUMNS)
    assert isinstance(checked, dict)
    assert checked["mark"] == (mark if isinstance(mark, dict) else {"type": mark})


@needs_extra
def test_fields_with_dots_and_brackets_are_written_as_vega_lite_reads_them() -> None:
    for written in ("a.b", "a\\.b"):
        checked = check_schema(with_x(field=written), COLUMNS)
        assert isinstance(checked, dict)
        assert checked["encoding"]["x"]["field"] == "a\\.b"
    checked = check_schema(with_x(field="c[0]"), COLUMNS)
    assert isinstance(checked, dict)
    assert checked["encoding"]["x"]["field"] == "c\\[0\\]"


@needs_extra
def test_transforms_make_names_that_channels_may_use() -> None:
    fold = {"fold": ["n", "a.b"], "as": ["Measure", "Value"]}
    total = {"aggregate": [{"op": "sum", "field": "n", "as": "total"}], "groupby": ["city"]}
    by_year = {"timeUnit": "year", "field": "month", "as": "year"}
    for transform, field in ((fold, "Value"), (total, "total"), (by_year, "year")):
        checked = check_schema(with_x(field=field) | {"transform": [transform]}, COLUMNS)
        assert isinstance(checked, dict), checked
    assert isinstance(check_schema(with_x(field="Value"), COLUMNS), NoChart)


@needs_extra
def test_data_is_left_out_and_a_column_called_http_is_a_column() -> None:
    checked = check_schema(with_x(field="http_status", title="Http status") | {"data": {"values": []}}, COLUMNS)
    assert isinstance(checked, dict)
    assert "data" not in checked


_URL = "https://example.com/x"
ATTACKS: dict[str, Any] = case_table(__file__, "attacks")


def attacked(chart: dict[str, Any] | None = None, *, x: Any = None, encoding: Any = None, **whole: Any) -> Any:
    if whole:
        return whole["whole"]
    if encoding is not None:
        return bar(encoding={**BAR["encoding"], **encoding})
    return with_x(**x) if x is not None else bar(**(chart or {}))


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_on_the_list_is_refused(attack: str) -> None:
    refused = check_allowed(attacked(**ATTACKS[attack]), COLUMNS)
    assert isinstance(refused, NoChart), refused
    assert refused.reason.endswith(".")
    assert "example.com" not in refused.reason


def test_something_very_deep_is_refused() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"x": deep, "sort": [deep]}
    assert isinstance(check_allowed(bar(encoding=deep), COLUMNS), NoChart)


@needs_extra
@pytest.mark.parametrize(
    "chart",
    [
        with_x(axis={"labelAngle": "steep"}),
        with_x(stack="zero", scale={"type": "round"}),
        bar(mark={"type": "bar", "interpolate": 5}),
    ],
)
def test_what_vega_lite_does_not_know_is_refused_too(chart: dict[str, Any]) -> None:
    assert isinstance(check_allowed(chart, COLUMNS), dict)
    refused = check_schema(chart, COLUMNS)
    assert isinstance(refused, NoChart)
    assert "Vega-Lite" in refused.reason


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "__proto__", ""])
def test_names_that_would_leave_a_string_are_in_no_chart(name: str) -> None:
    result = columns(name, "n")
    assert choose_chart("q", result, [("x", 1), ("y", 2)]).chart_type == ""
    chart = {"mark": "bar", "encoding": {"x": {"field": name, "type": "nominal"}}}
    assert isinstance(check_allowed(chart, result), NoChart)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*path, key))


_poison = st.sampled_from(
    [
        {"expr": "1"},
        {"signal": "x"},
        {"url": _URL},
        {"href": _URL},
        {"condition": {"test": "1", "value": 1}},
        {"param": "p"},
        _URL,
        "data:text/html,x",
        "x\\",
        ["a", {"expr": "1"}],
        float("inf"),
    ]
)


@settings(max_examples=examples(2000), deadline=None)
@given(data=st.data(), poison=_poison)
def test_poison_anywhere_in_a_chart_is_refused(data: st.DataObject, poison: Any) -> None:
    chart: Any = choose_chart("q", columns("month", "city", "n"), [(m, c, 1) for m in MONTHS[:4] for c in "ab"])
    spec = json.loads(json.dumps(chart.chart_schema))
    path = data.draw(st.sampled_from([place for place in _places(spec) if place]))
    holder = spec
    for step in path[:-1]:
        holder = holder[step]
    replaced = data.draw(st.booleans())
    if not replaced and isinstance(holder[path[-1]], dict) and isinstance(poison, dict):
        holder[path[-1]] |= poison
    else:
        holder[path[-1]] = poison
    assert isinstance(check_allowed(spec, columns("month", "city", "n")), NoChart)


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["field", "type", "x", "y", "mark", "encoding", "sort", "axis", "as", "fold"]), inner
        )
    ),
    max_leaves=20,
)


@settings(max_examples=examples(400), deadline=None)
@given(_json, _json, _json)
def test_anything_is_refused_or_comes_back_clean(mark: Any, x: Any, transform: Any) -> None:
    given_chart = {"mark": mark, "encoding": {"x": x}, "transform": transform}
    checked = check_allowed(given_chart, COLUMNS)
    if isinstance(checked, dict):
        assert check_allowed(checked, COLUMNS) == checked
        assert "expr" not in json.dumps(checked)
