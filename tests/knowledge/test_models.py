"""Models by project and content: what labels lead to, and when."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from askwell.errors import Conflict
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from askwell.mdl.semantic_model import ColumnRef
from tests.support.records import store_model


async def test_a_label_leads_to_a_model_only_once_it_is_prepared(record: Record) -> None:
    await store_model(record, "p", "hash1")
    assert await record.models.resolve("p", "m1") is None
    assert await record.models.resolve("p", None) is None
    assert await record.models.finish("p", "m1", "hash1")
    assert await record.models.resolve("p", "m1") == ("hash1", "m1")
    assert await record.models.resolve("p", None) == ("hash1", "m1")


async def test_the_last_one_finished_is_current_and_the_others_keep_their_labels(record: Record) -> None:
    for label, digest in (("m1", "hash1"), ("m2", "hash2")):
        await store_model(record, "p", digest)
        await record.models.finish("p", label, digest)
    assert await record.models.resolve("p", None) == ("hash2", "m2")
    assert await record.models.resolve("p", "m1") == ("hash1", "m1")


async def test_values_and_warnings_come_back_as_they_were(record: Record) -> None:
    await store_model(record, "p", "hash1", '{"a": "ü"}', ["said before"])
    stored = await record.models.find("p", "hash1")
    assert stored is not None
    assert (stored.manifest, stored.values, stored.warnings) == ('{"a": "ü"}', None, ("said before",))
    values = {ColumnRef("orders", "status"): ("open", "paid"), ColumnRef("orders", "empty"): ()}
    await record.models.keep_values("p", "hash1", values, ["said before", "said after"])
    stored = await record.models.find("p", "hash1")
    assert stored is not None
    assert (stored.values, stored.warnings) == (values, ("said before", "said after"))


async def test_projects_do_not_see_each_other(record: Record) -> None:
    await store_model(record, "p", "hash1")
    await record.models.finish("p", "m1", "hash1")
    assert await record.models.resolve("q", "m1") is None
    assert await record.models.find("q", "hash1") is None
    await record.models.delete("q")
    assert await record.models.projects() == ["p"]
    await record.models.delete("p")
    assert await record.models.projects() == []
    assert await record.models.find("p", "hash1") is None


async def test_a_model_removed_while_it_is_prepared_stays_removed(record: Record) -> None:
    await store_model(record, "p", "hash1")
    await record.models.delete("p")
    assert await record.models.finish("p", "m1", "hash1") is False
    assert await record.models.resolve("p", None) is None


MOMENT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)


async def store_next(record: Record, before: str, digest: str) -> str:
    """A model that was made of another one, with the job that prepares it."""
    job = AcceptedJob(digest, "preparation", "p", {"content_hash": digest}, None, "", MOMENT, label=digest)
    next_one = record.models.storing_next("p", before, digest, "{}", prepared_by="preparation")
    await record.jobs.accept(job, next_one)
    return digest


async def test_a_model_made_of_another_is_stored_only_while_that_is_current(record: Record) -> None:
    await store_model(record, "p", "hash1")
    with pytest.raises(Conflict):
        await store_next(record, "hash1", "early")
    await record.models.finish("p", "m1", "hash1")
    answers = await asyncio.gather(*(store_next(record, "hash1", f"next{n}") for n in range(4)), return_exceptions=True)
    (kept,) = [one for one in answers if isinstance(one, str)]
    assert all(isinstance(one, Conflict | str) for one in answers)
    # What was refused has left nothing behind.
    assert [one.id for one in await record.jobs.unfinished("preparation")] == [kept]
    found = [await record.models.find("p", f"next{n}") for n in range(4)]
    assert [one.content_hash for one in found if one is not None] == [kept]
    await record.models.finish("p", kept, kept)
    await record.jobs.end(kept, "finished", {})
    with pytest.raises(Conflict):
        await store_next(record, "hash1", "late")
    assert await store_next(record, kept, "after") == "after"


async def test_current_models_are_told_of_all_projects(record: Record) -> None:
    for project, label in (("p", "m1"), ("p", "m2"), ("q", "m3")):
        await store_model(record, project, label)
        await record.models.finish(project, label, label)
    assert await record.models.current() == {"p": ("m2", "m2"), "q": ("m3", "m3")}


async def test_the_last_end_of_each_label_is_told(record: Record) -> None:
    later = MOMENT + timedelta(hours=1)
    ends = [("p", "m1", "finished", MOMENT), ("p", "m1", "finished", later), ("p", "m2", "failed", later)]
    for number, (project, label, status, moment) in enumerate([*ends, ("q", "m1", "finished", MOMENT)]):
        job = AcceptedJob(str(number), "preparation", project, {}, None, "", MOMENT, label=label)
        await record.jobs.accept(job)
        await record.jobs.end(job.id, status, {}, moment)
    last_ends = record.jobs.last_ends
    assert await last_ends("preparation", "finished", ["p"]) == {("p", "m1"): later}
    assert await last_ends("preparation", "finished", ["p", "q"]) == {("p", "m1"): later, ("q", "m1"): MOMENT}
    assert await last_ends("ask", "finished", ["p"]) == await last_ends("preparation", "finished", []) == {}
