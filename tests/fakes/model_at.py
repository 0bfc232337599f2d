"""A language model that talks to a scripted server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from askwell.config import LlmConfig
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import LanguageModel
from tests.fakes.openai_server import Answer, ChatScript, ChatServer

KEY = "sk-the-secret-key"


@asynccontextmanager
async def model_at(
    server: ChatServer | str | None, model: str = "test", provider: Any = "openai", **options: Any
) -> AsyncIterator[LanguageModel]:
    """A model of this server, or of one at an address; `options` are those of `LlmConfig`."""
    api_base = server.api_base if isinstance(server, ChatServer) else server
    given = {"model": model, "api_base": api_base, "api_key": KEY, "kwargs": {}} | options
    made = create_language_model(LlmConfig(provider=provider, **given))
    assert made is not None
    try:
        yield made
    finally:
        await made.close()


@asynccontextmanager
async def scripted(
    stage: str, *answers: Answer, script: Mapping[str, Any] | None = None, **options: Any
) -> AsyncIterator[tuple[LanguageModel, ChatServer]]:
    """A model whose server gives these answers to prompts of one stage; `script` is what else is in its script."""
    async with (
        ChatServer(ChatScript({stage: list(answers)}, **(script or {}))) as server,
        model_at(server, **options) as model,
    ):
        yield model, server


@asynccontextmanager
async def pipelines_at(
    script: ChatScript | Mapping[str, Sequence[Answer | str]] | None = None,
) -> AsyncIterator[tuple[GenerationPipelines, ChatServer]]:
    """The generation pipelines with a model whose server has this script."""
    async with ChatServer(script) as server, model_at(server, api_key=None) as model:
        yield GenerationPipelines(lambda _: model), server
