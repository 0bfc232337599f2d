"""Values that are everyday words: what a model wrote with their tokens goes back to it with tokens, whatever it is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.agent.talking import Talk
from tests.fakes.openai_server import Answer, Call, ChatScript, ChatServer
from tests.privacy.shop import make_shop, manifest
from tests.support.job_calls import Jobs
from tests.support.service import running_service, write_config

pytestmark = pytest.mark.asyncio(loop_scope="module")

RULES_OFF = {"rules_mode": "off", "scope_gate": False}
LOOK = "1. **Look**: use TEXT_1.\n2. Count orders whose note is TEXT_1, not TEXT_1s."
SQL = "SELECT COUNT(id) AS n FROM orders WHERE note = 'TEXT_1'"
VALUES = [
    ('How many orders have the note "{}"?', "breast cancer"),
    ('How many orders have the note "{}"?', "red"),
    ('How many orders have the note "{}"?', "month"),
    ("How many orders did {} place?", "Grace"),
    ("How many orders did {} place?", "Mark Brown"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def jobs(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Jobs]:
    folder = tmp_path_factory.mktemp("everyday")
    async with ChatServer() as model:
        config = write_config(
            folder, api_base=model.api_base, data_sources=_sources(folder), settings=RULES_OFF, privacy="values_stay"
        )
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            yield Jobs(service, model)


def _sources(folder: Path) -> dict[str, Any]:
    return {"default": {"engine": "sqlite", "path": str(make_shop(folder / "canaries.sqlite")), "shared": True}}


def sent(jobs: Jobs, stage: str) -> list[str]:
    """What stands in the messages of a stage's requests, with what tools were asked."""
    assert jobs.model is not None
    requests = [one for one in jobs.model.requests if one.stage == stage]
    return [json.dumps(one.messages, ensure_ascii=False) for one in requests]


@pytest.mark.parametrize(("question", "value"), VALUES)
async def test_what_was_planned_comes_back_with_tokens(jobs: Jobs, question: str, value: str) -> None:
    said = {"rephrased_question": "How many have TEXT_1?", "reasoning": "TEXT_1 is a note", "intent": "TEXT_TO_SQL"}
    wrong = "SELECT id FROM orders WHERE nosuch = 'TEXT_1'"
    jobs.script(
        intent_classification=[Answer(json=said)],
        sql_generation=[Answer(json={"plan": LOOK, "sql": wrong})],
        sql_diagnosis=[Answer(json={"reasoning": "TEXT_1 is no column"})],
        sql_correction=[Answer(json={"sql": SQL})],
    )
    before = [{"question": "How many orders are there?", "sql": "SELECT COUNT(*) AS n FROM orders"}]
    end = await jobs.service.answer(question.format(value), histories=before)
    assert end["status"] == "finished", end
    assert f"'{value}'" in end["response"][0]["sql"]
    correction = "".join(sent(jobs, "sql_correction"))
    assert "use TEXT_1." in correction
    assert "TEXT_1s" in correction
    assert "nosuch = 'TEXT_1'" in correction
    assert jobs.model is not None
    for told in (json.dumps(one.messages, ensure_ascii=False) for one in jobs.model.requests):
        for before in ("use ", "note is ", "not ", "have ", "'", '\\"'):
            assert f"{before}{value}" not in told


async def test_one_call_that_plans_and_writes_tells_none_and_streams_them(tmp_path: Path) -> None:
    wrong = {"intent": "TEXT_TO_SQL", "plan": LOOK, "sql": "SELECT id FROM orders WHERE nosuch = 'TEXT_1'"}
    script = {"sql_generation": [Answer(json=wrong, chunk_delay=0.001)], "sql_correction": [Answer(json={"sql": SQL})]}
    async with ChatServer(script) as model:
        config = write_config(
            tmp_path,
            api_base=model.api_base,
            data_sources=_sources(tmp_path),
            settings=RULES_OFF,
            privacy="values_stay",
        )
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            ask = await service.ask('How many orders have the note "breast cancer"?')
            end, text = await service.end(ask), await service.text(ask)
        assert [request.stage for request in model.requests] == ["sql_generation", "sql_correction"]
        told = json.dumps([request.messages for request in model.requests], ensure_ascii=False)
    assert "'breast cancer'" in end["response"][0]["sql"]
    assert text == end["sql_generation_reasoning"]
    assert text.startswith("1. **Look**: use breast cancer.")
    assert "use TEXT_1." in told
    assert "breast cancer" not in told


async def test_a_conversation_says_its_values_once(jobs: Jobs, tmp_path: Path) -> None:
    assert jobs.model is not None
    talk = Talk(jobs.service, jobs.model, tmp_path, manifest())
    find = Answer(text="I look for TEXT_1.", calls=[Call("find_values", {"text": "TEXT_1"})])
    jobs.model.replace(ChatScript({"conversation": [find, Answer(text="No order has TEXT_1.")]}))
    jobs.model.requests.clear()
    run = await talk.say('Which orders have the note "breast cancer"?')
    assert run["status"] == "finished", run
    jobs.model.replace(ChatScript({"conversation": [Answer(text="As I said.")]}))
    again = await talk.say("And before?", thread_id=run["thread_id"])
    assert again["status"] == "finished", again
    told = sent(jobs, "conversation")
    assert len(told) >= 3
    assert all("breast cancer" not in one for one in told)
    assert "I look for TEXT_1." in told[1]


async def test_a_typed_token_stands_for_itself(jobs: Jobs) -> None:
    jobs.script(sql_generation=[Answer(json={"sql": "SELECT id FROM orders WHERE note IN ('TEXT_1', 'TEXT_2')"})])
    end = await jobs.service.answer('Which orders have the note TEXT_1 or "red rose"?')
    assert "'TEXT_1', 'red rose'" in end["response"][0]["sql"]


async def test_traces_hold_no_everyday_value(tmp_path: Path) -> None:
    """Of statements that ran, of tools that were called, and of prompts."""
    exporter = InMemorySpanExporter()
    tracing = {"provider": "langfuse", "host": "http://127.0.0.1:9", "content": True}
    keys = {"LANGFUSE_PUBLIC_KEY": "pk-lf-2", "LANGFUSE_SECRET_KEY": "sk-lf-2"}
    async with ChatServer({"sql_generation": [Answer(json={"plan": LOOK, "sql": SQL})]}) as model:
        config = write_config(
            tmp_path,
            api_base=model.api_base,
            data_sources=_sources(tmp_path),
            privacy="values_stay",
            settings=RULES_OFF,
            tracing=tracing,
        )
        async with running_service(config, keys, exporter) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            asked = await service.answer('How many orders have the note "breast cancer"?', execute=True)
            assert asked["status"] == "finished", asked
            find = Answer(calls=[Call("find_values", {"text": "TEXT_1"})])
            model.replace(ChatScript({"conversation": [find, Answer(text="No order has TEXT_1.")]}))
            talk = Talk(service, model, tmp_path, manifest())
            assert (await talk.say('Who has "breast cancer"?'))["status"] == "finished"
    spans = [dict(span.attributes or {}) for span in exporter.get_finished_spans()]
    told = json.dumps(spans, default=str)
    given = [str(value).strip('"').replace("\\", "") for one in spans for value in one.values()]
    assert any(one.startswith("SELECT") and "'TEXT_1'" in one for one in given)
    assert any(one.startswith('{"text": "TEXT_1"') for one in given)
    assert "breast cancer" not in told
