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


async def test_a_follow_up_that_rules_understand_when_it_is_rewritten_needs_no_sql_from_the_model() -> None:
    script = {
        "intent_classification": intent(question="How many customers are there?"),
        "sql_reasoning": [Answer(hang=True)],
    }
    async with shared_scripted_service(script, generation="staged") as (service, server):
        result = await service.answer("and in all?", histories=BEFORE, execute=True)
    assert result["sql_source"] == "rules"
    assert result["data"]["rows"] == [[3]]
    assert server.calls("sql_generation") == 0


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


async def test_what_a_model_thinks_is_read_before_its_plan_and_is_no_part_of_it() -> None:
    thoughtful = Answer(text=PLAN, reasoning="Who spends?\nCustomers do.")
    async with shared_scripted_service(
        {"sql_reasoning": [thoughtful], "sql_generation": SQL}, generation="staged"
    ) as (service, server):
        ask = await service.ask(QUESTION)
        result = await service.end(ask)
        assert await service.text(ask) == f"> Who spends?\n> Customers do.\n\n{PLAN}"
    assert result["sql_generation_reasoning"] == PLAN
    assert all("Who spends" not in request.user for request in server.requests)


def single(kind: str = "TEXT_TO_SQL", plan: str = PLAN, sql: str = RIGHT, **how: Any) -> list[Answer]:
    return [Answer(json={"intent": kind, "plan": plan, "sql": sql}, **how)]


async def _in_one_call(
    script: dict[str, list[Answer]], settings: dict[str, Any] | None = None, **body: Any
) -> tuple[dict[str, Any], str, list[str]]:
    """The result, the text that was streamed, and the stages that the model was asked for."""
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base, **(settings or {})) as service:
            ask = await service.ask(body.pop("query", QUESTION), **{"execute": True, **body})
            result = await service.end(ask)
            return result, await service.text(ask), [request.stage for request in server.requests]


async def test_one_call_says_what_is_asked_plans_and_writes() -> None:
    result, told, stages = await _in_one_call({"sql_generation": single()})
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert stages == ["sql_generation"]
    assert result["sql_generation_reasoning"] == told == PLAN
    assert result["usage"]["llm_calls"] == 1


async def test_a_follow_up_is_rewritten_before_the_one_call() -> None:
    script = {"intent_classification": intent(question=REWRITTEN), "sql_generation": single(sql=OF_FRANCE)}
    async with shared_scripted_service(script) as (service, server):
        result = await service.answer("and those of France?", histories=BEFORE)
    assert (result["rephrased_question"], result["sql_generation_reasoning"]) == (REWRITTEN, PLAN)
    assert [request.stage for request in server.requests] == ["intent_classification", "sql_generation"]
    assert REWRITTEN in server.requests[-1].user
    assert "USER_GUIDE" not in server.requests[-1].user  # what kind of question it is is known


@pytest.mark.parametrize(
    ("question", "stage", "settings"),
    [
        ("What columns does the orders table have?", "data_assistance", {}),
        ("Thank you!", "user_guide", {}),
        ("Which customers of France spent most, would you say?", "sql_generation", {"prompt_style": "lean"}),
    ],
)
async def test_a_plain_kind_of_question_is_told_without_a_model(
    question: str, stage: str, settings: dict[str, Any]
) -> None:
    async with shared_scripted_service({"sql_generation": single()}, rules_mode="off", **settings) as (service, server):
        await service.answer(question)
    (request,) = server.requests
    assert request.stage == stage
    assert "USER_GUIDE" not in request.user


async def test_the_plan_of_one_call_is_read_while_it_is_written() -> None:
    script = {"sql_generation": single(plan="1. **Rank** customers. " * 40, chunk_delay=0.02)}
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base) as service:
            ask = await service.ask(QUESTION)
            assert (await service.until(ask, "planning"))["type"] == "TEXT_TO_SQL"
            assert server.requests[0].outcome is None
            result = await service.end(ask)
    assert result["status"] == "finished"


async def test_one_call_may_say_that_the_question_is_not_for_sql() -> None:
    script = {"sql_generation": single("GENERAL", "", ""), "data_assistance": [Answer(text="Ask about customers.")]}
    result, told, stages = await _in_one_call(script)
    assert (result["type"], told) == ("GENERAL", "Ask about customers.")
    assert stages == ["sql_generation", "data_assistance"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(json={"intent": "TEXT_TO_SQL", "plan": PLAN, "sql": "SELECT shoe_size FROM customers"}),
        Answer(refusal="No."),
    ],
)
async def test_sql_of_one_call_that_fails_is_corrected(answer: Answer) -> None:
    result, _, stages = await _in_one_call({"sql_generation": [answer], "sql_correction": SQL})
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert stages == ["sql_generation", "sql_correction"]


async def test_a_plan_that_nobody_wants_is_not_told() -> None:
    body = {"ignore_sql_generation_reasoning": True}
    result, told, _ = await _in_one_call({"sql_generation": single()}, **body)
    assert result["status"] == "finished"
    assert "sql_generation_reasoning" not in result
    assert told == ""
