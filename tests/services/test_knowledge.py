"""SQL pairs and instructions: stored, indexed, found, and vouched for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import NotFound
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.services.projects import ProjectModel
from tests.services.conftest import Desk, open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder
from tests.support.tables import case_table

PAIR = {"id": "1", "question": "How many orders are open?", "sql": "SELECT COUNT(*) FROM orders WHERE status = 'open'"}


async def prepared(desk: Desk, project_id: str = "default") -> ProjectModel:
    await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    return await desk.model(project_id=project_id)


async def saved(desk: Desk, *pairs: Mapping[str, Any], strict: bool = False) -> Mapping[str, Any]:
    """The event of saving these, once it has ended."""
    event = await desk.knowledge.save_sql_pairs("default", [*map(SqlPair.of, pairs)], strict=strict)
    return await desk.ended(lambda: desk.knowledge.event(event, "sql_pair"))


strictly = partial(saved, strict=True)


async def test_a_change_is_an_event_that_ends(desk: Desk) -> None:
    saved = await desk.knowledge.save_sql_pairs("default", [SqlPair.of(PAIR)])
    assert (await desk.ended(lambda: desk.knowledge.event(saved, "sql_pair")))["status"] == "finished"
    gone = await desk.knowledge.delete("sql_pair", "default", ["1"])
    assert (await desk.ended(lambda: desk.knowledge.event(gone, "sql_pair")))["status"] == "finished"
    assert (await desk.record.saved.of("default")).pairs == {}
    with pytest.raises(NotFound):
        await desk.knowledge.event("nope", "sql_pair")
    with pytest.raises(NotFound):
        await desk.knowledge.event(saved, "instruction")


async def test_instructions_are_saved_and_removed(desk: Desk) -> None:
    rule = Instruction("a", "Amounts are in euros.", is_default=True)
    changed = replace(rule, instruction="Amounts are in dollars.")
    event = await desk.knowledge.save_instructions("default", [rule, changed])
    await desk.ended(lambda: desk.knowledge.event(event, "instruction"))
    project = await prepared(desk)
    found = await desk.retrieval.run(project, "orders")
    assert [one.text for one in found.instructions] == ["Amounts are in dollars."]
    await desk.knowledge.delete("instruction", "default", ["a"])
    assert (await desk.retrieval.run(project, "orders")).instructions == ()


async def test_what_is_saved_is_listed_in_the_order_of_saving(desk: Desk) -> None:
    rule = Instruction("r", "Net of tax.", ("revenue?",), scope="chart")
    for id in ("b", "a", "c", "b"):  # the last takes the place of the first, and its place in the order
        await desk.knowledge.save_sql_pairs("default", [SqlPair.of({**PAIR, "id": id})])
        await desk.knowledge.save_instructions("default", [replace(rule, id=id)])
    pair = {**PAIR, "parameters": []}
    assert await desk.knowledge.page("sql_pair", "default", 0, 2) == ([{**pair, "id": "a"}, {**pair, "id": "c"}], 3)
    assert await desk.knowledge.page("sql_pair", "default", 2, 2) == ([{**pair, "id": "b"}], 3)
    assert await desk.knowledge.page("instruction", "default", 1, 1) == ([replace(rule, id="c").wire()], 3)
    assert await desk.knowledge.page("instruction", "other", 0, 9) == ([], 0)


async def test_a_pair_is_found_as_a_sample_and_embedded_once(desk: Desk, embedder: CountingEmbedder) -> None:
    project = await prepared(desk)
    assert "warnings" not in await saved(desk, PAIR)
    assert embedder.texts.count(PAIR["question"]) == 1
    await saved(desk, {**PAIR, "id": "2", "question": "Who pays?"})
    assert embedder.texts.count(PAIR["question"]) == 1
    found = await desk.retrieval.run(project, "how many orders are OPEN")
    assert [(sample.id, sample.nearness) for sample in found.samples] == [("1", "the same")]


async def test_accepted_sql_is_a_views_or_a_pairs_of_this_project(desk: Desk) -> None:
    project, other = await prepared(desk), await prepared(desk, "other")
    await desk.knowledge.save_sql_pairs("default", [SqlPair.of(PAIR), SqlPair("2", "Paid by :who?", "SELECT 1")])

    async def found(question: str, where: ProjectModel = project) -> tuple[str, str | None] | None:
        accepted = await desk.knowledge.find_accepted(where, normalise_question(question))
        return None if accepted is None else (accepted.source, accepted.view_id)

    assert await found("how many orders are open") == ("sql_pair", None)
    assert await found("How many orders are not open?") is None
    assert await found("which orders are PAID?") == ("view", "v-1")
    assert await found("how many orders are open", other) is None
    assert await found("") is None


async def test_an_embedder_that_fails_is_told_and_the_pair_is_kept(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    async with open_desk(tmp_path, embedder) as desk:
        project = await prepared(desk)
        embedder.broken = True
        status = await saved(desk, PAIR)
        assert (status["status"], status["error"]["code"]) == ("failed", "OTHERS")
        embedder.broken = False
        found = await desk.retrieval.run(project, str(PAIR["question"]))
        assert [sample.id for sample in found.samples] == ["1"]


def pair(id: str, sql: str) -> dict[str, str]:
    return {"id": id, "question": f"What is {id}?", "sql": sql}


@pytest.mark.deep
@pytest.mark.parametrize("sql", case_table(__file__, "sql_that_cannot_be_used_is_not_saved_and_the_rest_is"))
async def test_sql_that_cannot_be_used_is_not_saved_and_the_rest_is(desk: Desk, sql: str) -> None:
    await prepared(desk)
    status = await saved(desk, pair("good", "SELECT COUNT(*) FROM orders"), pair("bad-1", sql), pair("bad-2", sql))
    assert (status["status"], status["error"]["code"]) == ("failed", "OTHERS")
    assert "2 of 3 SQL pairs were not saved" in status["error"]["message"]
    assert "bad-1: " in status["error"]["message"]
    assert "bad-2: " in status["error"]["message"]
    assert "good" not in status["error"]["message"]
    assert list((await desk.record.saved.of("default")).pairs) == ["good"]


async def test_what_has_to_be_put_right_in_a_pair_is_told(desk: Desk) -> None:
    await prepared(desk)
    told = await saved(desk, pair("a", "SELECT count(*) FROM ordrs"))
    (remark,) = told["remarks"]
    assert (told["status"], remark["id"]) == ("finished", "a")
    assert "ordrs" in remark["repairs"][0]
    assert "FROM orders" in remark["sql"]
    assert "remarks" not in await saved(desk, pair("b", remark["sql"]))


@pytest.mark.parametrize("sql", ["SELECT count(*) FROM ordrs", "SELECT count(* FROM orders"])
async def test_strictly_a_statement_that_needs_repairs_is_not_saved(desk: Desk, sql: str) -> None:
    await prepared(desk)
    told = await strictly(desk, pair("pair-1", sql))
    assert (told["status"], told["remarks"][0]["id"]) == ("failed", "pair-1")
    # For people: an id says nothing to them.
    assert "pair-1" not in told["error"]["message"]
    assert (await desk.record.saved.of("default")).pairs == {}
    assert (await strictly(desk, pair("pair-1", told["remarks"][0]["sql"])))["status"] == "finished"


async def test_strictly_a_question_is_saved_once(desk: Desk) -> None:
    await prepared(desk)
    sql = "SELECT COUNT(*) FROM orders"
    first = {"id": "a", "question": "number of orders", "sql": sql}
    assert (await strictly(desk, first))["status"] == "finished"
    assert (await strictly(desk, first))["status"] == "finished"
    second = {"id": "b", "question": "Number of orders?", "sql": sql}
    told = await strictly(desk, second)
    assert (told["status"], told["remarks"]) == ("failed", [{"id": "b", "same_question": "a"}])
    assert "“number of orders”" in told["error"]["message"]
    assert (await saved(desk, second))["status"] == "finished"
    told = await strictly(desk, {**first, "id": "c", "question": "orders"}, {**first, "id": "d", "question": "Orders?"})
    assert told["remarks"] == [{"id": "d", "same_question": "c"}]
    assert list((await desk.record.saved.of("default")).pairs) == ["a", "b", "c"]


async def test_a_pair_stays_as_it_was_when_its_successor_is_refused(desk: Desk) -> None:
    project = await prepared(desk)
    assert (await saved(desk, PAIR))["status"] == "finished"
    assert (await saved(desk, {**PAIR, "sql": "SELECT nothing FROM orders"}))["status"] == "failed"
    accepted = await desk.knowledge.find_accepted(project, normalise_question(PAIR["question"]))
    assert accepted is not None
    assert accepted.sql == PAIR["sql"]


async def test_without_a_model_pairs_are_saved_unchecked_and_it_is_said(desk: Desk) -> None:
    status = await saved(desk, pair("a", "SELECT whatever FROM somewhere"))
    assert (status["status"], status["error"]) == ("finished", None)
    assert "no semantic model yet" in status["warnings"][0]
    assert list((await desk.record.saved.of("default")).pairs) == ["a"]


async def test_a_pair_that_only_some_may_ask_is_saved_with_a_warning(desk: Desk) -> None:
    model = tiny_shop.manifest()
    rule = {
        "name": "own country",
        "condition": "country = @country",
        "requiredProperties": [{"name": "country", "required": True}],
    }
    model["models"][0]["rowLevelAccessControls"] = [rule]
    assert (await desk.prepare(model))["status"] == "finished"
    status = await saved(desk, pair("a", "SELECT name FROM customers"), pair("b", "SELECT nothing FROM customers"))
    assert "b: " in status["error"]["message"]
    assert "access rules: a" in status["warnings"][0]
    assert list((await desk.record.saved.of("default")).pairs) == ["a"]


async def test_what_was_refused_is_told_after_a_restart_too(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder()) as desk:
        await prepared(desk)
        desk.runner.submit("in the way", lambda: asyncio.sleep(60))
        desk.runner.submit("in the way too", lambda: asyncio.sleep(60))
        event = await desk.knowledge.save_sql_pairs(
            "default", [*map(SqlPair.of, (PAIR, pair("bad", "DROP TABLE orders")))]
        )
        status = await desk.knowledge.event(event, "sql_pair")
        assert (status["status"], status["error"]) == ("indexing", None)
    async with open_desk(tmp_path, CountingEmbedder()) as desk:
        assert await desk.knowledge.resume() == 1
        status = await desk.ended(lambda: desk.knowledge.event(event, "sql_pair"))
    assert status["status"] == "failed"
    assert "bad: " in status["error"]["message"]


async def test_a_pair_with_parameters_is_checked_with_samples_and_listed(desk: Desk) -> None:
    await prepared(desk)
    parameters = [
        {"name": "status", "type": "VARCHAR", "required": True},
        {"name": "since", "type": "DATE", "required": True},
        {"name": "most", "type": "INTEGER", "required": False, "default": 5},
    ]
    sql = "SELECT id FROM orders WHERE status = :status AND order_date >= :since LIMIT :most"
    pair = {"id": "p", "question": "Orders of a status since a day?", "sql": sql, "parameters": parameters}
    assert (await saved(desk, pair))["status"] == "finished"
    assert await desk.knowledge.page("sql_pair", "default", 0, 9) == ([pair], 1)
    wrong = {**pair, "id": "q", "sql": "SELECT nothing FROM orders WHERE status = :status"}
    undeclared = {**pair, "id": "r", "sql": "SELECT id FROM orders WHERE amount > :other"}
    ended = await saved(desk, wrong, undeclared)
    assert ended["status"] == "failed"
    assert "q: orders has no column" in ended["error"]["message"]
    assert "r: Placeholder" in ended["error"]["message"]
    assert "(Refused by the rule node.)" in ended["error"]["message"]
    assert len((await desk.record.saved.of("default")).pairs) == 1
