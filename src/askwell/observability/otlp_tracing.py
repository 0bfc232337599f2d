"""Traces for any server that speaks the OpenTelemetry Protocol over HTTP, by the semantic conventions. A thread of the
SDK's own sends them; whatever goes wrong with them is logged, and no ask fails or waits because of it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)
from opentelemetry.trace import Span as OtelSpan

from askwell import __version__
from askwell.observability.exporting import (
    EXPORT_SECONDS,
    NamedExporter,
    complain_in_our_words,
    end_of,
    lost,
    tracing_only,
)
from askwell.observability.operations import FINISH_REASONS, Kind, Operation
from askwell.observability.sampling import is_sampled
from askwell.observability.trace_context import TraceContext
from askwell.observability.tracing import CANCELLED, Facts, Given, Span

# Where the conventions put what went in and came out; what is no such call says it in names of ours.
_GIVEN: dict[Kind, str] = {
    "chat": "gen_ai.input.messages",
    "execute_tool": "gen_ai.tool.call.arguments",
    "database": "db.query.text",
}
_GAVE: dict[Kind, str] = {"chat": "gen_ai.output.messages"}
_OURS = "askwell."
_TOKENS = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY"})
# Of one question, prompt or statement: the SDK keeps up to 2,048 spans while a server is away.
_MOST_CHARACTERS = 32_768
# The SDK's own variables for how long sending may take.
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")


class OtlpTracing:
    """One exporter to one address. `endpoint` is where it takes traces, path included; `headers` go with each request.

    `sample_rate` is the share of jobs that are traced, and of requests whose callers do not say whether they trace
    them. OpenTelemetry's variables for the service (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES), certificates,
    compression, time limits and batches count.
    """

    def __init__(
        self, *, endpoint: str, headers: Mapping[str, str], sample_rate: float = 1.0, content: bool = False
    ) -> None:
        self._sample_rate = sample_rate
        self._content = content
        has_timeout = any(os.environ.get(name) for name in _TIMEOUTS)
        exporter = OTLPSpanExporter(
            endpoint=endpoint, headers=dict(headers), timeout=None if has_timeout else EXPORT_SECONDS
        )
        # A provider of our own: the global one would also get what other libraries trace, prompts included.
        self._ids = _ChosenIds()
        self._provider = TracerProvider(
            sampler=ALWAYS_ON, resource=_resource(), id_generator=self._ids, shutdown_on_exit=False
        )
        host = endpoint.partition("://")[2].partition("/")[0].rpartition("@")[2]
        complain_in_our_words()
        named = NamedExporter(exporter, host, "tracing.endpoint and its headers")
        self._provider.add_span_processor(BatchSpanProcessor(named))
        self._tracer = self._provider.get_tracer("askwell", __version__)

    def begin(
        self, trace_id: str, name: str, *, given: Given | None = None, caller: TraceContext | None = None
    ) -> Span | None:
        """See `Tracing.begin`. A job outlives its caller, to whose span it links."""
        if not is_sampled(trace_id, self._sample_rate):
            return None
        links = [] if caller is None else [Link(_span_context(caller))]
        return self._begun(trace_id, None, name, given=given, links=links)

    def receive(self, trace_id: str, method: str, scheme: str, caller: TraceContext | None = None) -> Span | None:
        """See `Tracing.receive`. Whether a request is traced is its caller's choice, where the caller says it."""
        if not (is_sampled(trace_id, self._sample_rate) if caller is None else caller.is_sampled):
            return None
        told = {"http.request.method": method if method in _METHODS else "_OTHER", "url.scheme": scheme}
        name = method if method in _METHODS else "HTTP"
        return self._begun(trace_id, caller, name, kind=SpanKind.SERVER, attributes=told)

    async def close(self, seconds: float) -> None:
        """See `Tracing.close`. A server that does not answer within `seconds` loses what it was not sent."""
        await end_of(self._provider, seconds)

    def _begun(
        self, trace_id: str, parent: TraceContext | None, name: str, *, given: Given | None = None, **told: Any
    ) -> Span | None:
        try:
            with self._ids.next_trace(trace_id):
                span = self._tracer.start_span(name, _context(parent), **told)
        except Exception as error:  # noqa: BLE001 - an ask is worth more than its trace
            lost(error)
            return None
        # OTEL_SDK_DISABLED gives spans that are none.
        return _OtlpSpan(self._tracer, span, self._content, given=given) if span.is_recording() else None


