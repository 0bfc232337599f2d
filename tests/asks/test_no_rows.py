"""A statement that finds no rows is written anew once where `allow_data_preview` asks for it, executed or not, and
where it was executed and values near its own are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_scripted_service, shared_service

QUESTION = "Which keen customers are from Germny, roughly?"
EMPTY = "SELECT name FROM customers WHERE country = 'Germny'"
EMPTY_TOO = "SELECT name FROM customers WHERE country = 'Germani'"
RIGHT = "SELECT name FROM customers WHERE country = 'Germany'"
NO_ROWS = "The query is valid and returns no rows."


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
