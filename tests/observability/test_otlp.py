"""A traced ask arrives at a collector as the conventions have it, and tells nothing that it was not allowed to tell.

Most tests share one service and collector, and look for the spans of their own traces.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from askwell.observability.operations import Operation
from askwell.observability.otel_tracing import OtelTracing
from askwell.observability.trace_context import TraceContext, read_traceparent
from askwell.observability.tracing import Outcome
from tests.fakes.openai_server import Answer, Call, ChatServer
from tests.fakes.otlp_collector import OtlpCollector, Received
from tests.mcp_server.clients import over_http
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
# A follow-up, which takes two calls.
BEFORE = [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]
WRITTEN = {"plan": "Rank them by what they spent.", "sql": RIGHT}
SCRIPT = {"sql_generation": [Answer(json=WRITTEN)]}
COUNT = "How many customers are there?"
MODEL = "gpt-clever-1"
LOOK = Answer(calls=[Call("find_tables", {"query": "CANARY-ARGUMENT"}), Call("describe_table", {"table": "nope"})])
ASK = Answer(calls=[Call("ask_data", {"question": COUNT})])
TALK = {"conversation": [LOOK, ASK, Answer(text="There are some.")]}
LANGFUSE_KEYS = {"LANGFUSE_PUBLIC_KEY": f"pk-{uuid.uuid4()}", "LANGFUSE_SECRET_KEY": "sk-very-secret"}


def caller() -> tuple[str, str]:
    """The trace and the span of a request's caller."""
    return uuid.uuid4().hex, uuid.uuid4().hex[:16]


@asynccontextmanager
async def traced_service(
    tmp_path: Path,
    collector: OtlpCollector,
    server: ChatServer | None = None,
    *,
    environ: dict[str, str] | None = None,
    exporter: Any = None,
    llm: dict[str, Any] | None = None,
    sampled: bool = True,
    **tracing: Any,
) -> AsyncIterator[Client]:
    sections: dict[str, Any] = {}
    if server is not None:
        prices = {"prompt": 2.0, "completion": 8.0}
        model = {"provider": "openai", "model": MODEL, "api_base": server.api_base, "prices": prices}
        sections["llm"] = {"default": model | (llm or {})}
    config = write_config(
        tmp_path,
        tracing={"provider": "otlp", "endpoint": collector.url, **tracing},
        settings={"value_sampling": {"enabled": sampled}},
        **sections,
    )
    async with running_service(config, environ, exporter) as service:
        await service.prepare()
        yield service


@dataclass
class Traced:
    """A service, the server of its model, and the collector that its traces go to."""

    service: Client
    server: ChatServer
    collector: OtlpCollector

    async def until(self, trace_id: str, *names: str) -> list[Received]:
        """The spans of a trace once those of these names are there: the outermost comes last."""
        async with asyncio.timeout(15):
            while not {*names} <= {span.name for span in self.collector.of(trace_id)}:
                await asyncio.sleep(0.02)
        return self.collector.of(trace_id)

    async def asked(self, question: str, **body: Any) -> tuple[dict[str, Any], Received, list[Received]]:
        """The result of an ask, its outermost span, and all spans of it."""
        result = await self.service.answer(question, **body)
        spans = await self.until(result["trace_id"], "ask")
        return result, named(spans, "ask"), spans


def named(spans: Sequence[Received], name: str) -> Received:
    (found,) = [span for span in spans if span.name == name]
    return found


