"""What a caller is told of themselves."""

from __future__ import annotations

from pydantic import BaseModel

from askwell.principal import Role


class Me(BaseModel):
    """Who calls: null `projects` are all of them; changes that come with a session's cookie send `csrf_token` in the
    header `X-CSRF-Token`."""

    name: str
    role: Role
    projects: list[str] | None
    csrf_token: str | None
