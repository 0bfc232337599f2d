"""Projects to files and back, in a running service and for the command line."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from sqlalchemy import Connection

from askwell.archives.parts import OPTIONS, Option, Part, write_archive
from askwell.archives.reading import Archive
from askwell.config.values import PROJECT_ID
from askwell.errors import AskwellError, Conflict, InvalidModel, InvalidRequest
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import ProjectTable, Record, add_rows, has_rows, is_at_work, remove_rows
from askwell.knowledge.schema import jobs
from askwell.messages import say
from askwell.services.preparation_kind import PREPARATION
from askwell.services.projects import ProjectModels

logger = logging.getLogger(__name__)

# What changes the parts of a project by itself, and must not while they are replaced.
_WORK = (PREPARATION, "sql_pair", "instruction", "document")
_TALK = ("run",)
_PREPARATIONS = ProjectTable(jobs, PREPARATION)


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an archive: the project that it was written of, how many rows each part has, and what there is to
    say about it."""

    made_of: str
    parts: Mapping[str, int]
    warnings: Sequence[str] = ()


class ProjectArchives:
    """`projects` are the models of a running service, None where none runs on the record."""

    def __init__(self, record: Record, projects: ProjectModels | None = None) -> None:
        self._record = record
        self._projects = projects

    async def write(self, project_id: str, file: IO[bytes], options: Collection[Option] = ()) -> dict[str, int]:
        """Write a project into a file, as it is at one moment; how many rows each part has. Raises `Conflict` while
        documents are being read, and `InvalidRequest` for a project that the configuration does not name."""
        self._require(project_id)
        made_at = datetime.now(UTC)
        return await self._record.project_rows.at_one_moment(
            lambda connection: write_archive(connection, project_id, file, options, made_at)
        )

    async def hides_rows(self, project_id: str) -> bool:
        """Whether not everybody may read the same rows of a project, or that is not known."""
        if self._projects is None:
            return False
        try:
            project = await self._projects.get(project_id, None)
        except InvalidModel:
            return True
        return project is not None and project.private.are_any

    async def read(
        self, project_id: str, file: IO[bytes], *, replace: bool = False, options: Collection[Option] = OPTIONS
    ) -> Imported:
        """Read a project from a file, all of it or nothing. What the file has parts for takes the place of what the
        project has; its other parts stay. `options` are those parts that it may have besides. Raises `InvalidRequest`
        for a file that is no good archive, and `Conflict` where the project has something and `replace` is not said, or
        work on it goes on."""
        self._require(project_id)
        archive = await asyncio.to_thread(Archive, file)
        if unwanted := [part.name for part in archive.parts if part.option is not None and part.option not in options]:
            raise InvalidRequest(*say("archive.personal_parts", unwanted=unwanted[0]))
        await asyncio.to_thread(archive.check)
        made_at = datetime.now(UTC)
        labels = await asyncio.to_thread(_labels, archive)

        def change(connection: Connection) -> None:
            _require_place(connection, project_id, archive.parts, replace=replace)
            for part in reversed(archive.parts):
                remove_rows(connection, part.place, project_id)
            remove_rows(connection, _PREPARATIONS, project_id)
            for part in archive.parts:
                rows = _rows(archive, part, project_id)
                add_rows(connection, part.place, project_id, rows)
            prepared = (_preparation(project_id, row, job_id, made_at) for row, job_id in labels)
            add_rows(connection, _PREPARATIONS, project_id, prepared)

        with self._record.versions.changing(project_id):
            await self._record.project_rows.change(change)
        counts = {part.name: archive.header.parts[part.name].rows for part in archive.parts}
        logger.info("a project was read from an archive", extra={"project": project_id, "rows": sum(counts.values())})
        return Imported(archive.header.project_id, counts, await self._warnings(project_id))

    def _require(self, project_id: str) -> None:
        if not PROJECT_ID.fullmatch(project_id):
            raise InvalidRequest(*say("archive.project_id", project_id=project_id[:64]))
        if self._projects is not None:
            self._projects.require_database(project_id)

    async def _warnings(self, project_id: str) -> list[str]:
        """What the service says of the model, which it looks at like one that was always there."""
        if self._projects is None:
            return []
        self._projects.forget(project_id)
        try:
            await self._projects.get(project_id, None)
        except AskwellError as error:
            return [error.message]
        return []


def _require_place(connection: Connection, project_id: str, parts: Sequence[Part], *, replace: bool) -> None:
    history = any(part.option == "history" for part in parts)
    if is_at_work(connection, (*_WORK, *(_TALK if history else ())), project_id):
        raise Conflict(*say("archive.project_busy", project_id=project_id))
    if not replace and has_rows(connection, (part.place for part in parts), project_id):
        raise Conflict(*say("archive.project_not_empty", project_id=project_id))


def _labels(archive: Archive) -> list[tuple[dict[str, Any], str]]:
    """Each label, and the id of its preparation."""
    [part] = [part for part in archive.parts if part.name == "labels"]
    return [(row, uuid.uuid4().hex) for row in archive.rows(part)]


def _rows(archive: Archive, part: Part, project_id: str) -> Iterator[dict[str, Any]]:
    """The rows with what is made again."""
    for row in archive.rows(part):
        if part.name == "sql_pairs":
            row["question_key"] = normalise_question(row["question"])
        elif part.name == "asks":
            row["request"] = {**row["request"], "project_id": project_id}
        yield row


def _preparation(project_id: str, label: Mapping[str, Any], job_id: str, made_at: datetime) -> dict[str, Any]:
    """The end of a preparation, for clients that poll the label of a model that was read."""
    request = {"project_id": project_id, "mdl_hash": label["label"], "content_hash": label["content_hash"]}
    return {
        "id": job_id,
        "request": request,
        "body_hash": "",
        "accepted_at": made_at,
        "attempts": 1,
        "status": "finished",
        "result": {"result": {"status": "finished", "trace_id": job_id}, "text": ""},
        "finished_at": made_at,
        "label": label["label"],
        "owner": "",
    }
