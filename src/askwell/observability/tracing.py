"""The door of tracing: one trace an ask, and in it a span for each pipeline, node and model call.

What is traced finds the span that it belongs to in `current_span`, so that nothing has to be handed through the code.
What went in and came out (`given`, `gave`) may hold questions, prompts and SQL: it leaves the process only where
`tracing.content` says so. Names, times, models, tokens and codes of errors always do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

Facts = Mapping[str, object]


class Span(Protocol):
    """Something that takes time. No method raises or waits."""

    def child(self, name: str, *, model: str | None = None, given: object = None, facts: Facts | None = None) -> Span:
        """A span within this one, begun now; with `model`, the call of a language model."""
        ...

    def end(
        self,
        *,
        gave: object = None,
        facts: Facts | None = None,
        tokens: Mapping[str, int] | None = None,
        cost_usd: float = 0.0,
        error: str | None = None,
    ) -> None:
        """End it now. `tokens` and `cost_usd` are a model call's; `error` is a code or a class, never a message."""
        ...


class Tracing(Protocol):
    """Where traces go."""

    def begin(self, trace_id: str, name: str, *, given: object = None) -> Span | None:
        """The outermost span of a new trace, begun now; None for one that is left out. `trace_id` is 32 hex digits."""
        ...

    async def close(self, seconds: float) -> None:
        """Send what is not sent yet, for at most `seconds`. Safe to call twice."""
        ...


class NoTracing:
    """Traces nothing."""

    def begin(self, trace_id: str, name: str, *, given: object = None) -> Span | None:
        """See `Tracing.begin`."""
        return None

    async def close(self, seconds: float) -> None:
        """See `Tracing.close`."""


current_span: ContextVar[Span | None] = ContextVar("askwell_span", default=None)


@contextmanager
def within(span: Span) -> Iterator[None]:
    """What is traced inside belongs to `span`, in this task and the tasks it starts."""
    token = current_span.set(span)
    try:
        yield
    finally:
        current_span.reset(token)
