"""All that the record has of one project, table by table: read at one moment, and written in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, delete, exists, select, text

from askwell.knowledge.database import Database
from askwell.knowledge.schema import client_runs, jobs, messages, run_events

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
    """The door to a project's rows, for whoever copies whole projects."""

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
