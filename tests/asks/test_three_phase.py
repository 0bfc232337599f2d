"""A language model that chooses tables in three phases, over real HTTP on both sides: what is asked, and what not."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.asks.test_clarification import correct, settled, trader
from tests.asks.test_fields import PAIRS, RANGE, asked_for, save
from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import (
    Client,
    prepared_service,
    scripted_service,
    service_process,
    write_config,
)
from tests.support.shared import shared_service
from tests.support.tables import case_table

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = [Answer(json={"sql": "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"})]
ON = {"table_selection": "three_phase"}
TABLES = ("customers", "orders", "paid_orders")
REQUIRED = case_table(__file__, "required")


def verdict(table: str, *, relevant: bool = True, **more: Any) -> Answer:
    said = {"is_relevant": relevant, "confidence": 0.9, "relevant_columns": [], "reasoning": "So it is."}
    return Answer(json=said, when=shown(table), **more)


def shown(table: str) -> str:
    """How the text of a table begins in its prompt."""
    return f"<table>\nCREATE {'VIEW' if table == 'paid_orders' else 'TABLE'} {table} ("


def script(*judgements: Answer, **stages: list[Answer]) -> dict[str, list[Answer]]:
    said = {"query_requirements": [Answer(json=REQUIRED)], "sql_generation": RIGHT} | stages
    return said | ({"table_relevance": list(judgements)} if judgements else {})


def only(*relevant: str) -> list[Answer]:
    return [verdict(table, relevant=table in relevant) for table in TABLES]


def refined(*final: str) -> list[Answer]:
    return [Answer(json={"final_tables": list(final), "removed_tables": [], "reasoning": ""})]


def many_tables(folder: Path, count: int) -> dict[str, Any]:
    """The tiny shop among as many tables."""
    manifest = tiny_shop.manifest()
    with closing(sqlite3.connect(tiny_shop.make_database(folder / "shop.sqlite"))) as connection, connection:
        for number in range(count - len(TABLES)):
            name = f"depot_{number}"
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, shelf TEXT)")
            columns = [{"name": "id", "type": "INTEGER"}, {"name": "shelf", "type": "VARCHAR"}]
            manifest["models"].append(
                {"name": name, "tableReference": {"table": name}, "primaryKey": "id", "columns": columns}
            )
    return manifest


async def asked(
    folder: Path, server: ChatServer, mdl: dict[str, Any] | None = None, question: str = QUESTION, **settings: Any
) -> dict[str, Any]:
    """The answer of a shared service, or of one of its own that has this model."""
    settings = ON | settings
    if mdl is None:
        serving = shared_service(api_base=server.api_base, **settings)
    else:
        serving = prepared_service(folder, mdl=mdl, api_base=server.api_base, settings=settings)
    async with serving as service:
        return await service.answer(question, execute=True)


def prompt_of(server: ChatServer, stage: str) -> str:
    return next(request.user for request in server.requests if request.stage == stage)


def schema_of(server: ChatServer, stage: str = "sql_generation") -> list[str]:
    """The tables that a prompt shows in full."""
    text = prompt_of(server, stage).partition("<schema>\n")[2].partition("</schema>")[0]
    return [line.split()[2] for line in text.splitlines() if line.startswith("CREATE ")]


# What a judgement may be instead, and how often the model is asked for it.
BAD = [
    pytest.param(Answer(text='{"is_relevant": tru'), 3, id="broken"),
    pytest.param(Answer(hang=True), 1, id="late"),
    pytest.param(Answer(text="I think so."), 1, id="prose", marks=pytest.mark.deep),
    pytest.param(Answer(json={"is_relevant": "perhaps"}), 1, id="neither", marks=pytest.mark.deep),
    pytest.param(Answer(json={"is_relevant": True}, finish_reason="length"), 1, id="cut", marks=pytest.mark.deep),
    pytest.param(Answer(refusal="I would rather not."), 1, id="refused", marks=pytest.mark.deep),
    pytest.param(Answer(status=400), 1, id="error", marks=pytest.mark.deep),
]


@pytest.mark.deep
@pytest.mark.parametrize(("bad", "calls"), BAD)
async def test_a_table_that_cannot_be_judged_is_kept_if_it_is_near(tmp_path: Path, bad: Answer, calls: int) -> None:
    judged = [replace(bad, when=shown("customers")), *(one for one in only("orders") if one.when != shown("customers"))]
    async with ChatServer(script(*judged, table_refinement=refined("customers", "orders"))) as server:
        result = await asked(tmp_path, server, ask_deadline=10)
        server.release()
    assert result["data"]["rows"] == [["Ada Lovelace"]], result
    assert sorted(schema_of(server)) == ["customers", "orders"]
    assert server.calls("table_relevance") == 2 + calls
    assert server.calls("table_refinement") == 1
    assert any("1 of 3 tables could not be judged." in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    "bad", [Answer(text="?"), pytest.param(Answer(status=400), marks=pytest.mark.deep)], ids=["prose", "error"]
)
async def test_where_nothing_can_be_judged_the_nearest_three_stay(tmp_path: Path, bad: Answer) -> None:
    mdl = many_tables(tmp_path, 12)
    async with ChatServer(script(bad)) as server:
        result = await asked(tmp_path, server, mdl)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert server.calls("table_relevance") == 12
    assert server.calls("table_refinement") == server.calls("query_requirements") == 0
    assert len(schema_of(server)) == 3
    assert "customers" in schema_of(server)
    assert "requirements" not in result
    assert any("12 of 12 tables could not be judged." in warning for warning in result["warnings"])


async def test_a_table_that_is_too_long_loses_the_columns_furthest_from_the_question(tmp_path: Path) -> None:
    mdl = many_tables(tmp_path, 4)
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection, connection:
        for number in range(150):
            connection.execute(f"ALTER TABLE depot_0 ADD COLUMN remark_{number} TEXT")
            mdl["models"][-1]["columns"].append({"name": f"remark_{number}", "type": "VARCHAR"})
        connection.execute("ALTER TABLE depot_0 ADD COLUMN keenest_spender TEXT")
    mdl["models"][-1]["columns"].append({"name": "keenest_spender", "type": "VARCHAR"})
    async with ChatServer(script(*only("customers"), verdict("depot_0", relevant=False))) as server:
        result = await asked(tmp_path, server, mdl, max_tokens_per_call=300)
    assert result["status"] == "finished"
    long = next(request.user for request in server.requests if shown("depot_0") in request.user)
    text = long.partition("<table>\n")[2].partition("\n</table>")[0]
    assert len(text) <= 4 * 300
    assert "id INTEGER PRIMARY KEY" in text
    assert "keenest_spender VARCHAR" in text
    assert 0 < text.count(" remark_") < 150


async def test_so_many_tables_are_judged_and_so_many_at_once(tmp_path: Path) -> None:
    mdl = many_tables(tmp_path, 60)
    rest = Answer(json={"is_relevant": False, "confidence": 1}, delay=0.01)
    async with ChatServer(script(verdict("customers", delay=0.01), rest)) as server:
        result = await asked(tmp_path, server, mdl, selection_concurrency=5)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert server.calls("table_relevance") == 50
    assert server.most_at_once["table_relevance"] == 5
    assert result["usage"]["llm_calls"] == server.calls() == 53


async def test_a_stop_in_the_first_phase_ends_everything(tmp_path: Path) -> None:
    mdl = many_tables(tmp_path, 20)
    async with scripted_service(
        tmp_path, script(Answer(json={"is_relevant": True}, hang=True)), mdl=mdl, settings=ON
    ) as (service, server):
        ask = await service.ask(QUESTION)
        await server.arrived("table_relevance", 8)
        assert (await service.result(ask))["status"] == "searching"
        await service.stop(ask)
        assert (await service.result(ask))["status"] == "stopped"
        for request in list(server.requests[-8:]):
            assert await server.ended(request) == "abandoned"
        assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("table ")]
        server.release()
        assert (await service.answer("How many customers are there?"))["status"] == "finished"
    assert server.calls("table_relevance") == 8


@pytest.mark.deep
async def test_kill_9_in_the_first_phase_has_no_table_judged_twice(tmp_path: Path) -> None:
    mdl = many_tables(tmp_path, 12)
    rest = Answer(json={"is_relevant": False, "confidence": 1})
    slow = verdict("depot_5", relevant=False, hang=True)
    async with ChatServer(script(slow, slow, verdict("customers"), rest)) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings=ON | {"selection_concurrency": 1})
        async with service_process(config) as (process, service):
            assert (await service.prepare(mdl))["status"] == "finished"
            ask = await service.ask(QUESTION, execute=True)
            while (
                shown("depot_5")
                not in (await server.arrived("table_relevance", server.calls("table_relevance") or 1)).user
            ):
                await asyncio.sleep(0.01)
            before = server.calls("table_relevance")
            await process.kill()
            server.release()
            await process.start()
            result = await service.end(ask)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert before > 1
    judged = [request.user for request in server.requests if request.stage == "table_relevance"]
    assert (len(judged), len(set(judged))) == (13, 12)
    assert shown("depot_5") in judged[before]
    assert server.calls("intent_classification") == server.calls("query_requirements") == 1
    assert result["usage"]["llm_calls"] == server.calls() - 1  # what the kill cut off


# -- asking back -----------------------------------------------------------------------------------------------------

# Neither rules nor the question itself say which orders are meant.
OPEN = "Roughly how many keen orders came in?"
BOTH = {
    "table_relevance": [
        *(verdict(table) for table in ("purchase_orders", "sales_orders")),
        Answer(json={"is_relevant": False, "confidence": 1}),
    ],
    "table_refinement": refined("purchase_orders", "sales_orders"),
    "query_requirements": [Answer(json=REQUIRED)],
    "sql_generation": [Answer(json={"sql": "SELECT count(*) FROM purchase_orders"})],
    "sql_correction": [Answer(json={"sql": "SELECT count(*) FROM sales_orders"})],
}


def both() -> dict[str, list[Answer]]:
    return {stage: list(answers) for stage, answers in BOTH.items()}


async def parked(service: Client) -> tuple[str, dict[str, Any]]:
    ask = await service.ask(OPEN, interactive=True, execute=True)
    result = await settled(service, ask)
    assert result["status"] == "awaiting_correction", result
    return ask, result


@pytest.mark.deep
async def test_what_is_asked_back_outlives_kill_9(tmp_path: Path) -> None:
    """No table is judged again, and a saved question keeps the values that were given."""
    async with ChatServer(both()) as server:
        config, model = trader(tmp_path, api_base=server.api_base, settings=ON)
        async with service_process(config) as (process, service):
            assert (await service.prepare(model))["status"] == "finished"
            assert (await save(service, *PAIRS))["status"] == "finished"
            ask, waiting = await parked(service)
            saved, _ = await asked_for(service, RANGE)
            assert await correct(service, saved, {"text": "2025-01-01"}) == 202
            half = await settled(service, saved)
            before = server.calls()
            await process.kill()
            await process.start()
            assert [await service.result(one) for one in (ask, saved)] == [waiting, half]
            assert await correct(service, saved, {"text": "2025-01-31"}) == 202
            assert (await service.end(saved))["data"]["rows"] == [[100.0]]
            assert await correct(service, ask, {"text": "sales orders"}) == 202
            assert (await service.end(ask))["data"]["rows"] == [[3]]
    assert server.calls() == before + 3