def chats(spans: Sequence[Received]) -> list[Received]:
    return [span for span in spans if span.name == f"chat {MODEL}"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def traced(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Traced]:
    """Sends to Langfuse too: one ask has the same spans in both places."""
    os.environ["OTEL_BSP_SCHEDULE_DELAY"] = "50"
    try:
        async with OtlpCollector() as collector, ChatServer(SCRIPT | TALK) as server:
            folder = tmp_path_factory.mktemp("traced")
            both = {"provider": ["langfuse", "otlp"], "host": "http://127.0.0.1:9", "environ": LANGFUSE_KEYS}
            async with traced_service(folder, collector, server, exporter=LANGFUSE, **both) as service:
                yield Traced(service, server, collector)
    finally:
        del os.environ["OTEL_BSP_SCHEDULE_DELAY"]


LANGFUSE = InMemorySpanExporter()


async def test_an_ask_with_two_model_calls_is_one_tree(traced: Traced) -> None:
    result, root, mine = await traced.asked(QUESTION, histories=BEFORE, execute=True)
    assert (root.trace_id, root.parent, root.kind) == (result["trace_id"], "", "INTERNAL")
    ids = {span.span_id for span in mine}
    assert all(span.parent in ids for span in mine if span is not root)
    tree = traced.collector.tree(root)
    for pipeline in ("sql_generation", "intent_classification"):
        assert tree[pipeline]["model_reply"] == {f"chat {MODEL}": {}}
    assert [*tree["sql_generation"]] == ["prompt_text", "model_reply", "parsed"]
    assert {"question_embedding", "ranked_tables", "schema_context"} <= tree["retrieval"].keys()
    assert "execute" in tree
    assert root.attributes["askwell.status"] == "finished"
    assert root.attributes["askwell.source"] == "llm"
    assert root.attributes["askwell.llm_calls"] == 2
    assert root.attributes["askwell.stage_ms.generation"] > 0
    assert not any(span.is_error for span in mine)
    assert root.resource["service.name"] == "askwell"
    assert root.resource["telemetry.sdk.language"] == "python"
    assert root.resource["service.instance.id"]
    async with asyncio.timeout(10):  # Langfuse is sent spans every two seconds
        while len(there := [one for one in LANGFUSE.get_finished_spans() if one.name in ("ask", "sql_generation")]) < 2:
            await asyncio.sleep(0.05)
    assert {f"{span.context.trace_id:032x}" for span in there} == {root.trace_id}


async def test_calls_of_models_and_databases_are_told_in_the_conventions_names(traced: Traced) -> None:
    result, _, mine = await traced.asked(QUESTION, histories=BEFORE, execute=True)
    usage, calls = result["usage"], chats(mine)
    assert len(calls) == usage["llm_calls"] == 2
    for call in calls:
        assert call.kind == "CLIENT"
        told = dict(call.attributes)
        assert told.pop("gen_ai.usage.input_tokens") > 0
        assert told.pop("gen_ai.usage.output_tokens") > 0
        assert told.pop("askwell.cost_usd") > 0
        assert told.pop("gen_ai.output.type") in ("json", "text")
        assert told.pop("gen_ai.request.stream") in (True, False)
        told.pop("gen_ai.request.max_tokens", None)
        assert told == {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": MODEL,
            "gen_ai.request.temperature": 0,
            "gen_ai.response.model": MODEL,
            "gen_ai.response.finish_reasons": ["stop"],
            "server.address": "127.0.0.1",
            "server.port": int(traced.server.api_base.split(":")[2].split("/")[0]),
            "askwell.requests": 1,
        }
    assert sum(call.attributes["gen_ai.usage.input_tokens"] for call in calls) == usage["prompt_tokens"]
    assert sum(call.attributes["gen_ai.usage.output_tokens"] for call in calls) == usage["completion_tokens"]
    assert abs(sum(call.attributes["askwell.cost_usd"] for call in calls) - usage["cost_usd"]) < 1e-9
    statement = named(mine, "execute")
    assert statement.kind == "CLIENT"
    assert statement.attributes == {"db.system.name": "sqlite", "db.operation.name": "execute"}


async def test_an_embedders_calls_are_told_too_and_no_text(tmp_path: Path) -> None:
    async with OtlpCollector() as collector:
        async with ChatServer(SCRIPT) as server:
            place = {"provider": "openai", "model": "small-embedder", "dimensions": 384, "api_base": server.api_base}
            config = write_config(
                tmp_path,
                api_base=server.api_base,
                embedder={"default": place},
                tracing={"provider": "otlp", "endpoint": collector.url},
            )
            async with running_service(config) as service:
                await service.prepare()
                await service.answer(QUESTION)
    calls = collector.all_named("embeddings small-embedder")
    assert calls
    assert calls[0].kind == "CLIENT"
    told = {name: value for name, value in calls[0].attributes.items() if not name.startswith("server.")}
    assert told == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small-embedder",
        "gen_ai.embeddings.dimension.count": 384,
        "askwell.texts": 1,
    }
    assert "keenest" not in collector.text


