"""Traces for a Langfuse server. Spans are sent by a thread of the SDK's own; whatever goes wrong with them is logged,
and no ask fails or waits because of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langfuse import Langfuse
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter

from askwell import __version__
from askwell.observability.exporting import EXPORT_SECONDS, complain_in_our_words, end_of, lost, tracing_only
from askwell.observability.operations import MODEL, Kind, Operation
from askwell.observability.sampling import is_sampled
from askwell.observability.trace_context import TraceContext
from askwell.observability.tracing import Facts, Given, Span

# Spans are sent this often, or when there are 512 of them.
_FLUSH_SECONDS = 2.0
# How Langfuse shows a call.
_TYPES: dict[Kind, str] = {
    "chat": "generation",
    "embeddings": "embedding",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "database": "span",
}


class LangfuseTracing:
    """One client to one Langfuse project. The SDK knows one client for a public key and process: a second one would be
    the first one again, closed or not.

    `sample_rate` is the share of asks that are traced. `exporter` stands in for the server, in tests.
    """

    def __init__(
        self,
        *,
        host: str,
        public_key: str,
        secret_key: str,
        sample_rate: float = 1.0,
        content: bool = False,
        exporter: SpanExporter | None = None,
    ) -> None:
        self._sample_rate = sample_rate
        self._content = content
        # A provider of our own: the global one would also get what other libraries trace, prompts included.
        about = Resource.create({SERVICE_NAME: "askwell", SERVICE_VERSION: __version__})
        self._provider = TracerProvider(resource=about, shutdown_on_exit=False)
        complain_in_our_words({"host": host.rpartition("@")[2], "check": "tracing.host and its keys"})
        self._client = Langfuse(
            base_url=host,
            public_key=public_key,
            secret_key=secret_key,
            timeout=EXPORT_SECONDS,
            flush_interval=_FLUSH_SECONDS,
            tracer_provider=self._provider,
            span_exporter=exporter,
        )

    def begin(
        self, trace_id: str, name: str, *, given: Given | None = None, caller: TraceContext | None = None
    ) -> Span | None:
        """See `Tracing.begin`. Langfuse shows no links: the caller is left out."""
        if not is_sampled(trace_id, self._sample_rate):
            return None
        try:
            observation = self._client.start_observation(
                trace_context={"trace_id": trace_id},
                name=name,
                input=given() if self._content and given is not None else None,
            )
        except Exception as error:  # noqa: BLE001 - an ask is worth more than its trace
            lost(error)
            return None
        return _LangfuseSpan(observation, self._content)

    def receive(self, trace_id: str, method: str, scheme: str, caller: TraceContext | None = None) -> Span | None:
        """None: a project of Langfuse is about what models do, not about requests."""
        return None

    async def close(self, seconds: float) -> None:
        """See `Tracing.close`. A server that does not answer within `seconds` loses what it was not sent."""
        await end_of(self._provider, seconds)


class _LangfuseSpan:
    def __init__(self, observation: Any, content: bool) -> None:
        self._observation = observation
        self._content = content

    @property
    def context(self) -> TraceContext:
        return TraceContext(self._observation.trace_id, self._observation.id)

    def child(self, name: str) -> Span:
        return self._begun(name=name)

    def call(self, operation: Operation, *, given: Given | None = None) -> Span:
        told: dict[str, Any] = {"name": operation.name, "as_type": _TYPES[operation.kind]}
        if MODEL in operation.attributes:
            told["model"] = operation.attributes[MODEL]
        if self._content and given is not None:
            with tracing_only():
                told["input"] = given()
        return self._begun(**told, metadata={name: one for name, one in operation.attributes.items() if name != MODEL})

    def _begun(self, **told: Any) -> Span:
        try:
            return _LangfuseSpan(self._observation.start_observation(**told), self._content)
        except Exception as error:  # noqa: BLE001
            lost(error)
            return _LostSpan(self.context)

    def note(self, facts: Facts) -> None:
        with tracing_only():
            self._observation.update(metadata=facts)

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
        said: dict[str, Any] = {}
        if name is not None:
            said["name"] = name
        if gave is not None and self._content:
            said["output"] = gave
        if facts:
            said["metadata"] = facts
        if tokens is not None:
            said["usage_details"] = {kind: tokens[kind] for kind in ("input", "output")}
            said["cost_details"] = {"total": cost_usd} if cost_usd else None
        if error is not None:
            said |= {"level": "ERROR", "status_message": error}
        with tracing_only():
            if said:
                self._observation.update(**said)
        with tracing_only():
            self._observation.end()


class _LostSpan:
    """Stands where a span could not be begun."""

    def __init__(self, context: TraceContext) -> None:
        self.context = context

    def child(self, name: str) -> Span:
        return self

    def call(self, operation: Operation, *, given: Given | None = None) -> Span:
        return self

    def note(self, facts: Facts) -> None:
        pass

    def end(self, **_: object) -> None:
        pass
