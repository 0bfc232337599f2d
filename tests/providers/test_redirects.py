"""No server that we call can send our requests on to somebody else: over HTTP, with a second host that counts."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from askwell.config import EmbedderConfig, LlmConfig
from askwell.errors import AskwellError, ModelUnavailable
from askwell.observability.langfuse_export import send_to_langfuse
from askwell.observability.otel_tracing import OtelTracing
from askwell.observability.tracing import Outcome
from askwell.providers.document_store.qdrant_server import QdrantServer
from askwell.providers.embedder.factory import create_embedder
from askwell.providers.engine.factory import create_ibis_engine, create_wren_ui_engine
from askwell.providers.llm import create_language_model
from askwell.providers.redirects import sends_on
from tests.fakes.recording_model import reply_of
from tests.support.redirecting import redirecting
from tests.support.service import running_service, write_config

ALL = pytest.mark.parametrize("status", [301, 302, 303, 307, 308])


@ALL
@pytest.mark.parametrize("azure_version", [None, "2024-10-21", ""])
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_prompt_stays_where_it_was_sent(status: int, streamed: bool, azure_version: str | None) -> None:
    async with redirecting(status) as seen:
        provider, base = ("openai", f"{seen.url}/v1") if azure_version is None else ("azure_openai", seen.url)
        model = create_language_model(
            LlmConfig(provider=provider, model="m", api_base=base, api_key="k", api_version=azure_version or None)
        )
        assert model is not None
        with pytest.raises(ModelUnavailable, match=f"sends us on to localhost.*{status}") as caught:
            await reply_of(model, system="s", user="u", on_delta=(lambda _: None) if streamed else None)
        assert (seen.here, seen.there) == (1, 0)
        await model.reach()
        assert (seen.here, seen.there) == (2, 0)
        await model.close()
    assert "`api_base`" in caught.value.hint
    assert "127.0" not in caught.value.message + caught.value.hint


async def embedded(url: str) -> None:
    embedder = await create_embedder(
        EmbedderConfig(provider="openai", model="m", dimensions=3, api_base=f"{url}/v1"), Path()
    )
    try:
        await embedder.embed(["a text"])
    finally:
        await embedder.close()


async def embedded_by_azure(url: str) -> None:
    resource = {"provider": "azure_openai", "api_base": url, "api_version": "2024-10-21", "api_key": "k"}
    embedder = await create_embedder(EmbedderConfig.model_validate({"model": "m", "dimensions": 3, **resource}), Path())
    try:
        await embedder.embed(["a text"])
    finally:
        await embedder.close()


async def stored(url: str) -> None:
    server = QdrantServer(url, api_key="k")
    try:
        await server.check("collection")
    finally:
        await server.close()


async def queried(url: str) -> None:
    engine = create_ibis_engine(url, "POSTGRES", {"host": "db", "password": "secret"})
    try:
        await engine.execute("SELECT 1", row_limit=1, timeout=10)
    finally:
        await engine.close()


async def previewed(url: str) -> None:
    engine = create_wren_ui_engine(url, "")
    try:
        await engine.execute("SELECT 1", row_limit=1, timeout=10)
    finally:
        await engine.close()


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize(
    ("send", "setting"),
    [
        (embedded, "embedder.default.api_base"),
        (embedded_by_azure, "embedder.default.api_base"),
        (stored, "document_store.location"),
        (queried, "api_base"),
        (previewed, "api_base"),
    ],
)
async def test_so_do_texts_the_index_and_statements(
    send: Callable[[str], Awaitable[None]], setting: str, status: int
) -> None:
    async with redirecting(status) as seen:
        with pytest.raises(AskwellError, match=f"sends us on to localhost.*{status}") as caught:
            await send(seen.url)
        assert (seen.here, seen.there) == (1, 0)
    assert setting in caught.value.hint


@pytest.mark.parametrize("provider", ["langfuse", "otlp"])
async def test_so_do_traces(provider: str) -> None:
    async with redirecting() as seen:
        tracing = OtelTracing(content=True)
        if provider == "otlp":
            tracing.send_by_otlp(f"{seen.url}/v1/traces", {"authorization": "x"})
        else:
            send_to_langfuse(tracing, host=seen.url, public_key=f"pk-{uuid.uuid4()}", secret_key="sk")
        span = tracing.begin(uuid.uuid4().hex, "ask", given=lambda: "a question")
        assert span is not None
        span.end(Outcome(gave="an answer"))
        await tracing.close(5)
        assert (seen.here, seen.there) == (1, 0)


async def test_asks_tell_where_they_would_have_been_sent(tmp_path: Path) -> None:
    async with redirecting() as seen:
        async with running_service(write_config(tmp_path, api_base=f"{seen.url}/v1")) as service:
            await service.prepare()
            result = await service.answer("Who among our customers is the keenest spender, roughly?")
        assert (seen.here, seen.there) == (1, 0)
    assert result["error"]["code"] == "OTHERS"
    assert "sends us on to localhost (HTTP 307), and no redirect is followed" in result["error"]["message"]


@pytest.mark.parametrize(
    ("location", "place"),
    [("/v2/chat", "another path of its own"), ("", "another place"), ("http://[", "another place")],
)
def test_a_place_without_a_host(location: str, place: str) -> None:
    assert f"to {place} (HTTP 308)" in (sends_on(308, location) or "")
