"""Bodies of the semantics routes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, Field

from askwell.jobs.request import Body, MdlHash


class PreparationBody(Body):
    """A semantic model: JSON text or the object itself, and the client's label (without one: its content's hash)."""

    mdl: str | dict[str, Any]
    mdl_hash: MdlHash | None = Field(default=None, validation_alias=AliasChoices("mdl_hash", "id"))


class PreparationStarted(BaseModel):
    id: str


class Progress(BaseModel):
    done: int
    total: int
    stage: str


class PreparationError(BaseModel):
    code: str
    message: str
    hint: str | None = None


class PreparationStatus(BaseModel):
    id: str
    status: Literal["indexing", "finished", "failed"]
    error: PreparationError | None = None
    progress: Progress | None = None
    warnings: list[str] | None = None
    trace_id: str
