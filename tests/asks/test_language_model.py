"""Whole asks with a language model: a scripted OpenAI-compatible server, over real HTTP on both sides."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import prepared_service, running_service, scripted_service, write_config
from tests.support.shared import shared_scripted_service, shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


def intent(kind: str, question: str = QUESTION) -> list[Answer]:
    return [Answer(json={"rephrased_question": question, "reasoning": "because", "intent": kind})]


async def asked(server: ChatServer, query: str = QUESTION, **body: Any) -> dict[str, Any]:
    async with shared_service(api_base=server.api_base) as service:
        return await service.answer(query, **body)


async def test_a_plain_ask_takes_one_model_call_and_returns_the_checked_sql() -> None:
    async with ChatServer(
        {"sql_generation": [Answer(json={"plan": "1. **Rank** customers.", "sql": RIGHT})]}
    ) as server:
        result = await asked(server, execute=True)
    assert result["status"] == "finished"
    assert result["type"] == "TEXT_TO_SQL"
    assert result["sql_source"] == "llm"
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert result["sql_generation_reasoning"] == "1. **Rank** customers."
    assert result["usage"]["llm_calls"] == server.calls() == 1
    assert result["usage"]["prompt_tokens"] > 0
    assert [entry["stage"] for entry in result["timings"]][-2:] == ["generation", "check"]
    assert "secret" not in "".join(request.user for request in server.requests)


async def test_the_plan_can_be_left_out() -> None:
    async with ChatServer({"sql_generation": sql(RIGHT)}) as server:
        result = await asked(server, ignore_sql_generation_reasoning=True)
    assert result["status"] == "finished"
    assert server.calls("sql_reasoning") == 0
    assert "sql_generation_reasoning" not in result


async def test_a_follow_up_is_rewritten_before_anything_is_looked_for() -> None:
    rewritten = "How keen are the customers of France, roughly?"
    script = {
        "question_reformulation": [Answer(text=rewritten)],
        "intent_classification": intent("TEXT_TO_SQL", rewritten),
        "sql_generation": sql("SELECT count(*) FROM customers WHERE country = 'France'"),
    }
    async with ChatServer(script) as server:
        result = await asked(
            server,
            "and those of France?",
            histories=[{"question": "How many customers are German?", "sql": "SELECT 1"}],
            execute=True,
        )
    assert result["is_followup"] is True
    assert result["rephrased_question"] == rewritten
    assert result["data"]["rows"] == [[1]]
    generation = next(request for request in server.requests if request.stage == "sql_generation")
    assert rewritten in generation.user


@pytest.mark.parametrize(
    ("kind", "stage", "general_type"),
    [
        ("GENERAL", "data_assistance", "DATA_ASSISTANCE"),
        ("MISLEADING_QUERY", "misleading_assistance", "MISLEADING_QUERY"),
        ("USER_GUIDE", "user_guide", "USER_GUIDE"),
    ],
)
async def test_an_intent_in_words_is_streamed_and_ends_without_sql(kind: str, stage: str, general_type: str) -> None:
    words = "You can ask about customers and their orders."
    async with shared_scripted_service({"sql_generation": intent(kind), stage: [Answer(text=words)]}) as (
        service,
        server,
    ):
        ask = await service.ask("What customers and orders could I look at?")
        result = await service.end(ask)
        assert await service.text(ask) == words
    assert (result["status"], result["type"], result["general_type"]) == ("finished", "GENERAL", general_type)
    assert "response" not in result
    assert server.calls() == 2


async def test_two_wrong_statements_then_a_right_one() -> None:
    script = {
        "sql_generation": sql("SELECT shoe_size FROM customers"),
        "sql_correction": sql("SELECT name FROM warehouses", RIGHT),
    }
    async with ChatServer(script) as server:
        result = await asked(server, execute=True)
    assert result["status"] == "finished"
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    first, second = [request.user for request in server.requests if request.stage == "sql_correction"]
    assert "SELECT shoe_size FROM customers" in first
    assert "name" in first
    assert "warehouses" in second
    assert "SELECT shoe_size FROM customers" in second  # earlier attempts are shown, so that they are not repeated


async def test_a_correction_sees_the_tables_that_have_the_column(tmp_path: Path) -> None:
    wrong, right = "SELECT country FROM orders", "SELECT amount FROM orders"
    script = {"sql_generation": [Answer(json={"sql": wrong})], "sql_correction": [Answer(json={"sql": right})]}
    settings = {"rules_mode": "off", "context_token_budget": 200}
    async with ChatServer(script) as server:
        async with running_service(write_config(tmp_path, api_base=server.api_base, settings=settings)) as service:
            mdl = tiny_shop.manifest()
            orders = next(model for model in mdl["models"] if model["name"] == "orders")
            orders["columns"] += [{"name": f"field_{n}", "type": "VARCHAR"} for n in range(60)]
            await service.prepare(mdl)
            answer = await service.answer("Which amount do orders have, roughly?")
    assert answer["status"] == "finished", answer
    prompts = {one.stage: "\n".join(m["content"] for m in one.body["messages"]) for one in server.requests}
    assert "CREATE TABLE customers" not in prompts["sql_generation"]
    assert "CREATE TABLE customers" in prompts["sql_correction"]


async def test_three_wrong_corrections_end_with_the_last_sql_and_error() -> None:
    script = {
        "sql_generation": sql("SELECT shoe_size FROM customers"),
        "sql_correction": sql(*(f"SELECT {part}_size FROM customers" for part in ("hat", "glove", "belt"))),
    }
    async with ChatServer(script) as server:
        result = await asked(server)
    assert result["status"] == "failed"
    assert result["error"]["code"] == "NO_RELEVANT_SQL"
    assert "belt_size" in result["invalid_sql"]
    assert result["error"]["hint"]
    assert server.calls("sql_correction") == 3


async def test_a_refused_statement_never_runs_and_is_not_diagnosed() -> None:
    script = {"sql_generation": sql("DELETE FROM customers"), "sql_correction": sql(RIGHT)}
    async with ChatServer(script) as server:
        result = await asked(server, "Please delete every customer from the customers table", execute=True)
    assert result["status"] == "finished"
    assert result["response"][0]["sql"].upper().startswith("SELECT")
    assert server.calls("sql_diagnosis") == 0


@pytest.mark.parametrize(
    "bad",
    [Answer(text="I am sorry, I cannot do that."), Answer(text='{"sql": '), Answer(text="")],
    ids=["prose", "broken", "nothing"],
)
async def test_a_reply_without_sql_is_a_failed_attempt_with_a_reason(bad: Answer) -> None:
    async with ChatServer({"sql_generation": [bad], "sql_correction": [bad, *sql(RIGHT)]}) as server:
        result = await asked(server, execute=True)
    assert result["status"] == "finished"
    assert server.calls("sql_correction") == 2


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_a_model_server_that_refuses_ends_the_ask_with_a_hint(tmp_path: Path, status: int) -> None:
    refusal = Answer(status=status, error={"message": "no: sk-secret"})
    async with scripted_service(tmp_path, {"*": [refusal]}) as (service, _server):
        result = await service.answer(QUESTION)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert result["error"]["hint"]
    assert "sk-secret" not in str(result)


async def test_a_model_server_that_is_down_ends_the_ask_with_a_hint(tmp_path: Path) -> None:
    async with prepared_service(tmp_path, api_base="http://127.0.0.1:9/v1") as service:
        result = await service.answer(QUESTION)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert result["error"]["hint"]


async def test_the_deadline_ends_an_ask_whose_model_never_answers() -> None:
    async with ChatServer({"sql_generation": [Answer(hang=True)]}) as server:
        async with shared_service(api_base=server.api_base, ask_deadline=1.0) as service:
            result = await service.answer(QUESTION)
            assert await server.ended(await server.arrived("sql_generation")) == "abandoned"
    assert (result["status"], result["nl2sql_code"]) == ("failed", "3002")
    assert result["error"]["hint"]


async def test_rules_answer_without_the_model_when_they_are_sure() -> None:
    async with ChatServer() as server:
        result = await asked(server, "How many customers are there?", execute=True)
    assert result["sql_source"] == "rules"
    assert result["data"]["rows"] == [[3]]
    assert server.calls() == 0


async def test_a_saved_view_answers_its_own_question() -> None:
    async with ChatServer() as server:
        result = await asked(server, "which orders are  PAID", execute=True)
    assert (result["sql_source"], result["response"][0]["type"], result["response"][0]["viewId"]) == (
        "view",
        "view",
        "v-1",
    )
    assert sorted(row[0] for row in result["data"]["rows"]) == [1, 3]
    assert server.calls() == 0


async def test_a_question_about_nothing_in_the_model_names_the_nearest_tables() -> None:
    async with ChatServer() as server:
        result = await asked(server, "How do I bake sourdough bread?")
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_DATA")
    assert server.calls() == 0
    assert "customers" in result["error"]["hint"] or "orders" in result["error"]["hint"]


async def test_concurrent_asks_do_not_mix() -> None:
    script = {
        "sql_generation": [
            Answer(json={"sql": "SELECT 'first' AS x FROM customers LIMIT 1"}, when="number one", delay=0.05),
            Answer(json={"sql": "SELECT 'second' AS x FROM customers LIMIT 1"}, when="number two"),
        ]
    }
    async with shared_scripted_service(script) as (service, _server):
        asks = [await service.ask(f"Which keen customers make number {n}?", execute=True) for n in ("one", "two") * 5]
        ends = [await service.end(ask) for ask in asks]
    assert [end["data"]["rows"] for end in ends] == [[["first"]], [["second"]]] * 5


async def test_a_twin_of_the_table_used_is_a_warning_until_the_question_names_the_table() -> None:
    model = tiny_shop.manifest()
    twin = copy.deepcopy(next(one for one in model["models"] if one["name"] == "orders"))
    twin["name"] = "orders_archive"
    twin["columns"] = [c for c in twin["columns"] if "relationship" not in c and not c.get("isCalculated")]
    twin["columns"].append({"name": "customer_country", "type": "VARCHAR", "expression": "status"})
    view = {key: part for key, part in twin.items() if key != "primaryKey"} | {"name": "open_orders"}
    model["models"] += [twin, view]
    answers = {
        "many came in": "SELECT count(*) FROM orders",
        "orders are there": "SELECT count(*) FROM orders",
        "in the archive": "SELECT count(*) FROM orders_archive",
    }
    script = {
        "intent_classification": intent("TEXT_TO_SQL", ""),
        "sql_generation": [Answer(json={"sql": statement}, when=words) for words, statement in answers.items()],
    }
    async with ChatServer(script) as server:
        async with shared_service(mdl=model, api_base=server.api_base, rules_mode="off", scope_gate=False) as service:
            doubtful = await service.answer("How many orders are there, roughly?")
            named = await service.answer("How many orders are in the archive, roughly?")
            unnamed = await service.answer("Roughly how many came in?")
    (warning,) = doubtful["warnings"]
    assert "orders was used, and orders_archive could be meant" in warning
    assert "warnings" not in named
    # A question that names the table itself is not about a view of it.
    (warning,) = unnamed["warnings"]
    assert "orders was used, and orders_archive, open_orders could be meant" in warning


async def test_half_a_character_in_a_model_s_text_breaks_neither_polls_nor_the_record() -> None:
    script = {"sql_generation": [Answer(json={"plan": "1. **Rank** \ud83d", "sql": RIGHT})]}
    async with ChatServer(script) as server:
        result = await asked(server, execute=True)
    assert result["status"] == "finished"
    assert result["sql_generation_reasoning"].startswith("1. **Rank**")