@pytest.mark.parametrize(
    ("script", "requests"),
    [
        ({"sql_generation": [Answer(status=503), Answer(status=503), Answer(json={"sql": RIGHT})]}, [3]),
        ({"*": [Answer(status=400, error={"message": "the account of Mr Private is closed"})]}, None),
    ],
    ids=["retries", "refusals"],
)
async def test_retries_are_one_call_and_what_fails_is_an_error_by_its_code(
    tmp_path: Path, script: dict[str, list[Answer]], requests: list[int] | None
) -> None:
    async with OtlpCollector() as collector:
        script = {**SCRIPT, **script} if requests else script
        async with ChatServer(script) as server, traced_service(tmp_path, collector, server) as service:
            status = (await service.answer(QUESTION))["status"]
    calls, broken = chats(collector.spans), [span for span in collector.spans if span.is_error]
    if requests:
        assert status == "finished"
        assert sorted(call.attributes["askwell.requests"] for call in calls) == requests
        assert not any(call.is_error for call in calls)
        return
    assert collector.named("ask").attributes["error.type"] == "OTHERS"
    assert {call.attributes["error.type"] for call in calls} == {"MODEL_UNAVAILABLE"}
    assert {span.attributes["error.type"] for span in broken} == {"OTHERS", "MODEL_UNAVAILABLE"}
    # What waited for the reply let go, which is no error of its own.
    assert [span for span in broken if span.attributes.get("askwell.cancelled")] == []
    assert "Private" not in collector.text


@pytest.mark.deep
async def test_a_stopped_ask_leaves_a_whole_trace(tmp_path: Path) -> None:
    async with OtlpCollector() as collector, ChatServer({"*": [Answer(text="…", hang=True)]}) as server:
        async with traced_service(tmp_path, collector, server) as service:
            ask_id = await service.ask(QUESTION)
            async with asyncio.timeout(10):
                while not server.requests:
                    await asyncio.sleep(0.01)
            await service.stop(ask_id)
    root = collector.named("ask")
    assert root.attributes["askwell.status"] == "stopped"
    mine = collector.of(root.trace_id)
    assert {call.attributes.get("askwell.cancelled") for call in chats(mine)} == {True}
    assert {span.span_id for span in mine} >= {span.parent for span in mine if span is not root}


async def test_with_content_there_are_question_prompts_replies_and_sql_and_still_no_rows(tmp_path: Path) -> None:
    script = {**SCRIPT, "sql_answer": [Answer(text="She is the one, CANARY-REPLY.")]}
    async with OtlpCollector() as collector:
        async with (
            ChatServer(script) as server,
            # Prompts show sampled values, so there are none here.
            traced_service(tmp_path, collector, server, content=True, sampled=False) as service,
        ):
            result = await service.answer(QUESTION, execute=True)
            body = {"query": QUESTION, "sql": result["response"][0]["sql"]}
            status, accepted = await service.call("POST", "/v1/sql-answers", json=body)
            assert status == 202, accepted
            _, words = await service.call("GET", f"/v1/sql-answers/{accepted['query_id']}/streaming")
            assert "CANARY-REPLY" in words
            sent = "".join(request.user for request in server.requests)
    assert "Ada Lovelace" in sent  # the words were written from a prompt that has the row
    root = collector.named("ask")
    assert root.attributes["askwell.given"] == QUESTION
    assert "total_spent" in root.attributes["askwell.gave"]
    generation = collector.children(collector.named("sql_generation"))[1]
    (call,) = collector.children(generation)
    messages = json.loads(call.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in messages] == ["system", "user"]
    assert QUESTION in messages[1]["parts"][0]["content"]
    (reply,) = json.loads(call.attributes["gen_ai.output.messages"])
    assert json.loads(reply["parts"][0]["content"]) == WRITTEN
    assert reply["finish_reason"] == "stop"
    assert "total_spent" in collector.all_named("execute")[0].attributes["db.query.text"]
    answer = [span for span in chats(collector.spans) if span.trace_id == accepted["query_id"]]
    assert [span.attributes.get("gen_ai.input.messages") for span in answer] == [None]
    assert "Ada Lovelace" not in collector.text


