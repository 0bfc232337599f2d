"""Bodies of the routes of documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, Strict

from askwell.jobs.request import Body, Identifier, PathId, Question, storable

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


class DocumentError(BaseModel):
    code: str
    message: str
    hint: str = ""


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
    error: DocumentError | None = None


class DocumentsPage(BaseModel):
    documents: list[Document]
    total: int


class Chunk(BaseModel):
    """A passage of a document; `locator` says where in it."""

    id: str
    locator: str
    text: str


class ChunksPage(BaseModel):
    chunks: list[Chunk]
    total: int


class Passage(Chunk):
    """`score` is how probable it is, from 0 to 1, that it answers the question."""

    document_id: str
    title: str
    score: float


class Passages(BaseModel):
    passages: list[Passage]


class DocumentEvent(BaseModel):
    event_id: str
    document_id: str | None = None
    status: Literal["indexing", "deleting", "finished", "failed", "stopped"]
    chunks: int | None = None
    error: dict[str, Any] | None = None
    trace_id: str | None = None
