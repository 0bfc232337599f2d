"""Changes of documents as a kind of job: stored when they are accepted, then read and indexed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askwell.documents.blocks import Block
from askwell.documents.chunking import chunks_of
from askwell.documents.extraction import Extraction, UnreadableDocument
from askwell.errors import AskwellError, EmbedderUnavailable, InvalidRequest
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body
from askwell.jobs.simple import Attempt, JobFailed, SimpleKind
from askwell.knowledge.documents import DocumentShelf, Passage, Upload
from askwell.knowledge.jobs import Change
from askwell.pipelines.indexing import Indexing
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
    deadline: float | None = None
    readable: float | None = None

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
        return self._failing(project_id, state) if isinstance(state, _Failed) else nullcontext()

    @contextmanager
    def _failing(self, project_id: str, state: _Failed) -> Iterator[Change]:
        with self._shelf.versions.changing(project_id):
            document_id, error = state.fields["document_id"], state.fields["error"]
            yield self._shelf.failing(project_id, document_id, state.digest, error)

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
        told: Mapping[str, Any] = {} if chunks is None else {"chunks": chunks}
        return self.finished(document_id=document_id, **told)

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
        if late is not None:  # what was read is kept: whoever searches tries again
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
