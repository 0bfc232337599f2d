"""A traced ask can be followed pipeline by pipeline, and tells nothing that it was not allowed to tell."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from askwell.observability.operations import tool_call
from askwell.observability.tracing import calling, within
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config

QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
PLAN = "Rank them by what they spent."
SCRIPT = {"sql_reasoning": [Answer(text=PLAN)], "sql_generation": [Answer(json={"sql": RIGHT})]}
NOWHERE = "http://127.0.0.1:9"


def keys() -> dict[str, str]:
    """The SDK keeps one client for a public key, closed or not: every test has one of its own."""
    return {"LANGFUSE_PUBLIC_KEY": f"pk-{uuid.uuid4()}", "LANGFUSE_SECRET_KEY": "sk-very-secret"}


class Traces:
    """What an exporter was given, once the service has stopped."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()

    @property
    def spans(self) -> list[ReadableSpan]:
        return sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def of(self, ask_id: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.context.trace_id == int(ask_id, 16)]

    def named(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def children(self, parent: ReadableSpan) -> list[ReadableSpan]:
        return [span for span in self.spans if span.parent and span.parent.span_id == parent.context.span_id]

    @property
    def text(self) -> str:
        return "\n".join(span.to_json() for span in self.spans)


def said(span: ReadableSpan, key: str) -> Any:
    return (span.attributes or {}).get(f"langfuse.observation.{key}")


@asynccontextmanager
async def traced_service(
    tmp_path: Path, traces: Traces, server: ChatServer, *, sampled: bool = True, **tracing: Any
) -> AsyncIterator[Client]:
    model = {"provider": "openai", "model": "gpt-clever-1", "api_base": server.api_base}
    config = write_config(
        tmp_path,
        llm={"default": {**model, "prices": {"prompt": 2.0, "completion": 8.0}}},
        tracing={"provider": "langfuse", "host": NOWHERE, **tracing},
        settings={"value_sampling": {"enabled": sampled}},
    )
    async with running_service(config, keys(), traces.exporter) as service:
        await service.prepare()
        yield service


async def test_an_ask_is_one_trace_with_a_span_for_each_pipeline_and_node(tmp_path: Path) -> None:
    traces = Traces()
    async with ChatServer(SCRIPT) as server, traced_service(tmp_path, traces, server) as service:
        result = await service.answer(QUESTION, execute=True)
    mine = traces.of(result["trace_id"])
    assert len(mine) == len(traces.spans)  # the preparation is no ask
    root = traces.named("ask")
    pipelines = [span.name for span in traces.children(root)]
    first, second, *beside, last, statement = pipelines
    assert (first, second, last, statement) == ("knowledge_indexing", "retrieval", "sql_generation", "execute")
    assert sorted(beside) == ["intent_classification", "sql_reasoning"]
    nodes = [span.name for span in traces.children(traces.named("sql_generation"))]
    assert nodes == ["prompt_text", "model_reply", "parsed"]
    replies = [span for span in traces.spans if span.name == "model_reply"]
    assert [[call.name for call in traces.children(reply)] for reply in replies] == [["chat gpt-clever-1"]] * 3
    assert {"question_embedding", "ranked_tables", "schema_context"} <= {
        span.name for span in traces.children(traces.named("retrieval"))
    }
    assert said(root, "metadata.status") == '"finished"'
    assert said(root, "metadata.source") == '"llm"'
    assert json.loads(said(root, "metadata.stage_ms")).keys() >= {"retrieval", "generation", "check"}


async def test_every_model_call_is_a_generation_with_model_tokens_and_cost(tmp_path: Path) -> None:
    traces = Traces()
    async with ChatServer(SCRIPT) as server, traced_service(tmp_path, traces, server) as service:
        usage = (await service.answer(QUESTION))["usage"]
    calls = [span for span in traces.spans if said(span, "type") == "generation"]
    assert len(calls) == usage["llm_calls"] == 3
    assert {said(call, "model.name") for call in calls} == {"gpt-clever-1"}
    tokens = [json.loads(said(call, "usage_details")) for call in calls]
    assert sum(one["input"] for one in tokens) == usage["prompt_tokens"] > 0
    assert sum(one["output"] for one in tokens) == usage["completion_tokens"] > 0
    costs = [json.loads(said(call, "cost_details"))["total"] for call in calls]
    assert abs(sum(costs) - usage["cost_usd"]) < 1e-9
    assert usage["cost_usd"] > 0


async def test_nothing_that_was_asked_or_answered_leaves_unless_it_is_switched_on(tmp_path: Path) -> None:
    traces = Traces()
    async with ChatServer(SCRIPT) as server, traced_service(tmp_path, traces, server) as service:
        await service.answer(QUESTION, execute=True)
        await service.answer("How many customers are there?", execute=True)
    assert len(traces.spans) > 10
    for word in (QUESTION, "keenest", PLAN, "SELECT", "total_spent", "customers", "Ada Lovelace", "sk-very-secret"):
        assert word.casefold() not in traces.text.casefold(), word


async def test_with_content_the_trace_shows_question_prompt_reply_and_sql_and_still_no_rows(tmp_path: Path) -> None:
    traces = Traces()
    # Prompts show sampled values, so there are none here.
    traced = {"content": True, "sampled": False}
    async with ChatServer(SCRIPT) as server, traced_service(tmp_path, traces, server, **traced) as service:
        await service.answer(QUESTION, execute=True)
    root, reply = traces.named("ask"), traces.children(traces.named("sql_generation"))[1]
    (generation,) = traces.children(reply)
    assert said(root, "input") == QUESTION
    assert "total_spent" in said(root, "output")
    assert [message["role"] for message in json.loads(said(generation, "input"))] == ["system", "user"]
    assert QUESTION in said(generation, "input")
    assert json.loads(said(generation, "output")) == {"sql": RIGHT}
    assert "Ada Lovelace" not in traces.text


@pytest.mark.deep
async def test_what_fails_is_an_error_by_its_code_in_each_span_that_it_broke(tmp_path: Path) -> None:
    traces = Traces()
    refusal = Answer(status=400, error={"message": "the account of Mr Private is closed"})
    async with ChatServer({"*": [refusal]}) as server, traced_service(tmp_path, traces, server) as service:
        result = await service.answer(QUESTION)
    broken = [span for span in traces.of(result["trace_id"]) if said(span, "level") == "ERROR"]
    assert {span.name: said(span, "status_message") for span in broken} == {
        "ask": "OTHERS",
        **dict.fromkeys(("intent_classification", "sql_reasoning", "sql_generation"), "MODEL_UNAVAILABLE"),
        **dict.fromkeys(("model_reply", "chat gpt-clever-1"), "MODEL_UNAVAILABLE"),
        # It was waiting for the reply, and let go.
        **{span.name: "CANCELLED" for span in broken if said(span, "status_message") == "CANCELLED"},
    }
    assert "Private" not in traces.text


@pytest.mark.deep
async def test_a_stopped_ask_leaves_a_whole_trace(tmp_path: Path) -> None:
    traces = Traces()
    async with ChatServer({"*": [Answer(text="…", hang=True)]}) as server:
        async with traced_service(tmp_path, traces, server) as service:
            ask_id = await service.ask(QUESTION)
            async with asyncio.timeout(10):
                while not server.requests:
                    await asyncio.sleep(0.01)
            await service.stop(ask_id)
    root = traces.named("ask")
    assert said(root, "metadata.status") == '"stopped"'
    replies = [span for span in traces.spans if span.name in ("model_reply", "chat gpt-clever-1")]
    assert {said(span, "status_message") for span in replies} == {"CANCELLED"}
    assert {span.context.span_id for span in traces.spans} >= {
        span.parent.span_id for span in traces.spans if span.parent and span is not root
    }


@pytest.mark.deep
@pytest.mark.parametrize("rate", [0.0, 0.5, pytest.param(1.0, marks=pytest.mark.deep)])
async def test_sampling_takes_whole_asks_by_their_ids(tmp_path: Path, rate: float) -> None:
    traces = Traces()
    async with ChatServer({}) as server, traced_service(tmp_path, traces, server, sample_rate=rate) as service:
        ids = [(await service.answer("How many customers are there?"))["trace_id"] for _ in range(12)]
    seen = {ask_id for ask_id in ids if traces.of(ask_id)}
    assert seen == {ask_id for ask_id in ids if int(ask_id[:8], 16) / 2**32 < rate}
    assert all(span.name == "ask" or span.parent for span in traces.spans)


class Broken(InMemorySpanExporter):
    def export(self, spans: Any) -> Any:
        raise RuntimeError("the exporter broke")


@pytest.mark.deep
async def test_an_exporter_that_breaks_breaks_no_ask(tmp_path: Path) -> None:
    traces = Traces()
    traces.exporter = Broken()
    async with ChatServer(SCRIPT) as server, traced_service(tmp_path, traces, server) as service:
        assert (await service.answer(QUESTION))["status"] == "finished"


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.deep
@pytest.mark.parametrize("where", ["refused", "silent"])
async def test_a_tracing_server_that_is_away_fails_no_ask_and_holds_up_no_stop(
    tmp_path: Path, silent_server: str, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    host = NOWHERE if where == "refused" else silent_server
    config = write_config(tmp_path, tracing={"provider": "langfuse", "host": host})
    # Three seconds for the last traces; the SDK by itself would take a minute and more.
    async with asyncio.timeout(20):
        with caplog.at_level(logging.WARNING):
            async with running_service(config, keys()) as service:
                await service.prepare()
                for _ in range(3):
                    assert (await service.answer("How many customers are there?"))["status"] == "finished"
    assert "could not be delivered" in caplog.text or "cannot be delivered" in caplog.text
    assert "Max retries exceeded" not in caplog.text


@pytest.mark.parametrize(
    ("provider", "room", "package", "extra"),
    [
        ("langfuse", "langfuse_tracing", "langfuse", "langfuse"),
        ("otlp", "otlp_tracing", "opentelemetry.exporter.otlp.proto.http.trace_exporter", "otel"),
    ],
)
def test_a_missing_package_is_told_with_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, room: str, package: str, extra: str
) -> None:
    config = load_config(write_config(tmp_path, tracing={"provider": provider}), keys())
    monkeypatch.delitem(sys.modules, f"askwell.observability.{room}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(ConfigurationError) as caught:
        Container.build(config)
    assert f"tracing.provider is {provider}" in caught.value.message
    assert f"{package} is not installed" in caught.value.message
    assert f"pip install 'askwell[{extra}]'" in caught.value.hint


def test_missing_keys_are_told_by_the_variables_that_should_hold_them(tmp_path: Path) -> None:
    path = write_config(tmp_path, tracing={"provider": "langfuse", "secret_key_env": "MY_SECRET"})
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, {})
    assert "tracing.public_key_env: the environment variable LANGFUSE_PUBLIC_KEY is not set." in caught.value.message
    assert "tracing.secret_key_env: the environment variable MY_SECRET is not set." in caught.value.message


def test_a_key_in_the_file_is_turned_away(tmp_path: Path) -> None:
    path = write_config(tmp_path, tracing={"provider": "langfuse", "secret_key": "sk-in-the-file"})
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, keys())
    assert "tracing.secret_key: a key does not belong here" in caught.value.message
    assert "sk-in-the-file" not in caught.value.message


