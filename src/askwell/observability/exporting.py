"""What every place for traces needs of OpenTelemetry's SDK: complaints in our words, and an end within its time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

logger = logging.getLogger(__name__)

# For one batch of spans, its repetitions included. Until then a server that does not answer costs memory: the SDK keeps
# the last 2,048 spans and drops older ones.
EXPORT_SECONDS = 5
# A server that is away is complained about this often.
_COMPLAINT_SECONDS = 60.0
# What the SDK says while a server is away, several times a second when there is much to say.
_LOGGERS = ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk._shared_internal")

_exporting = threading.local()


class NamedExporter(SpanExporter):
    """An exporter whose complaints say to which host it could not deliver, and what to check."""

    def __init__(self, exporter: SpanExporter, host: str, check: str) -> None:
        self._exporter = exporter
        self._about = {"host": host, "check": check}

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter.export`."""
        _exporting.about = self._about
        try:
            return self._exporter.export(spans)
        finally:
            del _exporting.about

    def shutdown(self) -> None:
        """See `SpanExporter.shutdown`."""
        self._exporter.shutdown()


class _Complaints(logging.Filter):
    """Says it once in a while, with what to look at; the SDK's own words only for debugging."""

    def __init__(self, about: Mapping[str, str]) -> None:
        super().__init__()
        self._about = about
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        about: Mapping[str, str] = getattr(_exporting, "about", self._about)
        now, host = time.monotonic(), about.get("host", "")
        is_due = host not in self._last or now - self._last[host] >= _COMPLAINT_SECONDS
        if record.levelno >= logging.WARNING and is_due:
            self._last[host] = now
            logger.warning("traces cannot be delivered; asks are answered all the same", extra=about)
        return logger.isEnabledFor(logging.DEBUG)


def complain_in_our_words(about: Mapping[str, str] | None = None) -> None:
    """Have the SDK's complaints told as ours. `about` says `host` and `check` of those that no `NamedExporter` makes;
    the last call counts."""
    complaints = _Complaints(about or {})
    for name in _LOGGERS:
        logging.getLogger(name).filters[:] = [complaints]


async def end_of(provider: TracerProvider, seconds: float) -> None:
    """Send what is not sent yet. A server that does not answer within `seconds` loses it."""
    loop, closed = asyncio.get_running_loop(), asyncio.Event()

    def close() -> None:
        provider.shutdown()
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(closed.set)

    # A daemon, so that the process can end while the SDK still waits for the server.
    threading.Thread(target=close, name="traces-close", daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            await closed.wait()
    except TimeoutError:
        logger.warning("the last traces could not be delivered in time", extra={"seconds": seconds})


def lost(error: Exception) -> None:
    """A span, or a part of it, could not be traced: work is worth more than its trace."""
    logger.warning("a span could not be traced", extra={"error": type(error).__name__})


@contextmanager
def tracing_only() -> Iterator[None]:
    """What fails inside fails no work."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - an ask is worth more than its trace
        lost(error)
