"""Whatever a model, an embedder or a tracing server is sent, for whatever job: no value of the data, of questions, of
saved knowledge or of statements is in it."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.agent.talking import Talk
from tests.fakes.openai_server import Answer, Call, ChatScript, ChatServer
from tests.fakes.otlp_collector import OtlpCollector
from tests.mcp_server.clients import NEW, over_http
from tests.privacy.asking import found_in
from tests.privacy.shop import ROWS, make_shop, manifest
from tests.support.job_calls import BY_PATH, Jobs
from tests.support.service import running_service, write_config
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELD = {str(cell) for rows in ROWS.values() for row in rows for cell in row if len(str(cell)) > 4} | {"gronked"}
# Said by people, and in no table.
SAID = {
    "Wolbringer", "ZQ-5518-K", "88214", "quibberdash", "Ploverine", "2043", "brindlethwaite", "Snarvik", "67123",
    "hollumbra", "Fennimoor", "Okkertide", "crellwick", "77455", "Mirravane",
}  # fmt: skip
CANARIES = HELD | SAID
RULES_OFF = {"rules_mode": "off", "scope_gate": False}
SPENT = "SELECT full_name, city, amount FROM customers c JOIN orders o ON o.customer_id = c.id"
BY_CITY = (
    f"SELECT city, sum(amount) AS total FROM ({SPENT}) AS t WHERE city <> 'Wolbringer' GROUP BY city ORDER BY city"
)
BODIES: dict[str, dict[str, Any]] = case_table(__file__, "bodies")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["values_stay", "schema_only"])
async def jobs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Jobs]:
    folder = tmp_path_factory.mktemp("privacy")
    database = make_shop(folder / "canaries.sqlite")
    sources = {"default": {"engine": "sqlite", "path": str(database), "shared": True, "privacy": request.param}}
    settings = {**RULES_OFF, "sql_pairs_similarity": 0.0, "instructions_similarity": 0.0}
    async with ChatServer() as model:
        embedder = {"default": {"provider": "openai", "model": "e", "dimensions": 384, "api_base": model.api_base}}
        config = write_config(
            folder, api_base=model.api_base, data_sources=sources, settings=settings, embedder=embedder
        )
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            status, _ = await service.call(
                "POST",
                "/v1/sql-pairs",
                json={
                    "sql_pairs": [
                        {"id": "1", "question": "Orders of Okkertide above 77455?",
                         "sql": "SELECT id FROM orders WHERE note = 'Okkertide' AND amount > 77455"},
                        {"id": "2", "question": "Orders in crellwick?",
                         "sql": "SELECT count(*) AS \"Mirravane sales\" FROM orders WHERE note LIKE '%crellwick%'"},
                    ]
                },
            )  # fmt: skip
            assert status == 202
            rule = {"instruction": "Customers of Fennimoor are those above 67123 points.", "is_default": True}
            status, _ = await service.call("POST", "/v1/instructions", json={"instructions": [{"id": "3", **rule}]})
            assert status == 202
            yield Jobs(service, model)


def sent(jobs: Jobs) -> str:
    assert jobs.model is not None
    assert jobs.model.requests
    return json.dumps([request.body for request in jobs.model.requests], ensure_ascii=False)


async def caught(jobs: Jobs) -> list[str]:
    """By pipeline, how many values were in prompts when they were sent, and taken out there."""
    status, metrics = await jobs.service.call("GET", "/metrics")
    assert status == 200
    return [line for line in metrics.splitlines() if line.startswith("askwell_values_caught_total{")]


@pytest.mark.parametrize("path", sorted(BY_PATH))
async def test_no_job_tells_a_value(jobs: Jobs, path: str) -> None:
    assert set(BODIES) == set(BY_PATH), "a new kind of job: give it a body with canaries"
    before = await caught(jobs)
    server = jobs.script()
    status, answer = await jobs.service.call("POST", f"/v1/{path}", json=BODIES[path])
    assert status == 202, answer
    end = await jobs.end(path, answer[BY_PATH[path].id_name])
    assert end["status"] in ("finished", "succeeded", "failed"), end
    assert server.requests, end
    assert found_in(sent(jobs), CANARIES) == set()
    assert await caught(jobs) == before


async def test_no_stage_of_an_ask_tells_a_value(jobs: Jobs) -> None:
    """With earlier questions, an instruction, saved pairs, errors that quote values, a diagnosis and corrections."""
    wrong = "SELECT id FROM orders WHERE nosuch = 'TEXT_1'"
    jobs.script(sql_generation=[Answer(json={"sql": wrong})], sql_correction=[Answer(json={"sql": wrong})])
    end = await jobs.service.answer(
        "And those of Wolbringer with ZQ-5518-K above 88214 in brindlethwaite?",
        custom_instruction="Leave out hollumbra, and years before 2043.",
        histories=[{"question": "Orders of Ploverine?", "sql": "SELECT id FROM orders WHERE note = 'Ploverine'"}],
        execute=True,
    )
    assert end["status"] == "failed"
    assert {"intent_classification", "sql_generation", "sql_correction"} <= set(jobs.stages())
    assert found_in(sent(jobs), CANARIES) == set()
    # People read their own words.
    assert "TEXT_" not in json.dumps(end["error"])


async def test_the_same_ask_tells_them_where_they_may_leave(tmp_path: Path) -> None:
    """What is looked for is found where it is."""
    database = make_shop(tmp_path / "canaries.sqlite")
    sources = {"default": {"engine": "sqlite", "path": str(database), "shared": True}}
    async with ChatServer() as model:
        config = write_config(tmp_path, api_base=model.api_base, data_sources=sources, settings=RULES_OFF)
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            await service.answer("orders of Wolbringer above 88214, or of Quorin Tashbeck")
            found = found_in(sent(Jobs(service, model)), CANARIES)
    assert {"Wolbringer", "88214", "Quorin Tashbeck", "gronked"} <= found


@pytest.mark.parametrize("intent", ["GENERAL", "MISLEADING_QUERY", "USER_GUIDE"])
async def test_answers_in_words_have_the_values_back(jobs: Jobs, intent: str) -> None:
    said = {"intent": intent, "plan": "", "sql": ""}
    words = "TEXT_1 is not a table. Ask about NUMBER_99."
    stages = ("data_assistance", "misleading_assistance", "user_guide")
    jobs.script(sql_generation=[Answer(json=said)], **{stage: [words] for stage in stages})
    ask_id = await jobs.service.ask("what does wolbringer mean here")
    text = await jobs.service.text(ask_id)
    assert text.startswith("wolbringer is not a table.")
    assert found_in(sent(jobs), CANARIES) == set()


async def test_values_come_back_as_literals_whatever_they_hold(jobs: Jobs) -> None:
    jobs.script(sql_generation=[Answer(json={"sql": "SELECT phone FROM customers WHERE full_name = 'TEXT_1'"})])
    end = await jobs.service.answer('who is "x\' OR 1=1 --"', execute=True)
    assert end["status"] == "finished"
    assert end["data"]["rows"] == []
    assert "'x'' OR 1=1 --'" in end["response"][0]["sql"]


async def test_answers_from_rows_are_templates(jobs: Jobs) -> None:
    """With schema_only there are no rows to speak of."""
    server = jobs.script(sql_answer=["There is TEXT_2."])
    answer = await jobs.start("sql-answers", query="Who lives in Velmarsk?", sql="SELECT full_name FROM customers")
    words = await jobs.words(answer)
    assert found_in(sent(jobs), CANARIES) == set()
    shown = server.requests[0].user
    assert ("TEXT_2" in shown) == (words == "There is Quorin Tashbeck.")


async def test_conversations_tell_no_value(jobs: Jobs, tmp_path: Path) -> None:
    sql = "SELECT full_name, amount FROM customers c JOIN orders o ON o.customer_id = c.id ORDER BY amount DESC"
    assert jobs.model is not None
    talk = Talk(jobs.service, jobs.model, tmp_path, manifest())
    jobs.model.replace(
        ChatScript(
            {
                "conversation": [
                    Answer(text="Let me look.", calls=[Call("run_sql", {"sql": sql})]),
                    Answer(calls=[Call("ask_data", {"question": "orders of TEXT_1 above 88214"})]),
                    Answer(calls=[Call("find_values", {"text": "Velmarsk"})]),
                    Answer(text="TEXT_1 is not there."),
                ],
                "sql_generation": [Answer(json={"sql": "SELECT id FROM orders WHERE note = 'TEXT_1'"})],
                "conversation_suggestion": [Answer(text=json.dumps({"questions": ["Who is TEXT_1?"]}))],
            }
        )
    )
    jobs.model.requests.clear()
    run = await talk.say("Does Wolbringer buy more than 88214 in 2043?")
    assert run["status"] == "finished", run
    again = await talk.say("and quibberdash, and those of Snarvik?", thread_id=run["thread_id"])
    assert again["status"] == "finished", again
    assert len([one for one in jobs.model.requests if one.stage == "conversation"]) >= 4
    assert found_in(sent(jobs), CANARIES) == set()
    messages = [message for request in jobs.model.requests for message in request.messages]
    tools = [str(message["content"]) for message in messages if message["role"] == "tool"]
    assert '"rows": [["TEXT_' in tools[0] or '"rows": []' in tools[0]
    assert '"row_count": 4' in tools[0]
    assert "TEXT_1" not in json.dumps(run)


async def test_tools_of_a_client_tell_no_value(jobs: Jobs, tmp_path: Path) -> None:
    assert jobs.model is not None
    talk = Talk(jobs.service, jobs.model, tmp_path, manifest())
    parameters = {"type": "object", "properties": {"name": {"type": "string", "enum": ["orders", "Ploverine"]}}}
    tool = {"name": "read_file", "description": "Reads a file of Wolbringer.", "parameters": parameters}
    call = Answer(calls=[Call("read_file", {"name": "orders"}, id="read-1")])
    jobs.model.replace(ChatScript({"conversation": [call, Answer(text="It has NUMBER_1 orders.")]}))
    jobs.model.requests.clear()
    thread = uuid.uuid4().hex
    await talk.agui("What is in my file?", thread, tools=[tool])
    content = {"sum": 88214, "parts": [2043, {"of": 67123.5}], "by": "Wolbringer", "Ploverine": True}
    result = {"id": "r", "role": "tool", "toolCallId": "read-1", "content": json.dumps(content)}
    events = await talk.agui("", thread, tools=[tool], messages=[result])
    assert any(str(event.get("delta", "")).startswith("It has") for event in events), events
    assert found_in(sent(jobs), CANARIES | {"67123.5"}) == set()


async def test_embedders_are_told_no_value(jobs: Jobs) -> None:
    jobs.script()
    assert jobs.model is not None
    await jobs.service.answer("And those of Wolbringer above 88214?")
    assert "And those of something above something?" in jobs.model.embedded
    assert found_in(json.dumps(jobs.model.embedded, ensure_ascii=False), CANARIES) == set()


async def test_embedders_are_told_all_of_a_project_whose_values_may_leave(tmp_path: Path) -> None:
    """Its neighbour's stay, also where no job asks for it."""
    kept = {"engine": "sqlite", "path": str(make_shop(tmp_path / "kept.sqlite")), "privacy": "values_stay"}
    free = {"engine": "sqlite", "path": str(make_shop(tmp_path / "free.sqlite"))}
    async with ChatServer() as model:
        embedder = {"default": {"provider": "openai", "model": "e", "dimensions": 384, "api_base": model.api_base}}
        config = write_config(
            tmp_path, api_base=model.api_base, data_sources={"kept": kept, "free": free}, embedder=embedder
        )
        async with running_service(config) as service:
            told: dict[str, list[str]] = {}
            for project in ("kept", "free"):
                model.embedded.clear()
                assert (await service.prepare(manifest(), project_id=project))["status"] == "finished"
                pair = {"id": "1", "question": f"Orders of Okkertide in {project}?", "sql": "SELECT id FROM orders"}
                body = {"sql_pairs": [pair], "project_id": project}
                assert (await service.call("POST", "/v1/sql-pairs", json=body))[0] == 202
                await service.answer(f"Which {project} orders has Wolbringer?", project_id=project)
                async with over_http(service.url, NEW, {"X-Askwell-Project": project}) as client:
                    found = await client.call_tool("find_tables", {"query": f"{project} orders of Fennimoor"})
                    assert not found.is_error, found
                told[project] = list(model.embedded)
    assert any("of something in kept" in text for text in told["kept"])
    assert any("kept orders of something" in text for text in told["kept"])
    assert found_in(json.dumps(told["kept"]), CANARIES) == set()
    assert {"Okkertide", "Wolbringer", "Fennimoor", "gronked"} <= found_in(json.dumps(told["free"]), CANARIES)
    assert not any("something" in text for text in told["free"])


