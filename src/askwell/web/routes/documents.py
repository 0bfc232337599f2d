"""Documents of words, and the search for what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, Field, Strict, ValidationError
from starlette.datastructures import UploadFile

from askwell.errors import InvalidRequest
from askwell.field_types import Identifier, PathId, Question, storable
from askwell.job_kinds.tools import JobError
from askwell.jobs.request import Body
from askwell.messages import say
from askwell.services.documents import MOST_BYTES, Chunk, FoundPassage
from askwell.web.deps import CURATE, Curator, InPage, Project, ProjectSaid, body_of, job_of
from askwell.web.polling import IdempotencyKey, Jobs, Wait, add_events
from askwell.web.responses import CHANGES, ERRORS, NOT_FOUND, STARTS_WORK, file_form, started
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

# A form has a little around its file.
MAX_BODY = MOST_BYTES + 64 * 1024
_MOST_FIELDS = 30


MAX_CHARACTERS = 5_000_000

Title = Annotated[Identifier, Field(max_length=128)]
Tags = Annotated[list[Identifier], Field(max_length=20)]


class DocumentFields(Body):
    """What is said of a document beside its content."""

    id: PathId | None = None
    title: Title | None = None
    source: Annotated[Identifier | None, Field(description="Where it comes from, for people; never fetched.")] = None
    tags: Tags = []


class DocumentBody(DocumentFields):
    """A document whose text, as Markdown, comes with the request."""

    title: Title
    text: Annotated[
        str,
        Field(min_length=1, max_length=MAX_CHARACTERS, json_schema_extra={"pattern": r"^[^\u0000]*$"}),
        AfterValidator(storable),
    ]


class SearchBody(Body):
    query: Question
    top_k: Annotated[int, Strict(), Field(ge=1, le=50)] = 5
    min_score: Annotated[float, Strict(), Field(ge=0, le=1)] | None = None
    tags: Tags = []


class DocumentStarted(BaseModel):
    document_id: str
    event_id: str


class Document(BaseModel):
    """A document; `status` is of its latest content. Where that could not be read (`error`), what came before it can
    still be found."""

    id: str
    title: str
    source: str
    format: str
    tags: list[str]
    bytes: int
    chunks: int
    status: Literal["indexing", "indexed", "failed"]
    created_at: str
    error: JobError | None = None


class DocumentsPage(BaseModel):
    documents: list[Document]
    total: int


class ChunksPage(BaseModel):
    chunks: list[Chunk]
    total: int


class Passages(BaseModel):
    passages: list[FoundPassage]


class DocumentEvent(BaseModel):
    event_id: str
    document_id: str | None = None
    status: Literal["indexing", "deleting", "finished", "failed", "stopped"]
    chunks: int | None = None
    error: dict[str, Any] | None = None
    trace_id: str | None = None


FieldsT = TypeVar("FieldsT", bound=DocumentFields)
_EITHER = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": DocumentBody.model_json_schema(ref_template="#/components/schemas/{model}")},
            "multipart/form-data": file_form(
                **{name: {"type": "string"} for name in ("id", "title", "source", "project_id")},
                tags={"type": "array", "items": {"type": "string"}},
            ),
        },
    }
}


def routes(services: Container) -> APIRouter:
    """The routes under /documents."""
    router = new_router("/documents", tag="documents", role="ask", most_bytes=MAX_BODY)

    def changes() -> Jobs:
        return services.documents.jobs

    own_change = job_of(changes, "event_id")

    @router.post("", status_code=202, response_model=DocumentStarted, responses=STARTS_WORK, openapi_extra=_EITHER)
    async def add_document(
        request: Request, caller: Curator, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        """Give a project a document: a file of a form (Markdown, text, HTML, PDF, Word, CSV), or Markdown as `text` of
        JSON. One with a known id replaces it. `Location` says where to poll."""
        fields, name, content = await _sent(request)
        fields = fields.of(project_id)
        caller.require_project(fields.project_id)
        document_id, event_id = await services.documents.add(
            fields.project_id,
            content,
            name=name,
            document_id=fields.id,
            title=fields.title,
            source=fields.source,
            tags=fields.tags,
            idempotency_key=idempotency_key,
            person=await caller.counted(),
        )
        ids = {"document_id": document_id, "event_id": event_id}
        return started(request, ids, f"/documents/events/{event_id}")

    @router.get("", response_model=DocumentsPage, responses=ERRORS, response_model_exclude_none=True)
    async def list_documents(project_id: Project, shown: InPage) -> dict[str, Any]:
        """A project's documents, oldest first."""
        page, total = await services.documents.page(project_id, shown.offset, shown.limit)
        return {"documents": page, "total": total}

    @router.post("/search", response_model=Passages, responses=CHANGES)
    async def search(body: Annotated[SearchBody, Depends(body_of(SearchBody))]) -> dict[str, Any]:
        """The passages that may answer a question, the most probable first; none where none does."""
        passages = await services.documents.search(
            body.project_id, body.query, top_k=body.top_k, min_score=body.min_score, tags=body.tags
        )
        return {"passages": passages}

    @router.get("/events/{event_id}", response_model=DocumentEvent, responses=NOT_FOUND, dependencies=CURATE)
    async def document_event(wait: Wait = 0, event_id: str = Depends(own_change)) -> Any:
        """How far a change to the documents is."""
        return await services.documents.event(event_id, wait=wait)

    add_events(router, services, changes, "document", own_change, "/events/{event_id}/events", CURATE)

    @router.get("/{document_id}", response_model=Document, responses=NOT_FOUND, response_model_exclude_none=True)
    async def get_document(document_id: str, project_id: Project) -> Any:
        """A document, and whether it can be found by now."""
        return await services.documents.get(project_id, document_id)

    @router.delete("/{document_id}", status_code=202, response_model=DocumentStarted, responses=STARTS_WORK | NOT_FOUND)
    async def delete_document(
        request: Request,
        caller: Curator,
        document_id: str,
        project_id: Project,
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        """Remove a document with all that stands in it. `Location` says where to poll."""
        person = await caller.counted()
        event_id = await services.documents.delete(project_id, document_id, idempotency_key, person=person)
        ids = {"document_id": document_id, "event_id": event_id}
        return started(request, ids, f"/documents/events/{event_id}")

    @router.get("/{document_id}/chunks", response_model=ChunksPage, responses=NOT_FOUND)
    async def list_chunks(document_id: str, project_id: Project, shown: InPage) -> dict[str, Any]:
        """The passages of a document, in its order."""
        page, total = await services.documents.chunks(project_id, document_id, shown.offset, shown.limit)
        return {"chunks": page, "total": total}

    return router


async def _sent(request: Request) -> tuple[DocumentFields, str, bytes]:
    """What is said of the document, the name of its file, and its content. Raises `RequestValidationError` and
    `InvalidRequest`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        if kind != "application/json" and not kind.endswith("+json"):
            raise InvalidRequest(*say("documents.no_form"))
        try:
            sent = await request.json()
        except ValueError:
            raise InvalidRequest(*say("documents.no_form")) from None
        body = _checked(DocumentBody, sent)
        return body, "text.md", body.text.encode()
    async with request.form(max_files=1, max_fields=_MOST_FIELDS) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InvalidRequest(*say("documents.no_file"))
        said = {name: form.get(name) for name in ("id", "title", "source", "project_id") if form.get(name)}
        tags = [tag for part in form.getlist("tags") if isinstance(part, str) for tag in part.split(",") if tag.strip()]
        return _checked(DocumentFields, {**said, "tags": tags}), file.filename or "text.txt", await file.read()


def _checked(model: type[FieldsT], sent: Any) -> FieldsT:
    """The body, refused like any other that FastAPI reads."""
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in problems]) from None
