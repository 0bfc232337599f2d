"""A language model whose calls are counted."""

from __future__ import annotations

import asyncio

from askwell.observability.metrics import Metrics
from askwell.providers.llm.base import Capabilities, JsonSchema, LanguageModel, ModelReply, OnDelta


class MeteredModel:
    """A `LanguageModel` as one pipeline calls it. A call counts once, however often the server had to be asked."""

    def __init__(self, model: LanguageModel, pipeline: str, metrics: Metrics) -> None:
        self._model = model
        self._pipeline = pipeline
        self._metrics = metrics

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_window(self) -> int:
        return self._model.context_window

    async def reply(
        self,
        *,
        system: str,
        user: str,
        schema: JsonSchema | None = None,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> ModelReply:
        """See `LanguageModel.reply`."""
        outcome = "failed"
        try:
            reply = await self._model.reply(system=system, user=user, schema=schema, on_delta=on_delta, timeout=timeout)
            outcome = "truncated" if reply.truncated else "ok"
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self._metrics.model_called(self.name, self._pipeline, outcome)
        usage = reply.usage
        self._metrics.model_charged(self.name, usage.prompt_tokens, usage.completion_tokens, usage.cost_usd)
        return reply

    async def reach(self) -> None:
        """See `LanguageModel.reach`."""
        await self._model.reach()

    async def probe(self) -> Capabilities:
        """See `LanguageModel.probe`."""
        return await self._model.probe()

    async def close(self) -> None:
        """See `LanguageModel.close`."""
        await self._model.close()
