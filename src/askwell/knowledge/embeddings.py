"""Vectors that were paid for once: by embedder and by text, shared by all projects, because they tell nothing else."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select, tuple_

from askwell.knowledge.database import Database
from askwell.knowledge.rows import insert_new, insert_or_replace
from askwell.knowledge.schema import embeddings, texts_in_use

# Rows in one statement: SQLite takes 32,766 parameters, and a bigger statement keeps others waiting.
_CHUNK = 400
_HASH_BYTES = 32
# Editions of a project's model, of its knowledge or its documents, whose vectors are kept: people go back to what they
# had before. Of models more than `settings.model_versions` may be.
_KEPT_EDITIONS = {"model": 12, "knowledge": 4, "documents": 2}
# What the square of a vector's length may be from 1: vectors are normalised in single precision.
_TOLERANCE = 0.01

Vector = NDArray[np.float32]
T = TypeVar("T")


class EmbeddingShelf:
    """Remembers vectors, and which texts the index is made of. Losing them loses time only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, embedder: str, dimension: int, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors that this embedder gave for those of the texts that are known. A damaged one is not known, and is
        removed."""
        by_hash = await asyncio.to_thread(lambda: {_hash(text): text for text in texts})
        found: dict[str, Vector] = {}
        for hashes in _chunks(list(by_hash)):
            known = await self._database.read(partial(_read, embedder=embedder, dimension=dimension, hashes=hashes))
            found.update({by_hash[text_hash]: vector for text_hash, vector in known.items() if vector is not None})
            if damaged := [text_hash for text_hash, vector in known.items() if vector is None]:
                await self._database.write(partial(_remove, embedder=embedder, hashes=damaged))
        return found

    async def keep(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Remember the vectors of texts, of length 1 each."""
        rows = [
            {"embedder": embedder, "text_hash": _hash(text), "vector": vector.astype("<f4").tobytes()}
            for text, vector in vectors.items()
        ]
        for chunk in _chunks(rows):
            await self._database.write(partial(insert_new, table=embeddings, rows=chunk))

    async def note_use(self, project_id: str, shelf: str, edition: str, texts: Sequence[str]) -> None:
        """Note what an edition of a project's index is made of. Of each shelf the last few are remembered."""
        row = {
            "project_id": project_id,
            "shelf": shelf,
            "edition": edition,
            "hashes": await asyncio.to_thread(lambda: b"".join(map(_hash, texts))),
            "noted_at": datetime.now(UTC),
        }
        await self._database.write(partial(_note, row=row))

    async def forget_use(self, project_id: str) -> None:
        """A project's index is made of nothing any more."""
        statement = delete(texts_in_use).where(texts_in_use.c.project_id == project_id)
        await self._database.write(lambda connection: connection.execute(statement))

    async def drop_unused(self) -> int:
        """Forget the vectors of texts that no index is made of; how many there were."""
        used = await self._database.read(_used)
        if not used:
            return 0  # a record of an Askwell that did not note it
        dropped, last = 0, ("", b"")
        while keys := await self._database.read(partial(_following, last=last)):
            last = keys[-1]
            unused = [key for key in keys if key[1] not in used]
            for embedder in {embedder for embedder, _ in unused}:
                hashes = [text_hash for other, text_hash in unused if other == embedder]
                await self._database.write(partial(_remove, embedder=embedder, hashes=hashes))
            dropped += len(unused)
        return dropped


def _read(connection: Connection, *, embedder: str, dimension: int, hashes: list[bytes]) -> dict[bytes, Vector | None]:
    """The vectors that there are; None for one that cannot be what the embedder gave."""
    statement = select(embeddings.c.text_hash, embeddings.c.vector).where(
        embeddings.c.embedder == embedder, embeddings.c.text_hash.in_(hashes)
    )
    return {bytes(text_hash): _vector(blob, dimension) for text_hash, blob in connection.execute(statement)}


def _vector(blob: bytes, dimension: int) -> Vector | None:
    if len(blob) != 4 * dimension:
        return None
    vector = np.frombuffer(blob, "<f4")
    square = float(np.vdot(vector, vector))
    # Some servers give only zeros for an empty text.
    return vector if square == 0 or abs(square - 1) < _TOLERANCE else None


def _note(connection: Connection, *, row: dict[str, Any]) -> None:
    insert_or_replace(connection, texts_in_use, [row])
    noted = texts_in_use.c
    own = (noted.project_id == row["project_id"], noted.shelf == row["shelf"])
    last = select(noted.edition).where(*own).order_by(noted.noted_at.desc()).limit(_KEPT_EDITIONS[row["shelf"]])
    connection.execute(delete(texts_in_use).where(*own, noted.edition.not_in(last)))


def _remove(connection: Connection, *, embedder: str, hashes: list[bytes]) -> None:
    connection.execute(delete(embeddings).where(embeddings.c.embedder == embedder, embeddings.c.text_hash.in_(hashes)))


def _used(connection: Connection) -> set[bytes]:
    return {
        noted[start : start + _HASH_BYTES]
        for noted in connection.scalars(select(texts_in_use.c.hashes))
        for start in range(0, len(noted), _HASH_BYTES)
    }


def _following(connection: Connection, *, last: tuple[str, bytes]) -> list[tuple[str, bytes]]:
    """The keys of the next vectors."""
    columns = (embeddings.c.embedder, embeddings.c.text_hash)
    statement = select(*columns).where(tuple_(*columns) > last).order_by(*columns).limit(_CHUNK)
    return [(embedder, bytes(text_hash)) for embedder, text_hash in connection.execute(statement)]


def _chunks(items: list[T]) -> Iterator[list[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
