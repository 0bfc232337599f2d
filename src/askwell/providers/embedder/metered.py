"""An embedder whose calls are counted and traced."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast

from askwell.observability.metrics import Metrics
from askwell.observability.operations import CalledModel
from askwell.observability.tracing import calling, error_code
from askwell.providers.embedder.base import Embedder, TokenEmbedder, TokenVectors, Vectors


def metered(embedder: Embedder, metrics: Metrics, called: CalledModel) -> Embedder:
    """The embedder, observed. One that gives the vectors of tokens goes on to do so; one without vectors is nothing to
    observe. `called` is what spans and metrics say of the model."""
    if not embedder.dimension:
        return embedder
    return (_MeteredTokenEmbedder if isinstance(embedder, TokenEmbedder) else _MeteredEmbedder)(
        embedder, metrics, called
    )


class _MeteredEmbedder:
    def __init__(self, embedder: Embedder, metrics: Metrics, called: CalledModel) -> None:
        self._embedder = embedder
        self._metrics = metrics
        self._operation = called.embeddings(embedder.dimension)

    @property
    def identity(self) -> str:
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str]) -> Vectors:
        started, error = time.perf_counter(), ""
        try:
            with calling(self._operation) as call:
                call.facts = {"texts": len(texts)}
                return await self._embedder.embed(texts)
        except BaseException as raised:
            error = error_code(raised)
            raise
        finally:
            self._metrics.operation_ended(self._operation, time.perf_counter() - started, error)

    async def close(self) -> None:
        await self._embedder.close()


class _MeteredTokenEmbedder(_MeteredEmbedder):
    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        return await cast(TokenEmbedder, self._embedder).embed_tokens(texts)
