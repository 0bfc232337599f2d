"""The interface of tracing: one trace a job, and in it a span for each pipeline, node, and call of a model, a tool or a
database.

What is traced finds the span that it belongs to in `current_span`, so that nothing has to be handed through the code.
What went in and came out (`given`, `gave`) may hold questions, prompts and SQL: it leaves the process only where
`tracing.content` says so. Names, times, models, tokens and codes of errors always do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from askwell.errors import AskwellError
from askwell.observability.operations import Operation
from askwell.observability.trace_context import TraceContext

Facts = Mapping[str, object]
# Says what went in. Only called where that is told: it may have to be masked first, which takes time.
Given = Callable[[], object]

# Where the scope of an HTTP request has its span.
REQUEST_SPAN = "askwell.span"
# The error of what was let go because nobody waits for it any more.
CANCELLED = "CANCELLED"


@dataclass
class Outcome:
    """What a span says at its end: `name` where it is another one now, and `tokens` (`input`, `output`, `cached`) and
    `cost_usd` of a model call. `error` is a code or a class, never a message."""

    name: str | None = None
    gave: object = None
    facts: Facts | None = None
    tokens: Mapping[str, int] | None = None
    cost_usd: float = 0.0
    error: str | None = None


class Span(Protocol):
    """Something that takes time. No method raises or waits."""

    @property
    def context(self) -> TraceContext:
        """By what others, here or elsewhere, refer to it."""
        ...

    def child(self, name: str) -> Span:
        """A step within this span, begun now."""
        ...

    def call(self, operation: Operation, *, given: Given | None = None) -> Span:
        """A call within this span, begun now."""
        ...

    def note(self, facts: Facts) -> None:
        """What is known before its end. Names with a dot are those of conventions, others are ours."""
        ...

    def end(self, outcome: Outcome) -> None:
        """End it now."""
        ...


class Tracing:
    """Where traces go: this one traces nothing."""

    def begin(
        self, trace_id: str, name: str, *, given: Given | None = None, caller: TraceContext | None = None
    ) -> Span | None:
        """The outermost span of a new trace, begun now; None for one that is left out. `trace_id` is 32 hex digits;
        `caller` is what it was begun by, in a trace of its own."""
        return None

    def receive(self, trace_id: str, method: str, scheme: str, caller: TraceContext | None = None) -> Span | None:
        """The span of an HTTP request, by `http` or `https`, in a trace of that id, within the `caller`'s span where
        there is one; None where requests are not traced, or this one is left out."""
        return None

    async def close(self, seconds: float) -> None:
        """Send what is not sent yet, for at most `seconds`. Safe to call twice."""


current_span: ContextVar[Span | None] = ContextVar("askwell_span", default=None)


@contextmanager
def within(span: Span | None) -> Iterator[None]:
    """What is traced inside belongs to `span`, in this task and the tasks it starts; with None, to nothing."""
    token = current_span.set(span)
    try:
        yield
    finally:
        current_span.reset(token)


@contextmanager
def calling(operation: Operation, given: Given | None = None) -> Iterator[Outcome]:
    """A call within the current span, if there is one, for as long as the block takes, which says what came of it. What
    is raised is told by its code."""
    outcome, parent = Outcome(), current_span.get()
    if parent is None:
        yield outcome
        return
    span = parent.call(operation, given=given)
    try:
        with within(span):
            yield outcome
    except BaseException as error:
        outcome.error = error_code(error)
        raise
    finally:
        span.end(outcome)


def error_code(error: BaseException | None) -> str:
    """What a span tells of an exception; None was a cancellation that nobody raised."""
    if error is None or isinstance(error, asyncio.CancelledError):
        return CANCELLED
    return error.code if isinstance(error, AskwellError) else type(error).__name__
