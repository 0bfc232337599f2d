"""A language model that chooses the columns of the prompts after it, over real HTTP on both sides."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import prepared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = [Answer(json={"sql": "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"})]
WIDE = 40


def wide_shop(folder: Path) -> dict[str, Any]:
    """The tiny shop with forty more columns of each table, which no budget of 700 tokens has room for."""
    database = tiny_shop.make_database(folder / "shop.sqlite")
    manifest = tiny_shop.manifest()
    connection = sqlite3.connect(database)
    with connection:
        for model in manifest["models"]:
            for number in range(WIDE):
                name = f"{model['name']}_remark_{number}"
                connection.execute(f"ALTER TABLE {model['name']} ADD COLUMN {name} TEXT")
                model["columns"].append({"name": name, "type": "VARCHAR"})
    connection.close()
    return manifest


def choice(**tables: list[str]) -> list[Answer]:
    results = [
        {"table": table, "reason": "", "columns": [{"name": name, "reason": ""} for name in names]}
        for table, names in tables.items()
    ]
    return [Answer(json={"results": results})]


async def asked(
    folder: Path, server: ChatServer, mdl: dict[str, Any], settings: dict[str, Any] | None = None, **body: Any
) -> dict[str, Any]:
    settings = {"context_token_budget": 700, **(settings or {})}
    async with prepared_service(folder, mdl=mdl, api_base=server.api_base, settings=settings) as service:
        return await service.answer(**{"query": QUESTION, "execute": True, **body})


def prompt_of(server: ChatServer, stage: str) -> str:
    return next(request.user for request in server.requests if request.stage == stage)


@pytest.mark.parametrize("how", ["request", "setting"])
async def test_later_prompts_show_the_chosen_columns_and_what_joins_need(tmp_path: Path, how: str) -> None:
    mdl = wide_shop(tmp_path)
    stages = {"column_pruning": choice(customers=["NAME", "customers.total_spent"]), "sql_generation": RIGHT}
    async with ChatServer(stages) as server:
        if how == "request":
            result = await asked(tmp_path, server, mdl, enable_column_pruning=True)
        else:
            result = await asked(tmp_path, server, mdl, {"enable_column_pruning": True})
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert [request.stage for request in server.requests] == ["column_pruning", "sql_generation"]
    before, after = (request.user for request in server.requests)
    assert "_remark_" in before
    assert "_remark_" not in after
    for kept in ("name VARCHAR", "total_spent DOUBLE", "customer_id INTEGER", "id INTEGER PRIMARY KEY"):
        assert kept in after
    assert result["usage"]["llm_calls"] == 2
    assert "column_pruning" in [entry["stage"] for entry in result["timings"]]


async def test_columns_of_a_rewritten_follow_up_are_left_out_too(tmp_path: Path) -> None:
    mdl = wide_shop(tmp_path)
    said = Answer(json={"rephrased_question": QUESTION, "reasoning": "so", "intent": "TEXT_TO_SQL"})
    chosen = choice(customers=["name", "total_spent"])
    stages = {"intent_classification": [said], "column_pruning": chosen, "sql_generation": RIGHT}
    async with ChatServer(stages) as server:
        before = [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]
        result = await asked(
            tmp_path, server, mdl, enable_column_pruning=True, query="and the keenest, roughly?", histories=before
        )
    assert [request.stage for request in server.requests] == list(stages)
    assert "_remark_" not in prompt_of(server, "sql_generation")
    assert result["data"]["rows"] == [["Ada Lovelace"]]


async def test_nobody_is_asked_unless_somebody_wants_it(tmp_path: Path) -> None:
    mdl = wide_shop(tmp_path)
    async with ChatServer({"sql_generation": RIGHT}) as server:
        result = await asked(tmp_path, server, mdl)
    assert result["status"] == "finished"
    assert server.calls("column_pruning") == 0
    assert "column_pruning" not in [entry["stage"] for entry in result["timings"]]


async def test_a_model_that_is_shown_whole_has_nothing_to_choose(tmp_path: Path) -> None:
    async with ChatServer({"column_pruning": choice(customers=["name"]), "sql_generation": RIGHT}) as server:
        result = await asked(
            tmp_path, server, tiny_shop.manifest(), {"context_token_budget": 4_000}, enable_column_pruning=True
        )
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert server.calls("column_pruning") == 0
    assert "order_date" in prompt_of(server, "sql_generation")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (Answer(json={"results": []}), "reply names none of the schema"),
        (Answer(text="I would take all of them."), "reply names none of the schema"),
        (choice(warehouses=["shelf"])[0], "reply names none of the schema"),
        (Answer(status=500), "a stage was skipped"),
        (
            Answer(text='{"results": [{"table": "customers", "col', finish_reason="length"),
            "reply names none of the schema",
        ),
    ],
)
async def test_a_reply_that_is_of_no_use_leaves_everything_and_a_note_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: Answer, note: str
) -> None:
    mdl = wide_shop(tmp_path)
    with caplog.at_level(logging.WARNING, logger="askwell.asks"):
        async with ChatServer({"column_pruning": [answer], "sql_generation": RIGHT}) as server:
            result = await asked(tmp_path, server, mdl, enable_column_pruning=True)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert [record.message for record in caplog.records if note in record.message]
    before, after = prompt_of(server, "column_pruning"), prompt_of(server, "sql_generation")
    assert before.partition("<schema>")[2].partition("</schema>")[0] in after
    assert QUESTION not in caplog.text