async def test_traces_of_requests_hold_no_value(tmp_path: Path) -> None:
    """Of tools that are called over MCP, and of statements that are tried before they are saved."""
    source = {"engine": "sqlite", "path": str(make_shop(tmp_path / "canaries.sqlite")), "shared": True}
    async with OtlpCollector() as collector:
        tracing = {"provider": "otlp", "endpoint": collector.url, "content": True}
        config = write_config(
            tmp_path, data_sources={"default": source}, privacy="values_stay", tracing=tracing, settings=RULES_OFF
        )
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            sql = "SELECT id FROM orders WHERE note = 'Okkertide' AND amount > 77455"
            pair = {"id": "1", "question": "Orders of Okkertide?", "sql": sql}
            assert (await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]}))[0] == 202
            async with over_http(service.url, NEW) as client:
                found = await client.call_tool("run_sql", {"sql": sql.replace("Okkertide", "Wolbringer")})
                assert not found.is_error, found
    (tool,) = collector.all_named("execute_tool run_sql")
    assert "note = 'TEXT_1'" in json.dumps(tool.attributes)
    assert found_in(collector.text, CANARIES) == set()


async def test_tools_that_are_called_before_the_model_share_the_tokens_of_their_run(tmp_path: Path) -> None:
    """In one trace a token stands for one value."""
    source = {"engine": "sqlite", "path": str(make_shop(tmp_path / "canaries.sqlite")), "shared": True}
    async with OtlpCollector() as collector, ChatServer({"conversation": [Answer(text="No.")]}) as model:
        tracing = {"provider": "otlp", "endpoint": collector.url, "content": True}
        config = write_config(
            tmp_path,
            api_base=model.api_base,
            data_sources={"default": source},
            privacy="values_stay",
            tracing=tracing,
        )
        async with running_service(config) as service:
            talk = Talk(service, model, tmp_path, manifest())
            assert (await service.prepare(manifest()))["status"] == "finished"
            sql = "SELECT id FROM orders WHERE note = 'Okkertide' OR note = 'Wolbringer'"
            agent = {"pre_tools": [{"tool": "run_sql", "arguments": {"sql": sql}}], "tools": []}
            assert (await talk.call("PUT", "/v1/agents/prepared", json=agent))[0] == 200
            run = await talk.say("Has Wolbringer ordered?", agent_id="prepared")
            assert run["status"] == "finished", run
    (tool,) = collector.all_named("execute_tool run_sql")
    assert "note = 'TEXT_2' OR note = 'TEXT_1'" in json.dumps(tool.attributes)


async def test_traces_hold_what_models_were_told(tmp_path: Path) -> None:
    database = make_shop(tmp_path / "canaries.sqlite")
    exporter = InMemorySpanExporter()
    sources = {"default": {"engine": "sqlite", "path": str(database), "shared": True}}
    async with ChatServer(
        {"sql_generation": [Answer(json={"sql": "SELECT id FROM orders WHERE note = 'TEXT_1' AND amount > NUMBER_2"})]}
    ) as model:
        config = write_config(
            tmp_path,
            api_base=model.api_base,
            data_sources=sources,
            privacy="values_stay",
            settings=RULES_OFF,
            tracing={"provider": "langfuse", "host": "http://127.0.0.1:9", "content": True},
        )
        keys = {"LANGFUSE_PUBLIC_KEY": "pk-lf-1", "LANGFUSE_SECRET_KEY": "sk-lf-1"}
        async with running_service(config, keys, exporter) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            assert (await service.answer("orders of Wolbringer above 88214"))["status"] == "finished"
    told = json.dumps([dict(span.attributes or {}) for span in exporter.get_finished_spans()], default=str)
    assert "orders of TEXT_1 above NUMBER_2" in told
    assert "note = 'TEXT_1'" in told
    assert found_in(told, CANARIES) == set()