async def test_a_run_of_an_agent_is_an_invocation_with_its_calls_and_tools(traced: Traced) -> None:
    run_id, thread_id = await _talk(traced.service, "CANARY-MESSAGE: tell me about the data.")
    mine, collector = await traced.until(run_id, "run"), traced.collector
    agent = named(mine, "invoke_agent default")
    assert agent.parent == named(mine, "run").span_id
    assert agent.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert agent.attributes["gen_ai.agent.id"] == "default"
    assert agent.attributes["gen_ai.conversation.id"] == thread_id
    calls = [span.name for span in collector.children(agent)]
    assert [name for name in calls if name.startswith("chat")] == [f"chat {MODEL}"] * 3
    assert sorted(name for name in calls if name.startswith("execute_tool")) == [
        "execute_tool ask_data",
        "execute_tool describe_table",
        "execute_tool find_tables",
    ]
    reasons = [span.attributes["gen_ai.response.finish_reasons"] for span in chats(mine)]
    assert reasons.count(["tool_calls"]) == 2
    unknown = named(mine, "execute_tool describe_table")
    assert unknown.is_error
    assert unknown.attributes["gen_ai.tool.name"] == "describe_table"
    # The question that it put to the data is a job of its own, which leads back to the call.
    tool = named(mine, "execute_tool ask_data")
    question = named(await traced.until(tool.attributes["askwell.job_id"], "ask"), "ask")
    assert question.links == ((tool.trace_id, tool.span_id),)
    assert question.trace_id != run_id


async def _talk(service: Client, message: str) -> tuple[str, str]:
    status, begun = await service.call("POST", "/v1/chats", json={"message": message})
    assert status in (200, 202), begun
    async with asyncio.timeout(20):
        while True:
            _, run = await service.call("GET", f"/v1/runs/{begun['run_id']}")
            if run["status"] in ("finished", "failed", "stopped"):
                assert run["status"] == "finished", run
                return begun["run_id"], begun["thread_id"]
            await asyncio.sleep(0.02)


class TestRequests:
    async def test_an_ask_leads_to_the_request_that_began_it_and_back(self, traced: Traced) -> None:
        _, root, _ = await traced.asked(COUNT)
        ((trace_id, span_id),) = root.links
        (request,) = await traced.until(trace_id, "POST /asks")
        assert (request.span_id, request.kind, request.parent) == (span_id, "SERVER", "")
        assert request.attributes["askwell.job_id"] == root.trace_id != trace_id
        assert request.attributes["http.route"] == "/asks"
        assert request.attributes["http.request.method"] == "POST"
        assert request.attributes["url.scheme"] == "http"
        assert request.attributes["http.response.status_code"] == 202

    @pytest.mark.parametrize(("flags", "is_traced"), [("01", True), ("00", False)])
    async def test_a_callers_trace_goes_on_in_the_request_where_the_caller_samples_it(
        self, traced: Traced, flags: str, is_traced: bool
    ) -> None:
        trace_id, span_id = caller()
        # The server of these tests trusts a proxy on loopback, as one does whose `server.trusted_proxies` has it.
        headers = {"traceparent": f"00-{trace_id}-{span_id}-{flags}", "X-Forwarded-Proto": "https"}
        _, told = await traced.service.call("POST", "/v1/asks", json={"query": COUNT}, headers=headers)
        await traced.service.end(told["query_id"])
        await traced.service.call("GET", f"/v1/asks/{told['query_id']}/result", headers=headers)
        (ask,) = [span for span in await traced.until(told["query_id"], "ask") if span.name == "ask"]
        if not is_traced:
            assert (traced.collector.of(trace_id), ask.links) == ([], ())
            return
        asked, polled = await traced.until(trace_id, "POST /asks", "GET /asks/{query_id}/result")
        assert (asked.parent, polled.parent) == (span_id, span_id)
        assert asked.attributes["url.scheme"] == "https"
        assert ask.links == ((trace_id, asked.span_id),)

    async def test_a_header_that_is_not_valid_is_ignored(self, traced: Traced) -> None:
        headers = {"traceparent": f"00-{'0' * 32}-{caller()[1]}-01"}
        _, told = await traced.service.call("POST", "/v1/asks", json={"query": COUNT}, headers=headers)
        await traced.service.end(told["query_id"])
        ((trace_id, _),) = named(await traced.until(told["query_id"], "ask"), "ask").links
        assert named(await traced.until(trace_id, "POST /asks"), "POST /asks").parent == ""

    async def test_what_is_no_header_of_the_specification(self) -> None:
        trace_id, span_id = caller()
        for sent in ("", "nonsense", "ff-{}-{}-01", "00-{}-0000000000000000-01", "00-{}", "00-{}-{}-01-more"):
            assert read_traceparent(sent.format(trace_id, span_id)) is None, sent
        assert read_traceparent(f"00-{trace_id.upper()}-{span_id}-01") is None
        # Versions to come may say more.
        assert read_traceparent(f"cc-{trace_id}-{span_id}-03-more") == TraceContext(trace_id, span_id)

    async def test_polls_probes_and_scrapes_of_no_trace_are_none_and_what_is_no_route_is_not_named(
        self, traced: Traced
    ) -> None:
        trace_id, span_id = caller()
        for path in ("/metrics", "/v1/metrics", "/v1/health/live"):
            await traced.service.call("GET", path, headers={"traceparent": f"00-{trace_id}-{span_id}-01"})
        await traced.service.call("GET", "/health/ready")
        await traced.service.call("POST", "/v1/CANARY", json={})
        await traced.service.call("PROPFIND", "/v1/CANARY")
        async with asyncio.timeout(10):
            while not (other := traced.collector.all_named("HTTP")):
                await asyncio.sleep(0.02)
        assert [span.attributes["http.request.method"] for span in other] == ["_OTHER"]
        assert traced.collector.named("POST").attributes["http.request.method"] == "POST"
        assert traced.collector.of(trace_id) == []
        names = {span.name for span in traced.collector.spans if span.kind == "SERVER"}
        assert [name for name in names if "health" in name or "metrics" in name] == []

    @pytest.mark.parametrize("version", ["2026-07-28", pytest.param("2025-11-25", marks=pytest.mark.deep)])
    async def test_tools_called_over_mcp_belong_to_their_requests(self, traced: Traced, version: str) -> None:
        before = len(traced.collector.all_named("execute_tool find_values"))
        async with over_http(traced.service.url, version) as client:
            await client.call_tool("find_values", {"query": "CANARY"})
        async with asyncio.timeout(10):
            while len(tools := traced.collector.all_named("execute_tool find_values")) == before:
                await asyncio.sleep(0.02)
        spans = await traced.until(tools[-1].trace_id, "POST /mcp")
        assert tools[-1].parent in {span.span_id for span in spans if span.name == "POST /mcp"}


