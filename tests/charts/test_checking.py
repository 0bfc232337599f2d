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
ATTACKS: dict[str, Any] = {
    "data from elsewhere": bar(data={"url": _URL}),
    "data by another name": bar(data={"values": [], "format": {"type": "topojson"}}),
    "a sequence": bar(data={"sequence": {"start": 0, "stop": 1e12}}),
    "data sets": bar(datasets={"a": []}),
    "parameters": bar(params=[{"name": "p", "expr": "1"}]),
    "configuration": bar(config={"signals": []}),
    "layers": bar(layer=[BAR]),
    "metadata": bar(usermeta={"embedOptions": {"loader": _URL}}),
    "another schema": {**BAR, "$schema": "https://example.com/schema.json"},
    "a schema that is no text": {**BAR, "$schema": ["https://vega.github.io/schema/vega-lite/v5.json"]},
    "an image mark": bar(mark={"type": "image", "url": _URL}),
    "a link of a mark": bar(mark={"type": "bar", "href": _URL}),
    "an expression of a mark": bar(mark={"type": "bar", "opacity": {"expr": "1"}}),
    "a signal of a mark": bar(mark={"type": "bar", "color": {"signal": "x"}}),
    "a colour that is none": bar(mark={"type": "bar", "color": "url(#x)"}),
    "a filter": bar(transform=[{"filter": "datum.n > 1"}]),
    "a calculation": bar(transform=[{"calculate": "1", "as": "n2"}]),
    "a lookup": bar(transform=[{"lookup": "city", "from": {"data": {"url": _URL}, "key": "a"}}]),
    "a transform with more in it": bar(transform=[{"fold": ["n"], "as": ["a", "b"], "filter": "1"}]),
    "two transforms in one": bar(transform=[{"fold": ["n"], "as": ["a", "b"], "aggregate": []}]),
    "a fold of an unknown column": bar(transform=[{"fold": ["secret"]}]),
    "a name with a quote": bar(transform=[{"fold": ["n"], "as": ['a"', "b"]}]),
    "a link channel": {**BAR, "encoding": {**BAR["encoding"], "href": {"value": _URL}}},
    "a url channel": {**BAR, "encoding": {**BAR["encoding"], "url": {"field": "city"}}},
    "an unknown column": with_x(field="password"),
    "a path into a column": with_x(field="city.length"),
    "a field that is an object": with_x(field={"repeat": "column"}),
    "a condition": with_x(condition={"test": "true", "value": 1}),
    "an expression of a label": with_x(axis={"labelExpr": "datum.label"}),
    "an expression of an axis": with_x(axis={"labelAngle": {"expr": "1"}}),
    "a title with an address": with_x(title=f"see {_URL}"),
    "a title with an address in capitals": bar(title="HTTPS://EXAMPLE.COM"),
    "a title with a script": bar(title="javascript:alert(1)"),
    "a title that leaves its string": bar(title='x\\", fetch(1), "'),
    "a title with a control character": bar(title="a\nb"),
    "a title that is a signal": bar(title={"signal": "x"}),
    "a title with style": bar(title={"text": "a", "style": "x"}),
    "a sort by an expression": with_x(sort={"expr": "1"}),
    "a sort by an unknown column": with_x(sort={"field": "secret", "op": "sum"}),
    "a format that is no format": with_x(axis={"format": "%Q{x}<script>"}),
    "a format type of one's own": with_x(axis={"format": "s", "formatType": "mine"}, formatType="mine"),
    "an unknown aggregate": with_x(aggregate="argmax"),
    "an aggregate that is an object": with_x(aggregate={"argmax": "n"}),
    "a time unit of one's own": with_x(timeUnit={"unit": "year", "step": 1}),
    "too wide": bar(width=2001),
    "no width": bar(width=-1),
    "a width that is an expression": bar(width={"expr": "1"}),
    "a huge step": bar(height={"step": 1e6}),
    "a huge number": with_x(axis={"tickCount": 1e300}),
    "not a number": with_x(axis={"tickCount": float("nan")}),
    "a list of lists": with_x(sort=[[[["a"]]]]),
    "no mark": {"encoding": BAR["encoding"]},
    "no encoding": {"mark": "bar"},
    "an empty encoding": bar(encoding={}),
    "no chart": [],
    "nothing": None,
    "text": "bar",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_on_the_list_is_refused(attack: str) -> None:
    refused = check_allowed(ATTACKS[attack], COLUMNS)
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
