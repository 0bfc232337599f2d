"""Traces by OpenTelemetry's SDK and its semantic conventions: one provider of spans, and whoever they are sent to.

A thread of the SDK's own sends them; whatever goes wrong with them is logged, and no ask fails or waits because of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import platform
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    INVALID_SPAN,
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
from askwell.observability.operations import FINISH_REASONS, Kind, Operation
from askwell.observability.trace_context import TraceContext, is_sampled
from askwell.observability.tracing import CANCELLED, Facts, Given, Outcome, Span, Tracing

logger = logging.getLogger(__name__)

# The scope of the spans of jobs; those of requests have another one, since not everyone is sent them.
JOBS = "askwell"
_REQUESTS = "askwell.requests"
# For one batch of spans, its repetitions included. Until then a server that does not answer costs memory: the SDK keeps
# the last 2,048 spans and drops older ones.
_EXPORT_SECONDS = 5
# A server that is away is complained about this often.
_COMPLAINT_SECONDS = 60.0
# What the SDK says while a server is away, several times a second when there is much to say.
_SDK_LOGGERS = ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk._shared_internal")

# Where the conventions put what went in and came out; what is no such call says it in names of ours.
GIVEN: dict[Kind, str] = {
    "chat": "gen_ai.input.messages",
    "execute_tool": "gen_ai.tool.call.arguments",
    "database": "db.query.text",
}
GAVE: dict[Kind, str] = {"chat": "gen_ai.output.messages"}
OURS = "askwell."
TOKENS = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY"})
# Of one question, prompt or statement: the SDK keeps up to 2,048 spans while a server is away.
_MOST_CHARACTERS = 32_768
# The SDK's own variables for how long sending may take.
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")


class OtelTracing(Tracing):
    """Makes spans, and hands them to the processors of its `provider` (`send_by_otlp`, `langfuse_export`).

    `sample_rate` is the share of jobs that are traced, and of requests whose callers do not say whether they trace
    them. OpenTelemetry's variables for the service (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) and for batches count.
    """

    def __init__(self, *, sample_rate: float = 1.0, content: bool = False) -> None:
        self._sample_rate = sample_rate
        self._content = content
        # A provider of our own: the global one would also get what other libraries trace, prompts included.
        self._ids = _ChosenIds()
        self.provider = TracerProvider(
            sampler=ALWAYS_ON, resource=_resource(), id_generator=self._ids, shutdown_on_exit=False
        )
        self._jobs = self.provider.get_tracer(JOBS, __version__)
        self._requests: Tracer | None = None

    def send_by_otlp(self, endpoint: str, headers: Mapping[str, str]) -> None:
        """Send spans to a collector, those of requests too. `endpoint` is where it takes traces, path included."""
        exporter = exporter_to(endpoint, headers, "tracing.endpoint and its headers")
        self.provider.add_span_processor(BatchSpanProcessor(exporter))
        self._requests = self.provider.get_tracer(_REQUESTS, __version__)

    def begin(
        self, trace_id: str, name: str, *, given: Given | None = None, caller: TraceContext | None = None
    ) -> Span | None:
        """See `Tracing.begin`. A job outlives its caller, to whose span it links."""
        if not is_sampled(trace_id, self._sample_rate):
            return None
        links = [] if caller is None else [Link(_span_context(caller))]
        return self._begun(self._jobs, trace_id, None, name, given=given, links=links)

    def receive(self, trace_id: str, method: str, scheme: str, caller: TraceContext | None = None) -> Span | None:
        """See `Tracing.receive`. Whether a request is traced is its caller's choice, where the caller says it."""
        sampled = is_sampled(trace_id, self._sample_rate) if caller is None else caller.is_sampled
        if self._requests is None or not sampled:
            return None
        attributes = {"http.request.method": method if method in _METHODS else "_OTHER", "url.scheme": scheme}
        name = method if method in _METHODS else "HTTP"
        return self._begun(self._requests, trace_id, caller, name, kind=SpanKind.SERVER, attributes=attributes)

    async def close(self, seconds: float) -> None:
        """See `Tracing.close`. A server that does not answer within `seconds` loses what it was not sent."""
        loop, closed = asyncio.get_running_loop(), asyncio.Event()

        def close() -> None:
            self.provider.shutdown()
            with contextlib.suppress(RuntimeError):  # the loop is closed: its end is not awaited any more
                loop.call_soon_threadsafe(closed.set)

        # A daemon, so that the process can end while the SDK still waits for the server.
        threading.Thread(target=close, name="traces-close", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                await closed.wait()
        except TimeoutError:
            logger.warning("the last traces could not be delivered in time", extra={"seconds": seconds})

    def _begun(
        self,
        tracer: Tracer,
        trace_id: str,
        parent: TraceContext | None,
        name: str,
        *,
        given: Given | None = None,
        **more: Any,
    ) -> Span | None:
        span: OtelSpan = INVALID_SPAN
        with _tracing_only():
            self._ids.wanted = trace_id
            span = tracer.start_span(name, _context(parent), **more)
        # OTEL_SDK_DISABLED gives spans that are none.
        return _OtelSpan(tracer, span, self._content, given=given) if span.is_recording() else None


def exporter_to(endpoint: str, headers: Mapping[str, str], check: str) -> SpanExporter:
    """An exporter to a server that speaks the OpenTelemetry Protocol. `check` is what to look at where it is away.

    OpenTelemetry's variables for certificates, compression and time limits count.
    """
    has_timeout = any(os.environ.get(name) for name in _TIMEOUTS)
    exporter = OTLPSpanExporter(
        endpoint=endpoint, headers=dict(headers), timeout=None if has_timeout else _EXPORT_SECONDS
    )
    host = endpoint.partition("://")[2].partition("/")[0].rpartition("@")[2]
    for name in _SDK_LOGGERS:
        # Its words are only for debugging: an exporter says in ours that it could not deliver.
        logging.getLogger(name).setLevel(logging.NOTSET if logger.isEnabledFor(logging.DEBUG) else logging.CRITICAL)
    return _Exporter(exporter, {"host": host, "check": check})


class _Exporter(SpanExporter):
    """Warns once in a while that it could not deliver, with what to check."""

    def __init__(self, exporter: SpanExporter, about: Mapping[str, str]) -> None:
        self._exporter = exporter
        self._about = about
        self._warned = -_COMPLAINT_SECONDS

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter.export`."""
        result = SpanExportResult.FAILURE
        with _tracing_only():
            result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS and time.monotonic() - self._warned >= _COMPLAINT_SECONDS:
            self._warned = time.monotonic()
            logger.warning("traces cannot be delivered; questions are answered as usual", extra=dict(self._about))
        return result

    def shutdown(self) -> None:
        """See `SpanExporter.shutdown`."""
        self._exporter.shutdown()


@contextmanager
def _tracing_only() -> Iterator[None]:
    """Let what fails inside fail no work."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - an ask is worth more than its trace
        _warn_of_loss(error)


def _warn_of_loss(error: Exception) -> None:
    logger.warning("a span could not be traced", extra={"error": type(error).__name__})


class _OtelSpan:
    """`kind` is what it is a call of, if it is one; `given` what went in."""

    def __init__(
        self, tracer: Tracer, span: OtelSpan, content: bool, kind: Kind | None = None, given: Given | None = None
    ) -> None:
        self._tracer = tracer
        self._span = span
        self._content = content
        self._kind = kind
        if content and given is not None:
            with _tracing_only():
                self._tell(GIVEN, "given", given())

    @property
    def context(self) -> TraceContext:
        own = self._span.get_span_context()
        return TraceContext(f"{own.trace_id:032x}", f"{own.span_id:016x}")

    def child(self, name: str) -> Span:
        return _OtelSpan(self._tracer, self._started(name), self._content)

    def call(self, operation: Operation, *, given: Given | None = None) -> Span:
        kind = SpanKind.CLIENT if operation.is_remote else SpanKind.INTERNAL
        span = self._started(operation.name, kind=kind, attributes=operation.attributes)
        return _OtelSpan(self._tracer, span, self._content, operation.kind, given)

    def _started(self, name: str, **more: Any) -> OtelSpan:
        try:
            return self._tracer.start_span(name, set_span_in_context(self._span, Context()), **more)
        except Exception as error:  # noqa: BLE001
            _warn_of_loss(error)
            return NonRecordingSpan(self._span.get_span_context())

    def note(self, facts: Facts) -> None:
        with _tracing_only():
            self._note(facts)

    def _note(self, facts: Facts) -> None:
        for key, value in facts.items():
            name = key if "." in key else f"{OURS}{key}"
            if isinstance(value, Mapping):
                self._note({f"{name}.{inner}": one for inner, one in value.items()})
            elif value is not None:
                self._span.set_attribute(name, value)  # type: ignore[arg-type]  # others are left out with a warning

    def end(self, outcome: Outcome) -> None:
        facts, error = outcome.facts or {}, outcome.error
        with _tracing_only():
            if outcome.name is not None:
                self._span.update_name(outcome.name)
            self._note(facts)
            self._note({TOKENS[kind]: count for kind, count in (outcome.tokens or {}).items() if count})
            self._note({"cost_usd": outcome.cost_usd or None})
            if error == CANCELLED:
                # Nothing broke: it is not needed any more.
                self._note({"cancelled": True})
            elif error is not None:
                self._note({"error.type": error})
                self._span.set_status(StatusCode.ERROR)
            self._tell(GAVE, "gave", outcome.gave, facts)
        with _tracing_only():
            self._span.end()

    def _tell(self, names: Mapping[Kind, str], otherwise: str, said: object, facts: Facts | None = None) -> None:
        if not self._content or said is None:
            return
        if self._kind == "chat":
            said = _messages(said, facts or {})
        text = said if isinstance(said, str) else json.dumps(said, default=str)
        name = names.get(self._kind) if self._kind is not None else None
        self._span.set_attribute(name or f"{OURS}{otherwise}", text[:_MOST_CHARACTERS])


class _ChosenIds(RandomIdGenerator):
    """Ids of spans at random, and those of traces as they are wanted: the SDK has no other way to choose one for a span
    without a parent. Such spans begin on the event loop alone."""

    wanted = ""

    def generate_trace_id(self) -> int:
        """Return the id that is wanted, as a number."""
        return int(self.wanted, 16)

    def is_trace_id_random(self) -> bool:
        """Say that it may not be: nothing is derived from it."""
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
