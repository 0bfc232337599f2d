"""The whole service over an ibis-server: what it is sent, what comes back, and what never gets there."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.sql.planner.engine_planned import engine_manifest
from tests.cli.test_doctor import findings
from tests.fakes.ibis_server import FakeIbisServer
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.fakes.wren_ui_server import FakeWrenUi
from tests.mdl.shop import SHOP_ROWS, legacy_manifest, read
from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table

INFO = {"host": "db", "password": "secret"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[FakeIbisServer]:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE SCHEMA gold")
        connection.execute(
            "CREATE TABLE gold.customers (id INTEGER, name VARCHAR, country VARCHAR, created_at DATE, secret VARCHAR)"
        )
        connection.execute(
            "CREATE TABLE gold.orders (id INTEGER, customer_id INTEGER, order_date DATE, status VARCHAR, amount DOUBLE)"
        )
        connection.executemany("INSERT INTO gold.customers VALUES (?, ?, ?, ?, 'hush')", tiny_shop.CUSTOMERS)
        connection.executemany("INSERT INTO gold.orders VALUES (?, ?, ?, ?, ?)", tiny_shop.ORDERS)
    async with FakeIbisServer(tmp_path / "shop.duckdb") as running:
        yield running


def manifest() -> dict[str, Any]:
    """The tiny shop, one column renamed, in a schema that is really called gold; and a metric."""
    mdl = copy.deepcopy(tiny_shop.manifest()) | {"dataSource": "POSTGRES"}
    for model in mdl["models"]:
        model["tableReference"]["schema"] = "shop"
    mdl["models"][1]["columns"][4] |= {"name": "Amount", "expression": "amount"}
    mdl["models"][0]["columns"][6]["expression"] = 'sum(orders."Amount")'
    mdl["views"][0]["statement"] = """SELECT id, "Amount" FROM orders WHERE status = 'paid'"""
    mdl["metrics"] = [
        {
            "name": "sales",
            "baseObject": "orders",
            "dimension": [{"name": "status", "type": "VARCHAR"}],
            "measure": [{"name": "revenue", "type": "DOUBLE", "expression": 'sum("Amount")'}],
        }
    ]
    return mdl


@dataclass
class Desk:
    """The service, and the model server that says what it is told to."""

    service: Client
    chat: ChatServer

    async def run(self, sql: str, **body: Any) -> dict[str, Any]:
        """The answer to a question for which the language model writes this SQL."""
        self.chat.script = ChatScript({"sql_generation": [Answer(json={"sql": sql})]})
        return await self.service.answer(f"Show what this gives, a number or more: {sql}", execute=True, **body)


# What the language model writes is tried as it is, once.
PLAIN = case_table(__file__, "plain")


@asynccontextmanager
async def asked_about(folder: Path, server: FakeIbisServer, mdl: dict[str, Any], **more: Any) -> AsyncIterator[Desk]:
    entry = {
        "engine": "wren_ibis",
        "api_base": server.api_base,
        "data_source": "POSTGRES",
        "connection_info_env": "IBIS",
        "schema_map": {"shop": "gold"},
    } | more
    async with ChatServer() as chat:
        path = write_config(folder, api_base=chat.api_base, data_sources={"default": entry}, settings=PLAIN)
        async with running_service(path, {"IBIS": json.dumps(INFO)}) as service:
            assert (await service.prepare(mdl))["status"] == "finished"
            yield Desk(service, chat)


RUNS = case_table(__file__, "runs")


# What the columns of a result are called: each has a name of its own.
NAMES = case_table(__file__, "names")


@pytest.mark.deep
async def test_statements_over_the_model_give_its_rows(tmp_path: Path, server: FakeIbisServer) -> None:
    async with asked_about(tmp_path, server, manifest()) as desk:
        for sql, rows in RUNS:
            answer = await desk.run(sql)
            assert answer.get("data", answer)["rows"] == rows, sql
        star = await desk.run("SELECT o.*, c.* FROM orders AS o JOIN customers AS c ON o.customer_id = c.id")
        names = [column["name"] for column in star["data"]["columns"]]
        counted = await desk.service.answer("How many customers are there?", execute=True)
        called = {sql: await desk.run(sql) for sql in NAMES}
    assert {sql: [column["name"] for column in answer["data"]["columns"]] for sql, answer in called.items()} == NAMES
    # Every name once, and the hidden column not at all.
    assert names == [
        *("id", "customer_id", "order_date", "status", "Amount", "customer_country"),
        *("id_2", "name", "country", "created_at", "total_spent"),
    ]
    assert counted["data"]["rows"] == [[3]]


async def test_the_server_gets_the_model_in_its_form_and_statements_over_it(
    tmp_path: Path, server: FakeIbisServer
) -> None:
    async with asked_about(tmp_path, server, manifest()) as desk:
        answer = await desk.run("SELECT name, total_spent FROM customers")

    request = server.queries[-1]
    assert answer["response"][0]["sql"].startswith("SELECT name, total_spent FROM customers")
    assert "gold" not in request.body["sql"]
    assert set(request.manifest) == {"catalog", "schema", "models"}
    customers, orders = request.manifest["models"]
    assert customers["tableReference"] == {"schema": "gold", "table": "customers"}
    assert orders["columns"] == [
        {"name": "id", "type": "INTEGER"},
        {"name": "customer_id", "type": "INTEGER"},
        {"name": "order_date", "type": "DATE"},
        {"name": "status", "type": "VARCHAR"},
        {"name": "Amount", "type": "DOUBLE", "expression": "amount"},
    ]


CALCULATED = case_table(__file__, "calculated")


@pytest.mark.deep
async def test_calculated_fields_are_not_left_to_the_server(tmp_path: Path, server: FakeIbisServer) -> None:
    """It would count wrong where two models call their keys alike, and refuse a model with some of these."""
    mdl = manifest()
    for number, expression in enumerate(CALCULATED):
        column = {"name": f"c{number}", "type": "DOUBLE", "isCalculated": True, "expression": expression}
        mdl["models"][0]["columns"].append(column)
    async with asked_about(tmp_path, server, mdl) as desk:
        for number, (expression, values) in enumerate(CALCULATED.items()):
            answer = await desk.run(f"SELECT c{number} FROM customers ORDER BY id")
            assert [row[0] for row in answer["data"]["rows"]] == values, expression


@pytest.mark.deep
async def test_a_model_on_a_model_is_written_out_here(tmp_path: Path, server: FakeIbisServer) -> None:
    mdl = manifest()
    columns = [{"name": "id", "type": "INTEGER"}, {"name": "status", "type": "VARCHAR"}]
    mdl["models"].append({"name": "short_orders", "baseObject": "orders", "primaryKey": "id", "columns": columns})
    async with asked_about(tmp_path, server, mdl) as desk:
        answer = await desk.run("SELECT status, count(*) AS n FROM short_orders GROUP BY status ORDER BY 1")
    assert answer["data"]["rows"] == [["open", 1], ["paid", 2], ["shipped", 1]]
    assert [model["name"] for model in server.queries[-1].manifest["models"]] == ["customers", "orders"]


REFUSED = case_table(__file__, "refused")


async def test_nothing_beyond_the_model_is_sent(tmp_path: Path, server: FakeIbisServer) -> None:
    async with asked_about(tmp_path, server, manifest()) as desk:
        before = len(server.queries)
        for sql in REFUSED:
            assert (await desk.run(sql))["status"] == "failed", sql
        assert len(server.queries) == before


ROW_RULE = {
    "name": "own_country",
    "condition": "country = @country",
    "requiredProperties": [{"name": "country", "required": True}],
}
COLUMN_RULE = case_table(__file__, "column_rule")


@pytest.mark.deep
async def test_row_rules_hold_wherever_the_model_is_read(tmp_path: Path, server: FakeIbisServer) -> None:
    mdl = manifest()
    mdl["models"][0]["rowLevelAccessControls"] = [ROW_RULE]
    direct = "SELECT count(*) AS n FROM customers"
    through = "SELECT customer_country, count(*) AS n FROM orders GROUP BY 1 ORDER BY 2"
    async with asked_about(tmp_path, server, mdl) as desk:
        german = {"session_properties": {"country": "'Germany'"}}
        assert (await desk.run(direct, **german))["data"]["rows"] == [[2]]
        assert (await desk.run(through, **german))["data"]["rows"] == [[None, 1], ["Germany", 3]]
        odd = {"session_properties": {"country": "'Zürich\nX'"}}
        assert (await desk.run(direct, **odd))["data"]["rows"] == [[0]]
        sent = len(server.queries)
        for body in ({}, {"session_properties": {"country": "'x' OR 1 = 1"}}):
            for sql in (direct, through):
                refused = await desk.run(sql, **body)
                assert refused["status"] == "failed"
                assert "data" not in refused
        assert len(server.queries) == sent
    # The server is not trusted with them, and hears of no property.
    assert "rowLevelAccessControls" not in json.dumps(server.queries[-1].manifest)
    assert not any(name.lower().startswith("x-wren-variable") for name in server.queries[-1].headers)


@pytest.mark.deep
async def test_column_rules_hold_through_calculated_fields(tmp_path: Path, server: FakeIbisServer) -> None:
    mdl = manifest()
    mdl["models"][1]["columns"][4]["columnLevelAccessControl"] = COLUMN_RULE
    statements = ['SELECT sum("Amount") AS s FROM orders', "SELECT sum(total_spent) AS s FROM customers"]
    async with asked_about(tmp_path, server, mdl) as desk:
        for sql in statements:
            high = await desk.run(sql, session_properties={"level": "2"})
            assert high["data"]["rows"] == [[235.5]]
            for body in ({}, {"session_properties": {"level": "1"}}):
                assert "data" not in await desk.run(sql, **body)
        star = await desk.run("SELECT * FROM orders", session_properties={"level": "1"})
        assert "Amount" not in [column["name"] for column in star["data"]["columns"]]


@pytest.mark.deep
async def test_a_server_that_is_gone_is_said_in_words(tmp_path: Path, server: FakeIbisServer) -> None:
    async with asked_about(tmp_path, server, manifest()) as desk:
        server.refuse = (500, b"<html>secret</html>")
        failed = await desk.service.answer("How many customers are there?", execute=True)
    assert failed["status"] == "failed"
    assert "The ibis-server can't be used." in failed["error"]["message"]
    assert "secret" not in str(failed)


async def test_tables_that_are_not_listed_are_in_no_model_that_the_server_is_sent(
    tmp_path: Path, server: FakeIbisServer
) -> None:
    mdl = manifest()
    async with asked_about(tmp_path, server, mdl, tables=["gold.orders", "gold.customers"]) as desk:
        counted = await desk.run("SELECT count(*) AS n FROM orders")
        mdl["models"].append(
            {"name": "more", "refSql": "SELECT id FROM hr.pay", "columns": [mdl["models"][0]["columns"][0]]}
        )
        prepared = await desk.service.prepare(mdl, mdl_hash="m2")
    assert counted["data"]["rows"] == [[4]]
    assert 'it reads "hr.pay"' in prepared["error"]["message"]


async def test_all_rows_of_a_statement_go_into_a_file(tmp_path: Path, server: FakeIbisServer) -> None:
    """The server gives them at once, within the bytes that a reply may have."""
    async with asked_about(tmp_path, server, manifest()) as desk:
        body = {"sql": 'SELECT id, "Amount" FROM orders ORDER BY id', "format": "json"}
        status, told = await desk.service.call("POST", "/v1/sql-exports", json=body)
        assert (status, told) == (200, [{"id": id, "Amount": amount} for id, *_, amount in tiny_shop.ORDERS])
        status, told = await desk.service.call("POST", "/v1/sql-runs", json={"sql": body["sql"], "limit": 2})
        assert (status, told["rows"], told["truncated"]) == (200, [[1, 120.0], [2, 30.0]], True)


# -- The whole service over a Wren UI that deploys its models.


@pytest.fixture
async def wren_ui(tmp_path: Path) -> AsyncIterator[FakeWrenUi]:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute(SHOP_ROWS)
    async with FakeWrenUi(tmp_path / "shop.duckdb", engine_manifest(read(legacy_manifest()))) as running:
        yield running


@asynccontextmanager
async def asked(
    folder: Path, wren_ui: FakeWrenUi, api_base: str | None = None, **settings: Any
) -> AsyncIterator[Client]:
    sources = {"default": {"engine": "wren_ui", "api_base": wren_ui.api_base, "shared": True}}
    path = write_config(folder, api_base=api_base, data_sources=sources, settings=settings)
    async with running_service(path) as service:
        prepared = await service.prepare(legacy_manifest())
        assert prepared["status"] == "finished"
        yield service


async def test_a_model_that_it_deploys_is_asked_through_it(tmp_path: Path, wren_ui: FakeWrenUi) -> None:
    async with asked(tmp_path, wren_ui) as service:
        counted = await service.answer("How many orders are there?", execute=True)
        assert counted["data"]["rows"] == [[4]]
        found = await service.answer("How many cust with country DE?", execute=True)
        assert found["data"]["rows"] == [[1]]
        status, health = await service.call("GET", "/health/ready")
    assert status == 200, health
    assert all("main" not in preview["sql"] for preview in wren_ui.previews)


async def test_hidden_columns_and_other_tables_never_leave(tmp_path: Path, wren_ui: FakeWrenUi) -> None:
    async with ChatServer() as chat, asked(tmp_path, wren_ui, chat.api_base, **PLAIN) as service:
        sent = len(wren_ui.previews)
        for sql in ("SELECT secret FROM cust", "SELECT * FROM items", "DELETE FROM orders", "SELECT 1; SELECT 2"):
            chat.script = ChatScript({"sql_generation": [Answer(json={"sql": sql})]})
            assert (await service.answer("Tell me something about this, please."))["status"] == "failed", sql
        assert len(wren_ui.previews) == sent
        chat.script = ChatScript({"sql_generation": [Answer(json={"sql": "SELECT full_name, spent FROM cust"})]})
        answer = await service.answer("Tell me something about this, please.", execute=True)
    assert sorted(answer["data"]["rows"]) == [["Ann", 30.0], ["Bob", 30.0], ["Cy", None]]


async def test_before_its_first_deployment_a_model_can_still_be_prepared(tmp_path: Path, wren_ui: FakeWrenUi) -> None:
    error = {"message": "Cannot read properties of null", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}
    wren_ui.refuse = (200, json.dumps({"errors": [error], "data": None}).encode())
    async with asked(tmp_path, wren_ui) as service:
        failed = await service.answer("How many orders are there?", execute=True)
        assert "The Wren UI can't be used." in failed["error"]["message"]
        wren_ui.refuse = None
        assert (await service.answer("How many orders are there?", execute=True))["data"]["rows"] == [[4]]


async def test_the_doctor_looks_whether_it_answers(tmp_path: Path, wren_ui: FakeWrenUi) -> None:
    config = write_config(tmp_path, data_sources={"default": {"engine": "wren_ui", "api_base": wren_ui.api_base}})
    _, found = await findings(config)
    assert found["data_source.default"]["state"] == "ok"
    wren_ui.refuse = (401, b"")
    _, found = await findings(config)
    assert "It answered with HTTP 401." in found["data_source.default"]["message"]
