"""What the routes of archives answer."""

from __future__ import annotations

from pydantic import BaseModel


class ProjectRead(BaseModel):
    """A project that was read from an archive: `made_of` is the one that it was written of, `parts` are the rows of
    each part."""

    project_id: str
    made_of: str
    parts: dict[str, int]
    warnings: list[str]
