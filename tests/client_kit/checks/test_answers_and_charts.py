"""Answers in words, their streams, and pictures of charts (CONTRACTS 2): what a row of `contract.yaml` cannot say."""

from __future__ import annotations

import threading

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import Shop, good
from tests.client_kit.client import LegacyClient, Stream


@pytest.mark.parametrize(("count", "cell", "used"), [(3, "x" * 100_000, 3), (20_000, "word " * 20, None)])
def test_many_rows_and_long_cells_are_cut_and_counted(
    client: LegacyClient, shop: Shop, count: int, cell: str, used: int | None
) -> None:
    rows = {"columns": ["number", "word"], "data": [[number, cell] for number in range(count)]}
    body = good(kinds.ANSWER, shop) | {"sql": "SELECT order_id, status FROM orders", "sql_data": rows}
    ended = client.run(kinds.ANSWER, body)
    expect.finished(ended)
    taken = ended.body["num_rows_used_in_llm"]
    assert taken == used if used else 0 < taken < count
    assert len(expect.text_stream(client.answer_stream(ended.id))) < 400_000


def test_at_most_ten_rows_and_their_count_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    rows = {"columns": ["number", "word"], "data": [[number, "wide"] for number in range(25)]}
    ended = client.run(kinds.ANSWER, good(kinds.ANSWER, shop) | {"sql_data": rows})
    text = expect.text_stream(client.answer_stream(ended.id))
    assert text.count("wide") == 10, "a table of at most 10 rows"
    assert "25" in text, "the row count is not told"


def test_many_readers_read_the_same_from_the_start(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(kinds.ANSWER, good(kinds.ANSWER, shop))
    read: list[Stream] = []
    threads = [threading.Thread(target=lambda: read.append(client.answer_stream(ended.id))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(client.patience)
    texts = {stream.text for stream in read}
    assert len(read) == 5
    assert len(texts) == 1, "readers read other texts"
    assert expect.text_stream(client.answer_stream(ended.id)) in texts, "a late reader does not read from the start"


def test_at_most_a_thousand_rows_are_in_the_schema(client: LegacyClient, shop: Shop) -> None:
    days = [[f"2020-01-01T{n // 60 % 24:02d}:{n % 60:02d}:00", n] for n in range(3000)]
    more = {"data": {"columns": ["day", "n"], "data": days}, "remove_data_from_chart_schema": False}
    ended = client.run(kinds.CHART, good(kinds.CHART, shop) | more)
    expect.chart(expect.finished(ended), {"day", "n"}, with_data=True)


@pytest.mark.parametrize(("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG\r\n")])
def test_a_finished_chart_has_a_picture(client: LegacyClient, shop: Shop, form: str, start: bytes) -> None:
    ended = client.run(kinds.CHART, good(kinds.CHART, shop))
    assert expect.finished(ended)["chart_type"] != ""
    answer = client.http.get(f"/v1/charts/{ended.id}/image.{form}", params={"width": "400", "height": "300"})
    if answer.status_code == 501:
        pytest.skip("the service runs without the extra `charts`")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].split(";")[0] in ("image/svg+xml", "image/png")
    assert start in answer.content[:200]