class _OtlpSpan:
    """`kind` is what it is a call of, if it is one; `given` what went in."""

    def __init__(
        self, tracer: Tracer, span: OtelSpan, content: bool, kind: Kind | None = None, given: Given | None = None
    ) -> None:
        self._tracer = tracer
        self._span = span
        self._content = content
        self._kind = kind
        if content and given is not None:
            with tracing_only():
                self._tell(_GIVEN, "given", given())

    @property
    def context(self) -> TraceContext:
        own = self._span.get_span_context()
        return TraceContext(f"{own.trace_id:032x}", f"{own.span_id:016x}")

    def child(self, name: str) -> Span:
        return _OtlpSpan(self._tracer, self._started(name), self._content)

    def call(self, operation: Operation, *, given: Given | None = None) -> Span:
        kind = SpanKind.CLIENT if operation.is_remote else SpanKind.INTERNAL
        span = self._started(operation.name, kind=kind, attributes=operation.attributes)
        return _OtlpSpan(self._tracer, span, self._content, operation.kind, given)

    def _started(self, name: str, **told: Any) -> OtelSpan:
        try:
            return self._tracer.start_span(name, set_span_in_context(self._span, Context()), **told)
        except Exception as error:  # noqa: BLE001
            lost(error)
            return NonRecordingSpan(self._span.get_span_context())

    def note(self, facts: Facts) -> None:
        with tracing_only():
            self._note(facts)

    def _note(self, facts: Facts) -> None:
        for key, value in facts.items():
            name = key if "." in key else f"{_OURS}{key}"
            if isinstance(value, Mapping):
                self._note({f"{name}.{inner}": one for inner, one in value.items()})
            elif value is not None:
                self._span.set_attribute(name, value)  # type: ignore[arg-type]  # others are left out with a warning

    def end(
        self,
        *,
        name: str | None = None,
        gave: object = None,
        facts: Facts | None = None,
        tokens: Mapping[str, int] | None = None,
        cost_usd: float = 0.0,
        error: str | None = None,
    ) -> None:
        with tracing_only():
            if name is not None:
                self._span.update_name(name)
            self._note(facts or {})
            self._note({_TOKENS[kind]: count for kind, count in (tokens or {}).items() if count})
            if cost_usd:
                self._note({"cost_usd": cost_usd})
            if error == CANCELLED:
                # Nothing broke: whoever wanted it has what they need.
                self._note({"cancelled": True})
            elif error is not None:
                self._note({"error.type": error})
                self._span.set_status(StatusCode.ERROR)
            self._tell(_GAVE, "gave", gave, facts)
        with tracing_only():
            self._span.end()

    def _tell(self, names: Mapping[Kind, str], otherwise: str, said: object, facts: Facts | None = None) -> None:
        if not self._content or said is None:
            return
        if self._kind == "chat":
            said = _messages(said, facts or {})
        text = said if isinstance(said, str) else json.dumps(said, default=str)
        name = names.get(self._kind) if self._kind is not None else None
        self._span.set_attribute(name or f"{_OURS}{otherwise}", text[:_MOST_CHARACTERS])


class _ChosenIds(RandomIdGenerator):
    """Ids of spans at random, and those of traces as they are wanted: the SDK has no other way to choose one for a span
    without a parent."""

    def __init__(self) -> None:
        self._wanted: ContextVar[str | None] = ContextVar("askwell_trace_id", default=None)

    @contextmanager
    def next_trace(self, trace_id: str) -> Iterator[None]:
        """Traces that begin inside have this id."""
        token = self._wanted.set(trace_id)
        try:
            yield
        finally:
            self._wanted.reset(token)

    def generate_trace_id(self) -> int:
        wanted = self._wanted.get()
        return super().generate_trace_id() if wanted is None else int(wanted, 16)

    def is_trace_id_random(self) -> bool:
        return False


def _resource() -> Resource:
    """What the service says of itself; OpenTelemetry's variables win."""
    ours = {
        "service.name": "askwell",
        "service.version": __version__,
        # Tells the processes of a cluster apart, and leads to each.
        "service.instance.id": f"{platform.node()}:{os.getpid()}",
    }
    return Resource.create(ours).merge(OTELResourceDetector().detect())


def _span_context(context: TraceContext) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if context.is_sampled else TraceFlags.DEFAULT)
    return SpanContext(int(context.trace_id, 16), int(context.span_id, 16), is_remote=True, trace_flags=flags)


def _context(parent: TraceContext | None) -> Context:
    if parent is None:
        return Context()
    return set_span_in_context(NonRecordingSpan(_span_context(parent)), Context())


def _messages(said: object, facts: Facts) -> list[dict[str, Any]]:
    """Messages as the conventions write them; text alone is the assistant's."""
    if isinstance(said, str):
        reasons = facts.get(FINISH_REASONS)
        reason = reasons[0] if isinstance(reasons, tuple) and reasons else "stop"
        return [{"role": "assistant", "parts": [{"type": "text", "content": said}], "finish_reason": reason}]
    messages: Any = said
    return [
        {"role": message["role"], "parts": [{"type": "text", "content": message["content"]}]} for message in messages
    ]