def test_a_start_imports_nothing_that_it_may_not_need() -> None:
    """Tracing, and what pipelines bring that write with a language model. In a process of its own: other tests have
    imported it here."""
    code = "import sys, askwell.container, askwell.web.app; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"langfuse", "opentelemetry.sdk", "hamilton", "pandas", "haystack", "openai", "networkx", "requests"} & {
        *run.stdout.split()
    } == set()


@pytest.mark.parametrize("rate", [0.0, 1.0])
async def test_what_went_in_is_not_put_together_where_it_is_not_told(rate: float) -> None:
    """It may have to be masked first, which takes time."""
    from askwell.observability.otlp_tracing import OtlpTracing

    asked: list[str] = []

    def given() -> object:
        return asked.append("what went in")

    with calling(tool_call("find_values"), given=given):
        pass
    tracing = OtlpTracing(endpoint=NOWHERE, headers={}, sample_rate=rate, content=False)
    span = tracing.begin(uuid.uuid4().hex, "ask", given=given)
    assert (span is None) == (rate == 0.0)
    with within(span), calling(tool_call("find_values"), given=given):
        pass
    if span is not None:
        span.end()
    await tracing.close(0.1)
    assert asked == []


async def test_what_cannot_be_put_together_fails_no_call() -> None:
    from askwell.observability.langfuse_tracing import LangfuseTracing

    def given() -> object:
        raise ValueError("what went in cannot be masked")

    exporter = InMemorySpanExporter()
    named = keys()
    tracing = LangfuseTracing(
        host=NOWHERE,
        public_key=named["LANGFUSE_PUBLIC_KEY"],
        secret_key=named["LANGFUSE_SECRET_KEY"],
        content=True,
        exporter=exporter,
    )
    root = tracing.begin(uuid.uuid4().hex, "ask", given=lambda: QUESTION)
    with within(root), calling(tool_call("find_values"), given=given):
        pass
    assert root is not None
    root.end()
    await tracing.close(5)
    assert len(exporter.get_finished_spans()) == 2
