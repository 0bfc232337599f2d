"""Running the whole service in a test: in the test's own process over real loopback HTTP, or as a process to kill."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn
import yaml

from askwell.config import load_config
from askwell.container import Container
from tests.fakes.openai_server import ChatServer
from tests.support import tiny_shop
from tests.support.apps import application
from tests.support.commands import STDOUT, Command

ENDS = ("finished", "failed", "stopped")


def write_config(
    folder: Path, *, api_base: str | None = None, settings: Mapping[str, Any] | None = None, **sections: Any
) -> Path:
    """A config.yaml over the tiny shop, words-only search (loading MiniLM would cost every test a second), and the
    language model at `api_base` if one is given. A database file has one query process, unless its source says more:
    starting one takes as long as what a short test asks it."""
    database = folder / "shop.sqlite"
    if not database.exists():
        tiny_shop.make_database(database)
    llm = {"provider": "openai", "model": "gpt-test", "api_base": api_base, "timeout": 10} if api_base else None
    config = {
        "home": str(folder / "home"),
        "server": {"host": "127.0.0.1", "port": 0},
        "llm": {"default": llm or {"provider": "none"}},
        "embedder": {"default": {"provider": "none"}},
        "data_sources": {"default": {"engine": "sqlite", "path": str(database), "shared": True}},
        "settings": dict(settings or {}),
    } | sections
    config["data_sources"] = {
        name: {"pool_size": 1, **source} if source.get("engine") in ("sqlite", "duckdb") else source
        for name, source in config["data_sources"].items()
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


@dataclass
class Client:
    """The HTTP contract as a test wants to call it, in `project` where there is one."""

    url: str
    session: aiohttp.ClientSession
    project: str | None = None
    asked: list[str] = field(default_factory=list)
    """The ids of its asks."""

    async def call(self, method: str, path: str, **kwargs: Any) -> tuple[int, Any]:
        if self.project is not None:
            kwargs["params"] = {"project_id": self.project, **kwargs.get("params", {})}
        async with self.session.request(method, f"{self.url}{path}", **kwargs) as response:
            text = await response.text()
            return response.status, json.loads(text) if "json" in response.headers.get("Content-Type", "") else text

    async def prepare(self, mdl: Any = None, mdl_hash: str = "m1", project_id: str | None = None) -> dict[str, Any]:
        project_id = project_id or self.project
        body = {"mdl": json.dumps(mdl or tiny_shop.manifest()), "mdl_hash": mdl_hash, "project_id": project_id}
        status, answer = await self.call("POST", "/v1/semantics-preparations", json=body)
        assert status == 202, answer
        path = f"/v1/semantics-preparations/{mdl_hash}"
        query = f"?project_id={project_id}" if project_id and project_id != self.project else ""
        async with asyncio.timeout(60):
            await self.call("GET", f"{path}/events{query}")  # it ends with the preparation, and costs less than polls
        _, answer = await self.call("GET", f"{path}/status{query}")
        assert answer["status"] != "indexing", answer
        return {name: value for name, value in answer.items() if name not in ("id", "trace_id")}

    async def ask(self, query: str, **body: Any) -> str:
        status, answer = await self.call("POST", "/v1/asks", json={"query": query, **body})
        assert status == 202, answer
        self.asked.append(str(answer["query_id"]))
        return self.asked[-1]

    async def result(self, ask_id: str, wait: int = 0) -> dict[str, Any]:
        """How far it is, at once or when that changes, for which it waits so many seconds at most."""
        params = {"wait": str(wait)} if wait else {}
        status, answer = await self.call("GET", f"/v1/asks/{ask_id}/result", params=params)
        assert status == 200, answer
        result: dict[str, Any] = answer
        return result

    async def end(self, ask_id: str, within: float = 30.0) -> dict[str, Any]:
        """The result once the ask is over."""
        async with asyncio.timeout(within):
            while (answer := await self.result(ask_id, wait=30))["status"] not in ENDS:
                pass
        return answer

    async def answer(self, query: str, **body: Any) -> dict[str, Any]:
        return await self.end(await self.ask(query, **body))

    async def until(self, ask_id: str, status: str, within: float = 10.0) -> dict[str, Any]:
        """The first result that has this status."""
        async with asyncio.timeout(within):
            while (answer := await self.result(ask_id))["status"] != status:
                assert answer["status"] not in ENDS, answer
                await asyncio.sleep(0.005)
        return answer

    async def stop(self, ask_id: str) -> None:
        status, answer = await self.call("PATCH", f"/v1/asks/{ask_id}", json={"status": "stopped"})
        assert status == 200, answer

    async def text(self, ask_id: str) -> str:
        """The whole text of `/streaming-result`."""
        async with self.session.get(f"{self.url}/v1/asks/{ask_id}/streaming-result") as response:
            assert response.status == 200
            lines = (await response.text()).splitlines()
        return "".join(json.loads(line[5:])["message"] for line in lines if line.startswith("data:"))


@asynccontextmanager
async def client(url: str, project: str | None = None) -> AsyncIterator[Client]:
    # Shorter than the server's: a connection that it closes while a request is on its way is no fault of anybody's.
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(keepalive_timeout=1)) as session:
        yield Client(url, session, project)


class _Server(uvicorn.Server):
    """Ends when it is told to, and not up to a tenth of a second later."""

    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on"))
        self.ending = asyncio.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.ending.wait()


@asynccontextmanager
async def running_service(
    config_path: Path,
    environ: Mapping[str, str] | None = None,
    exporter: Any = None,
    *,
    lasting: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncIterator[Client]:
    """The service in this process, on a free loopback port, stopped at the end. `exporter` takes traces; `lasting` as
    `askwell serve` does it; `now` is its wall clock."""
    config = load_config(config_path, environ or {})
    container = Container(config, exporter=exporter, lasting=lasting, now=now)
    with application(container, config.server, config.settings.compatibility, config.sign_in) as app:
        server = _Server(app)
        serving = asyncio.create_task(server.serve())
        try:
            async with asyncio.timeout(20):
                while not server.started:
                    assert not serving.done(), serving
                    await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            async with client(f"http://127.0.0.1:{port}") as one:
                yield one
        finally:
            server.ending.set()
            await serving


class ServiceProcess:
    """`askwell serve` as a process of its own, for kill -9 and restarts. The port stays the same across restarts. What
    it says is in `service.log` beside its configuration."""

    def __init__(self, config_path: Path, environ: Mapping[str, str] | None = None) -> None:
        self._config = config_path
        self._environ = dict(environ or {})
        self._log = config_path.parent / "service.log"
        self._process: Command | None = None
        self._port = _lasting_port()
        self.url = f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start and wait until it is ready."""
        environment = {"PATH": os.environ["PATH"], "ASKWELL_SERVER__PORT": str(self._port), **self._environ}
        arguments = ("serve", "--config", str(self._config))
        with self._log.open("ab") as log:
            self._process = await asyncio.to_thread(
                Command, *arguments, cwd=self._config.parent, environ=environment, stdout=log, stderr=STDOUT
            )
        async with asyncio.timeout(30), aiohttp.ClientSession() as session:
            while True:
                assert (end := self.end()) is None, f"while starting, {end}"
                try:
                    async with session.get(f"{self.url}/health/ready") as response:
                        if response.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.05)

    def end(self) -> str | None:
        """How it ended by itself, with its last words; None while it runs."""
        if self._process is None or (status := self._process.poll()) is None:
            return None
        return f"the service ended with status {status}:\n{self._log.read_text(errors='replace')[-4000:]}"

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """SIGTERM, and wait until it is gone."""
        await self._end(signal.SIGTERM)

    async def stop_now(self) -> None:
        """SIGTERM twice: running asks are put down at once, to run again later."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        # Two signals at once would be one: it says that it is not ready when it has heard the first.
        async with asyncio.timeout(10), aiohttp.ClientSession() as session:
            while (await session.get(f"{self.url}/health/ready")).status == 200:
                await asyncio.sleep(0.01)
        await self._end(signal.SIGTERM)

    async def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            await asyncio.to_thread(self._process.wait)


def _lasting_port() -> int:
    """A free port below those that systems give to whoever asks for any: nobody takes it while the service is down."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
            return int(probe.getsockname()[1])


@asynccontextmanager
async def service_process(config_path: Path) -> AsyncIterator[tuple[ServiceProcess, Client]]:
    service = ServiceProcess(config_path)
    await service.start()
    try:
        async with client(service.url) as one:
            yield service, one
    finally:
        await service.kill()


@asynccontextmanager
async def prepared_service(
    folder: Path, environ: Mapping[str, str] | None = None, mdl: Any = None, **sections: Any
) -> AsyncIterator[Client]:
    """A service of this configuration (see `write_config`), with the tiny shop's model or `mdl`."""
    async with running_service(write_config(folder, **sections), environ) as service:
        assert (await service.prepare(mdl))["status"] == "finished"
        yield service


@asynccontextmanager
async def scripted_service(
    folder: Path, script: Any = None, mdl: Any = None, **sections: Any
) -> AsyncIterator[tuple[Client, ChatServer]]:
    """A prepared service, and its language model, which says what the script says."""
    async with ChatServer(script) as server:
        async with prepared_service(folder, mdl=mdl, api_base=server.api_base, **sections) as service:
            yield service, server
