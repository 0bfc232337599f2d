"""A server that sends everybody on to another host, which counts what it gets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web


@dataclass
class Redirection:
    """`url` is the server's, without a path; `here` and `there` count what came to it and to the other host, which is
    called localhost."""

    url: str = ""
    here: int = 0
    there: int = 0


@asynccontextmanager
async def redirecting(status: int = 307) -> AsyncIterator[Redirection]:
    seen = Redirection()

    async def elsewhere(_: web.Request) -> web.Response:
        seen.there += 1
        return web.json_response({})

    async def send_on(request: web.Request) -> web.Response:
        seen.here += 1
        return web.Response(status=status, headers={"Location": f"http://localhost:{other}{request.rel_url}"})

    runners = []
    ports = []
    for handler in (elsewhere, send_on):
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        runners.append(runner)
        ports.append(runner.addresses[0][1])
    other = ports[0]
    seen.url = f"http://127.0.0.1:{ports[1]}"
    try:
        yield seen
    finally:
        for runner in runners:
            await runner.cleanup()
