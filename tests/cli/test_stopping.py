"""A service that is told to stop while it works: what its clients, and whoever balances load, see until its end."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy.engine import make_url

from askwell.cli.graceful_server import GracefulServer
from tests.cli.test_serve import serving
from tests.fakes.openai_server import Answer, ChatServer
from tests.knowledge.conftest import throw_away_schema
from tests.support import tiny_shop
from tests.support.commands import PIPE, Command
from tests.support.gateway import Gateway
from tests.support.service import client, running_service, service_process, write_config

QUESTION = "Why do people leave us?"
SQL = [Answer(json={"sql": "SELECT COUNT(*) AS n FROM customers"}, hang=True)]


@pytest.mark.deep
async def test_running_asks_end_and_nothing_new_begins(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": SQL}) as model:
        settings = {"scope_gate": False, "rules_mode": "off", "allow_intent_classification": False}
        config = write_config(tmp_path, api_base=model.api_base, settings=settings)
        with serving(tmp_path, configuration=config.read_text()) as (process, url, _):
            async with client(url) as service:
                await service.prepare()
                asked = await service.ask(QUESTION)
                await model.arrived("sql_generation")
                async with service.session.get(f"{service.url}/v1/asks/{asked}/events") as events:
                    process.send_signal(signal.SIGTERM)
                    assert process.stdout is not None
                    assert "letting 1 running ask end" in await asyncio.to_thread(process.stdout.readline)
                    for path, body in (
                        ("/v1/asks", {"query": QUESTION}),
                        ("/v1/semantics-preparations", {"mdl": "{}", "mdl_hash": "x"}),
                    ):
                        async with service.session.post(service.url + path, json=body) as refused:
                            assert refused.status == 503
                            assert refused.headers["Retry-After"] == "5"
                            assert (await refused.json())["code"] == "SHUTTING_DOWN"
                    status, ready = await service.call("GET", "/v1/health/ready")
                    assert (status, list(ready["checks"])) == (503, ["service"])
                    assert (await service.call("GET", "/v1/health/live"))[0] == 200
                    assert (await service.result(asked))["status"] == "planning"
                    model.release()
                    last = (await events.text()).rstrip().split("\n\n")[-1]
                assert "\nevent: done\n" in last
                assert '"status":"finished"' in last
                assert await asyncio.to_thread(process.wait, 30) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


async def test_a_service_whose_asks_cannot_be_ended_ends_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def drain(self) -> int:
            return 1

        async def drained(self) -> None:
            raise ValueError("what somebody asked")

        def hurry(self) -> None: ...

    async def application(scope: Any, receive: Any, send: Any) -> None:
        raise NotImplementedError

    config = uvicorn.Config(application, port=0, lifespan="off", log_config=None)
    server = GracefulServer(config, Broken(), lambda: server.handle_exit(signal.SIGTERM, None))
    async with asyncio.timeout(30):
        await server.serve()
    assert [record.__dict__["error"] for record in caplog.records if "could not be ended" in record.message] == [
        "ValueError"
    ]
    assert "what somebody asked" not in caplog.text


async def test_a_start_that_waits_for_its_record_ends_at_once(tmp_path: Path) -> None:
    async with Gateway("127.0.0.1", 9) as door:
        config = write_config(tmp_path, knowledge={"url": f"postgresql://askwell@127.0.0.1:{door.port}/askwell"})
        await door.shut()
        environ = {"PATH": os.environ["PATH"]}
        command = ("serve", "--config", str(config), "--log-format", "json")
        with Command(*command, cwd=tmp_path, environ=environ, stdout=PIPE, stderr=PIPE) as process:
            assert process.stderr is not None
            said = await asyncio.to_thread(process.stderr.readline)
            assert "waiting for the record" in said
            process.send_signal(signal.SIGTERM)
            out, errors = await asyncio.to_thread(process.communicate, 20)
    assert process.returncode == 0
    assert out.endswith("Stopping.\n")
    assert "Traceback" not in errors
    assert f"postgresql askwell at 127.0.0.1:{door.port}" in out


@pytest.mark.deep
async def test_the_whole_service_over_a_record_server_that_goes_away_and_after_kill_9(tmp_path: Path) -> None:
    async with throw_away_schema() as url, ChatServer({"sql_generation": SQL}) as model:
        server = make_url(url)
        async with Gateway(server.host or "127.0.0.1", server.port or 5432) as door:
            through = server.set(host="127.0.0.1", port=door.port).render_as_string(hide_password=False)
            config = write_config(
                tmp_path,
                api_base=model.api_base,
                settings={"scope_gate": False, "rules_mode": "off"},
                knowledge={"url": through},
            )
            async with service_process(config) as (process, service):
                await service.prepare()
                cut = await service.ask(QUESTION)
                await model.arrived("sql_generation")
                await process.kill()
                model.release()
                await process.start()  # nothing is prepared again: the model and the ask are in the record
                assert (await service.end(cut))["status"] == "finished"

                await door.shut()
                for method, path, body in (
                    ("POST", "/v1/asks", {"query": QUESTION}),
                    ("GET", "/v1/health/ready", None),
                ):
                    status, answer = await service.call(method, path, json=body)
                    assert status == 503
                    assert "127.0.0.1" not in str(answer)
                assert answer["checks"]["record"]["ok"] is False
                assert "nothing listens there" in answer["checks"]["record"]["message"]
                assert (await service.result(cut))["status"] == "finished"
                await door.open()
                assert (await service.call("GET", "/v1/health/ready"))[0] == 200
                assert (await service.answer(QUESTION))["status"] == "finished"
    assert not list((tmp_path / "home").glob("record*"))


@pytest.mark.deep
async def test_a_preparation_goes_on_when_the_record_is_back(tmp_path: Path) -> None:
    async with throw_away_schema() as url:
        server = make_url(url)
        async with Gateway(server.host or "127.0.0.1", server.port or 5432) as door:
            shut = asyncio.Event()

            async def embed(request: web.Request) -> web.Response:
                texts = (await request.json())["input"]
                if len(texts) > 1 and not shut.is_set():
                    await door.shut()  # in the middle of the preparation
                    shut.set()
                vectors = [{"object": "embedding", "index": n, "embedding": [1.0, 0.0]} for n, _ in enumerate(texts)]
                return web.json_response({"object": "list", "data": vectors, "model": "m"})

            app = web.Application()
            app.add_routes([web.post("/v1/embeddings", embed)])
            async with TestServer(app) as embedder:
                through = server.set(host="127.0.0.1", port=door.port).render_as_string(hide_password=False)
                default = {
                    "provider": "openai",
                    "model": "m",
                    "dimensions": 2,
                    "api_base": str(embedder.make_url("/v1")),
                }
                config = write_config(tmp_path, knowledge={"url": through}, embedder={"default": default})
                async with running_service(config) as service:
                    body = {"mdl": tiny_shop.manifest(), "mdl_hash": "m1"}
                    assert (await service.call("POST", "/v1/semantics-preparations", json=body))[0] == 202
                    async with asyncio.timeout(20):
                        await shut.wait()
                        assert (await service.call("GET", "/v1/health/ready"))[0] == 503
                        await door.open()
                        status = "indexing"
                        while status == "indexing":
                            await asyncio.sleep(0.02)
                            answer = await service.call("GET", "/v1/semantics-preparations/m1/status")
                            status = answer[1]["status"]
    assert status == "finished"
