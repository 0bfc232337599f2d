"""How an ask ends where the language model fails at one of its stages, in each way that models fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asks.test_column_pruning import wide_shop
from tests.fakes.openai_server import Answer, Call, ChatServer
from tests.support.service import prepared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
# Passes the binder, so that a diagnosis is asked for.
FAILS_IN_THE_DATABASE = "SELECT json_extract(name, 'not a path') FROM customers"
TOO_LONG = Answer(status=400, error={"message": "Too long.", "code": "context_length_exceeded"})
FAILURES = {
    "500": Answer(status=500),
    "429": Answer(status=429, headers={"Retry-After": "0"}),
    "broken off": Answer(drop="before"),
    "refusal": Answer(refusal="I cannot help with that."),
    "tool call": Answer(calls=[Call("run_sql")]),
    "hang": Answer(hang=True),
}
SKIPPED = {
    "intent_classification": "Finding out what kind of question this is was skipped.",
    "sql_diagnosis": "The diagnosis of a failed statement was skipped.",
    "question_reformulation": "Rewriting the question to stand alone was skipped.",
}


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def asked(
    folder: Path, server: ChatServer, mdl: dict[str, Any] | None = None, *, settings: Any = None, **body: Any
) -> dict[str, Any]:
    """Of a service of its own: whether a model server is away is known for longer than a test."""
    async with prepared_service(folder, mdl=mdl, api_base=server.api_base, settings=settings) as service:
        return await service.answer(QUESTION, execute=True, **body)


# Each stage and each failure once; all of them together take a minute.
QUICK = {
    ("intent_classification", "500"),
    ("intent_classification", "hang"),
    ("intent_classification", "refusal"),
    ("sql_diagnosis", "429"),
    ("sql_diagnosis", "tool call"),
    ("question_reformulation", "broken off"),
}


@pytest.mark.parametrize(
    ("stage", "failure"),
    [
        pytest.param(stage, failure, marks=() if (stage, failure) in QUICK else pytest.mark.deep)
        for stage in SKIPPED
        for failure in FAILURES
    ],
)
async def test_a_stage_that_can_be_done_without_is_skipped_with_a_warning(
    tmp_path: Path, stage: str, failure: str
) -> None:
    script = {
        stage: [FAILURES[failure]],
        "sql_generation": sql(FAILS_IN_THE_DATABASE),
        "sql_correction": sql(RIGHT),
    }
    settings: dict[str, Any] = {"ask_deadline": 2.0 if failure == "hang" else 60.0}
    if stage == "question_reformulation":
        settings["intent_mode"] = "fast"
    async with ChatServer(script) as server:
        result = await asked(tmp_path, server, settings=settings, histories=[{"question": "Who?", "sql": RIGHT}])
    assert result["status"] == "finished", result
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    (warning,) = [one for one in result["warnings"] if "skipped" in one]
    assert warning.startswith(SKIPPED[stage])
    assert "I cannot help" not in warning


@pytest.mark.parametrize(("failure", "said"), [("refusal", "refused to answer"), ("tool call", "called a tool")])
async def test_what_a_model_does_in_place_of_writing_sql_is_an_attempt_that_failed(
    tmp_path: Path, failure: str, said: str
) -> None:
    script = {"sql_generation": [FAILURES[failure]], "sql_correction": sql(RIGHT)}
    async with ChatServer(script) as server:
        result = await asked(tmp_path, server)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    correction = next(request for request in server.requests if request.stage == "sql_correction")
    assert said in correction.user
    assert server.calls("sql_diagnosis") == 0
    assert result["usage"]["llm_calls"] == server.calls()


async def test_a_model_that_refuses_to_the_end_fails_the_ask_and_is_said_to_refuse(tmp_path: Path) -> None:
    refusal = [FAILURES["refusal"]]
    async with ChatServer({"sql_generation": refusal, "sql_correction": refusal}) as server:
        result = await asked(tmp_path, server)
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_SQL")
    assert "refused to answer" in result["error"]["message"]


async def test_a_prompt_that_is_too_long_is_sent_once_more_with_half_of_the_schema(tmp_path: Path) -> None:
    mdl = wide_shop(tmp_path)
    async with ChatServer({"sql_generation": [TOO_LONG, *sql(RIGHT)]}) as server:
        result = await asked(tmp_path, server, mdl, settings={"context_token_budget": 1_200})
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert any("Half of the schema was left out" in warning for warning in result["warnings"])
    first, second = [request.user.count("_remark_") for request in server.requests]
    assert second < 0.7 * first


async def test_a_prompt_that_is_too_long_even_so_ends_the_ask_with_a_hint(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": [TOO_LONG]}) as server:
        result = await asked(tmp_path, server)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert "context_token_budget" in result["error"]["hint"]
    assert server.calls("sql_generation") == 2


async def test_the_same_statement_again_is_answered_by_asking_another_way(tmp_path: Path) -> None:
    wrong = "SELECT name FROM customers WHERE json_extract(name, 'not a path') = 1"
    script = {
        "sql_generation": [Answer(json={"plan": "1. **Look** into the name.", "sql": wrong})],
        "sql_correction": sql(wrong.replace(" WHERE", "\nWHERE") + ";", RIGHT),
    }
    async with ChatServer(script) as server:
        result = await asked(tmp_path, server)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    first, second = [request for request in server.requests if request.stage == "sql_correction"]
    assert second.body["temperature"] > first.body["temperature"] == 0
    assert "**Look** into the name" in first.user
    assert "**Look** into the name" not in second.user
    assert "not a path" in first.user.partition("<failed_sql>")[2]
    assert "<failed_sql>" not in second.user
    assert "json_extract" not in second.user.partition("<errors>")[0]
    assert server.calls("sql_diagnosis") == 1


async def test_what_the_binder_explains_is_not_diagnosed(tmp_path: Path) -> None:
    script = {"sql_generation": sql("SELECT shoe_size FROM customers"), "sql_correction": sql(RIGHT)}
    async with ChatServer(script) as server:
        result = await asked(tmp_path, server)
    assert result["status"] == "finished"
    assert server.calls("sql_diagnosis") == 0
