"""A collector that speaks the OpenTelemetry Protocol over HTTP: it keeps the spans that it was sent, as protobuf.

    async with OtlpCollector() as collector:
        ...  # with `tracing: {provider: otlp, endpoint: collector.url}`
    assert collector.named("ask").attributes["askwell.status"] == "finished"

`OtlpCollector(status=503)` refuses what comes; `silent=True` takes it and never answers.
"""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

PATH = "/v1/traces"


@dataclass(frozen=True)
class Received:
    """A span as it came. Ids are hex digits; `parent` is empty for the outermost of a trace, `links` are the ids of
    trace and span that it leads to."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent: str
    began: int
    ended: int
    attributes: dict[str, Any]
    links: tuple[tuple[str, str], ...]
    is_error: bool
    resource: dict[str, Any]


class OtlpCollector:
    """Listens on a free loopback port. `requests` are the headers of each request, `spans` what came in all."""

    def __init__(self, *, status: int = 200, silent: bool = False) -> None:
        self.status = status
        self.requests: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.spans: list[Received] = []
        self.url = ""
        self._silence = asyncio.Event()
        if not silent:
            self._silence.set()
        application = web.Application(client_max_size=64 * 2**20)
        application.router.add_post(PATH, self._take)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._silence.set()
        await self._runner.cleanup()

    def answer(self) -> None:
        """Be silent no longer."""
        self._silence.set()

    @property
    def text(self) -> str:
        """Everything that came, to look for what should not be there."""
        return "\n".join([*(body.decode(errors="replace") for body in self.bodies), *map(str, self.spans)])

    def named(self, name: str) -> Received:
        (found,) = self.all_named(name)
        return found

    def all_named(self, name: str) -> list[Received]:
        return [span for span in self.spans if span.name == name]

    def of(self, trace_id: str) -> list[Received]:
        return [span for span in self.spans if span.trace_id == trace_id]

    def children(self, parent: Received) -> list[Received]:
        """In the order in which they began."""
        found = [span for span in self.spans if span.parent == parent.span_id]
        return sorted(found, key=lambda span: span.began)

    def tree(self, root: Received) -> dict[str, Any]:
        """The names within a span, at any depth."""
        return {span.name: self.tree(span) for span in self.children(root)}

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.requests.append(dict(request.headers))
        await self._silence.wait()
        if self.status != 200:
            return web.Response(status=self.status)
        if request.headers.get("Content-Encoding") == "gzip" and body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        self.bodies.append(body)
        for batch in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = {pair.key: _value(pair.value) for pair in batch.resource.attributes}
            self.spans += [_received(span, resource) for scope in batch.scope_spans for span in scope.spans]
        answer = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=answer, content_type="application/x-protobuf")


def _received(span: Span, resource: dict[str, Any]) -> Received:
    return Received(
        name=span.name,
        kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        began=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        attributes={pair.key: _value(pair.value) for pair in span.attributes},
        links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
        is_error=span.status.code == Status.STATUS_CODE_ERROR,
        resource=resource,
    )


def _value(value: AnyValue) -> Any:
    which = value.WhichOneof("value")
    if which == "array_value":
        return [_value(one) for one in value.array_value.values]
    return None if which is None else getattr(value, which)
