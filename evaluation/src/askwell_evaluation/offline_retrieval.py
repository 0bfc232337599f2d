"""Retrieval without a service: the parts that it is made of, over a record of its own, for evaluations."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from askwell import parts
from askwell.config import Config, Settings
from askwell.knowledge.record import Record
from askwell.knowledge.saved import SqlPair
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.principal import Person
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.embedder.base import Embedder, TokenEmbedder, TokenVectors, Vectors
from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import create_engine


@dataclass(frozen=True, slots=True)
class OfflineProject:
    """Implements `AskedProject`."""

    project_id: str
    prepared: PreparedModel
    engine: Engine

    def pairs_for(self, person: Person, pairs: Mapping[str, SqlPair]) -> Mapping[str, SqlPair]:
        """See `AskedProject`: all pairs, since no particular person asks."""
        return pairs


class TimedEmbedder:
    """Implements `Embedder`; `seconds` is what its work has taken since it was set back."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.seconds = 0.0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        started = time.perf_counter()
        try:
            return await self._embedder.embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def close(self) -> None:
        """See `Embedder.close`."""
        await self._embedder.close()


class _TimedTokenEmbedder(TimedEmbedder):
    """Implements `TokenEmbedder`; the time that tokens take is not counted."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        super().__init__(embedder)
        self._of_tokens = embedder

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """See `TokenEmbedder.embed_tokens`."""
        return await self._of_tokens.embed_tokens(texts)


def _timed(embedder: Embedder) -> TimedEmbedder:
    return _TimedTokenEmbedder(embedder) if isinstance(embedder, TokenEmbedder) else TimedEmbedder(embedder)


@dataclass(frozen=True, slots=True)
class OfflineParts:
    """What retrieval is made of, over a record of its own."""

    embedder: TimedEmbedder
    store: DocumentStore
    record: Record
    indexing: Indexing
    engine: Engine

    def retrieval(self, settings: Settings) -> Retrieval:
        """The door of retrieval over these parts."""
        return Retrieval(self.indexing, self.record.saved, settings)


@contextlib.asynccontextmanager
async def opened_parts(config: Config) -> AsyncIterator[OfflineParts]:
    """Embedder, store and settings as `config` has them; the record is of its own and thrown away in the end."""
    async with contextlib.AsyncExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="askwell-eval-")))
        record = await Record.open("sqlite", folder)
        closing.push_async_callback(record.close)
        embedder = _timed(await parts.embedder(config))
        closing.push_async_callback(embedder.close)
        store = parts.document_store(config.apart(folder, {}))
        closing.push_async_callback(store.close)
        # Retrieval asks a database for its functions; this one has those and nothing else.
        with contextlib.closing(sqlite3.connect(folder / "empty.sqlite")) as connection:
            connection.execute("VACUUM")
        engine = create_engine("sqlite", folder / "empty.sqlite")
        closing.push_async_callback(engine.close)
        batch_size = config.settings.column_indexing_batch_size
        indexing = Indexing(store, embedder, record.embeddings, column_indexing_batch_size=batch_size)
        closing.push_async_callback(indexing.close)
        yield OfflineParts(embedder, store, record, indexing, engine)