async def test_nothing_that_was_asked_or_answered_leaves_unless_it_is_switched_on(traced: Traced) -> None:
    """Of all that this module asked the service that the tests share."""
    await traced.asked(QUESTION, execute=True)
    await traced.service.call("GET", "/v1/asks/keenest", headers={"traceparent": "-".join(("00", *caller(), "01"))})
    await traced.asked(COUNT, execute=True)
    sent = traced.collector.text + "".join(span.to_json() for span in LANGFUSE.get_finished_spans())
    assert len(traced.collector.spans) > 10
    for word in case_table(__file__, "nothing_that_was_asked_or_answered_leaves_unless_it_is_switched_on"):
        assert word.casefold() not in sent.casefold(), word


async def test_a_model_server_hears_of_the_trace_only_where_that_is_configured(tmp_path: Path) -> None:
    async with OtlpCollector() as collector:
        async with ChatServer(SCRIPT) as server, traced_service(tmp_path, collector, server) as service:
            await service.answer(QUESTION)
            assert {request.traceparent for request in server.requests} == {None}
        tmp_path = tmp_path / "told"
        tmp_path.mkdir()
        told = {"trace_context": True}
        async with ChatServer(SCRIPT) as server, traced_service(tmp_path, collector, server, llm=told) as service:
            result = await service.answer(QUESTION, histories=BEFORE)
            sent = [(request.traceparent or "").split("-") for request in server.requests]
    ids = {span.span_id for span in chats(collector.spans)}
    assert [(version, trace_id, flags) for version, trace_id, _, flags in sent] == [
        ("00", result["trace_id"], "01")
    ] * 2
    assert len({span_id for _, _, span_id, _ in sent} & ids) == 2


@pytest.mark.parametrize("rate", [pytest.param(0.0, marks=pytest.mark.deep), 0.5])
async def test_sampling_takes_whole_asks_by_their_ids(tmp_path: Path, rate: float) -> None:
    async with OtlpCollector() as collector, traced_service(tmp_path, collector, sample_rate=rate) as service:
        ids = [(await service.answer(COUNT))["trace_id"] for _ in range(12)]
    seen = {ask_id for ask_id in ids if collector.of(ask_id)}
    assert seen == {ask_id for ask_id in ids if int(ask_id[:8], 16) / 2**32 < rate}
    # Nothing of one that is left out hangs on to the request that began it.
    assert {span.name for span in collector.spans if not span.parent} <= {
        "ask",
        "POST /asks",
        "POST /semantics-preparations",
    }
    assert [span for span in collector.spans if span.kind == "SERVER" and collector.children(span)] == []


