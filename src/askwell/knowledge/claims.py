"""Which process works on what, where several share a record on PostgreSQL.

A process is a row that it writes anew every few seconds, by the server's clock: clocks of machines need not agree.
Whoever does not is taken out by the others, and what it had is free again. A job is taken by one statement, which
passes over what others are taking.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from askwell.knowledge.database import Database
from askwell.knowledge.jobs import AcceptedJob, accepted_of, waits_for
from askwell.knowledge.schema import Moment, jobs, workers

# The present moment of the server, not of the transaction: a write may wait for its group.
_MICROSECONDS = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"
_NOW: ColumnElement[datetime] = literal_column(_MICROSECONDS, Moment())
_PARKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a process takes: jobs of these kinds. Those that are `in_turn` go on one at a time in each project, in the
    order in which they came."""

    kinds: Sequence[str]
    in_turn: Sequence[str] = ()


class ClaimShelf:
    """The processes that share a record, and what each of them has taken. Every method raises `RecordUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- processes --------------------------------------------------------------------------------------------------

    async def join(self, worker: str, about: Mapping[str, str]) -> datetime:
        """Make the process known, with its host and version; the server's present moment."""

        def write(connection: Connection) -> datetime:
            connection.execute(delete(workers).where(workers.c.id == worker))
            return _moment(connection, insert(workers).values(id=worker, seen_at=_NOW, **about))

        return await self._database.write(write)

    async def beat(self, worker: str) -> datetime | None:
        """Tell that the process lives; the server's present moment, None where the others have taken it out."""
        statement = update(workers).where(workers.c.id == worker).values(seen_at=_NOW).returning(workers.c.seen_at)
        return await self._database.write(lambda connection: connection.scalar(statement))

    async def reap(self, seconds: float) -> int:
        """Take out the processes that have told nothing for so many seconds; how many jobs are free by that."""
        dead = delete(workers).where(workers.c.seen_at < _ago(seconds))
        return await self._database.write(partial(_freed, statement=dead))

    async def leave(self, worker: str) -> None:
        """The process ends: what it still has is free."""
        gone = delete(workers).where(workers.c.id == worker)
        await self._database.write(partial(_freed, statement=gone))

    # -- jobs -------------------------------------------------------------------------------------------------------

    async def take(self, worker: str, wanted: Wanted, most: int, mine: Collection[str]) -> list[AcceptedJob]:
        """At most so many free jobs, the oldest first, each counted as begun; and whatever this process has taken by
        the record and does not know of (`mine` are those it does): it was not told of its own write."""
        lost = and_(jobs.c.worker == worker, jobs.c.id.notin_(list(mine)))
        free = (
            select(jobs.c.id)
            .where(_is_open(wanted.kinds), or_(and_(jobs.c.worker.is_(None), _has_its_turn(wanted)), lost))
            .order_by(jobs.c.accepted_at, jobs.c.id)
            .limit(most)
            .with_for_update(skip_locked=True)
            .cte("free")
            # Run once, whatever the plan: run again, it would find others than those that it has just locked.
            .prefix_with("MATERIALIZED")
        )
        begun = jobs.c.attempts + case((jobs.c.worker.is_(None), 1), else_=0)
        taking = (
            update(jobs).where(jobs.c.id.in_(select(free.c.id))).values(worker=worker, attempts=begun).returning(jobs)
        )
        rows = await self._database.write(lambda connection: connection.execute(taking).all())
        return sorted(map(accepted_of, rows), key=lambda job: (job.accepted_at, job.id))

    async def waiting(self, kinds: Sequence[str]) -> int:
        """How many jobs nobody works on yet."""
        count = select(func.count()).select_from(jobs).where(_is_open(kinds), jobs.c.worker.is_(None))
        return await self._database.read(lambda connection: connection.scalar(count) or 0)

    async def overdue(self, kinds: Sequence[str]) -> list[AcceptedJob]:
        """Jobs that have waited too long for their owners, a hundred at most."""
        late = select(jobs).where(
            jobs.c.kind.in_(kinds), jobs.c.finished_at.is_(None), jobs.c.parked_until < _NOW, ~jobs.c.parked.is_(None)
        )
        rows = await self._database.read(lambda connection: connection.execute(late.limit(_PARKED_AT_ONCE)).all())
        return list(map(accepted_of, rows))

    async def change_parked(self, job_id: str, seen: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Write these values of columns for a job that still waits for what was `seen`. False for one that does not."""

        def write(connection: Connection) -> bool:
            if not waits_for(connection, job_id, seen):
                return False
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values))
            return True

        return await self._database.write(write)


def _ago(seconds: float) -> ColumnElement[datetime]:
    return literal_column(f"{_MICROSECONDS} - {int(seconds * 1_000_000)}", Moment())


def _is_open(kinds: Sequence[str]) -> ColumnElement[bool]:
    return and_(jobs.c.kind.in_(list(kinds)), jobs.c.finished_at.is_(None), jobs.c.parked.is_(None))


def _has_its_turn(wanted: Wanted) -> ColumnElement[bool]:
    """Nothing of its kind goes on in the project, and nothing has come before."""
    other = jobs.alias("other")
    before = or_(
        other.c.worker.is_not(None),
        other.c.accepted_at < jobs.c.accepted_at,
        and_(other.c.accepted_at == jobs.c.accepted_at, other.c.id < jobs.c.id),
    )
    same = and_(
        other.c.kind == jobs.c.kind,
        other.c.project_id == jobs.c.project_id,
        other.c.id != jobs.c.id,
        other.c.finished_at.is_(None),
    )
    return or_(jobs.c.kind.notin_(list(wanted.in_turn)), ~exists().where(same, before))


def _freed(connection: Connection, *, statement: Any) -> int:
    """What no process has, after processes were taken out."""
    connection.execute(statement)
    known = select(workers.c.id)
    orphans = update(jobs).where(jobs.c.finished_at.is_(None), jobs.c.worker.is_not(None), jobs.c.worker.notin_(known))
    return connection.execute(orphans.values(worker=None)).rowcount


def _moment(connection: Connection, statement: Any) -> datetime:
    moment: datetime = connection.execute(statement.returning(workers.c.seen_at)).scalar_one()
    return moment
