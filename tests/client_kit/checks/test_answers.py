"""Text answers over rows (`/sql-answers`, CONTRACTS 2) and their stream."""

from __future__ import annotations

import threading
import time

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import (
    CITY_DATA,
    CITY_QUESTION,
    CITY_SQL,
    COUNT_QUESTION,
    COUNT_SQL,
    EMPTY_SQL,
    JOIN_SQL,
    REFUSED_SQL,
    WRONG_COLUMN_SQL,
    Shop,
)
from tests.client_kit.client import LegacyClient, Stream, answer_body
from tests.client_kit.manifest import Json
from tests.client_kit.service import Service


def rows(count: int, cell: str = "a") -> Json:
    return {"columns": [{"name": "number", "type": "INTEGER"}, {"name": "word", "type": "VARCHAR"}]} | {
        "data": [[number, cell] for number in range(count)]
    }


def test_rows_that_the_client_sends_are_used(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    assert expect.finished(ended) is None, "an answer has its text on the stream, not as a response"
    assert ended.body["num_rows_used_in_llm"] == 4
    assert expect.text_stream(client.answer_stream(ended.id)).strip()


def test_the_answer_may_be_opened_as_soon_as_it_succeeded(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    assert ended.seen[-1] == "succeeded"
    assert set(ended.seen) <= {"preprocessing", "succeeded"}
    expect.text_stream(client.answer_stream(ended.id))


def test_without_rows_the_sql_is_run(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer("What does each category bring?", JOIN_SQL)
    expect.finished(ended)
    assert ended.body["num_rows_used_in_llm"] == 3
    expect.text_stream(client.answer_stream(ended.id))


def test_columns_may_be_names_only(client: LegacyClient, shop: Shop) -> None:
    data = {"columns": ["city", "customer_count"], "data": CITY_DATA["data"]}
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, data)
    expect.finished(ended)
    assert ended.body["num_rows_used_in_llm"] == 4


def test_a_custom_instruction_is_taken(client: LegacyClient, shop: Shop) -> None:
    body = answer_body(CITY_QUESTION, CITY_SQL, CITY_DATA) | {"custom_instruction": "One sentence."}
    expect.finished(client.run(kinds.ANSWER, body))


def test_one_cell_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    ended = client.sql_answer(COUNT_QUESTION, COUNT_SQL)
    expect.finished(ended)
    assert expect.text_stream(client.answer_stream(ended.id)).strip() == "order_count: 16"


def test_a_table_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    text = expect.text_stream(client.answer_stream(ended.id))
    for word in ("city", "customer_count", "Lyon", "Madrid", "Oslo", "Porto", "|"):
        assert word in text, f"{word} is not in the table"
    assert "4" in text


def test_at_most_ten_rows_and_their_count_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    ended = client.sql_answer("List the numbers", "SELECT order_id, status FROM orders", rows(25, "wide"))
    text = expect.text_stream(client.answer_stream(ended.id))
    assert text.count("wide") == 10, "a table of at most 10 rows"
    assert "25" in text, "the row count is not told"


def test_no_rows_is_said_without_asking_the_model(client: LegacyClient, shop: Shop, service: Service) -> None:
    if service.model_server is not None:
        service.model_server.fail_next(50, "500")
    for data in (None, {"columns": CITY_DATA["columns"], "data": []}):
        ended = client.sql_answer("How many live in Atlantis?", EMPTY_SQL, data)
        expect.finished(ended)
        assert ended.body["num_rows_used_in_llm"] == 0
        assert "no rows" in expect.text_stream(client.answer_stream(ended.id)).casefold()


def test_many_rows_are_cut_and_counted(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer("List the numbers", "SELECT order_id, status FROM orders", rows(20_000, "word " * 20))
    expect.finished(ended)
    used = ended.body["num_rows_used_in_llm"]
    assert 0 < used < 20_000
    text = expect.text_stream(client.answer_stream(ended.id))
    assert len(text) < 200_000


def test_long_cells_do_not_break_it(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer("List the numbers", "SELECT order_id, status FROM orders", rows(3, "x" * 100_000))
    expect.finished(ended)
    assert ended.body["num_rows_used_in_llm"] == 3


def test_ten_megabytes_of_rows_are_answered_quickly(client: LegacyClient, shop: Shop) -> None:
    body = answer_body("List the numbers", "SELECT order_id, status FROM orders", rows(100_000, "y" * 90))
    began = time.monotonic()
    answer = client.post(kinds.ANSWER, body)
    assert answer.status_code in (202, 413, 422), answer.status_code
    expect.no_leak(answer.text)
    if answer.status_code == 202:
        client.wait(kinds.ANSWER, answer.json()["query_id"])
    assert time.monotonic() - began < 30


def test_words_with_quotes_braces_and_line_breaks_arrive_whole(
    client: LegacyClient, shop: Shop, no_model: None
) -> None:
    odd = 'say "yes"\nand\tgo \\ é 漢 🙂'
    ended = client.sql_answer("What is said?", "SELECT status FROM orders", {"columns": ["said"], "data": [[odd]]})
    text = expect.text_stream(client.answer_stream(ended.id))
    for word in ('"yes"', "é", "漢", "🙂"):
        assert word in text, f"{word} is lost on the stream"


def test_nulls_dates_and_nested_cells_are_taken(client: LegacyClient, shop: Shop) -> None:
    data = {"columns": ["a", "b", "c", "d"], "data": [[None, "2025-01-01", [1, 2], {"x": 1}], [True, 1.5, "", -1]]}
    ended = client.sql_answer("What is there?", "SELECT status FROM orders", data)
    expect.finished(ended)
    expect.text_stream(client.answer_stream(ended.id))


def test_rows_of_the_wrong_width_are_told(client: LegacyClient, shop: Shop) -> None:
    data = {"columns": ["a", "b"], "data": [[1, 2], [1], [1, 2, 3]]}
    answer = client.post(kinds.ANSWER, answer_body("What is there?", "SELECT status FROM orders", data))
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 202:
        expect.failed(client.wait(kinds.ANSWER, answer.json()["query_id"]), "OTHERS")
    else:
        expect.no_leak(answer.text)


def test_many_readers_read_the_same_from_the_start(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
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


def test_the_stream_of_an_unknown_answer_is_404(client: LegacyClient, unknown_id: str) -> None:
    expect.error_body(client.http.get(f"/v1/sql-answers/{unknown_id}/streaming"), 404)


@pytest.mark.usefixtures("no_compatibility")
def test_the_stream_of_a_foreign_answer_is_404(client: LegacyClient, foreigner: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    expect.error_body(foreigner.http.get(f"/v1/sql-answers/{ended.id}/streaming"), 404)


def test_refused_sql_fails_and_names_the_rule(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_answer("Remove them", REFUSED_SQL)
    expect.refused_by_rule(expect.failed(ended, "OTHERS"))


def test_refused_sql_beside_rows_fails_too(client: LegacyClient, shop: Shop) -> None:
    expect.failed(client.sql_answer("Remove them", REFUSED_SQL, CITY_DATA), "OTHERS")


@pytest.mark.parametrize("sql", [WRONG_COLUMN_SQL, "not sql at all", "", "SELECT * FROM warehouses"], ids=str)
def test_wrong_sql_fails(client: LegacyClient, shop: Shop, sql: str) -> None:
    answer = client.post(kinds.ANSWER, answer_body("What is there?", sql))
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 202:
        ended = client.wait(kinds.ANSWER, answer.json()["query_id"])
        expect.failed(ended, "OTHERS")
        stream = client.answer_stream(ended.id)
        assert stream.status_code in (200, 404)
        expect.no_leak(stream.raw)


def test_a_model_that_dies_midway_says_so_in_words(
    client: LegacyClient, shop: Shop, service: Service, with_model: None
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(500, "cut_json")
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    assert ended.status == "succeeded", ended.body
    text = expect.text_stream(client.answer_stream(ended.id))
    assert text.strip(), "the stream ends without a word"
    after = client.get(kinds.ANSWER, ended.id).json()
    assert after["status"] == "succeeded", "the job stays succeeded"
    assert (after.get("error") or {}).get("code") == "OTHERS", f"no error is added: {after}"


def test_a_model_that_hangs_does_not_hold_the_stream(
    client: LegacyClient, shop: Shop, service: Service, with_model: None
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(1, "hang")
    ended = client.sql_answer(CITY_QUESTION, CITY_SQL, CITY_DATA)
    assert expect.text_stream(client.answer_stream(ended.id)).strip()
