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
WRONG_TOO = "SELECT country FROM customers ORDER BY total_spent DESC LIMIT 1"
EMPTY = "SELECT name FROM customers WHERE total_spent > (SELECT max(total_spent) FROM customers)"
BESIDE_THE_QUESTION = "SELECT COUNT(*) AS n FROM customers"
INVALID = "SELECT shoe_size FROM customers"
ADA = [["Ada Lovelace"]]


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def asked(server: ChatServer, candidates: int | str, **body: Any) -> dict[str, Any]:
    settings = {"candidates": candidates, "max_sql_correction_retries": body.pop("corrections", 0)}
    async with shared_service(api_base=server.api_base, **settings) as service:
        return await service.answer(QUESTION, **{"execute": True, **body})


def _votes(result: dict[str, Any]) -> list[str]:
    return [one for one in result.get("warnings", ()) if "statements" in one]


async def test_statements_that_find_the_same_agree_whatever_they_look_like() -> None:
    async with ChatServer({"sql_generation": sql(RIGHT_TOO, RIGHT, RIGHT)}) as server:
        result = await asked(server, 3)
    assert result["data"]["rows"] == ADA
    assert "warnings" not in result
    assert "candidates" in [entry["stage"] for entry in result["timings"]]


@pytest.mark.parametrize("statements", [(WRONG, RIGHT, RIGHT_TOO), (RIGHT, WRONG, RIGHT_TOO), (INVALID, RIGHT, RIGHT)])
async def test_the_largest_group_wins_and_disagreement_is_said(statements: tuple[str, ...]) -> None:
    # The last one waits, so that all of them are there when it is decided.
    *first, last = sql(*statements)
    script = {"sql_generation": [*first, Answer(json=last.json, delay=0.5)]}
    async with ChatServer(script) as server:
        result = await asked(server, 3)
    assert result["data"]["rows"] == ADA
    assert _votes(result) == ["Of 3 statements that were written for this question, 2 gave this result."]
    assert result["verdict"] == "guess"
    assert result["usage"]["llm_calls"] == server.calls() == 5


async def test_without_any_agreement_the_answer_says_so() -> None:
    async with ChatServer({"sql_generation": sql(EMPTY, WRONG, WRONG_TOO)}) as server:
        result = await asked(server, 3)
    assert result["data"]["rows"]  # of groups of one, those with rows come first
    (warning,) = _votes(result)
    assert "no two of them" in warning
    assert result["verdict"] == "guess"


async def test_what_does_not_answer_the_question_wins_no_vote() -> None:
    async with ChatServer({"sql_generation": sql(BESIDE_THE_QUESTION, BESIDE_THE_QUESTION, RIGHT)}) as server:
        result = await asked(server, 3)
    assert result["data"]["rows"] == ADA


async def test_what_can_no_longer_change_the_vote_is_not_waited_for() -> None:
    script = {"sql_generation": [*sql(RIGHT, RIGHT_TOO, RIGHT), Answer(hang=True)]}
    async with ChatServer(script) as server:
        result = await asked(server, 5)
        hanging = [request for request in server.requests if request.stage == "sql_generation"][3:]
        assert [await server.ended(request) for request in hanging] == ["abandoned"] * 2
    assert result["data"]["rows"] == ADA
    assert result["usage"]["llm_calls"] == server.calls() == 7


@pytest.mark.deep
async def test_a_candidate_that_never_comes_is_not_waited_for_beyond_half_of_the_ask_s_time() -> None:
    script = {"sql_generation": [*sql(RIGHT, WRONG), Answer(hang=True)]}
    async with ChatServer(script) as server:
        settings = {"candidates": 3, "ask_deadline": 4.0}
        async with shared_service(api_base=server.api_base, **settings) as service:
            result = await service.answer(QUESTION, execute=True)
    assert result["status"] == "finished"
    assert len(_votes(result)) == 1


