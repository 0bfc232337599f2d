"""Vectors that were paid for once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from askwell.errors import Conflict
from askwell.knowledge.embeddings import Vector
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from askwell.mdl.semantic_model import ColumnRef
from tests.support.records import store_model


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path)
    yield opened
    await opened.close()


def unit_vectors(many: int, dimension: int = 24) -> dict[str, Vector]:
    drawn = np.random.default_rng(7).normal(size=(many, dimension)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return {f"text {n}": vector for n, vector in enumerate(drawn)}


async def test_vectors_come_back_exactly_by_embedder_and_text(tmp_path: Path) -> None:
    vectors = unit_vectors(900)
    record = await Record.open("sqlite", tmp_path)
    await record.embeddings.keep("one", vectors)
    await record.embeddings.keep("one", {"text 1": vectors["text 2"]})  # the first stays
    await record.embeddings.keep("other", {"text 1": np.array([0, 1, 0], np.float32)})
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    found = await record.embeddings.find("one", 24, [*vectors, "unknown"])
    assert found.keys() == vectors.keys()
    assert all(np.array_equal(found[text], vectors[text]) for text in vectors)
    assert (await record.embeddings.find("other", 3, list(vectors)))["text 1"].tolist() == [0, 1, 0]
    await record.close()


async def test_a_damaged_vector_is_unknown_and_makes_room_for_a_new_one(record: Record, tmp_path: Path) -> None:
    vectors = unit_vectors(8)
    await record.embeddings.keep("one", vectors)
    damages = {
        "text 1": vectors["text 1"].tobytes()[:-4],
        "text 2": vectors["text 2"].tobytes()[:-1],
        "text 3": b"",
        "text 4": np.full(24, np.nan, "<f4").tobytes(),
        "text 5": (vectors["text 5"] * np.float32(1e30)).tobytes(),
        "text 6": (vectors["text 6"] * np.float32(0.5)).tobytes(),
    }
    for text, blob in damages.items():
        with sqlite3.connect(tmp_path / "record.sqlite") as connection:
            old = vectors[text].tobytes()
            assert connection.execute("UPDATE embeddings SET vector = ? WHERE vector = ?", (blob, old)).rowcount == 1
    assert (await record.embeddings.find("one", 24, list(vectors))).keys() == {"text 0", "text 7"}
    await record.embeddings.keep("one", vectors)
    found = await record.embeddings.find("one", 24, list(vectors))
    assert all(np.array_equal(found[text], vectors[text]) for text in vectors)


async def test_vectors_of_another_dimension_than_the_embedders_are_unknown(record: Record) -> None:
    await record.embeddings.keep("one", unit_vectors(3, dimension=24))
    assert await record.embeddings.find("one", 32, ["text 0", "text 1", "text 2"]) == {}


async def test_vectors_of_nothing_at_all_are_taken_as_they_are(record: Record) -> None:
    await record.embeddings.keep("one", {"": np.zeros(24, np.float32)})
    assert (await record.embeddings.find("one", 24, [""]))[""].any() == np.False_


async def test_vectors_that_no_index_is_made_of_are_dropped(record: Record) -> None:
    shelf, vectors = record.embeddings, unit_vectors(1_000)
    texts = list(vectors)
    for embedder in ("one", "other"):
        await shelf.keep(embedder, vectors)
    assert await shelf.drop_unused() == 0  # nobody has noted anything yet
    await shelf.note_use("p", "model", "1", texts[:500])
    await shelf.note_use("p", "knowledge", "1", texts[400:600])
    await shelf.note_use("q", "model", "1", texts[550:700])
    assert await shelf.drop_unused() == 2 * 300
    for embedder in ("one", "other"):
        assert (await shelf.find(embedder, 24, texts)).keys() == set(texts[:700])
    await shelf.forget_use("p")
    await shelf.drop_unused()
    assert (await shelf.find("one", 24, texts)).keys() == set(texts[550:700])
    assert await shelf.drop_unused() == 0


async def test_the_last_editions_keep_their_vectors_and_older_ones_do_not(record: Record) -> None:
    shelf, vectors = record.embeddings, unit_vectors(10)
    await shelf.keep("one", vectors)
    for n in range(6):
        await shelf.note_use("p", "knowledge", f"edition {n}", [f"text {n}", "text 9"])
    await shelf.note_use("p", "knowledge", "edition 3", ["text 3", "text 9"])  # it is built again, and counts once
    await shelf.drop_unused()
    assert (await shelf.find("one", 24, list(vectors))).keys() == {f"text {n}" for n in (2, 3, 4, 5, 9)}


# -- Models by project and content: what labels lead to, and when.


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
