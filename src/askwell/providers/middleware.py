"""Calls of language models and embedders through a chain: each middleware sees a call and passes it on, or another.

`WrappedModel(model, first, second)` is a `LanguageModel` whose calls go through `first`, `second` and then to `model`.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from askwell.observability.metrics import Metrics
from askwell.observability.operations import FINISH_REASONS, RESPONSE_MODEL, CalledModel, Operation
from askwell.observability.tracing import CANCELLED, Given, Outcome, calling, error_code
from askwell.providers.embedder.base import Embedder, TokenEmbedder, Vectors
from askwell.providers.llm.base import Capabilities, LanguageModel, ModelCall, ModelReply, NoTextReply, Usage
from askwell.providers.llm.call_options import call_options

C = TypeVar("C")
A = TypeVar("A")
Next = Callable[[C], Awaitable[A]]
Middleware = Callable[[C, Next[C, A]], Awaitable[A]]


def chained(last: Next[C, A], middleware: Sequence[Middleware[C, A]]) -> Next[C, A]:
    """What sends a call through all of the middleware, in order, and then to `last`."""
    handler = last
    for one in reversed(middleware):
        handler = partial(_through, one, handler)
    return handler


async def _through(one: Middleware[C, A], following: Next[C, A], call: C) -> A:
    return await one(call, following)


ModelMiddleware = Middleware[ModelCall, ModelReply]


class WrappedModel:
    """A `LanguageModel` in front of another one."""

    def __init__(self, model: LanguageModel, *middleware: ModelMiddleware) -> None:
        self.name = model.name
        self._model = model
        self._send: Next[ModelCall, ModelReply] = chained(model.reply, middleware)

    @property
    def context_window(self) -> int:
        return self._model.context_window

    @property
    def away(self) -> bool:
        return self._model.away

    async def reply(self, call: ModelCall) -> ModelReply:
        """See `LanguageModel.reply`."""
        return await self._send(call)

    async def reach(self) -> None:
        """See `LanguageModel.reach`."""
        await self._model.reach()

    async def probe(self) -> Capabilities:
        """See `LanguageModel.probe`."""
        return await self._model.probe()

    async def close(self) -> None:
        """See `LanguageModel.close`."""
        await self._model.close()


EmbedderMiddleware = Middleware[Sequence[str], Vectors]


class WrappedEmbedder:
    """An `Embedder` in front of another one, and a `TokenEmbedder` where that is one. `hides_values`: what it is sent
    goes on without values."""

    def __init__(self, embedder: Embedder, *middleware: EmbedderMiddleware, hides_values: bool = False) -> None:
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.hides_values = hides_values
        self.close = embedder.close
        self._send: Next[Sequence[str], Vectors] = chained(embedder.embed, middleware)
        if isinstance(embedder, TokenEmbedder) and not hides_values:
            self.embed_tokens = embedder.embed_tokens

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        return await self._send(texts)


@contextmanager
def _observed(operation: Operation, metrics: Metrics, given: Given | None = None) -> Iterator[Outcome]:
    """A call as a span, whose time and error are counted."""
    started, error = time.perf_counter(), ""
    try:
        with calling(operation, given=given) as span:
            yield span
    except BaseException as raised:
        error = error_code(raised)
        raise
    finally:
        metrics.operation_ended(operation, time.perf_counter() - started, error)


def metered_embedder(embedder: Embedder, metrics: Metrics, called: CalledModel) -> Embedder:
    """The embedder, counted and traced. One that gives the vectors of tokens goes on to do so; one without vectors is
    nothing to observe. `called` is what spans and metrics say of the model."""
    if not embedder.dimension:
        return embedder
    operation = called.embeddings(embedder.dimension)

    async def meter(texts: Sequence[str], following: Next[Sequence[str], Vectors]) -> Vectors:
        with _observed(operation, metrics) as span:
            span.facts = {"texts": len(texts)}
            return await following(texts)

    return WrappedEmbedder(embedder, meter)


# Pipelines whose prompts hold rows of results: these and what is made of them are in no trace.
_READ_ROWS = frozenset({"agent", "chart_adjustment", "chart_generation", "sql_answer"})


class MeteredCalls:
    """Middleware that counts and traces the calls of one pipeline. A call counts once, however often the server had to
    be asked. `called` is what spans and metrics say of the model."""

    def __init__(self, pipeline: str, metrics: Metrics, called: CalledModel) -> None:
        self._pipeline = pipeline
        self._metrics = metrics
        self._called = called
        self._reads_rows = pipeline in _READ_ROWS

    async def __call__(self, call: ModelCall, following: Next[ModelCall, ModelReply]) -> ModelReply:
        wanted = call_options()
        options = {"temperature": wanted.temperature, "max_tokens": wanted.most_tokens}
        fields = {name: value for name, value in options.items() if value is not None}
        operation = self._called.chat(fields, as_json=call.schema is not None, streams=call.on_delta is not None)
        outcome = "failed"
        try:
            with _observed(operation, self._metrics, self._given(call)) as span:
                answer = await following(call)
                self._describe(span, answer)
            outcome = "truncated" if answer.truncated else "ok"
        except BaseException as raised:
            if error_code(raised) == CANCELLED:
                outcome = "cancelled"
            if isinstance(raised, NoTextReply):
                self._charge(raised.usage)
            raise
        finally:
            self._metrics.model_called(self._called.model, self._pipeline, outcome)
        self._charge(answer.usage)
        return answer

    def _given(self, call: ModelCall) -> Given | None:
        if self._reads_rows or call.messages is not None:
            return None
        return lambda: [{"role": "system", "content": call.system}, {"role": "user", "content": call.user}]

    def _describe(self, span: Outcome, answer: ModelReply) -> None:
        usage = answer.usage
        if not self._reads_rows:
            span.gave = answer.text
        ended = "length" if answer.truncated else "tool_calls" if answer.calls else "stop"
        span.facts = {
            FINISH_REASONS: (ended,),
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
        name, cost = self._called.model, usage.cost_usd
        self._metrics.model_charged(name, usage.prompt_tokens, usage.completion_tokens, cost)
