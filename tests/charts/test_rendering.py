"""Pictures come from a process of their own, which has no network and an end."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.charts.choice import choose_chart
from askwell.charts.rendering import KIND, ChartRenderer, can_render
from askwell.child_process.pool import ChildPool
from askwell.errors import InvalidRequest, Unavailable
from tests.charts.results import MONTHS, Rows, columns
from tests.support.examples import examples

pytestmark = pytest.mark.skipif(not can_render(), reason="needs askwell[charts]")

RESULT = columns("city", "n")
ROWS: Rows = [("Oslo", 3), ("Rome", 8), (None, 2)]
CHART = choose_chart("q", RESULT, ROWS).chart_schema


@pytest.fixture
async def renderer() -> AsyncIterator[ChartRenderer]:
    one = ChartRenderer()
    yield one
    await one.close()


async def test_svg_and_png_of_a_size(renderer: ChartRenderer) -> None:
    svg = (await renderer.render(CHART, RESULT, ROWS, width=300, height=200)).decode()
    assert 'width="300"' in svg
    assert all(f">{name}<" in svg for name in ("Oslo", "Rome", "(none)", "N by city"))
    png = await renderer.render(CHART, RESULT, ROWS, "png", width=300, height=200)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 600


async def test_an_axis_of_few_whole_numbers_says_each_once(renderer: ChartRenderer) -> None:
    rows: Rows = [(2010, 19), (2011, 20), (2012, 19), (2013, 21)]
    chart = choose_chart("races per year", columns("year", "races"), rows).chart_schema
    svg = (await renderer.render(chart, columns("year", "races"), rows)).decode()
    assert [svg.count(f">{number}<") for number in (19, 20, 21)] == [1, 1, 1]


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__"])
async def test_a_value_may_be_called_what_every_object_of_javascript_has(renderer: ChartRenderer, name: str) -> None:
    rows: Rows = [(name, 3), ("Rome", 8)]
    svg = (await renderer.render(choose_chart("q", RESULT, rows).chart_schema, RESULT, rows)).decode()
    assert all(f">{one}<" in svg.replace("\u200b", "") for one in (name, "Rome"))


@pytest.mark.parametrize("size", [{"width": 2001}, {"height": 5000}, {"width": 0}, {"height": -4}])
async def test_sizes_have_an_end(renderer: ChartRenderer, size: dict[str, int]) -> None:
    with pytest.raises(InvalidRequest, match="2000"):
        await renderer.render(CHART, RESULT, ROWS, **size)


async def test_what_may_not_be_drawn_reaches_no_renderer(renderer: ChartRenderer) -> None:
    with pytest.raises(InvalidRequest, match="can't be drawn"):
        await renderer.render({**CHART, "params": [{"name": "p", "expr": "1"}]}, RESULT, ROWS)


async def test_a_format_that_the_renderer_would_fail_at_is_refused_without_a_value(renderer: ChartRenderer) -> None:
    broken = json.loads(json.dumps(CHART))
    broken["encoding"]["y"]["axis"]["format"] = "%%%"
    with pytest.raises(InvalidRequest) as caught:
        await renderer.render(broken, RESULT, ROWS)
    assert "Oslo" not in caught.value.message + caught.value.hint


async def test_a_picture_that_takes_too_long_is_given_up_and_the_next_is_drawn() -> None:
    renderer = ChartRenderer(seconds=0.001)
    try:
        before = time.monotonic()
        with pytest.raises((InvalidRequest, Unavailable)):
            await renderer.render(CHART, RESULT, ROWS)
        assert time.monotonic() - before < 20
    finally:
        await renderer.close()


async def test_many_pictures_at_once_share_a_process(renderer: ChartRenderer) -> None:
    pictures = await asyncio.gather(*(renderer.render(CHART, RESULT, ROWS) for _ in range(6)))
    # Vega numbers what it clips anew for each picture of a process.
    assert len({re.sub(rb"clip\d+", b"clip", picture) for picture in pictures}) == 1


async def test_the_process_has_no_network_and_loads_nothing() -> None:
    pool = ChildPool(KIND)
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, family=socket.AF_INET)
    port = server.sockets[0].getsockname()[1]
    chart: dict[str, Any] = {
        "data": {"url": f"http://127.0.0.1:{port}/rows.json"},
        "mark": "bar",
        "encoding": {"x": {"field": "a"}},
    }
    try:
        fields = (await pool.ask({"format": "svg", "chart": chart, "config": {}}, 30)).fields
        assert "picture" not in fields or b">a<" in base64.b64decode(fields["picture"])
        assert asked == []
    finally:
        server.close()
        await pool.close()


@pytest.mark.deep
def test_whatever_columns_and_values_are_their_chart_can_be_drawn() -> None:
    with asyncio.Runner() as runner:
        renderer = ChartRenderer()

        @settings(max_examples=examples(120), deadline=None)
        @given(
            names=st.lists(st.text(min_size=1, max_size=8), min_size=3, max_size=3, unique=True),
            cities=st.lists(st.text(max_size=6), min_size=2, max_size=4),
        )
        def draw(names: list[str], cities: list[str]) -> None:
            result = columns(*(name.replace(":", ";") for name in names))
            rows = [(month, city, at) for at, month in enumerate(MONTHS[:3]) for city in cities]
            chart = choose_chart("q", result, rows)
            if chart.chart_type:
                assert runner.run(renderer.render(chart.chart_schema, result, rows)).startswith(b"<svg")

        try:
            draw()
        finally:
            runner.run(renderer.close())
