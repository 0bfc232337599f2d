"""The remote embedder, against a server that speaks the protocol over loopback."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from askwell.config import EmbedderConfig
from askwell.errors import EmbedderUnavailable
from askwell.providers.embedder.base import Embedder
from askwell.providers.embedder.factory import create_embedder
from askwell.providers.embedder.openai import OpenAIEmbedder
from askwell.providers.model_server import ModelServer, openai_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def server_of(handler: Handler) -> AsyncIterator[str]:
    """The address of a server whose embeddings the handler gives."""
    app = web.Application()
    for route in ("/v1", "/openai/v1", "/openai/deployments/m"):
        app.router.add_post(f"{route}/embeddings", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def embedder_at(
    handler: Handler, provider: str = "openai", base: str = "/v1", **options: Any
) -> AsyncIterator[Embedder]:
    async with server_of(handler) as address:
        settings = {"model": "m", "dimensions": 3, "api_base": f"{address}{base}", "api_key": "k"} | options
        embedder = await create_embedder(EmbedderConfig.model_validate({"provider": provider, **settings}), Path())
        try:
            yield embedder
        finally:
            await embedder.close()


def reply(vectors: list[list[float]], encode: bool = True) -> web.Response:
    def written(vector: list[float]) -> Any:
        return base64.b64encode(np.array(vector, "<f4").tobytes()).decode() if encode else vector

    data = [{"object": "embedding", "index": n, "embedding": written(v)} for n, v in enumerate(vectors)]
    return web.json_response({"object": "list", "model": "m", "data": data[::-1], "usage": {}})


async def test_vectors_come_in_order_and_at_length_one_or_zero() -> None:
    bodies: list[dict[str, Any]] = []

    async def handler(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return reply([[float(len(text)), 0, 4] if text != "zero" else [0, 0, 0] for text in bodies[-1]["input"]])

    async with embedder_at(handler) as embedder:
        vectors = await embedder.embed(["abc", "", "zero"])
    assert np.allclose(vectors, [[0.6, 0, 0.8], [1 / 17**0.5, 0, 4 / 17**0.5], [0, 0, 0]])
    assert (bodies[0]["model"], bodies[0]["encoding_format"]) == ("m", "base64")
    assert embedder.identity == "m/3"


async def test_many_texts_go_in_batches() -> None:
    sizes: list[int] = []

    async def handler(request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        sizes.append(len(texts))
        return reply([[float(text), 100, 0] for text in texts])

    async with embedder_at(handler) as embedder:
        vectors = await embedder.embed([str(n) for n in range(300)])
    assert sum(sizes) == 300
    assert max(sizes) <= 128
    assert np.argmax(vectors[:, 0]) == 299


async def test_a_server_that_ignores_base64_is_understood() -> None:
    async def handler(request: web.Request) -> web.Response:
        return reply([[0, 2, 0]], encode=False)

    async with embedder_at(handler) as embedder:
        assert (await embedder.embed(["x"])).tolist() == [[0, 1, 0]]


@pytest.mark.parametrize("refusal", ["Unknown field: encoding_format", "base64 is not supported"])
async def test_a_server_that_refuses_base64_is_asked_once_for_it(refusal: str) -> None:
    bodies: list[dict[str, Any]] = []

    async def handler(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        if "encoding_format" in bodies[-1]:
            return web.json_response({"error": refusal}, status=400)
        return reply([[0, 2, 0] for _ in bodies[-1]["input"]], encode=False)

    async with embedder_at(handler) as embedder:
        assert (await embedder.embed(["x", "y"])).tolist() == [[0, 1, 0], [0, 1, 0]]
        await embedder.embed(["z"])
    assert [len(body["input"]) for body in bodies] == [2, 2, 1]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_batches_step_down_to_what_the_server_takes(status: int) -> None:
    sizes: list[int] = []

    async def handler(request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        sizes.append(len(texts))
        if len(texts) > 16:
            return web.json_response({"error": {"message": "Too many inputs."}}, status=status)
        return reply([[float(text), 100, 0] for text in texts])

    async with embedder_at(handler) as embedder:
        vectors = await embedder.embed([str(n) for n in range(100)])
        assert np.argsort(vectors[:, 0]).tolist() == list(range(100))
        assert sizes == [100, 50, 25, *[12] * 8, 4]
        sizes.clear()
        await embedder.embed([str(n) for n in range(40)])
    assert sizes == [12, 12, 12, 4]


async def test_a_text_that_is_refused_leaves_the_batches_as_they_were() -> None:
    sizes: list[int] = []

    async def handler(request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        sizes.append(len(texts))
        if "too long" in texts:
            return web.json_response({"error": {"message": "Too many tokens."}}, status=400)
        return reply([[0, 2, 0] for _ in texts])

    async with embedder_at(handler) as embedder:
        with pytest.raises(EmbedderUnavailable, match="400"):
            await embedder.embed(["fine"] * 9 + ["too long"])
        sizes.clear()
        await embedder.embed(["fine"] * 40)
    assert sizes == [40]


@pytest.mark.parametrize(
    ("api_version", "path", "header"),
    [
        ("2024-10-21", "/openai/deployments/m/embeddings?api-version=2024-10-21", ("api-key", "k")),
        (None, "/openai/v1/embeddings", ("Authorization", "Bearer k")),
    ],
)
@pytest.mark.parametrize("given", ["", "/", "/openai/v1"])
async def test_azure_by_both_routes(api_version: str | None, path: str, header: tuple[str, str], given: str) -> None:
    seen: list[web.Request] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request)
        return reply([[0, 2, 0]])

    async with embedder_at(handler, "azure_openai", base=given, api_version=api_version) as embedder:
        assert (await embedder.embed(["x"])).tolist() == [[0, 1, 0]]
    assert str(seen[0].rel_url) == path
    assert seen[0].headers[header[0]] == header[1]
    assert embedder.identity == "m@127.0.0.1/3"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda: web.json_response({"error": {"message": "sk-secret"}}, status=401), "401"),
        (lambda: web.json_response({"data": [{"index": 0}]}), "no usable reply"),
        (lambda: web.json_response({"data": []}), "0 vectors"),
        (lambda: reply([[1, 2, 3, 4]]), "vectors of 4 dimensions, and embedder.default.dimensions is 3"),
        (lambda: web.Response(text="<html>hello</html>", content_type="text/html"), "no usable reply"),
    ],
)
async def test_a_bad_answer_is_said_with_a_hint_and_no_secret(answer: Callable[[], web.Response], says: str) -> None:
    async def handler(request: web.Request) -> web.Response:
        return answer()

    async with embedder_at(handler) as embedder:
        with pytest.raises(EmbedderUnavailable, match=says) as caught:
            await embedder.embed(["x"])
    assert caught.value.hint
    assert "sk-secret" not in caught.value.message


@pytest.mark.parametrize(("provider", "base", "hint"), [("azure_openai", "", "deployment"), ("openai", "/v1", "/v1")])
async def test_a_model_that_the_server_does_not_know_has_a_hint_of_its_vendor(
    provider: str, base: str, hint: str
) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.json_response({"error": {"code": "DeploymentNotFound"}}, status=404)

    async with embedder_at(handler, provider, base=base) as embedder:
        with pytest.raises(EmbedderUnavailable, match="404") as caught:
            await embedder.embed(["x"])
    assert hint in caught.value.hint


@pytest.mark.deep
async def test_a_server_that_is_not_there_or_late_is_said() -> None:
    async def handler(request: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return reply([[1, 0, 0]])

    async with embedder_at(handler, timeout=0.05) as embedder:
        with pytest.raises(EmbedderUnavailable, match="in time"):
            await embedder.embed(["x"])
    async with embedder_at(handler, api_base="http://127.0.0.1:9/v1") as embedder:
        with pytest.raises(EmbedderUnavailable, match="reached"):
            await embedder.embed(["x"])


async def test_it_waits_as_long_as_the_server_asks() -> None:
    asked: list[float] = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(asyncio.get_running_loop().time())
        if len(asked) == 1:
            return web.Response(status=429, headers={"Retry-After": "0.9"})
        return reply([[1, 0, 0]])

    async with embedder_at(handler) as embedder:
        await embedder.embed(["x"])
    assert asked[1] - asked[0] >= 0.9  # by itself it would wait for half a second


async def test_fewer_texts_are_sent_where_a_reply_is_too_large() -> None:
    sizes: list[int] = []

    async def handler(request: web.Request) -> web.Response:
        texts = (await request.json())["input"]
        sizes.append(len(texts))
        return reply([[1, 0, 0]] * len(texts), encode=False)

    async with server_of(handler) as address:
        http = ModelServer(openai_address(f"{address}/v1", "k"), 5.0, most_bytes=260)
        embedder = OpenAIEmbedder(http, model="m", dimension=3, identity="m/3")
        assert len(await embedder.embed(["a", "b", "c", "d"])) == 4
        await embedder.close()
    assert sizes == [4, 2, 2]


async def test_a_key_that_ends_with_a_line_feed_is_sent_without() -> None:
    async def handler(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer k"
        return reply([[1, 0, 0]])

    async with embedder_at(handler, api_key="k\n") as embedder:
        await embedder.embed(["x"])
