"""How many times an ask waits for the language model: what can be asked at once is asked at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client
from tests.support.shared import shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
REWRITTEN = "Who among our customers of France is the keenest spender, roughly?"
BEFORE = [{"question": QUESTION, "sql": RIGHT}]
OF_FRANCE = "SELECT name FROM customers WHERE country = 'France' ORDER BY total_spent DESC LIMIT 1"


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


@pytest.mark.parametrize("mode", ["standard", "fast", "off"])
async def test_a_follow_up_waits_twice(mode: str) -> None:
    script = _hanging(
        intent_classification=[
            Answer(json={"rephrased_question": REWRITTEN, "reasoning": "because", "intent": "TEXT_TO_SQL"})
        ],
        question_reformulation=[Answer(json={"question": REWRITTEN})],
        sql_generation=[Answer(json={"sql": OF_FRANCE})],
    )
    stages = {
        "standard": {"intent_classification"},
        "fast": {"intent_classification", "question_reformulation"},
        "off": {"question_reformulation"},
    }
    settings = {"intent_mode": mode} if mode != "off" else {"allow_intent_classification": False}
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base, **settings) as service:
            body = {"query": "and those of France?", "histories": BEFORE}
            result = await _rounds(service, server, stages[mode], {"sql_generation"}, **body)
    assert result["rephrased_question"] == REWRITTEN
    assert server.calls() == len(stages[mode]) + 1
    assert REWRITTEN in server.requests[-1].user


async def test_the_plan_is_read_while_it_is_written() -> None:
    said = {"intent": "TEXT_TO_SQL", "plan": "1. **Rank** customers. " * 40, "sql": RIGHT}
    script = {"sql_generation": [Answer(json=said, chunk_delay=0.02)]}
    async with ChatServer(script) as server:
        async with shared_service(api_base=server.api_base) as service:
            ask = await service.ask(QUESTION)
            assert (await service.until(ask, "planning"))["type"] == "TEXT_TO_SQL"
            assert server.requests[0].outcome is None
            result = await service.end(ask)
    assert result["status"] == "finished"
