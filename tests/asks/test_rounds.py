"""How many times an ask waits for the language model: what can be asked at once is asked at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client
from tests.support.shared import shared_scripted_service, shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
REWRITTEN = "Who among our customers of France is the keenest spender, roughly?"
BEFORE = [{"question": QUESTION, "sql": RIGHT}]
OF_FRANCE = "SELECT name FROM customers WHERE country = 'France' ORDER BY total_spent DESC LIMIT 1"
PLAN = "1. **Rank** customers."


def intent(kind: str = "TEXT_TO_SQL", question: str = "", **how: Any) -> list[Answer]:
    return [Answer(json={"rephrased_question": question, "reasoning": "because", "intent": kind}, **how)]


SQL = [Answer(json={"sql": RIGHT})]


async def _rounds(service: Client, server: ChatServer, *rounds: set[str], **body: Any) -> dict[str, Any]:
    """The end of an ask whose model answers nothing before every stage of a round has been asked for."""
    ask = await service.ask(**body)
    for stages in rounds:
        for stage in stages:
            await server.arrived(stage)
        assert {request.stage for request in server.requests if request.outcome is None} == stages
        server.release()
        for request in list(server.requests):
            await server.ended(request)
        server.hold()
    return await service.end(ask)


def _hanging(**stages: list[Answer]) -> dict[str, list[Answer]]:
    held: dict[str, list[Answer]] = {}
    for stage, answers in stages.items():
        held[stage] = [Answer(json=one.json, text=one.text, hang=True) for one in answers]
    return held


async def test_a_first_question_waits_twice() -> None:
    script = _hanging(intent_classification=intent(), sql_reasoning=[Answer(text=PLAN)], sql_generation=SQL)
    async with shared_scripted_service(script, generation="staged") as (service, server):
        beside = {"intent_classification", "sql_reasoning"}
        result = await _rounds(service, server, beside, {"sql_generation"}, query=QUESTION)
    assert result["status"] == "finished"
    assert result["sql_generation_reasoning"] == PLAN
    assert server.calls() == result["usage"]["llm_calls"] == 3


@pytest.mark.parametrize("mode", ["standard", "fast", "off"])
async def test_a_follow_up_waits_twice(mode: str) -> None:
    script = _hanging(
        intent_classification=intent(question=REWRITTEN),
        question_reformulation=[Answer(json={"question": REWRITTEN})],
        sql_reasoning=[Answer(text=PLAN)],
        sql_generation=[Answer(json={"sql": OF_FRANCE})],
    )
    stages = {
        "standard": {"intent_classification", "sql_reasoning"},
        "fast": {"intent_classification", "question_reformulation", "sql_reasoning"},
        "off": {"question_reformulation", "sql_reasoning"},
    }
    settings = {"intent_mode": mode} if mode != "off" else {"allow_intent_classification": False}
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base, generation="staged", **settings) as service:
            body = {"query": "and those of France?", "histories": BEFORE}
            result = await _rounds(service, server, stages[mode], {"sql_generation"}, **body)
    assert result["rephrased_question"] == REWRITTEN
    assert server.calls() == len(stages[mode]) + 1
    prompts = {request.stage: request.user for request in server.requests}
    assert REWRITTEN in prompts["sql_generation"]
    assert QUESTION in prompts["sql_reasoning"]  # the plan is made from the conversation


async def test_nobody_reads_the_plan_before_the_question_is_known_to_be_one_for_sql() -> None:
    script = {"intent_classification": intent(hang=True), "sql_reasoning": [Answer(text=PLAN)], "sql_generation": SQL}
    async with shared_scripted_service(script, generation="staged") as (service, server):
        ask = await service.ask(QUESTION)
        await server.ended(await server.arrived("sql_reasoning"))
        held = await service.result(ask)
        server.release()
        result = await service.end(ask)
        assert await service.text(ask) == PLAN
    assert held["status"] == "searching"
    assert "sql_generation_reasoning" not in held
    assert result["sql_generation_reasoning"] == PLAN


async def test_the_plan_of_a_question_that_is_not_for_sql_is_given_up_and_read_by_nobody() -> None:
    script = {
        "intent_classification": intent("GENERAL", delay=0.3),
        "sql_reasoning": [Answer(text=PLAN * 50, chunk_delay=0.02)],
        "data_assistance": [Answer(text="You can ask about customers.")],
    }
    async with shared_scripted_service(script, generation="staged") as (service, server):
        ask = await service.ask(QUESTION)
        result = await service.end(ask)
        assert await service.text(ask) == "You can ask about customers."
        plan = next(request for request in server.requests if request.stage == "sql_reasoning")
        assert await server.ended(plan) == "abandoned"
    assert result["type"] == "GENERAL"
    assert "sql_generation_reasoning" not in result
    assert result["usage"]["llm_calls"] == server.calls() == 3  # what was given up has cost something


def single(kind: str = "TEXT_TO_SQL", plan: str = PLAN, sql: str = RIGHT, **how: Any) -> list[Answer]:
    return [Answer(json={"intent": kind, "plan": plan, "sql": sql}, **how)]


async def test_the_plan_of_one_call_is_read_while_it_is_written() -> None:
    script = {"sql_generation": single(plan="1. **Rank** customers. " * 40, chunk_delay=0.02)}
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base) as service:
            ask = await service.ask(QUESTION)
            assert (await service.until(ask, "planning"))["type"] == "TEXT_TO_SQL"
            assert server.requests[0].outcome is None
            result = await service.end(ask)
    assert result["status"] == "finished"
