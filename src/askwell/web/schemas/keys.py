"""Keys of people and programs, as administrators see them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from askwell.jobs.request import ProjectId
from askwell.principal import Role

AttributeName = Annotated[str, StringConstraints(min_length=1, max_length=256)]
AttributeText = Annotated[str, StringConstraints(max_length=1_000)]


class KeyBody(BaseModel):
    """A key that is to be made. Without `projects` it is for all, without `expires_at` for good. `attributes` are what
    the configuration makes session properties and a database role of."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    role: Role = "ask"
    projects: list[ProjectId] | None = Field(None, max_length=1_000)
    attributes: dict[AttributeName, AttributeText] = Field(default_factory=dict, max_length=50)
    expires_at: datetime | None = None


class RotationBody(BaseModel):
    """For how many seconds the key before works too. `expires_at` is when the key is over from now on."""

    model_config = ConfigDict(extra="forbid")

    grace: int = Field(3_600, ge=0, le=2_592_000)
    expires_at: datetime | None = None


class Key(BaseModel):
    """A key without the key itself. `used_at` is coarse: to the hour."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    role: Role
    projects: list[str] | None
    attributes: dict[str, str]
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


class KeyMade(Key):
    """The key itself is told this once."""

    key: str


class Keys(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keys: list[Key]
