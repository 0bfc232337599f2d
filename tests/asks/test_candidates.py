"""Several statements for one question, over real HTTP: what most of them find is the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.errors import ConfigurationError
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import write_config
from tests.support.shared import shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
RIGHT_TOO = "SELECT c.name FROM customers AS c WHERE c.total_spent = (SELECT max(total_spent) FROM customers)"
WRONG = "SELECT name FROM customers ORDER BY total_spent LIMIT 1"
ADA = [["Ada Lovelace"]]


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def asked(server: ChatServer, candidates: int | str, **body: Any) -> dict[str, Any]:
    settings = {"candidates": candidates, "max_sql_correction_retries": body.pop("corrections", 0)}
    async with shared_service(api_base=server.api_base, **settings) as service:
        return await service.answer(QUESTION, **{"execute": True, **body})


async def test_what_can_no_longer_change_the_vote_is_not_waited_for() -> None:
    script = {"sql_generation": [*sql(RIGHT, RIGHT_TOO, RIGHT), Answer(hang=True)]}
    async with ChatServer(script) as server:
        result = await asked(server, 5)
        hanging = [request for request in server.requests if request.stage == "sql_generation"][3:]
        assert [await server.ended(request) for request in hanging] == ["abandoned"] * 2
    assert result["data"]["rows"] == ADA
    assert result["usage"]["llm_calls"] == server.calls() == 5


async def test_candidates_differ_in_what_they_see_and_how_they_are_asked() -> None:
    async with ChatServer({"sql_generation": sql(RIGHT)}) as server:
        async with shared_service(api_base=server.api_base, candidates=5, allow_intent_classification=False) as service:
            await service.answer(QUESTION, execute=True)
    requests = [request for request in server.requests if request.stage == "sql_generation"]
    first = next(request for request in requests if request.body["temperature"] == 0)
    others = [request for request in requests if request is not first]
    assert all(request.body["temperature"] > 0 for request in others)
    assert len({request.system + request.user for request in requests}) > 1
    lines = sorted((first.system + first.user).split("\n"))
    assert all(sorted((request.system + request.user).split("\n")) == lines for request in others)


async def test_stopping_an_ask_stops_its_candidates() -> None:
    async with ChatServer({"sql_generation": [*sql(RIGHT), Answer(hang=True)]}) as server:
        async with shared_service(api_base=server.api_base, candidates=7) as service:
            ask = await service.ask(QUESTION)
            await server.arrived("sql_generation", 7)
            await service.stop(ask)
            _, *requests = server.requests
            assert [await server.ended(request) for request in requests] == ["abandoned"] * 6


@pytest.mark.parametrize("count", [0, 8, "many", True])
def test_how_many_there_may_be_is_bounded(tmp_path: Path, count: Any) -> None:
    with pytest.raises(ConfigurationError, match="candidates"):
        load_config(write_config(tmp_path, settings={"candidates": count}), {})
