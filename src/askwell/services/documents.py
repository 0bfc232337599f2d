"""Documents of words that people give a project, and the search for what stands in them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import TypedDict

from askwell.documents.blocks import Block
from askwell.documents.chunking import chunks_of
from askwell.documents.extraction import Extraction, UnreadableDocument, format_of
from askwell.errors import AskwellError, EmbedderUnavailable, InvalidRequest, NotFound
from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import Attempt, Job, JobFailed, JobState, SimpleKind
from askwell.jobs.request import Body
from askwell.jobs.service import JobService, Serve
from askwell.knowledge.documents import DocumentShelf, Passage, StoredDocument, Upload, new_document
from askwell.knowledge.jobs import Change
from askwell.knowledge.record import Record
from askwell.knowledge.rows import row_of
from askwell.messages import say
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.passages.search import MIN_SCORE, PassageSearch
from askwell.principal import NOBODY, Person
from askwell.services.projects import ProjectModels


class DocumentChange(Body):
    """A change that is stored with the job; `digest` tells it from others."""

    operation: Literal["indexing", "deleting"]
    document_id: str
    digest: str = ""


class DocumentKind(SimpleKind[DocumentChange]):
    """Documents that come or go."""

    name: ClassVar[str] = "document"
    id_name: ClassVar[str] = "event_id"
    noun: ClassVar[str] = "document"
    request: ClassVar[type[Body]] = DocumentChange
    statuses: ClassVar[tuple[str, ...]] = ("indexing", "deleting")
    codes: ClassVar[frozenset[str]] = frozenset({"OTHERS", "UNREADABLE_DOCUMENT", "NOT_INSTALLED"})

    def __init__(
        self, shelf: DocumentShelf, indexing: Indexing, extraction: Extraction, projects: ProjectModels
    ) -> None:
        self._shelf = shelf
        self._indexing = indexing
        self._extraction = extraction
        self._projects = projects

    def require(self, request: DocumentChange) -> None:
        self._projects.require_database(request.project_id)

    def queued(self, request: DocumentChange) -> JobState:
        return self.live(request.operation, document_id=request.document_id)

    def render(self, job_id: str, state: JobState) -> dict[str, Any]:
        return {"event_id": job_id, "status": state.status, "error": None, "trace_id": job_id, **state.fields}

    def begin(self, job: Job[DocumentChange, JobState]) -> Attempt[DocumentChange]:
        return _Reading(self, job)

    def ending(self, project_id: str, job_id: str, state: JobState) -> AbstractContextManager[Change | None]:
        """A document whose change has failed, whatever of, is not about to be read any more."""
        if not isinstance(state, _Failed):
            return nullcontext()
        document_id, error = state.fields["document_id"], state.fields["error"]
        failing = self._shelf.failing(project_id, document_id, state.digest, error)
        return self._shelf.versions.changing(project_id, failing)

    async def run(self, job: Job[DocumentChange, JobState]) -> JobState:
        project_id, document_id = job.project_id, job.request.document_id
        chunks: int | None = None
        if job.request.operation == "indexing":
            # None where an attempt before this one came so far, and where the document was removed since.
            upload = await self._shelf.upload(project_id, document_id)
            if upload is not None:
                chunks = await self._read(project_id, upload)
            self._indexing.documents_came(project_id, self._shelf)
        else:
            # What is removed is nowhere any more when this has ended.
            await self._indexing.passage_section(project_id, self._shelf)
        counted: Mapping[str, Any] = {} if chunks is None else {"chunks": chunks}
        return self.finished(document_id=document_id, **counted)

    async def _read(self, project_id: str, upload: Upload) -> int:
        """Read what came, and put it in the place of what was there; how many passages it has."""
        try:
            blocks = await self._extraction.read(upload.content, upload.format)
            passages = await asyncio.to_thread(passages_of, upload.document_id, blocks)
            late = await self._embedded(project_id, upload, passages)
            await self._shelf.keep(project_id, upload, passages)
        except (UnreadableDocument, InvalidRequest) as error:
            code = "UNREADABLE_DOCUMENT" if isinstance(error, UnreadableDocument) else error.code
            raise JobFailed(code, error.message, error.hint) from None
        if late is not None:  # what was read is kept: a search tries again
            raise late
        return len(passages)

    async def _embedded(
        self, project_id: str, upload: Upload, passages: Sequence[Passage]
    ) -> EmbedderUnavailable | None:
        """Embeds passages; why not, where that cannot be done now."""
        document = (await self._shelf.of(project_id)).documents.get(upload.document_id)
        try:
            await self._indexing.embed_passages(passages, document.title if document is not None else "")
        except EmbedderUnavailable as error:
            return error
        return None


@dataclass(frozen=True, slots=True)
class _Failed(JobState):
    """A change that has failed; `digest` is that of its content."""

    digest: str = ""


class _Reading(Attempt[DocumentChange]):
    """An attempt at a change; its failure says of which document."""

    def failed(self, error: AskwellError) -> JobState:
        change = self._job.request
        fields = {"document_id": change.document_id, **super().failed(error).fields}
        return _Failed("failed", fields, is_end=True, digest=change.digest)


def passages_of(document_id: str, blocks: Sequence[Block]) -> list[Passage]:
    """The passages of a document, in its order."""
    return [
        Passage(document_id, place, chunk.locator, chunk.heading, chunk.text)
        for place, chunk in enumerate(chunks_of(blocks))
    ]


class Chunk(TypedDict):
    """A passage of a document."""

    id: str
    locator: Annotated[str, Field(description="Where in the document: its page, or its headings.")]
    text: str


class FoundPassage(Chunk):
    """One that may answer a question."""

    document_id: str
    title: str
    score: Annotated[float, Field(description="How likely it answers, from 0 to 1.")]


MOST_BYTES = 20 * 1024 * 1024


class Documents:
    """A change is in the record before its event's id is told; the event says when it can be found. Everything that is
    for a project raises `InvalidRequest` where the configuration does not name it."""

    def __init__(
        self,
        record: Record,
        projects: ProjectModels,
        indexing: Indexing,
        extraction: Extraction,
        search: PassageSearch,
        engine: JobEngine,
        serve: Serve = JobService,
    ) -> None:
        self._shelf = record.documents
        self._projects = projects
        self._search = search
        self.jobs: JobService[DocumentChange, JobState] = serve(
            DocumentKind(record.documents, indexing, extraction, projects), engine
        )

    async def add(  # noqa: PLR0913 - what a form says of a file
        self,
        project_id: str,
        content: bytes,
        *,
        name: str,
        document_id: str | None = None,
        title: str | None = None,
        source: str | None = None,
        tags: Sequence[str] = (),
        idempotency_key: str | None = None,
        person: Person = NOBODY,
    ) -> tuple[str, str]:
        """Store a file's content, in the place of the document with its id; the document's id and the event's. `name`
        says by its end which format it is of. Raises `InvalidRequest` for what cannot be read, and `NotInstalled`."""
        if not content.strip():
            raise InvalidRequest(*say("documents.empty", name=name[-80:]))
        if len(content) > MOST_BYTES:
            raise InvalidRequest(*say("documents.too_large", most_bytes=MOST_BYTES // 1048576))
        document_format = format_of(name, content)
        Extraction.require(document_format)
        # Sent once more with its key it is the same document.
        key = f"{project_id}:{person.id}{idempotency_key}" if idempotency_key else None
        own = uuid.uuid5(uuid.NAMESPACE_OID, key) if key is not None else uuid.uuid4()
        chosen = document_id or f"document-{own.hex[:20]}"
        document = new_document(
            id=chosen,
            title=(title or title_of(name)).strip(),
            source=source or name,
            format=document_format,
            tags=tags,
            content=content,
        )
        change = DocumentChange(
            project_id=project_id, operation="indexing", document_id=chosen, digest=document.content_hash or ""
        )
        with self._shelf.versions.changing(project_id):
            stored = self._shelf.storing(project_id, document, content)
            event_id = await self.jobs.start(change, idempotency_key, person=person, also=stored)
        return chosen, event_id

    async def delete(
        self, project_id: str, document_id: str, idempotency_key: str | None = None, *, person: Person = NOBODY
    ) -> str:
        """Remove a document with all that stands in it; the event's id. Raises `NotFound`."""
        await self.get(project_id, document_id)
        change = DocumentChange(project_id=project_id, operation="deleting", document_id=document_id)
        with self._shelf.versions.changing(project_id):
            gone = self._shelf.deleting(project_id, [document_id])
            return await self.jobs.start(change, idempotency_key, person=person, also=gone)

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[list[Mapping[str, Any]], int]:
        """`limit` of the documents after the first `offset`, in the order of their coming; and how many there are."""
        self._projects.require_database(project_id)
        documents = (await self._shelf.of(project_id)).documents
        return [_wire(one) for one in islice(documents.values(), offset, offset + limit)], len(documents)

    async def get(self, project_id: str, document_id: str) -> Mapping[str, Any]:
        """A document. Raises `NotFound`."""
        self._projects.require_database(project_id)
        found = (await self._shelf.of(project_id)).documents.get(document_id)
        if found is None:
            raise NotFound(*say("documents.unknown"))
        return _wire(found)

    async def chunks(self, project_id: str, document_id: str, offset: int, limit: int) -> tuple[list[Chunk], int]:
        """`limit` passages of a document after the first `offset`, and how many it has. Raises `NotFound`."""
        count = (await self.get(project_id, document_id))["chunks"]
        passages = await self._shelf.passages(project_id, document_id, offset, limit)
        return [_chunk(one) for one in passages], count

    async def search(
        self,
        project_id: str,
        query: str,
        *,
        top_k: int = 5,
        min_score: float | None = None,
        tags: Collection[str] = (),
    ) -> list[FoundPassage]:
        """The passages that may answer a question, the most probable first."""
        self._projects.require_database(project_id)
        least = MIN_SCORE if min_score is None else min_score
        found = await self._search.run(project_id, query, top_k=top_k, min_score=least, tags=tags)
        return [
            FoundPassage(
                **_chunk(one.passage),
                document_id=one.passage.document_id,
                title=one.title,
                score=round(one.score, 3),
            )
            for one in found
        ]

    async def event(self, event_id: str, project_id: str | None = None, wait: float = 0) -> Mapping[str, Any]:
        """How far a change is; held back for at most `wait` seconds, until that changes. Raises `NotFound`."""
        return await self.jobs.result(event_id, project_id, wait)


def _chunk(one: Passage) -> Chunk:
    return {"id": one.id, "locator": one.locator, "text": one.text}


def title_of(name: str) -> str:
    """A title made of a file's name."""
    stem = name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or name
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or "Document"


def _wire(one: StoredDocument) -> dict[str, Any]:
    body = row_of(one, tags=[*one.tags], created_at=one.created_at.isoformat())
    del body["content_hash"]
    return {name: value for name, value in body.items() if value is not None}
