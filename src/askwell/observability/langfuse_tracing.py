"""Traces for a Langfuse server. Spans are sent by a thread of the SDK's own; whatever goes wrong with them is logged,
and no ask fails or waits because of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Mapping
from typing import Any

from langfuse import Langfuse
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter

from askwell import __version__
from askwell.observability.tracing import Facts, Span

logger = logging.getLogger(__name__)

# For one batch of spans, its repetitions included. Until then a server that does not answer costs memory: the SDK keeps
# the last 2,048 spans and drops older ones.
_EXPORT_SECONDS = 5
# Spans are sent this often, or when there are 512 of them.
_FLUSH_SECONDS = 2.0
# A server that is away is complained about this often.
_COMPLAINT_SECONDS = 60.0


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
        _complain_in_our_words(host)
        self._client = Langfuse(
            base_url=host,
            public_key=public_key,
            secret_key=secret_key,
            timeout=_EXPORT_SECONDS,
            flush_interval=_FLUSH_SECONDS,
            tracer_provider=self._provider,
            span_exporter=exporter,
        )

    def begin(self, trace_id: str, name: str, *, given: object = None) -> Span | None:
        """See `Tracing.begin`. Which asks are left out depends on the id alone: one that runs again stays in or out."""
        if int(trace_id[:8], 16) >= self._sample_rate * 2**32:
            return None
        try:
            observation = self._client.start_observation(
                trace_context={"trace_id": trace_id}, name=name, input=given if self._content else None
            )
        except Exception as error:  # noqa: BLE001 - an ask is worth more than its trace
            _lost(error)
            return None
        return _LangfuseSpan(observation, self._content)

    async def close(self, seconds: float) -> None:
        """See `Tracing.close`. A server that does not answer within `seconds` loses what it was not sent."""
        loop, closed = asyncio.get_running_loop(), asyncio.Event()

        def close() -> None:
            self._provider.shutdown()
            with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
                loop.call_soon_threadsafe(closed.set)

        # A daemon, so that the process can end while the SDK still waits for the server.
        threading.Thread(target=close, name="traces-close", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                await closed.wait()
        except TimeoutError:
            logger.warning("the last traces could not be delivered in time", extra={"seconds": seconds})


class _LangfuseSpan:
    def __init__(self, observation: Any, content: bool) -> None:
        self._observation = observation
        self._content = content

    def child(self, name: str, *, model: str | None = None, given: object = None, facts: Facts | None = None) -> Span:
        kind = {"as_type": "span"} if model is None else {"as_type": "generation", "model": model}
        try:
            inner = self._observation.start_observation(
                name=name, input=given if self._content else None, metadata=facts, **kind
            )
        except Exception as error:  # noqa: BLE001
            _lost(error)
            return _LostSpan()
        return _LangfuseSpan(inner, self._content)

    def end(
        self,
        *,
        gave: object = None,
        facts: Facts | None = None,
        tokens: Mapping[str, int] | None = None,
        cost_usd: float = 0.0,
        error: str | None = None,
    ) -> None:
        said: dict[str, Any] = {}
        if gave is not None and self._content:
            said["output"] = gave
        if facts:
            said["metadata"] = facts
        if tokens is not None:
            said["usage_details"] = dict(tokens)
            said["cost_details"] = {"total": cost_usd} if cost_usd else None
        if error is not None:
            said |= {"level": "ERROR", "status_message": error}
        try:
            if said:
                self._observation.update(**said)
            self._observation.end()
        except Exception as raised:  # noqa: BLE001
            _lost(raised)


class _LostSpan:
    """Stands where a span could not be begun."""

    def child(self, name: str, **_: object) -> Span:
        return self

    def end(self, **_: object) -> None:
        pass


def _lost(error: Exception) -> None:
    logger.warning("a span could not be traced", extra={"error": type(error).__name__})


# What the SDK says while a server is away, several times a second when there is much to say.
_EXPORTING_LOGGERS = ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk._shared_internal")


def _complain_in_our_words(host: str) -> None:
    """Say it once in a while, with what to look at; the SDK's own words only for debugging."""
    last = 0.0

    def filtered(record: logging.LogRecord) -> bool:
        nonlocal last
        now = time.monotonic()
        if record.levelno >= logging.WARNING and (not last or now - last >= _COMPLAINT_SECONDS):
            last = now
            logger.warning(
                "traces cannot be delivered; asks are answered all the same. Check tracing.host and its keys",
                extra={"host": host.rpartition("@")[2]},
            )
        return logger.isEnabledFor(logging.DEBUG)

    for name in _EXPORTING_LOGGERS:
        logging.getLogger(name).filters[:] = [filtered]
