"""A Wren UI's `previewSql` over real HTTP, with wren-core for a planner and a DuckDB file for a database.

    async with FakeWrenUi(path, manifest) as server:
        engine = create_wren_ui_engine(server.api_base, "POSTGRES")

`server.manifest` is the model that is deployed. `server.previews` is the data of each mutation. `refuse` answers
everything with one status and body; `hold` keeps answers back until `release` is set; `cut` ends a reply in its middle.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import duckdb
from aiohttp import web

from tests.fakes.ibis_server import Failure, planned, run_on


class FakeWrenUi:
    """The application over one DuckDB file, which it opens read-only for each statement."""

    def __init__(self, database: Path, manifest: Mapping[str, Any]) -> None:
        self.manifest = manifest
        self.requests: list[Mapping[str, Any]] = []
        self.abandoned = 0
        self.refuse: tuple[int, bytes] | None = None
        self.hold = False
        self.cut = False
        self.release = asyncio.Event()
        self._database = database
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def previews(self) -> list[Mapping[str, Any]]:
        """The data of each mutation that came in."""
        return [request["variables"]["data"] for request in self.requests]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/api/graphql", self._graphql)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        return self

    async def __aexit__(self, *args: object) -> None:
        self.release.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _graphql(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(body := await request.json())
        try:
            if self.hold:
                await self.release.wait()
        except asyncio.CancelledError:
            self.abandoned += 1
            raise
        if self.refuse is not None:
            return web.Response(status=self.refuse[0], body=self.refuse[1])
        if "previewSql(data: $data)" not in body["query"]:
            return _error("Cannot query field", "GRAPHQL_VALIDATION_FAILED", status=400)
        try:
            preview = await asyncio.to_thread(self._preview, body["variables"]["data"])
        except Failure as failure:
            return _error(str(failure), "IBIS_SERVER_ERROR")
        except duckdb.Error as error:
            return _error(str(error), "IBIS_SERVER_ERROR")
        if self.cut:
            return await _cut(request, preview)
        return web.json_response({"data": {"previewSql": preview}})

    def _preview(self, data: Mapping[str, Any]) -> dict[str, Any]:
        text = base64.b64encode(json.dumps(self.manifest).encode()).decode("ascii")
        sql = planned({"sql": data["sql"], "manifestStr": text}, None if data["dryRun"] else data["limit"])
        with duckdb.connect(str(self._database), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            if data["dryRun"]:
                connection.execute(f"EXPLAIN {sql}")
                return {"correlationId": "c-1"}
            found = run_on(connection, sql)
        columns = [{"name": name, "type": found["dtypes"][name]} for name in found["columns"]]
        return {"correlationId": "c-1", "cacheHit": False, "columns": columns, "data": found["data"]}


def _error(message: str, code: str, status: int = 200) -> web.Response:
    error = {"message": message, "path": ["previewSql"], "extensions": {"code": code, "message": message}}
    return web.json_response({"errors": [error], "data": None}, status=status)


async def _cut(request: web.Request, preview: Mapping[str, Any]) -> web.StreamResponse:
    whole = json.dumps({"data": {"previewSql": preview}}).encode()
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(whole))})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    assert request.transport is not None
    request.transport.abort()
    return response
