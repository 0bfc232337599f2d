"""Conversations with an ask that asks back: what it offers, what is taken for an answer, and what becomes of it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from askwell.knowledge.record import FILE_NAME
from askwell.providers.embedder.minilm_export import export, missing_for_export
from askwell.providers.embedder.minilm_files import MinilmFiles
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import ENDS, Client, running_service, service_process, write_config
from tests.support.shared import shared_service
from tests.support.small_shops import make_small_shop
from tests.support.tables import case_rows, case_table

TWINS = "how many orders are open?"
ROLES = "How many flights have an airport in Paris?"
COLUMNS = "total amount of sales orders"
PURCHASES, SALES = [[1]], [[3]]
TO_PARIS, FROM_PARIS = [[2]], [[1]]
GROSS, NET = [[416.5]], [[350.0]]
DATES = "customers in 2025"
SHIPPED, ORDERED = [["Ann"], ["Bob"]], [["Ann"], ["Bob"], ["Cid"]]
OF_ROWS, OF_NET = [[66.7]], [[71.4]]


def trader(folder: Path, **more: Any) -> tuple[Path, dict[str, Any]]:
    """A configuration over the trader's database, and its model. Nothing is learnt: each question is as the first."""
    path, model = make_small_shop("trader", folder)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    more["settings"] = {"apply_lessons": False, **more.get("settings", {})}
    return write_config(folder, data_sources=sources, **more), model


def serving(api_base: str | None = None, **settings: Any) -> AbstractAsyncContextManager[Client]:
    """A new project over the trader's database, with the language model at an address. Nothing is learnt, if that is
    not switched on."""
    return shared_service("trader", api_base=api_base, **{"apply_lessons": False, **settings})


async def settled(service: Client, ask: str) -> dict[str, Any]:
    """The result once the ask has ended, or waits."""
    async with asyncio.timeout(30):
        result = await service.result(ask)
        while result["status"] not in (*ENDS, "awaiting_correction"):
            result = await service.result(ask, wait=1)
    return result


async def asked_back(service: Client, question: str, **body: Any) -> tuple[str, dict[str, Any]]:
    ask = await service.ask(question, interactive=True, execute=True, **body)
    result = await settled(service, ask)
    assert result["status"] == "awaiting_correction", result
    return ask, result["clarification"]


def rounded(rows: list[list[Any]]) -> list[list[Any]]:
    return [[round(cell, 1) if isinstance(cell, float) else cell for cell in row] for row in rows]


async def correct(service: Client, ask: str, body: dict[str, Any]) -> int:
    status, _ = await service.call("POST", f"/v1/asks/{ask}/corrections", json=body)
    return status


# Each answer in words or as a structure, and the rows that it leads to.
ANSWERS: list[tuple[str, dict[str, Any], list[list[Any]]]] = case_rows(
    __file__, "answers", "question", "answer", "rows", lists=True
)


@pytest.mark.parametrize("cases", [ANSWERS[::3], pytest.param(ANSWERS, marks=pytest.mark.deep)], ids=["some", "all"])
async def test_every_kind_of_answer_leads_to_what_it_means(cases: list[Any]) -> None:
    async with serving() as service:
        for question, answer, rows in cases:
            ask, _ = await asked_back(service, question)
            assert await correct(service, ask, answer) == 202
            result = await settled(service, ask)
            assert result["status"] == "finished", (question, answer, result)
            assert rounded(result["data"]["rows"]) == rows, (question, answer)
            assert "clarification" not in result
            left_open = any("left it to Askwell" in one for one in result.get("assumptions", ()))
            assert left_open is (answer.get("type") == "skip"), (question, answer)


async def test_what_is_none_of_the_options_is_asked_again_and_then_given_up() -> None:
    async with serving() as service:
        for nonsense in (
            "the green one",
            "",
            "both",
            "4",
            "; DROP TABLE orders",
            "🤷" * 200,
            "match with sales orders",
        ):
            ask, _ = await asked_back(service, TWINS)
            for attempt in (2, 3):
                assert await correct(service, ask, {"text": nonsense}) == 202
                again = await service.result(ask)
                assert again["clarification"]["attempt"] == attempt, nonsense
                assert len(again["clarification"]["options"]) == 3
            assert await correct(service, ask, {"text": nonsense}) == 202
            result = await settled(service, ask)
            assert (result["status"], result["nl2sql_code"]) == ("failed", "3005")
            assert "id" not in result["clarification"]  # nobody waits any more


# What is asked, whether rows may be fetched, the options, and whether sales orders are then answered at once.
DIFFERING = case_table(__file__, "differing")


