"""Documents of words, and the passages that they were cut into."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, func, select, update

from askwell.errors import InvalidRequest
from askwell.knowledge.database import Database
from askwell.knowledge.jobs import Change
from askwell.knowledge.project_cache import ProjectCache, ProjectVersions
from askwell.knowledge.rows import delete_by, insert_or_replace, own, row_of, value_of
from askwell.knowledge.schema import chunks as chunk_rows
from askwell.knowledge.schema import documents as document_rows
from askwell.knowledge.schema import uploads as upload_rows
from askwell.messages import say

DocumentStatus = Literal["indexing", "indexed", "failed"]

MOST_DOCUMENTS = 2_000
# Of all documents of a project: about fifteen thousand pages.
MOST_PASSAGES = 30_000
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it is known; `error` says why its latest content could not be read: `{code, message, hint}`."""

    id: str
    title: str
    source: str
    format: str
    tags: tuple[str, ...]
    bytes: int
    content_hash: str | None
    chunks: int
    status: DocumentStatus
    created_at: datetime
    error: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """Content of a document that was not read yet."""

    document_id: str
    format: str
    content_hash: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. `id` names it in its project; `place` counts from 0 in the document."""

    document_id: str
    place: int
    locator: str
    heading: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.document_id}#{self.place}"


@dataclass(frozen=True)
class Library:
    """The documents of a project at one moment, by id, in the order of their coming."""

    project_id: str
    documents: Mapping[str, StoredDocument] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """What is indexed of it: equal ones have an equal digest, whenever they came."""
        read = [[one.id, one.title, one.content_hash] for one in self.documents.values() if one.chunks]
        return hashlib.sha256(json.dumps(read).encode()).hexdigest()


class DocumentShelf:
    """Documents by project. Content that came is in the record until it was read; then its passages are."""

    def __init__(self, database: Database, versions: ProjectVersions) -> None:
        self._database = database
        self.versions = versions
        self._cache: ProjectCache[Library] = ProjectCache(versions)

    async def of(self, project_id: str) -> Library:
        """All documents of a project."""
        read = partial(self._database.read, lambda connection: _library(connection, project_id))
        return await self._cache.get(project_id, read)

    def storing(self, project_id: str, document: StoredDocument, content: bytes) -> Change:
        """Stores a document whose content is still to be read, in the place of the one with its id, whose passages
        stay until then. Raises `InvalidRequest` for more than `MOST_DOCUMENTS`."""
        assert document.content_hash is not None
        upload = Upload(document.id, document.format, document.content_hash, content)

        def write(connection: Connection) -> None:
            statement = select(document_rows).where(own(document_rows, project_id, id=document.id))
            known = connection.execute(statement).first()
            before = _document(known) if known is not None else replace(document, content_hash=None, chunks=0)
            coming = replace(
                document,
                content_hash=before.content_hash,
                chunks=before.chunks,
                status="indexing",
                error=None,
                created_at=before.created_at,
            )
            insert_or_replace(connection, document_rows, [row_of(coming, project_id=project_id)])
            insert_or_replace(connection, upload_rows, [row_of(upload, project_id=project_id)])
            count = select(func.count()).where(document_rows.c.project_id == project_id)
            if (connection.scalar(count) or 0) > MOST_DOCUMENTS:
                raise InvalidRequest(*say("documents.too_many", most_documents=MOST_DOCUMENTS))

        return write

    def deleting(self, project_id: str, ids: Sequence[str]) -> Change:
        """Removes documents with all that is known of them; ids that are not there are passed over."""

        def write(connection: Connection) -> None:
            for table, name in ((document_rows, "id"), (upload_rows, "document_id"), (chunk_rows, "document_id")):
                delete_by(connection, table, project_id, name, ids)

        return write

    async def store(self, project_id: str, document: StoredDocument, content: bytes) -> None:
        """See `storing`."""
        with self.versions.changing(project_id):
            await self._database.write(self.storing(project_id, document, content))

    async def upload(self, project_id: str, document_id: str) -> Upload | None:
        """The content of a document that was not read yet."""
        statement = select(upload_rows).where(own(upload_rows, project_id, document_id=document_id))
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else value_of(Upload, row, content=bytes(row.content))

    async def keep(self, project_id: str, upload: Upload, passages: Sequence[Passage]) -> None:
        """Put what was read in the place of what was there, unless other content has come meanwhile. Raises
        `InvalidRequest` where the project would have more than `MOST_PASSAGES`."""
        rows = [row_of(one, project_id=project_id) for one in passages]

        def write(connection: Connection) -> None:
            if not _is_latest(connection, project_id, upload):
                return
            connection.execute(delete(chunk_rows).where(own(chunk_rows, project_id, document_id=upload.document_id)))
            for start in range(0, len(rows), _AT_ONCE):
                connection.execute(chunk_rows.insert(), rows[start : start + _AT_ONCE])
            count = select(func.count()).where(chunk_rows.c.project_id == project_id)
            if (connection.scalar(count) or 0) > MOST_PASSAGES:
                raise InvalidRequest(*say("documents.too_many_passages", most_passages=MOST_PASSAGES))
            _settle(connection, project_id, upload, status="indexed", chunks=len(rows))

        with self.versions.changing(project_id):
            await self._database.write(write)

    def failing(self, project_id: str, document_id: str, content_hash: str, error: Mapping[str, str]) -> Change:
        """Notes why content that was not read yet never will be; what was read before stays."""
        upload = Upload(document_id, "", content_hash, b"")

        def write(connection: Connection) -> None:
            if _is_latest(connection, project_id, upload):
                _settle(connection, project_id, upload, status="failed", error=dict(error))

        return write

    async def passages(self, project_id: str, document_id: str, offset: int, limit: int) -> list[Passage]:
        """`limit` passages of a document after the first `offset`, in its order."""
        of_document = own(chunk_rows, project_id, document_id=document_id)
        statement = select(chunk_rows).where(of_document).order_by(chunk_rows.c.place).offset(offset).limit(limit)
        return await self._database.read(lambda connection: [*map(_passage, connection.execute(statement))])

    async def all_passages(self, project_id: str) -> list[Passage]:
        """All passages of a project."""
        statement = select(chunk_rows).where(chunk_rows.c.project_id == project_id)
        ordered = statement.order_by(chunk_rows.c.document_id, chunk_rows.c.place)
        return await self._database.read(lambda connection: [*map(_passage, connection.execute(ordered))])

    async def find(self, project_id: str, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages that there are, by id."""
        wanted = [(document_id, int(place)) for document_id, _, place in (one.rpartition("#") for one in ids)]

        def read(connection: Connection) -> dict[str, Passage]:
            found: dict[str, Passage] = {}
            for document_id, place in wanted:
                chosen = own(chunk_rows, project_id, document_id=document_id, place=place)
                row = connection.execute(select(chunk_rows).where(chosen)).first()
                if row is not None:
                    passage = _passage(row)
                    found[passage.id] = passage
            return found

        return await self._database.read(read)


