"""Files that people send, for those who signed in."""

from __future__ import annotations

from typing import IO

from askwell.access.current import current_call
from askwell.services.uploads import Uploads
from askwell.web.guard.jobs import Counted


class GuardedUploads:
    """A project that somebody sent is theirs, and of whoever may use every project. `counted` hears of each that is
    sent, whose model is prepared, and raises `Busy` where it is one too many."""

    def __init__(self, uploads: Uploads, counted: Counted) -> None:
        self._uploads, self._counted = uploads, counted

    @property
    def are_taken(self) -> bool:
        return self._uploads.are_taken

    @property
    def most_bytes(self) -> int:
        return self._uploads.most_bytes

    def require_room(self) -> None:
        self._uploads.require_room()

    async def add(self, file: IO[bytes], name: str, wanted: str | None) -> tuple[str, str]:
        call = current_call()
        await self._counted(call.principal.id)
        project_id, label = await self._uploads.add(file, name, wanted, call.principal.person)
        call.projects.add(project_id)
        return project_id, label

    async def delete(self, project_id: str) -> None:
        current_call().require_project(project_id)
        await self._uploads.delete(project_id)