@pytest.mark.parametrize(("question", "execute", "labels", "at_once"), DIFFERING)
async def test_what_finds_the_same_is_not_asked(question: str, execute: bool, labels: list[str], at_once: bool) -> None:
    """Net and gross amounts have the same order."""
    async with serving() as service:
        ask = await service.ask(question, interactive=True, execute=execute)
        asked = (await settled(service, ask))["clarification"]
        assert await correct(service, ask, {"text": "sales orders"}) == 202
        status = (await settled(service, ask))["status"]
    assert [option["label"] for option in asked["options"]] == [*labels, "None of these"]
    assert status == ("finished" if at_once else "awaiting_correction")


# What is refused, and what is said of it.
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"type": "table_selection", "selected_table": "volcanoes"}, "The model has no table “volcanoes”"),
    ({"type": "table_selection", "selected_table": "sales_order"}, "sales_orders"),
    ({"type": "table_selection", "selected_table": "sales_orders", "rejected_tables": ["lava"]}, "no table “lava”"),
    (
        {"type": "table_selection", "selected_table": "sales_orders", "rejected_tables": ["sales_orders"]},
        "You chose sales_orders and excluded it too",
    ),
    ({"type": "join", "condition": "flights.price = airports.id"}, "The model has no relationship"),
    ({"type": "join", "condition": "1 = 1; DROP TABLE x"}, "The model has no relationship"),
    ({"type": "join", "condition": "(" * 399}, "The model has no relationship"),
    ({"type": "join", "condition": "(" * 5_000}, "The model has no relationship"),
    ({"text": "use table sales_orderz"}, "nearest: sales_orders"),
    ({"text": "use table volcanoes"}, "no table “volcanoes”"),
    ({"text": "sales_orders.statuz"}, "nearest: status"),
    ({"text": "use column statuz"}, "nearest: status"),
    ({"text": "join sales_orders.custmer_id with customers.id"}, "nearest: customer_id"),
    ({"text": "join sales_orders with custmers"}, "nearest: customers"),
    ({"text": "flights.price = airports.id"}, "The model has no relationship"),
    ({"type": "choice", "option_id": "9"}, "The options are 1, 2."),
    ({"type": "choice"}, "option_id"),
    ({"type": "telepathy"}, "type"),
    ({}, "text"),
    ({"text": "2", "type": "skip"}, "text"),
    ({"text": "x" * 2_000}, "text"),
    ({"type": "choice", "option_id": "1", "text": "2"}, "text"),
    ({"type": "text"}, "text"),
)


async def test_what_there_is_not_is_refused_in_words_and_counts_as_no_attempt() -> None:
    async with serving() as service:
        ask, asked = await asked_back(service, TWINS)
        for wrong, said in REFUSED:
            status, answer = await service.call("POST", f"/v1/asks/{ask}/corrections", json=wrong)
            assert status == 422, wrong
            assert said in answer["message"] + answer["hint"], answer
            assert (await service.result(ask))["clarification"] == asked


async def test_of_two_answers_at_once_one_counts() -> None:
    async with serving() as service:
        for _ in range(5):
            ask, _ = await asked_back(service, TWINS)
            taken = await asyncio.gather(*(correct(service, ask, {"text": str(1 + n % 2)}) for n in range(6)))
            assert sorted(taken) == [202, 409, 409, 409, 409, 409]
            first = taken.index(202)
            assert (await settled(service, ask))["data"]["rows"] == (SALES if first % 2 else PURCHASES)


async def test_nobody_is_waited_for_for_ever(tmp_path: Path) -> None:
    config, model = trader(tmp_path)
    async with running_service(config) as service:
        assert (await service.prepare(model))["status"] == "finished"
        ask, _ = await asked_back(service, TWINS)
    async with running_service(config, now=lambda: datetime.now(UTC) + timedelta(days=2)) as service:
        result = await service.end(ask)
        assert (result["status"], result["nl2sql_code"]) == ("failed", "3005")
        assert await correct(service, ask, {"text": "1"}) == 409


async def test_waiting_asks_take_no_place_in_the_queue() -> None:
    async with serving(concurrency=1, queue_size=1) as service:
        waiting = [(await asked_back(service, TWINS))[0] for _ in range(5)]
        assert (await service.answer("how many sales orders are there?", execute=True))["data"]["rows"] == [[3]]
        for ask in waiting:
            assert await correct(service, ask, {"text": "sales"}) == 202
            assert (await service.end(ask))["data"]["rows"] == SALES


async def test_events_stay_open_while_it_waits() -> None:
    async with serving() as service:
        ask, _ = await asked_back(service, TWINS)
        seen: list[str] = []

        async def read() -> None:
            async with service.session.get(f"{service.url}/v1/asks/{ask}/events") as response:
                async for line in response.content:
                    if line.startswith(b"data:") and (status := json.loads(line[5:]).get("status")):
                        seen.append(status)  # noqa: PERF401 - others read along

        reading = asyncio.create_task(read())
        async with asyncio.timeout(10):
            while "awaiting_correction" not in seen:
                await asyncio.sleep(0.01)
        assert await correct(service, ask, {"text": "sales"}) == 202
        async with asyncio.timeout(10):
            await reading
    assert seen[seen.index("awaiting_correction") :] == ["awaiting_correction", "searching", "finished"]


