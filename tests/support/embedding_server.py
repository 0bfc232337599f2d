"""A server that speaks OpenAI's embeddings API, with the vectors of `CountingEmbedder`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.counting_embedder import CountingEmbedder


@asynccontextmanager
async def embedding_server(delay: float = 0.0) -> AsyncIterator[dict[str, Any]]:
    """What `embedder.default` has to be in a configuration to use it, while it runs; answers take `delay` seconds."""
    embedder = CountingEmbedder(delay=delay)

    async def embeddings(request: web.Request) -> web.Response:
        vectors = await embedder.embed((await request.json())["input"])
        data = [{"object": "embedding", "index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]
        return web.json_response({"object": "list", "model": "counting", "data": data, "usage": {}})

    app = web.Application()
    app.router.add_post("/v1/embeddings", embeddings)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield {
            "provider": "openai",
            "model": "counting",
            "dimensions": embedder.dimension,
            "api_base": f"http://127.0.0.1:{runner.addresses[0][1]}/v1",
        }
    finally:
        await runner.cleanup()


class Embedding(ChatServer):
    """A scripted model server that knows what it was asked to embed. While it is `away` it embeds nothing."""

    def __init__(self, script: Mapping[str, list[Answer]]) -> None:
        super().__init__(script)
        self.away = False

    async def embeddings(self, http: web.Request) -> web.StreamResponse:
        if self.away:
            return web.Response(status=400)
        return await super().embeddings(http)
