"""Answers without rows, and rows that are put into words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.asks.rows_in_words import NO_ROWS, number_warning, rows_in_words, unsupported_numbers
from askwell.providers.engine.base import QueryRows, ResultColumn
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_scripted_service, shared_service
from tests.support.tables import case_rows, case_table

QUESTION = "Which keen customers are from Germny, roughly?"
EMPTY = "SELECT name FROM customers WHERE country = 'Germny'"
EMPTY_TOO = "SELECT name FROM customers WHERE country = 'Germani'"
RIGHT = "SELECT name FROM customers WHERE country = 'Germany'"


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def asked(server: ChatServer, **body: Any) -> dict[str, Any]:
    async with shared_service(api_base=server.api_base) as service:
        return await service.answer(QUESTION, allow_data_preview=True, **body)


@pytest.mark.parametrize("execute", [True, False])
async def test_no_rows_are_corrected_once_and_nothing_is_said_of_them_then(execute: bool) -> None:
    async with ChatServer({"sql_generation": sql(EMPTY), "sql_correction": sql(RIGHT)}) as server:
        result = await asked(server, execute=execute)
    assert "'Germany'" in result["response"][0]["sql"]
    assert NO_ROWS not in result.get("warnings", ())
    correction = next(request for request in server.requests if request.stage == "sql_correction")
    assert "returns no rows" in correction.user
    assert "Germany" in correction.user  # the nearest value
    if execute:
        assert len(result["data"]["rows"]) == 2


@pytest.mark.parametrize("execute", [True, False])
async def test_no_rows_twice_are_the_answer_and_said(execute: bool) -> None:
    async with ChatServer({"sql_generation": sql(EMPTY), "sql_correction": sql(EMPTY_TOO)}) as server:
        result = await asked(server, execute=execute)
    assert "'Germani'" in result["response"][0]["sql"]
    assert NO_ROWS in result["warnings"]
    assert server.calls("sql_correction") == 1


@pytest.mark.parametrize("execute", [True, False])
async def test_what_holds_without_rows_answers_where_no_correction_works(execute: bool) -> None:
    script = {"sql_generation": sql(EMPTY), "sql_correction": sql(*["SELECT shoe_size FROM customers"] * 3)}
    async with ChatServer(script) as server:
        result = await asked(server, execute=execute)
    assert (result["status"], result["nl2sql_code"]) == ("finished", "0")
    assert "'Germny'" in result["response"][0]["sql"]
    assert NO_ROWS in result["warnings"]


async def test_without_the_preview_no_rows_are_corrected_where_a_near_value_is_known() -> None:
    async with shared_scripted_service({"sql_generation": sql(EMPTY), "sql_correction": sql(RIGHT)}) as (
        service,
        server,
    ):
        result = await service.answer(QUESTION, execute=True)
    assert len(result["data"]["rows"]) == 2
    assert server.calls("sql_correction") == 1


@pytest.mark.parametrize(
    ("written", "execute"),
    [("SELECT name FROM customers WHERE country = name", True), (EMPTY, False)],
)
async def test_without_the_preview_no_rows_are_else_an_answer_at_once(written: str, execute: bool) -> None:
    async with shared_scripted_service({"sql_generation": sql(written)}) as (service, server):
        result = await service.answer(QUESTION, execute=execute)
    assert result["response"][0]["sql"] == written
    assert (NO_ROWS in result.get("warnings", ())) is execute
    assert server.calls("sql_correction") == 0


@pytest.mark.parametrize("execute", [True, False])
async def test_nobody_writes_rules_or_saved_answers_anew(tmp_path: Path, execute: bool) -> None:
    pair = {"id": "p1", "question": "Who is from Germani?", "sql": EMPTY_TOO}

    async def both(service: Client) -> list[dict[str, Any]]:
        await service.prepare()
        await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        questions = ("Who is from Germani?", "How many customers are there?", "List the orders from 1999")
        return [await service.answer(one, allow_data_preview=True, execute=execute) for one in questions]

    async with running_service(write_config(tmp_path)) as service:
        history, counted, ruled = await both(service)
    assert (history["sql_source"], counted["sql_source"], ruled["sql_source"]) == ("history", "rules", "rules")
    assert NO_ROWS in history["warnings"]
    assert "warnings" not in counted
    assert NO_ROWS in ruled["warnings"]


# -- Answers from rows without a model, and numbers that a model made up.


def _result(names: list[str], rows: list[list[Any]], *, truncated: bool = False) -> QueryRows:
    return QueryRows(tuple(ResultColumn(name, "") for name in names), tuple(map(tuple, rows)), truncated)


def test_no_rows_have_a_fixed_sentence() -> None:
    assert rows_in_words(_result(["a"], [])) == NO_ROWS


def test_one_value_is_said_by_its_column() -> None:
    assert rows_in_words(_result(["revenue"], [["12.50"]])) == "revenue: 12.50"
    assert rows_in_words(_result(["revenue"], [[None]])) == "revenue: NULL"


def test_more_is_a_table_with_the_number_of_rows() -> None:
    text = rows_in_words(_result(["city", "n"], [["Berlin", 2], ["Köln", None]]))
    assert text == "| city | n |\n| --- | --- |\n| Berlin | 2 |\n| Köln | NULL |\n\n2 rows."


def test_long_results_say_what_was_cut() -> None:
    text = rows_in_words(_result(["n"], [[n] for n in range(500)], truncated=True))
    assert text.count("\n| ") == 11
    assert text.endswith("The first 10 of 500 rows are shown. Only the first 500 rows were read; there are more.")


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_cell_can_break_the_table(name: str, value: str) -> None:
    lines = rows_in_words(_result([name, "b"], [[value, 1], [value, 2]])).split("\n")
    assert len(lines) == 6
    for line in lines[:4]:
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3


def test_markdown_in_cells_is_shown_as_it_is() -> None:
    text = rows_in_words(_result(["a*b"], [["<img src=x>"], ["[x](http://y)"], ["a\n# b"]]))
    for shown in ("a\\*b", "\\<img src=x\\>", "\\[x\\](http://y)", "a \\# b"):
        assert shown in text


RESULT = _result(
    ["city", "revenue", "share", "day"],
    [["Berlin", "1234567.891", 0.2537, "2024-03-05T00:00:00"], ["Köln", 42, -0.05, None]],
)


@pytest.mark.parametrize(
    "text",
    case_table(__file__, "numbers_of_the_rows_are_supported"),
)
def test_numbers_of_the_rows_are_supported(text: str) -> None:
    assert unsupported_numbers(text, RESULT, "Which 3 cities in 1997?") == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    case_rows(__file__, "other_numbers_are_told", "text", "numbers"),
)
def test_other_numbers_are_told(text: str, numbers: list[str]) -> None:
    assert unsupported_numbers(text, RESULT) == tuple(numbers)


def test_counts_can_be_named() -> None:
    assert unsupported_numbers("20 of 500 rows", RESULT, counts=(20, 500)) == ()


def test_the_warning_names_a_few() -> None:
    assert number_warning(()) == ""
    assert number_warning(["7"]) == "7 does not stand in the rows; check the text."
    assert number_warning("1234567") == "1, 2, 3, 4, 5 and others do not stand in the rows; check the text."


@given(st.lists(st.one_of(st.integers(), st.floats(), st.text(), st.none()), max_size=4), st.text())
def test_any_text_and_any_cells_can_be_compared(cells: list[Any], text: str) -> None:
    result = _result([str(n) for n in range(len(cells))], [cells])
    unsupported_numbers(text, result)


def test_very_large_and_very_small_cells_can_be_compared() -> None:
    result = _result(["a", "b"], [[10**38, "1e-39"], [float("inf"), "9" * 5000]])
    assert unsupported_numbers("It is 5, 1e300 and 0.00000000000000001.", result) == (
        "5",
        "1e300",
        "0.00000000000000001",
    )


@given(st.integers(-(10**12), 10**12))
def test_a_cell_supports_itself(number: int) -> None:
    assert unsupported_numbers(f"It is {number}, or {number:,}.", _result(["n"], [[number]])) == ()
