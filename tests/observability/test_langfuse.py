"""Spans arrive at Langfuse in its own terms, and what goes wrong with them costs no work."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from askwell.observability.langfuse_export import send_to_langfuse
from askwell.observability.operations import CalledModel, tool_call
from askwell.observability.otel_tracing import OtelTracing
from askwell.observability.tracing import CANCELLED, Outcome, calling, within
from tests.support.service import write_config

NOWHERE = "http://127.0.0.1:9"
CHAT = CalledModel.at("gpt-clever-1", "openai", None, {"temperature": 0}).chat({}, as_json=True, streams=False)
PROMPT = [{"role": "user", "content": "Who is the keenest spender?"}]


def traced(exporter: SpanExporter | None, host: str = NOWHERE, *, content: bool = False) -> OtelTracing:
    """The client is one for a public key, closed or not: every test has one of its own."""
    tracing = OtelTracing(content=content)
    key = f"pk-{uuid.uuid4()}"
    send_to_langfuse(tracing, host=host, public_key=key, secret_key="sk-very-secret", exporter=exporter)
    return tracing


def said(span: ReadableSpan) -> dict[str, Any]:
    """The fields of an observation."""
    attributes = span.attributes or {}
    return {name.removeprefix("langfuse.observation."): value for name, value in attributes.items()}


async def trace_of_a_call(tracing: OtelTracing, seconds: float = 5) -> None:
    root = tracing.begin(uuid.uuid4().hex, "ask", given=lambda: PROMPT[0]["content"])
    assert root is not None
    step = root.child("sql_generation")
    with within(step), calling(CHAT, given=lambda: PROMPT) as call:
        call.gave, call.tokens, call.cost_usd = "SELECT 1", {"input": 7, "output": 3, "cached": 2}, 0.5
    with within(step), calling(tool_call("find_values")) as call:
        call.error = "BROKEN"
    step.end(Outcome(error=CANCELLED))
    root.end(Outcome(gave="SELECT 1", facts={"status": "finished", "stage_ms": {"retrieval": 3.5}}))
    await tracing.close(seconds)


@pytest.mark.parametrize("content", [True, False])
async def test_calls_are_observations_and_what_was_said_is_among_them_only_where_it_may_be(content: bool) -> None:
    exporter = InMemorySpanExporter()
    tracing = traced(exporter, content=content)
    assert tracing.receive(uuid.uuid4().hex, "GET", "http") is None  # requests are not for Langfuse
    await trace_of_a_call(tracing)
    spans = {span.name: said(span) for span in exporter.get_finished_spans()}
    chat, tool, step, root = (spans[name] for name in ("chat gpt-clever-1", *list(spans)[1:]))
    assert (chat["type"], chat["model.name"]) == ("generation", "gpt-clever-1")
    assert json.loads(chat["usage_details"]) == {"input": 7, "output": 3}
    assert json.loads(chat["cost_details"]) == {"total": 0.5}
    assert json.loads(chat["metadata.gen_ai.request.temperature"]) == 0
    assert (tool["type"], tool["level"], tool["status_message"]) == ("tool", "ERROR", "BROKEN")
    assert (step["type"], step["status_message"]) == ("span", CANCELLED)
    assert (root["metadata.status"], root["metadata.stage_ms.retrieval"]) == ('"finished"', "3.5")
    shown = [root.get("input"), root.get("output"), "keenest" in str(chat.get("input")), "SELECT" in str(chat)]
    assert shown == ([PROMPT[0]["content"], "SELECT 1", True, True] if content else [None, None, False, False])
    text = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "sk-very-secret" not in text
    assert ("SELECT" in text) == content


class Broken(InMemorySpanExporter):
    def export(self, spans: Any) -> Any:
        raise RuntimeError("the exporter broke")


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("where", ["refused", "silent", "broken"])
async def test_what_cannot_be_delivered_raises_nothing_and_holds_up_no_stop(
    silent_server: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.3")
    tracing = traced(Broken() if where == "broken" else None, silent_server if where == "silent" else NOWHERE)
    with caplog.at_level(logging.WARNING):
        async with asyncio.timeout(2):
            await trace_of_a_call(tracing, seconds=1)
    assert "Max retries exceeded" not in caplog.text
    if where == "refused":
        (complaint,) = [one for one in caplog.records if "cannot be delivered" in one.getMessage()]
        assert vars(complaint)["check"] == "tracing.host and its keys"


@pytest.mark.parametrize(
    ("provider", "room", "package", "extra"),
    [
        ("langfuse", "langfuse_export", "langfuse", "langfuse"),
        ("otlp", "otel_tracing", "opentelemetry.exporter.otlp.proto.http.trace_exporter", "otel"),
    ],
)
def test_a_missing_package_is_told_with_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, room: str, package: str, extra: str
) -> None:
    keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
    config = load_config(write_config(tmp_path, tracing={"provider": provider}), keys)
    monkeypatch.delitem(sys.modules, f"askwell.observability.{room}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(ConfigurationError) as caught:
        Container(config)
    assert f"tracing.provider is {provider}" in caught.value.message
    assert f"{package} is not installed" in caught.value.message
    assert f"pip install 'askwell[{extra}]'" in caught.value.hint


def test_a_start_imports_nothing_that_it_may_not_need() -> None:
    """Tracing, and what pipelines bring that write with a language model. In a process of its own: other tests have
    imported it here."""
    code = "import sys, askwell.container, askwell.web.app; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    lazy = {"langfuse", "opentelemetry.sdk", "hamilton", "pandas", "haystack", "openai", "networkx", "requests"}
    assert (lazy | {"altair", "vl_convert", "narwhals"}) & {*run.stdout.split()} == set()


@pytest.mark.parametrize("rate", [0.0, 1.0])
async def test_what_went_in_is_not_put_together_where_it_is_not_told(rate: float) -> None:
    """It may have to be masked first, which takes time."""
    asked: list[str] = []

    def given() -> object:
        return asked.append("what went in")

    tracing = OtelTracing(sample_rate=rate)
    span = tracing.begin(uuid.uuid4().hex, "ask", given=given)
    assert (span is None) == (rate == 0.0)
    for current in (None, span):
        with within(current), calling(tool_call("find_values"), given=given):
            pass
    await tracing.close(0.1)
    assert asked == []


async def test_what_cannot_be_put_together_fails_no_call() -> None:
    def given() -> object:
        raise ValueError("what went in cannot be masked")

    exporter = InMemorySpanExporter()
    tracing = traced(exporter, content=True)
    root = tracing.begin(uuid.uuid4().hex, "ask")
    with within(root), calling(tool_call("find_values"), given=given):
        pass
    assert root is not None
    root.end(Outcome())
    await tracing.close(5)
    assert len(exporter.get_finished_spans()) == 2
