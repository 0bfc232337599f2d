"""Bodies of the semantics routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from askwell.jobs.request import Body, MdlHash
from askwell.services.current_models import ListedProject
from askwell.services.description_changes import DescriptionChange

# In one request: all columns of a wide table, or all tables of a schema.
MAX_CHANGES = 1_000


class PreparationBody(Body):
    """A semantic model: JSON text or the object itself, and the client's label (without one: its content's hash)."""

    mdl: str | dict[str, Any]
    mdl_hash: MdlHash | None = Field(default=None, validation_alias=AliasChoices("mdl_hash", "id"))


class DescriptionsBody(BaseModel):
    """Other descriptions for the model `mdl_hash`, which has to be the current one."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    mdl_hash: MdlHash
    changes: Annotated[list[DescriptionChange], Field(min_length=1, max_length=MAX_CHANGES)]


class ProjectsList(BaseModel):
    projects: list[ListedProject]


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
