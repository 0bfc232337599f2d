"""Bodies of the routes that keep a service running."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from askwell.principal import Role
from askwell.web.schemas.errors import ErrorBody


class HealthCheck(BaseModel):
    """`set_up` is false where there is none of it, which the service does without."""

    ok: bool
    message: str
    set_up: bool | None = None


class Ready(BaseModel):
    """Everything that the service depends on, by name."""

    status: Literal["ready"]
    checks: dict[str, HealthCheck]


class NotReady(ErrorBody):
    """An error that says what does not work; only the code where the service takes nothing more."""

    status: Literal["not ready"] | None = None
    checks: dict[str, HealthCheck] = {}


class Me(BaseModel):
    """Who calls: null `projects` are all of them; changes that come with a session's cookie send `csrf_token` in the
    header `X-CSRF-Token`."""

    name: str
    role: Role
    projects: list[str] | None
    csrf_token: str | None
