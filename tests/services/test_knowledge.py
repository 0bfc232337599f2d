"""SQL pairs and instructions: stored, indexed, found, and vouched for."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.errors import NotFound
from askwell.knowledge.questions import normalise_question
from askwell.services.projects import ProjectModel
from tests.services.conftest import Desk, open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder

PAIR = {"id": "1", "question": "How many orders are open?", "sql": "SELECT COUNT(*) FROM orders WHERE status = 'open'"}


async def prepared(desk: Desk, project_id: str = "default") -> ProjectModel:
    await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    project = await desk.projects.get(project_id, None)
    assert project is not None
    return project


async def test_a_change_is_an_event_that_ends(desk: Desk) -> None:
    saved = await desk.knowledge.save_sql_pairs("default", [PAIR])
    assert (await desk.ended(lambda: desk.knowledge.event(saved)))["status"] == "finished"
    gone = await desk.knowledge.delete_sql_pairs("default", ["1"])
    assert (await desk.ended(lambda: desk.knowledge.event(gone)))["status"] == "finished"
    assert (await desk.record.saved.of("default")).pairs == {}
    with pytest.raises(NotFound):
        await desk.knowledge.event("nope")


async def test_instructions_are_saved_and_removed(desk: Desk) -> None:
    rule = {"id": "a", "instruction": "Amounts are in euros.", "questions": [], "is_default": True, "scope": "sql"}
    event = await desk.knowledge.save_instructions(
        "default", [rule, {**rule, "instruction": "Amounts are in dollars."}]
    )
    await desk.ended(lambda: desk.knowledge.event(event))
    project = await prepared(desk)
    found = await desk.retrieval.run(project, "orders")
    assert [one.text for one in found.instructions] == ["Amounts are in dollars."]
    await desk.knowledge.delete_instructions("default", ["a"])
    assert (await desk.retrieval.run(project, "orders")).instructions == ()


async def test_a_pair_is_found_as_a_sample_and_embedded_once(desk: Desk, embedder: CountingEmbedder) -> None:
    project = await prepared(desk)
    event = await desk.knowledge.save_sql_pairs("default", [PAIR])
    await desk.ended(lambda: desk.knowledge.event(event))
    assert embedder.texts.count(PAIR["question"]) == 1
    event = await desk.knowledge.save_sql_pairs("default", [{**PAIR, "id": "2", "question": "Who pays?"}])
    await desk.ended(lambda: desk.knowledge.event(event))
    assert embedder.texts.count(PAIR["question"]) == 1
    found = await desk.retrieval.run(project, "how many orders are OPEN")
    assert [(sample.id, sample.nearness) for sample in found.samples] == [("1", "the same")]


async def test_accepted_sql_is_a_views_or_a_pairs_of_this_project(desk: Desk) -> None:
    project, other = await prepared(desk), await prepared(desk, "other")
    await desk.knowledge.save_sql_pairs("default", [PAIR, {"id": "2", "question": "Paid by :who?", "sql": "SELECT 1"}])

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
        event = await desk.knowledge.save_sql_pairs("default", [PAIR])
        status = await desk.ended(lambda: desk.knowledge.event(event))
        assert (status["status"], status["error"]["code"]) == ("failed", "EMBEDDER_UNAVAILABLE")
        embedder.broken = False
        found = await desk.retrieval.run(project, str(PAIR["question"]))
        assert [sample.id for sample in found.samples] == ["1"]
