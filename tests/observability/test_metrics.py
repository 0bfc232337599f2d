"""What happened in a running service can be read from its metrics."""

from __future__ import annotations

import re
from pathlib import Path

from tests.fakes.openai_server import Answer, ChatServer
from tests.observability.scraping import scrape
from tests.support.service import running_service, write_config

DOCS = Path(__file__).parents[2] / "docs"
# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = {"sql": "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"}
PRICES = {"prices": {"prompt": 2.0, "completion": 8.0}}

# A follow-up takes two calls, for figures that differ.
BEFORE = [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]


def model_at(server: ChatServer) -> dict[str, object]:
    return {"default": {"provider": "openai", "model": "gpt-clever-1", "api_base": server.api_base, **PRICES}}


async def test_an_answer_by_rules_is_counted_without_a_model(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
        await service.answer("How many customers are there?", execute=True)
        seen = await scrape(service)
    assert seen.value("askwell_asks_total", status="finished", source="rules") == 1
    assert seen.value("askwell_asks_total") == 1
    assert seen.value("askwell_ask_seconds_count") == 1
    assert seen.value("askwell_stage_seconds_count", stage="rules") == 1
    assert seen.value("askwell_preparations_total", status="finished") == 1
    assert seen.value("askwell_engine_statements_total", operation="execute", outcome="ok") >= 1
    assert seen.value("askwell_model_calls_total") == 0
    assert seen.value("askwell_queue_depth") == seen.value("askwell_asks_running") == 0
    assert seen.value("askwell_build_info") == 1


async def test_model_calls_are_counted_with_what_they_cost(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": [Answer(json=RIGHT)]}) as server:
        async with running_service(write_config(tmp_path, llm=model_at(server))) as service:
            await service.prepare()
            usage = (await service.answer(QUESTION, histories=BEFORE))["usage"]
            seen = await scrape(service)
    calls = {name: seen.value("askwell_model_calls_total", pipeline=name, outcome="ok") for name in _PIPELINES}
    assert calls == {"intent_classification": 1, "sql_generation": 1}
    assert seen.value("askwell_tokens_total", model="gpt-clever-1", kind="prompt") == usage["prompt_tokens"] > 0
    assert seen.value("askwell_tokens_total", model="gpt-clever-1", kind="completion") == usage["completion_tokens"] > 0
    assert abs(seen.value("askwell_cost_usd_total", model="gpt-clever-1") - usage["cost_usd"]) < 1e-9
    assert usage["cost_usd"] > 0
    assert seen.value("askwell_asks_total", source="llm") == 1


async def test_calls_of_models_are_told_in_the_names_of_opentelemetrys_conventions(tmp_path: Path) -> None:
    script = {
        "intent_classification": [Answer(status=400, error={"message": "no"})],
        "sql_generation": [Answer(json=RIGHT)],
    }
    async with ChatServer(script) as server:
        async with running_service(write_config(tmp_path, llm=model_at(server))) as service:
            await service.prepare()
            await service.answer(QUESTION, histories=BEFORE)
            seen = await scrape(service)
    chat = {
        "gen_ai_operation_name": "chat",
        "gen_ai_provider_name": "openai",
        "gen_ai_request_model": "gpt-clever-1",
    }
    seconds = "gen_ai_client_operation_duration_seconds_count"
    assert seen.value(seconds, **chat, error_type="") == 1
    assert seen.value(seconds, **chat, error_type="MODEL_UNAVAILABLE") == 1


_PIPELINES = ("intent_classification", "sql_generation")


async def test_refusals_are_counted_by_rule_and_corrections_by_what_led_to_them(tmp_path: Path) -> None:
    harmful = Answer(json={"sql": "SELECT load_extension('secret-module') FROM customers"})
    unknown = Answer(json={"sql": "SELECT wobble_factor FROM customers"})
    script = {"sql_generation": [harmful], "sql_correction": [unknown, Answer(json=RIGHT)]}
    async with ChatServer(script) as server:
        async with running_service(write_config(tmp_path, llm=model_at(server))) as service:
            await service.prepare()
            assert (await service.answer(QUESTION))["status"] == "finished"
            seen = await scrape(service)
    assert seen.value("askwell_guard_refusals_total", rule="function_denied") == 1
    assert seen.value("askwell_guard_refusals_total") == 1
    assert seen.value("askwell_rejections_total", kind="GUARD") == 1
    assert seen.value("askwell_rejections_total", kind="BIND") == 1
    assert seen.value("askwell_corrections_total") == 2
    assert seen.value("askwell_stage_seconds_count", stage="correction") == 2
    assert "secret-module" not in seen.text
    assert "wobble" not in seen.text


async def test_a_slip_that_is_put_right_is_a_repair(tmp_path: Path) -> None:
    slip = Answer(json={"sql": "SELECT nam FROM customers"})
    async with ChatServer({"sql_generation": [slip]}) as server:
        async with running_service(write_config(tmp_path, llm=model_at(server))) as service:
            await service.prepare()
            result = await service.answer(QUESTION)
            seen = await scrape(service)
    assert seen.value("askwell_repairs_total") == len(result["repairs"]) == 1


async def test_what_ends_badly_is_counted_by_how(tmp_path: Path) -> None:
    down = Answer(status=400, error={"message": "no"})
    async with ChatServer({"*": [down]}) as server:
        async with running_service(write_config(tmp_path, llm=model_at(server))) as service:
            await service.answer("Anything before there is a model?")
            await service.prepare(mdl={"models": "none"})
            await service.prepare(mdl_hash="good")
            assert (await service.answer(QUESTION))["status"] == "failed"
            seen = await scrape(service)
    assert seen.value("askwell_asks_total", status="failed", source="none") == 2
    assert seen.value("askwell_ask_failures_total", code="OTHERS") == 2
    assert seen.value("askwell_preparations_total", status="failed") == 1
    assert seen.value("askwell_model_calls_total", outcome="failed") == 1


async def test_a_slow_query_and_a_missing_database_are_the_engines(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    async with running_service(path) as service:
        await service.prepare()
        (tmp_path / "shop.sqlite").rename(tmp_path / "gone.sqlite")
        await service.answer("How many customers are there?", execute=True)
        seen = await scrape(service)
    assert seen.value("askwell_engine_statements_total", operation="execute", outcome="unavailable") == 1


async def test_what_waits_and_what_runs_can_be_seen_and_a_stop_is_an_end(tmp_path: Path) -> None:
    async with ChatServer({"*": [Answer(text="…", hang=True)]}) as server:
        config = write_config(tmp_path, llm=model_at(server), settings={"concurrency": 1})
        async with running_service(config) as service:
            await service.prepare()
            first, second = await service.ask(QUESTION), await service.ask(QUESTION)
            await server.arrived("sql_generation")
            busy = await scrape(service)
            await service.stop(second)
            await service.stop(first)
            after = await scrape(service)
    assert (busy.value("askwell_asks_running"), busy.value("askwell_queue_depth")) == (1, 1)
    assert (after.value("askwell_asks_running"), after.value("askwell_queue_depth")) == (0, 0)
    assert after.value("askwell_asks_total", status="stopped") == 2
    assert after.value("askwell_model_calls_total", outcome="cancelled") == 1
    assert after.value("askwell_stage_seconds_count", stage="retrieval") == 1


async def test_no_label_comes_from_a_client(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare(mdl_hash="label-of-mine", project_id="project-of-mine")
        await service.answer("How many customers does Mine have?", project_id="project-of-mine", thread_id="t-mine")
        seen = await scrape(service)
    assert seen.value("askwell_asks_total") == 1
    assert "mine" not in seen.text.casefold()


async def test_every_metric_is_documented_and_no_other(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        seen = await scrape(service)
    told = set(re.findall(r"^\| `((?:askwell|gen_ai)_\w+)`", (DOCS / "operations.md").read_text(), re.MULTILINE))
    assert told == {name for name in seen.names if name.startswith(("askwell_", "gen_ai_"))}


async def test_queries_and_alerts_of_the_docs_name_metrics_that_exist(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        seen = await scrape(service)
    alerts = DOCS.parent / "deploy" / "prometheus" / "alerts.yaml"
    told = set(re.findall(r"\baskwell_[a-z_]+", (DOCS / "operations.md").read_text() + alerts.read_text()))
    known = {name + suffix for name in seen.names for suffix in ("", "_bucket", "_count", "_sum")}
    assert told <= known
