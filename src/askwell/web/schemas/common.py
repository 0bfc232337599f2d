"""Types of what an address says."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from askwell.jobs.request import ProjectId

# Beside a body, or beside an id that is enough by itself.
ProjectSaid = Annotated[
    ProjectId | None, Query(description="Only where it is this project's; left out, the id or the body is enough.")
]
PageSize = Annotated[int, Field(ge=1, le=1_000)]
PageOffset = Annotated[int, Field(ge=0, le=1_000_000_000)]