async def test_each_candidate_is_corrected_by_itself() -> None:
    script = {"sql_generation": sql(INVALID), "sql_correction": sql(RIGHT)}
    async with ChatServer(script) as server:
        result = await asked(server, 3, corrections=3)
    assert result["data"]["rows"] == ADA
    assert server.calls("sql_correction") == 3


async def test_candidates_that_all_fail_end_as_one_does() -> None:
    async with ChatServer({"sql_generation": sql(INVALID)}) as server:
        result = await asked(server, 3)
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_SQL")
    assert "shoe_size" in result["invalid_sql"]


async def test_a_model_that_breaks_at_some_of_them_leaves_the_others() -> None:
    refused = Answer(status=400, error={"message": "no"})
    async with ChatServer({"sql_generation": [refused, refused, *sql(RIGHT)]}) as server:
        result = await asked(server, 3)
    assert result["data"]["rows"] == ADA
    async with ChatServer({"sql_generation": [refused]}) as server:
        result = await asked(server, 3)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")


async def test_candidates_differ_in_what_they_see_and_how_they_are_asked() -> None:
    async with ChatServer({"sql_generation": sql(RIGHT)}) as server:
        await asked(server, 5)
    requests = [request for request in server.requests if request.stage == "sql_generation"]
    first = next(request for request in requests if request.body["temperature"] == 0)
    others = [request for request in requests if request is not first]
    assert all(request.body["temperature"] > 0 for request in others)
    assert len({request.system + request.user for request in requests}) > 1
    lines = sorted((first.system + first.user).split("\n"))
    assert all(sorted((request.system + request.user).split("\n")) == lines for request in others)


@pytest.mark.parametrize("dry", [True, False])
async def test_rows_that_nobody_asked_for_are_compared_and_not_given(dry: bool) -> None:
    # Without running them, these two are not known to be the same.
    async with ChatServer({"sql_generation": sql(RIGHT, RIGHT_TOO)}) as server:
        result = await asked(server, 2, execute=False, use_dry_plan=dry)
    assert "data" not in result
    assert len(_votes(result)) == (1 if dry else 0)


async def test_auto_asks_once_where_the_first_is_in_no_doubt() -> None:
    async with ChatServer({"sql_generation": sql(RIGHT, WRONG)}) as server:
        result = await asked(server, "auto")
    assert result["data"]["rows"] == ADA
    assert server.calls("sql_generation") == 1


@pytest.mark.parametrize(
    ("statements", "calls"),
    [((EMPTY, RIGHT, RIGHT_TOO), 3), ((INVALID, RIGHT, RIGHT), 3), ((EMPTY, WRONG, WRONG_TOO, RIGHT, RIGHT), 5)],
    ids=["empty", "invalid", "disagreeing"],
)
async def test_auto_asks_for_more_where_the_first_is_in_doubt(statements: tuple[str, ...], calls: int) -> None:
    async with ChatServer({"sql_generation": sql(*statements)}) as server:
        result = await asked(server, "auto")
    assert result["data"]["rows"] == ADA
    assert server.calls("sql_generation") == calls
    assert len(_votes(result)) == 1


async def test_stopping_an_ask_stops_its_candidates() -> None:
    async with ChatServer({"sql_generation": [Answer(hang=True)]}) as server:
        async with shared_service(api_base=server.api_base, candidates=7) as service:
            ask = await service.ask(QUESTION)
            await server.arrived("sql_generation", 7)
            await service.stop(ask)
            requests = [request for request in server.requests if request.stage == "sql_generation"]
            assert [await server.ended(request) for request in requests] == ["abandoned"] * 7


@pytest.mark.parametrize("count", [0, 8, "many", True])
def test_how_many_there_may_be_is_bounded(tmp_path: Path, count: Any) -> None:
    with pytest.raises(ConfigurationError, match="candidates"):
        load_config(write_config(tmp_path, settings={"candidates": count}), {})
