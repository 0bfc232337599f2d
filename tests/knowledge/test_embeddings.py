"""Vectors that were paid for once."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from askwell.knowledge.embeddings import Vector
from askwell.knowledge.record import Record


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
