"""A language model whose calls are counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar

from askwell.observability.metrics import Metrics
from askwell.providers.llm.base import (
    JsonSchema,
    LanguageModel,
    ModelReply,
    NoTextReply,
    OnDelta,
    ToolSpec,
    Turn,
    Usage,
)
from askwell.providers.llm.wrapped import WrappedModel

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

_Answer = TypeVar("_Answer", ModelReply, Turn)


class MeteredModel(WrappedModel):
    """A `LanguageModel` as one pipeline calls it. A call counts once, however often the server had to be asked."""

    def __init__(self, model: LanguageModel, pipeline: str, metrics: Metrics) -> None:
        super().__init__(model)
        self._pipeline = pipeline
        self._metrics = metrics

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
        return await self._count(
            self._model.reply(system=system, user=user, schema=schema, on_delta=on_delta, timeout=timeout)
        )

    async def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """See `LanguageModel.converse`."""
        return await self._count(self._model.converse(messages, tools=tools, on_delta=on_delta, timeout=timeout))

    async def _count(self, call: Awaitable[_Answer]) -> _Answer:
        outcome = "failed"
        try:
            answer = await call
            outcome = "truncated" if answer.truncated else "ok"
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except NoTextReply as error:
            self._charge(error.usage)
            raise
        finally:
            self._metrics.model_called(self.name, self._pipeline, outcome)
        self._charge(answer.usage)
        return answer

    def _charge(self, usage: Usage) -> None:
        self._metrics.model_charged(self.name, usage.prompt_tokens, usage.completion_tokens, usage.cost_usd)
