"""Sends the spans of jobs to a Langfuse project, in Langfuse's terms, by Langfuse's own client."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from langfuse import Langfuse
from langfuse.types import MaskOtelSpansParams, MaskOtelSpansResult, OtelSpanPatch
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter

from askwell.observability.operations import MODEL, OPERATION
from askwell.observability.otel_tracing import GAVE, GIVEN, JOBS, OURS, TOKENS, OtelTracing, exporter_to
from askwell.observability.tracing import CANCELLED

# Spans are sent this often, or when there are 512 of them.
_FLUSH_SECONDS = 2.0
_PATH = "/api/public/otel/v1/traces"
# How Langfuse shows a call, by the operation's name.
_TYPES = {"chat": "generation", "embeddings": "embedding", "execute_tool": "tool", "invoke_agent": "agent"}
_OBSERVATION = "langfuse.observation."
_FIELDS = {
    MODEL: "model.name",
    **dict.fromkeys((*GIVEN.values(), f"{OURS}given"), "input"),
    **dict.fromkeys((*GAVE.values(), f"{OURS}gave"), "output"),
}


def send_to_langfuse(
    tracing: OtelTracing, *, host: str, public_key: str, secret_key: str, exporter: SpanExporter | None = None
) -> None:
    """Have the spans of jobs sent to one project, without those of requests; `exporter` stands in for its server.

    The client is one for a public key and process: a second one would be the first one again, closed or not.
    """
    credentials = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode("ascii")
    headers = {"authorization": f"Basic {credentials}", "x-langfuse-ingestion-version": "4"}
    Langfuse(
        base_url=host,
        public_key=public_key,
        secret_key=secret_key,
        flush_interval=_FLUSH_SECONDS,
        tracer_provider=tracing.provider,
        span_exporter=exporter or exporter_to(f"{host}{_PATH}", headers, "tracing.host and its keys"),
        should_export_span=_is_of_a_job,
        mask_otel_spans=_in_langfuse_terms,
    )


def _is_of_a_job(span: ReadableSpan) -> bool:
    return span.instrumentation_scope is not None and span.instrumentation_scope.name == JOBS


def _in_langfuse_terms(*, params: MaskOtelSpansParams) -> MaskOtelSpansResult:
    return MaskOtelSpansResult(
        span_patches={
            key: OtelSpanPatch(delete_attributes=tuple(span.attributes), set_attributes=_translated(span.attributes))
            for key, span in params.spans.items()
        }
    )


def _translated(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of the conventions as those of an observation; what Langfuse has no field for is metadata."""
    fields: dict[str, Any] = {"type": _TYPES.get(str(attributes.get(OPERATION)), "span")}
    usage: dict[str, int] = {}
    for name, value in attributes.items():
        kind = next((kind for kind, one in TOKENS.items() if one == name), None)
        if kind in ("input", "output"):
            usage[kind] = value
        elif name in _FIELDS:
            fields[_FIELDS[name]] = value
        elif name == f"{OURS}cost_usd":
            fields["cost_details"] = json.dumps({"total": value})
        else:
            fields[f"metadata.{name.removeprefix(OURS)}"] = json.dumps(value)
    if usage:
        fields["usage_details"] = json.dumps(usage)
    error = CANCELLED if f"{OURS}cancelled" in attributes else attributes.get("error.type")
    if error is not None:
        fields |= {"level": "ERROR", "status_message": error}
    return {f"{_OBSERVATION}{name}": value for name, value in fields.items()}
