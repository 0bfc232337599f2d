"""The whole service when something that it stands on breaks or changes under it."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from askwell.knowledge.record import Record
from tests.fakes.openai_server import ChatServer
from tests.support import tiny_shop
from tests.support.service import running_service, write_config


async def test_a_home_that_is_deleted_while_it_runs_is_noticed(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as http:
        await http.prepare()
        assert (await http.call("GET", "/health/ready"))[0] == 200
        shutil.rmtree(tmp_path / "home")
        status, said = await http.call("POST", "/v1/asks", json={"query": "How many orders are there?"})
        assert (status, said["code"]) == (503, "RECORD_UNAVAILABLE")
        assert "restart the service" in said["hint"]
        assert str(tmp_path) not in str(said)
        status, said = await http.call("GET", "/health/ready")
        assert status == 503
        assert said["checks"]["record"]["ok"] is False
        assert str(tmp_path) not in str(said)


HOLD = "import duckdb; c = duckdb.connect({path!r}); c.execute('CREATE TABLE {name} (i INTEGER)'); {then}"


async def test_a_client_hears_of_a_held_database_without_paths_processes_or_statements(tmp_path: Path) -> None:
    """The model names a table that the database lacks; then somebody writes to the database."""
    path, model = tmp_path / "sales.duckdb", tiny_shop.manifest()
    model["dataSource"] = "DUCKDB"
    source = {"default": {"engine": "duckdb", "path": str(path)}}
    command = [sys.executable, "-c", HOLD.format(path=str(path), name="customers", then="c.close()")]
    await (await asyncio.create_subprocess_exec(*command)).wait()
    async with running_service(write_config(tmp_path, data_sources=source)) as http:
        prepared = str(await http.prepare(model))
        lacking = str(await http.answer("How many orders are there?", execute=True))
    held = [sys.executable, "-c", HOLD.format(path=str(path), name="held", then="print(flush=True); input()")]
    holder = await asyncio.create_subprocess_exec(*held, stdin=PIPE, stdout=PIPE)
    assert holder.stdout is not None
    await holder.stdout.readline()
    try:
        async with running_service(write_config(tmp_path, data_sources=source)) as http:
            late = str(await http.prepare(model | {"catalog": "other"}, "m2"))
            answer = await http.answer("How many orders are there?", execute=True)
    finally:
        holder.kill()
        await holder.wait()
    assert answer["status"] == "failed"
    assert "sales.duckdb cannot be used. Another process has it open" in answer["error"]["message"]
    assert "Another process has it open" in late
    for said in (prepared, lacking, late, str(answer)):
        assert not re.search(rf"{tmp_path}|PID|python|LINE 1|\\\\n", said), said


async def test_it_is_not_ready_while_its_language_model_is_down(tmp_path: Path) -> None:
    async with ChatServer() as server:
        nobody = server.api_base
        async with running_service(write_config(tmp_path, api_base=nobody)) as http:
            assert (await http.call("GET", "/health/ready"))[0] == 200
    async with running_service(write_config(tmp_path, api_base=nobody)) as http:
        status, said = await http.call("GET", "/health/ready")
        assert (status, said["checks"]["language_model"]["ok"]) == (503, False)
        assert "can't be reached (in use: gpt-test)" in said["checks"]["language_model"]["message"]
        # Anybody may ask: where things are is for the doctor.
        assert "127.0.0.1" not in str(said)
        assert {name for name, check in said["checks"].items() if check["ok"]} == {
            "record", "embedder", "document_store", "semantic_models", "data_source.default"
        }  # fmt: skip
        assert (await http.call("GET", "/health/live"))[0] == 200


async def test_what_nobody_set_up_is_told_apart_from_what_works(tmp_path: Path) -> None:
    config = write_config(tmp_path, embedder={"default": {"provider": "none"}})
    async with running_service(config) as http:
        _, said = await http.call("GET", "/health/ready")
    absent = {name for name, check in said["checks"].items() if check.get("set_up") is False}
    assert absent == {"embedder", "language_model", "semantic_models"}
    assert said["checks"]["semantic_models"]["message"] == "no model yet"
    assert "search is by words only" in said["checks"]["embedder"]["message"]


async def test_once_a_project_has_a_model_there_are_models(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as http:
        await http.prepare()
        _, said = await http.call("GET", "/health/ready")
    assert said["checks"]["semantic_models"] == {"ok": True, "message": "every model that was loaded can be used"}


async def test_it_is_not_ready_while_its_document_store_is_down(tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        store = {"provider": "qdrant", "location": f"http://127.0.0.1:{port}"}
        async with running_service(write_config(tmp_path, document_store=store)) as http:
            status, said = await http.call("GET", "/health/ready")
    assert (status, said["message"]) == (503, "Not ready: document_store.")
    assert "qdrant" in said["checks"]["document_store"]["message"]
    assert str(port) not in str(said)


async def test_a_model_that_no_pipeline_uses_may_be_down(tmp_path: Path) -> None:
    async with ChatServer() as server:
        models = {
            name: {"provider": "openai", "model": name, "api_base": api_base}
            for name, api_base in {"default": server.api_base, "later": "http://127.0.0.1:9/v1"}.items()
        }
        async with running_service(write_config(tmp_path, llm=models)) as http:
            status, said = await http.call("GET", "/health/ready")
    assert (status, said["checks"]["language_model"]["message"]) == (200, "default")


async def test_rows_of_old_answers_are_dropped_at_the_next_start(tmp_path: Path) -> None:
    config = write_config(tmp_path, settings={"ask_ttl": 1})
    async with running_service(config) as http:
        await http.prepare()
        asked = await http.ask("How many orders are there?", execute=True)
        assert (await http.end(asked))["data"]["rows"] == [[4]]
    await asyncio.sleep(1.1)

    async def kept() -> dict[str, Any]:
        record = await Record.open("sqlite", tmp_path / "home")
        stored = await record.jobs.find(asked)
        await record.close()
        assert stored is not None
        assert stored.result is not None
        return dict(stored.result["result"])

    assert "data" in await kept()
    async with running_service(config):
        async with asyncio.timeout(10):
            while "data" in await kept():
                await asyncio.sleep(0.02)
        assert (await kept())["status"] == "finished"
        assert (await kept())["response"]