def _library(connection: Connection, project_id: str) -> Library:
    statement = select(document_rows).where(document_rows.c.project_id == project_id)
    rows = connection.execute(statement.order_by(document_rows.c.created_at, document_rows.c.id))
    return Library(project_id, {row.id: _document(row) for row in rows})


def _document(row: Row[Any]) -> StoredDocument:
    return value_of(StoredDocument, row)


def _passage(row: Row[Any]) -> Passage:
    return value_of(Passage, row)


def _is_latest(connection: Connection, project_id: str, upload: Upload) -> bool:
    statement = select(upload_rows.c.content_hash).where(own(upload_rows, project_id, document_id=upload.document_id))
    return connection.scalar(statement) == upload.content_hash


def _settle(connection: Connection, project_id: str, upload: Upload, **values: Any) -> None:
    """The content was looked at: it is not needed any more."""
    if values["status"] == "indexed":
        values["content_hash"] = upload.content_hash
    document = own(document_rows, project_id, id=upload.document_id)
    connection.execute(update(document_rows).where(document).values(**values))
    connection.execute(delete(upload_rows).where(own(upload_rows, project_id, document_id=upload.document_id)))


def new_document(
    *, id: str, title: str, source: str, format: str, tags: Sequence[str], content: bytes
) -> StoredDocument:
    """A document as it comes."""
    return StoredDocument(
        id=id,
        title=title,
        source=source,
        format=format,
        tags=tuple(dict.fromkeys(tags)),
        bytes=len(content),
        content_hash=hashlib.sha256(content).hexdigest(),
        chunks=0,
        status="indexing",
        created_at=datetime.now(UTC),
    )
