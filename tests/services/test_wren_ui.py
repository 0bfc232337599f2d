"""The whole service over a Wren UI that deploys its models."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.sql.planner.engine_planned import engine_manifest
from tests.cli.test_doctor import findings
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.fakes.wren_ui_server import FakeWrenUi
from tests.mdl.shop import SHOP_ROWS, legacy_manifest, read
from tests.services.test_wren_ibis import PLAIN
from tests.support.service import Client, running_service, write_config


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[FakeWrenUi]:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute(SHOP_ROWS)
    async with FakeWrenUi(tmp_path / "shop.duckdb", engine_manifest(read(legacy_manifest()))) as running:
        yield running


@asynccontextmanager
async def asked(
    folder: Path, server: FakeWrenUi, api_base: str | None = None, **settings: Any
) -> AsyncIterator[Client]:
    sources = {"default": {"engine": "wren_ui", "api_base": server.api_base, "shared": True}}
    path = write_config(folder, api_base=api_base, data_sources=sources, settings=settings)
    async with running_service(path) as service:
        prepared = await service.prepare(legacy_manifest())
        assert prepared["status"] == "finished"
        yield service


async def test_a_model_that_it_deploys_is_asked_through_it(tmp_path: Path, server: FakeWrenUi) -> None:
    async with asked(tmp_path, server) as service:
        counted = await service.answer("How many orders are there?", execute=True)
        assert counted["data"]["rows"] == [[4]]
        found = await service.answer("How many cust with country DE?", execute=True)
        assert found["data"]["rows"] == [[1]]
        status, health = await service.call("GET", "/health/ready")
    assert status == 200, health
    assert all("main" not in preview["sql"] for preview in server.previews)


async def test_hidden_columns_and_other_tables_never_leave(tmp_path: Path, server: FakeWrenUi) -> None:
    async with ChatServer() as chat, asked(tmp_path, server, chat.api_base, **PLAIN) as service:
        sent = len(server.previews)
        for sql in ("SELECT secret FROM cust", "SELECT * FROM items", "DELETE FROM orders", "SELECT 1; SELECT 2"):
            chat.script = ChatScript({"sql_generation": [Answer(json={"sql": sql})]})
            assert (await service.answer("Tell me something about this, please."))["status"] == "failed", sql
        assert len(server.previews) == sent
        chat.script = ChatScript({"sql_generation": [Answer(json={"sql": "SELECT full_name, spent FROM cust"})]})
        answer = await service.answer("Tell me something about this, please.", execute=True)
    assert sorted(answer["data"]["rows"]) == [["Ann", 30.0], ["Bob", 30.0], ["Cy", None]]


async def test_before_its_first_deployment_a_model_can_still_be_prepared(tmp_path: Path, server: FakeWrenUi) -> None:
    error = {"message": "Cannot read properties of null", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}
    server.refuse = (200, json.dumps({"errors": [error], "data": None}).encode())
    async with asked(tmp_path, server) as service:
        failed = await service.answer("How many orders are there?", execute=True)
        assert "The Wren UI cannot be used." in failed["error"]["message"]
        server.refuse = None
        assert (await service.answer("How many orders are there?", execute=True))["data"]["rows"] == [[4]]


async def test_the_doctor_looks_whether_it_answers(tmp_path: Path, server: FakeWrenUi) -> None:
    config = write_config(tmp_path, data_sources={"default": {"engine": "wren_ui", "api_base": server.api_base}})
    _, found = await findings(config)
    assert found["data_source.default"]["state"] == "ok"
    server.refuse = (401, b"")
    _, found = await findings(config)
    assert "It answered with HTTP 401." in found["data_source.default"]["message"]
