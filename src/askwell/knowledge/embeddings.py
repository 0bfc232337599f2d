"""Vectors that were paid for once: by embedder and by text, shared by all projects, because they tell nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from askwell.knowledge.database import Database
from askwell.knowledge.schema import embeddings
from askwell.knowledge.upsert import insert_new

# Rows in one statement: SQLite takes 32,766 parameters, and a bigger statement keeps others waiting.
_CHUNK = 400

Vector = NDArray[np.float32]
T = TypeVar("T")


class EmbeddingShelf:
    """Remembers vectors. Losing them loses time only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, embedder: str, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors that this embedder gave for those of the texts that are known."""
        by_hash = {_hash(text): text for text in texts}
        found: dict[str, Vector] = {}
        for hashes in _chunks(list(by_hash)):
            known = await self._database.read(partial(_read, embedder=embedder, hashes=hashes))
            found.update({by_hash[text_hash]: vector for text_hash, vector in known})
        return found

    async def keep(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Remember the vectors of texts."""
        rows = [
            {"embedder": embedder, "text_hash": _hash(text), "vector": vector.astype("<f4").tobytes()}
            for text, vector in vectors.items()
        ]
        for chunk in _chunks(rows):
            await self._database.write(partial(insert_new, table=embeddings, rows=chunk))


def _read(connection: Connection, *, embedder: str, hashes: list[bytes]) -> list[tuple[bytes, Vector]]:
    statement = select(embeddings.c.text_hash, embeddings.c.vector).where(
        embeddings.c.embedder == embedder, embeddings.c.text_hash.in_(hashes)
    )
    return [(bytes(text_hash), np.frombuffer(vector, "<f4")) for text_hash, vector in connection.execute(statement)]


def _chunks(items: list[T]) -> Iterator[list[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