async def test_what_cannot_be_written_down_costs_neither_the_work_nor_the_span() -> None:
    circular: list[object] = []
    circular.append(circular)
    facts: dict[Any, object] = {"known": 1, 2: "is no name"}
    async with OtlpCollector() as collector:
        tracing = OtelTracing(content=True)
        tracing.send_by_otlp(f"{collector.url}/v1/traces", {})
        root = tracing.begin(uuid.uuid4().hex, "ask", given=lambda: circular)
        assert root is not None
        call = root.call(Operation("chat", "chat x"), given=lambda: [{"role": "user"}])
        call.note(facts)
        call.end(Outcome(gave=circular, facts={"told": 2}, error="BROKEN"))
        root.end(Outcome(gave=circular, name="ask again"))
        await tracing.close(5)
    assert collector.named("chat x").attributes == {"askwell.known": 1, "askwell.told": 2, "error.type": "BROKEN"}
    assert collector.named("chat x").is_error
    assert collector.named("ask again").attributes == {}


class TestACollectorThatIsAway:
    @pytest.mark.parametrize(
        "how",
        [pytest.param("refused", marks=pytest.mark.deep), "silent", pytest.param("broken", marks=pytest.mark.deep)],
    )
    async def test_no_ask_fails_or_waits_and_the_end_is_bounded(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
    ) -> None:
        async with OtlpCollector(status=503 if how == "broken" else 200, silent=how == "silent") as collector:
            if how == "refused":
                collector.url = "http://127.0.0.1:9"
            with caplog.at_level(logging.WARNING):
                # Three seconds for the last traces; the SDK by itself would take half a minute.
                async with asyncio.timeout(15), traced_service(tmp_path, collector) as service:
                    for _ in range(3):
                        assert (await service.answer(COUNT))["status"] == "finished"
        ours = [one for one in caplog.records if one.name.startswith("askwell.observability")]
        assert [one for one in ours if "delivered" in one.getMessage()]
        assert "Max retries exceeded" not in caplog.text
        assert len([one for one in ours if "cannot be delivered" in one.getMessage()]) <= 1

    async def test_spans_that_cannot_be_sent_are_dropped_beyond_a_bound(self) -> None:
        async with OtlpCollector(silent=True) as collector:
            tracing = OtelTracing()
            tracing.send_by_otlp(f"{collector.url}/v1/traces", {})
            for _ in range(10_000):
                span = tracing.begin(uuid.uuid4().hex, "ask")
                assert span is not None
                span.end(Outcome())
            await tracing.close(0.1)
            collector.answer()
            async with asyncio.timeout(20):
                while len(collector.spans) < 2_048:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)  # for what should not come
        # Those that were kept, and what was on its way.
        assert len(collector.spans) <= 2_048 + 512


class TestSettings:
    async def test_headers_come_from_the_environment_and_show_nowhere(self, tmp_path: Path) -> None:
        environ = {"MY_HEADERS": "authorization=Bearer%20CANARY-SECRET,x-team=data"}
        async with OtlpCollector() as collector:
            async with traced_service(tmp_path, collector, environ=environ, headers_env="MY_HEADERS") as service:
                await service.answer(COUNT)
        (request, *_) = collector.requests
        assert request["Authorization"] == "Bearer CANARY-SECRET"
        assert request["x-team"] == "data"
        assert request["Content-Type"] == "application/x-protobuf"
        assert "CANARY" not in collector.text

    async def test_opentelemetrys_variables_say_what_the_configuration_leaves_open(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OTEL_SERVICE_NAME", "answers")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging")
        async with OtlpCollector() as collector:
            environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-team=data"}
            async with traced_service(tmp_path, collector, environ=environ, endpoint=None) as service:
                await service.answer(COUNT)
        resource = collector.named("ask").resource
        assert resource["service.name"] == "answers"
        assert resource["deployment.environment.name"] == "staging"
        assert collector.requests[0]["x-team"] == "data"
