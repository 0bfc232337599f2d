"""A language model whose calls are counted and traced."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar

from askwell.observability.metrics import Metrics
from askwell.observability.operations import FINISH_REASONS, RESPONSE_MODEL, CalledModel
from askwell.observability.tracing import CANCELLED, Given, Outcome, calling, error_code
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
from askwell.providers.llm.call_options import call_options
from askwell.providers.llm.wrapped import WrappedModel

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

_Answer = TypeVar("_Answer", ModelReply, Turn)

# Pipelines whose prompts hold rows of results: these and what is made of them are in no trace.
_READ_ROWS = frozenset({"agent", "chart_adjustment", "chart_generation", "sql_answer"})


class MeteredModel(WrappedModel):
    """A `LanguageModel` as one pipeline calls it. A call counts once, however often the server had to be asked.
    `called` is what spans and metrics say of the model."""

    def __init__(self, model: LanguageModel, pipeline: str, metrics: Metrics, called: CalledModel) -> None:
        super().__init__(model)
        self._pipeline = pipeline
        self._metrics = metrics
        self._called = called

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
        call = self._model.reply(system=system, user=user, schema=schema, on_delta=on_delta, timeout=timeout)
        sent = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        given = None if self._pipeline in _READ_ROWS else lambda: sent
        return await self._observed(call, given, as_json=schema is not None, streams=on_delta is not None)

    async def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """See `LanguageModel.converse`."""
        call = self._model.converse(messages, tools=tools, on_delta=on_delta, timeout=timeout)
        return await self._observed(call, None, as_json=False, streams=on_delta is not None)

    async def _observed(
        self, call: Awaitable[_Answer], given: Given | None, *, as_json: bool, streams: bool
    ) -> _Answer:
        wanted = call_options()
        options = {"temperature": wanted.temperature, "max_tokens": wanted.most_tokens}
        operation = self._called.chat(
            {name: value for name, value in options.items() if value is not None}, as_json=as_json, streams=streams
        )
        started = time.perf_counter()
        outcome, error = "failed", ""
        try:
            with calling(operation, given=given) as span:
                answer = await call
                self._tell(span, answer)
            outcome = "truncated" if answer.truncated else "ok"
        except BaseException as raised:
            error = error_code(raised)
            outcome = "cancelled" if error == CANCELLED else outcome
            if isinstance(raised, NoTextReply):
                self._charge(raised.usage)
            raise
        finally:
            self._metrics.model_called(self.name, self._pipeline, outcome)
            self._metrics.operation_ended(operation, time.perf_counter() - started, error)
        self._charge(answer.usage)
        self._metrics.tokens_used(operation, answer.usage.prompt_tokens, answer.usage.completion_tokens)
        return answer

    def _tell(self, span: Outcome, answer: ModelReply | Turn) -> None:
        usage = answer.usage
        if self._pipeline not in _READ_ROWS:
            span.gave = answer.text if isinstance(answer, ModelReply) else answer.message.text
        span.facts = {
            FINISH_REASONS: (_finish_reason(answer),),
            RESPONSE_MODEL: answer.model or None,
            "requests": usage.llm_calls,
        }
        span.tokens = {
            "input": usage.prompt_tokens,
            "output": usage.completion_tokens,
            "cached": usage.cached_tokens,
        }
        span.cost_usd = usage.cost_usd

    def _charge(self, usage: Usage) -> None:
        self._metrics.model_charged(self.name, usage.prompt_tokens, usage.completion_tokens, usage.cost_usd)


def _finish_reason(answer: ModelReply | Turn) -> str:
    if answer.truncated:
        return "length"
    return "tool_calls" if isinstance(answer, Turn) and answer.message.tool_calls else "stop"
