"""The system of record: the only truth, and the shelves it is divided into."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, delete, exists, select, text

from askwell.knowledge.api_keys import ApiKeyShelf, EndedTokens
from askwell.knowledge.claims import ClaimShelf
from askwell.knowledge.database import Database
from askwell.knowledge.documents import DocumentShelf
from askwell.knowledge.embeddings import EmbeddingShelf
from askwell.knowledge.engines import make_folder, make_private, record_url
from askwell.knowledge.jobs import JobShelf
from askwell.knowledge.models import ModelShelf
from askwell.knowledge.project_cache import ProjectVersions
from askwell.knowledge.saved import SavedShelf
from askwell.knowledge.schema import client_runs, jobs, messages, run_events
from askwell.knowledge.threads import ThreadShelf
from askwell.knowledge.usage import UsageShelf

T = TypeVar("T")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """A table, or the rows of a kind in it. `kind` is that of jobs, of which only those that have ended count."""

    table: Table
    kind: str | None = None

    def of(self, project_id: str) -> tuple[ColumnElement[bool], ...]:
        """What its rows have in common."""
        own = self.table.c.project_id == project_id
        return (own,) if self.kind is None else (own, jobs.c.kind == self.kind, jobs.c.finished_at.is_not(None))


class ProjectRows:
    """Access to a project's rows, for copying whole projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def at_one_moment(self, work: Callable[[Connection], T]) -> T:
        """The result of `work`, which reads what there was when it began. It may be called again."""

        def read(connection: Connection) -> T:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            return work(connection)

        return await self._database.read(read)

    async def change(self, work: Callable[[Connection], T]) -> T:
        """The result of `work`, all of whose writes count, or none. It may be called again."""
        return await self._database.write(work)


def rows_of(connection: Connection, place: ProjectTable, project_id: str) -> Iterator[RowMapping]:
    """A project's rows, always in the same order. They are read as they are taken, some hundred at a time."""
    statement = select(place.table).where(*place.of(project_id)).order_by(*place.table.primary_key)
    for row in connection.execute(statement.execution_options(yield_per=_AT_ONCE)):
        yield row._mapping


def has_rows(connection: Connection, places: Iterable[ProjectTable], project_id: str) -> bool:
    """Whether a project has a row in any of them."""
    return any(connection.scalar(select(exists().where(*place.of(project_id)))) for place in places)


def is_at_work(connection: Connection, kinds: Collection[str], project_id: str) -> bool:
    """Whether jobs of these kinds are going on, or wait for something."""
    open_ones = (jobs.c.project_id == project_id, jobs.c.kind.in_(kinds), jobs.c.finished_at.is_(None))
    return bool(connection.scalar(select(exists().where(*open_ones))))


def remove_rows(connection: Connection, place: ProjectTable, project_id: str) -> None:
    """Remove a project's rows; with messages what clients were told of the runs that these belong to."""
    if place.table is messages:
        runs = select(jobs.c.id).where(*ProjectTable(jobs, "run").of(project_id))
        connection.execute(delete(run_events).where(run_events.c.run_id.in_(runs)))
        connection.execute(delete(client_runs).where(client_runs.c.project_id == project_id))
        remove_rows(connection, ProjectTable(jobs, "run"), project_id)
    connection.execute(delete(place.table).where(*place.of(project_id)))


def add_rows(connection: Connection, place: ProjectTable, project_id: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add rows to a project, in their order. A job whose id another one has gets one of its own."""
    coming = iter(rows)
    own = {"project_id": project_id} if place.kind is None else {"project_id": project_id, "kind": place.kind}
    while batch := [{**row, **own} for row in islice(coming, _AT_ONCE)]:
        if place.kind is not None:
            ids = [row["id"] for row in batch]
            taken = set(connection.scalars(select(jobs.c.id).where(jobs.c.id.in_(ids))))
            batch = [{**row, "id": uuid.uuid4().hex} if row["id"] in taken else row for row in batch]
        connection.execute(place.table.insert(), batch)


FILE_NAME = "record.sqlite"
SETTING = "`knowledge.url`"


class Record:
    """Everything that must not be lost. Indexes, caches and live jobs are shadows of it and can be made again.

    A method that writes returns when the write is on disk. Every method raises `RecordUnavailable` with a hint when the
    record is full, locked, read-only, damaged or out of reach; one that writes also when its file is gone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        # Versions of what projects have saved, and of what is known of their models.
        self.versions, self.model_versions = ProjectVersions(), ProjectVersions()
        self.jobs = JobShelf(database)
        self.usage = UsageShelf(database)
        self.claims = ClaimShelf(database)
        self.models = ModelShelf(database)
        self.saved = SavedShelf(database, self.versions)
        self.documents = DocumentShelf(database, self.versions)
        self.threads = ThreadShelf(database)
        self.ended_tokens = EndedTokens(database)
        self.api_keys = ApiKeyShelf(database)
        self.embeddings = EmbeddingShelf(database)
        self.project_rows = ProjectRows(database)

    @classmethod
    async def open(
        cls, url: str, home: Path, *, patience: float = 0.0, setting: str = SETTING, shared: bool = False
    ) -> Self:
        """Open the record that `knowledge.url` names (`sqlite`: a file in `home`, made when missing). On PostgreSQL
        one process at a time has it, or several that open it `shared`; a server that is away or taken is waited for
        `patience` seconds, and what it breaks off later is begun again for a shorter while. Hints call `setting` what
        says where it is."""
        address = record_url(url, str(home / FILE_NAME))
        if address.get_backend_name() == "sqlite" and address.database:
            make_folder(Path(address.database).parent)
            # It holds rows of other people's databases.
            make_private(Path(address.database))
        record = cls(await Database.open(address, setting, patience, shared=shared))
        if address.get_backend_name() == "sqlite" and address.database:
            record.versions.share_file(Path(f"{address.database}.changed"))
        return record

    @classmethod
    async def look(cls, url: str, home: Path, *, setting: str = SETTING) -> Self | None:
        """The record that `knowledge.url` names, as it is and for reading alone, also beside a service that uses it;
        None where there is none yet."""
        database = await Database.look(record_url(url, str(home / FILE_NAME)), setting)
        return None if database is None else cls(database)

    @property
    def name(self) -> str:
        """The name of its database: the same for all that share it."""
        return self._database.name

    async def has_everything(self) -> bool:
        """Whether it has all tables and columns of this Askwell; opening it adds what is missing."""
        return await self._database.has_everything()

    async def check(self) -> None:
        """Raises `RecordUnavailable` where it takes no write, or where its file was deleted or replaced."""
        await self._database.check()

    async def close(self) -> None:
        """Finish pending writes and close. Safe to call twice."""
        await self._database.close()