@pytest.mark.deep
async def test_a_waiting_ask_outlives_kill_9_and_a_restart(tmp_path: Path) -> None:
    config, model = trader(tmp_path)
    async with service_process(config) as (process, service):
        assert (await service.prepare(model))["status"] == "finished"
        ask, asked = await asked_back(service, TWINS)
        other, _ = await asked_back(service, ROLES)
        assert await correct(service, other, {"text": "hm"}) == 202
        await process.kill()
        await process.start()
        assert (await service.result(ask))["clarification"] == asked
        assert (await service.result(other))["clarification"]["attempt"] == 2
        assert await correct(service, ask, {"clarification_id": asked["id"], "text": "sales"}) == 202
        assert (await service.end(ask))["data"]["rows"] == SALES
        await process.stop()
        await process.start()
        assert await correct(service, other, {"text": "from"}) == 202
        assert (await service.end(other))["data"]["rows"] == FROM_PARIS


# What is said to the twins, what a model makes of it, and the rows or the number of the next attempt.
MATCHED: list[tuple[str, Any, Any]] = case_rows(__file__, "matched", "question", "reply", "rows", lists=True)


async def test_a_model_finds_the_option_that_free_words_mean() -> None:
    said = [Answer(text=reply) if isinstance(reply, str) else Answer(json=reply) for _, reply, _ in MATCHED]
    async with ChatServer({"choice_matching": [*said, Answer(json={"option_id": -1})]}) as server:
        async with serving(server.api_base, apply_lessons=True) as service:
            for number, (words, reply, expected) in enumerate(MATCHED, 1):
                ask, _ = await asked_back(service, TWINS)
                assert await correct(service, ask, {"text": words}) == 202
                result = await settled(service, ask)
                assert server.calls("choice_matching") == number, reply
                if isinstance(expected, int):
                    assert result["clarification"]["attempt"] == expected, reply
                    await service.stop(ask)
                    continue
                assert (result["sql_source"], result["data"]["rows"]) == ("rules", expected), reply
                assert f"“{words}” was taken to mean" in result["warnings"][0]
                assert result["usage"]["llm_calls"] == 1
            _, lessons = await service.call("GET", "/v1/lessons")
            assert lessons["lessons"] == []
            ask, _ = await asked_back(service, TWINS)
            for attempt in (2, 3, None):
                assert await correct(service, ask, {"text": "the weather"}) == 202
                result = await settled(service, ask)
                assert result["clarification"].get("attempt") == attempt
            ask, _ = await asked_back(service, TWINS)
            for words in ("the weather", "2"):
                assert await correct(service, ask, {"text": words}) == 202
                answered = await settled(service, ask)
    assert (answered["status"], answered.get("data", {}).get("rows")) == ("finished", SALES), answered
    assert (result["status"], result["nl2sql_code"]) == ("failed", "3005")
    asked = next(request for request in server.requests if request.stage == "choice_matching")
    assert "1: purchase_orders\n2: sales_orders" in asked.user
    assert "<said>\nwhat our clients bought\n</said>" in asked.user


@pytest.mark.deep
@pytest.mark.skipif(bool(missing_for_export()), reason="the minilm extra is not installed")
async def test_without_a_model_the_embedder_finds_the_option_that_is_clearly_meant(tmp_path: Path) -> None:
    export(MinilmFiles(tmp_path / "home" / "models"))
    config, model = trader(tmp_path, embedder={"default": {"provider": "minilm"}})
    async with running_service(config) as service:
        assert (await service.prepare(model))["status"] == "finished"
        for words, expected in (("orders of sold goods", SALES), ("the weather in Rome", None)):
            ask, _ = await asked_back(service, TWINS)
            assert await correct(service, ask, {"text": words}) == 202
            result = await settled(service, ask)
            assert result.get("data", {}).get("rows") == expected, (words, result)
        answer = await service.answer("how many consumers are there?", execute=True)
    assert result["clarification"]["attempt"] == 2
    assert (answer["data"]["rows"], answer["assumptions"][:1]) == ([[3]], ["“consumers” was read as customers."])


async def test_what_another_version_left_waiting_is_asked_anew(tmp_path: Path) -> None:
    config, model = trader(tmp_path)
    async with running_service(config) as service:
        assert (await service.prepare(model))["status"] == "finished"
        ask, asked = await asked_back(service, TWINS)
    with sqlite3.connect(tmp_path / "home" / FILE_NAME) as record:
        record.execute("UPDATE jobs SET parked = ? WHERE id = ?", ('{"clarification": {"version": 0}}', ask))
    record.close()
    async with running_service(config) as service:
        again = (await settled(service, ask))["clarification"]
        assert (again["question"], again["options"]) == (asked["question"], asked["options"])
        assert await correct(service, ask, {"text": "sales"}) == 202
        assert (await service.end(ask))["data"]["rows"] == SALES
