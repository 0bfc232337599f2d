"""What a caller wants of the model calls that are made on its behalf, however many pipelines stand in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from askwell.providers.llm.base import OnDelta


@dataclass(frozen=True, slots=True)
class CallOptions:
    """`temperature` replaces the configured one. `most_tokens` is how long a reply may become. `on_thought` gets the
    pieces of a model's own reasoning while a streamed reply is written; without it they are dropped. In so many
    `seconds` the reply of a pipeline has to be there."""

    temperature: float | None = None
    most_tokens: int | None = None
    on_thought: OnDelta | None = None
    seconds: float | None = None


_NONE = CallOptions()
_OPTIONS: ContextVar[CallOptions] = ContextVar("call_options")


def call_options() -> CallOptions:
    """The options of calls that begin here."""
    return _OPTIONS.get(_NONE)


@contextmanager
def at_temperature(temperature: float | None) -> Iterator[None]:
    """Calls that begin within the block are made at this temperature, where the server takes one."""
    yield from _with(replace(call_options(), temperature=temperature))


@contextmanager
def at_most(tokens: int | None) -> Iterator[None]:
    """Replies to calls that begin within the block are no longer than this; None for no limit."""
    yield from _with(replace(call_options(), most_tokens=tokens))


@contextmanager
def with_thoughts(on_thought: OnDelta | None) -> Iterator[None]:
    """Streamed calls that begin within the block tell `on_thought` what the model thinks."""
    yield from _with(replace(call_options(), on_thought=on_thought))


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Replies to calls that begin within the block have to come in so many seconds; None for no limit."""
    yield from _with(replace(call_options(), seconds=seconds))


def _with(options: CallOptions) -> Iterator[None]:
    token = _OPTIONS.set(options)
    try:
        yield
    finally:
        _OPTIONS.reset(token)
