"""Accepted jobs: what was asked for, how often it was tried, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    ARRAY,
    JSON,
    ColumnElement,
    Connection,
    Row,
    Text,
    and_,
    cast,
    delete,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from askwell.knowledge.database import Database
from askwell.knowledge.schema import jobs
from askwell.knowledge.upsert import insert_one_new

# Something that is written together with a job. It may be called more than once, and leaves what it leaves when called
# once.
Change = Callable[[Connection], object]

# Results may be megabytes each, and others want to write too.
_DROPPED_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class AcceptedJob:
    """A job that was promised an end. `request` is its body as JSON; `body_hash` tells two bodies apart; `attempts`
    counts how often work on it was started; `label` is what clients call it, where that is not its id; `parked` is what
    it waits for, where it does."""

    id: str
    kind: str
    project_id: str
    request: Mapping[str, Any]
    idempotency_key: str | None
    body_hash: str
    accepted_at: datetime
    attempts: int = 0
    label: str | None = None
    parked: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class IdempotencyConflict:
    """The key was used before, in this project and for this kind, with another body, by `job_id`."""

    job_id: str


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as the record has it. `status`, `result` and `finished_at` are None until it has ended."""

    job: AcceptedJob
    status: str | None
    result: Mapping[str, Any] | None
    finished_at: datetime | None


class JobShelf:
    """The jobs of all projects. An id cannot be guessed: whoever has one was given it, and may read that job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, job: AcceptedJob, also: Change | None = None) -> AcceptedJob | IdempotencyConflict:
        """Store a job. The same idempotency key with the same body gives back the job that has it already.
        `also` is written together with a job that is new."""

        def write(connection: Connection) -> AcceptedJob | IdempotencyConflict:
            row = {
                "id": job.id,
                "kind": job.kind,
                "project_id": job.project_id,
                "request": dict(job.request),
                "idempotency_key": job.idempotency_key,
                "body_hash": job.body_hash,
                "accepted_at": job.accepted_at,
                "attempts": job.attempts,
                "label": job.label,
            }
            if insert_one_new(connection, jobs, row):
                if also is not None:
                    also(connection)
                return job
            same_key = and_(
                jobs.c.project_id == job.project_id,
                jobs.c.kind == job.kind,
                jobs.c.idempotency_key == job.idempotency_key,
            )
            first = connection.execute(select(jobs).where((jobs.c.id == job.id) | same_key)).one()
            if first.body_hash != job.body_hash:
                return IdempotencyConflict(first.id)
            return _accepted(first)

        return await self._database.write(write)

    async def start_attempt(self, job_id: str, before: int) -> int:
        """Count one more attempt than there were `before`; how many there are now, 0 for a job that is unknown or has
        ended. Counted twice it is still one."""
        return await self._database.write(partial(_set_attempts, job_id=job_id, attempts=before + 1))

    async def hand_back(self, job_id: str, before: int) -> None:
        """Take back the attempt that followed those `before`: work on the job was put down on purpose, so it does not
        count against it."""
        await self._database.write(partial(_set_attempts, job_id=job_id, attempts=before))

    async def park(self, job_id: str, parked: Mapping[str, Any], also: Change | None = None) -> bool:
        """Keep what a job waits for (JSON), with no attempt counted, and `also` together with it. False for one that
        is unknown or has ended."""
        open_one = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
        statement = open_one.values(parked=dict(parked), attempts=0).returning(jobs.c.id)

        def write(connection: Connection) -> bool:
            if connection.scalar(statement) is None:
                return False
            if also is not None:
                also(connection)
            return True

        return await self._database.write(write)

    async def unpark(self, job_id: str, request: Mapping[str, Any]) -> AcceptedJob | None:
        """Let a job wait no more, with its request as it is from now on; the job, None for one that is unknown or has
        ended."""
        open_one = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
        statement = open_one.values(parked=None, request=dict(request)).returning(jobs)
        row = await self._database.write(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _accepted(row)

    async def keep_request(self, job_id: str, request: Mapping[str, Any]) -> None:
        """Keep the request of a job as it is from now on; nothing for one that is unknown or has ended."""
        open_one = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
        statement = open_one.values(request=dict(request))
        await self._database.write(lambda connection: connection.execute(statement))

    async def end(
        self,
        job_id: str,
        status: str,
        result: Mapping[str, Any],
        ended_at: datetime | None = None,
        also: Change | None = None,
    ) -> bool:
        """Write how a job ended, and `also` together with it. False when it is unknown or has ended in another way: the
        first end stands. Whoever tries again, because the record was away, gives the same `ended_at` as before (left
        out: now), by which an end that was written after all is known."""
        ended_at = ended_at or datetime.now(UTC)
        open_one = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
        statement = open_one.values(status=status, result=dict(result), finished_at=ended_at).returning(jobs.c.id)
        same = select(jobs.c.id).where(jobs.c.id == job_id, jobs.c.status == status, jobs.c.finished_at == ended_at)

        def write(connection: Connection) -> bool:
            if connection.scalar(statement) is None:
                return connection.scalar(same) is not None
            if also is not None:
                also(connection)
            return True

        return await self._database.write(write)

    async def note(self, job_id: str, name: str, value: Any) -> None:
        """Keep `value` (JSON) under `name` beside what is kept of a job that has ended; nothing for another one."""
        ended = select(jobs.c.result).where(jobs.c.id == job_id, jobs.c.finished_at.is_not(None)).with_for_update()

        def write(connection: Connection) -> None:
            kept = connection.scalar(ended)
            if kept is not None:
                connection.execute(update(jobs).where(jobs.c.id == job_id).values(result={**kept, name: value}))

        await self._database.write(write)

    async def find(self, job_id: str) -> StoredJob | None:
        """The job of that id."""
        statement = select(jobs).where(jobs.c.id == job_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _stored(row)

    async def latest(self, kind: str, project_id: str, label: str) -> StoredJob | None:
        """The last job of a kind that was accepted under a label."""
        same = (jobs.c.project_id == project_id, jobs.c.kind == kind, jobs.c.label == label)
        statement = select(jobs).where(*same).order_by(jobs.c.accepted_at.desc(), jobs.c.id).limit(1)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _stored(row)

    async def projects_of(self, kind: str, label: str) -> list[str]:
        """The projects with a job of a kind under a label."""
        statement = select(jobs.c.project_id).where(jobs.c.kind == kind, jobs.c.label == label).distinct()
        return list(await self._database.read(lambda connection: connection.scalars(statement).all()))

    async def remove(self, kind: str, project_id: str) -> None:
        """Remove a project's jobs of a kind, ended or not."""
        statement = delete(jobs).where(jobs.c.project_id == project_id, jobs.c.kind == kind)
        await self._database.write(lambda connection: connection.execute(statement))

    async def unfinished(self, kind: str) -> list[AcceptedJob]:
        """Every job of a kind that has not ended, oldest first."""
        open_ones = select(jobs).where(jobs.c.kind == kind, jobs.c.finished_at.is_(None))
        statement = open_ones.order_by(jobs.c.accepted_at)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_accepted(row) for row in rows]

    async def page(
        self,
        kind: str,
        project_id: str,
        *,
        limit: int,
        offset: int,
        ended_since: datetime,
        status: str | None = None,
        text: str | None = None,
    ) -> tuple[list[StoredJob], int]:
        """Jobs of a kind and a project that have not ended, or ended since a moment: `limit` of them after the first
        `offset`, latest first; and how many there are. `text` is part of the request's `query`, in any case."""
        wanted = [
            jobs.c.kind == kind,
            jobs.c.project_id == project_id,
            or_(jobs.c.finished_at.is_(None), jobs.c.finished_at >= ended_since),
        ]
        if status is not None:
            wanted.append(jobs.c.status == status)
        if text is not None:
            wanted.append(jobs.c.request["query"].as_string().icontains(text, autoescape=True))
        ordered = select(jobs).where(*wanted).order_by(jobs.c.accepted_at.desc(), jobs.c.id)
        count = select(func.count()).select_from(jobs).where(*wanted)

        def read(connection: Connection) -> tuple[list[StoredJob], int]:
            rows = connection.execute(ordered.limit(limit).offset(offset)).all()
            return [_stored(row) for row in rows], connection.scalar(count) or 0

        return await self._database.read(read)

    async def drop_rows(self, ended_before: datetime, ended_since: datetime | None = None) -> int:
        """Take the rows out of the results of jobs that ended between two moments; how many had any. A few at a time,
        so that other writes get in between; what it frees in a file is used again by what comes."""
        dropped = 0
        while batch := await self._database.read(partial(_with_rows, since=ended_since, before=ended_before)):
            await self._database.write(partial(_drop_rows, ids=[row.id for row in batch]))
            dropped += len(batch)
            ended_since = batch[-1].finished_at
        return dropped

    async def forget(self, finished_before: datetime, kinds: Collection[str] | None = None) -> int:
        """Remove jobs that ended before a moment, of these kinds or of all; how many there were."""
        statement = delete(jobs).where(jobs.c.finished_at < finished_before)
        if kinds is not None:
            statement = statement.where(jobs.c.kind.in_(kinds))
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _set_attempts(connection: Connection, *, job_id: str, attempts: int) -> int:
    statement = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None)).values(attempts=attempts)
    return connection.scalar(statement.returning(jobs.c.attempts)) or 0


def _with_rows(connection: Connection, *, since: datetime | None, before: datetime) -> list[Row[Any]]:
    """The first few jobs, by their end, whose results have rows."""
    there, _ = _rows_of_result(connection)
    statement = select(jobs.c.id, jobs.c.finished_at).where(jobs.c.finished_at < before, there)
    if since is not None:
        statement = statement.where(jobs.c.finished_at >= since)
    return list(connection.execute(statement.order_by(jobs.c.finished_at).limit(_DROPPED_AT_ONCE)))


def _drop_rows(connection: Connection, *, ids: Sequence[str]) -> None:
    _, without = _rows_of_result(connection)
    connection.execute(update(jobs).where(jobs.c.id.in_(ids)).values(result=without))


def _rows_of_result(connection: Connection) -> tuple[ColumnElement[bool], ColumnElement[Any]]:
    """Whether `result.data` is in the stored JSON, and the JSON without it: results may be large, and stay where they
    are."""
    if connection.dialect.name == "sqlite":
        path = "$.result.data"
        return func.json_type(jobs.c.result, path).is_not(None), func.json_remove(jobs.c.result, path)
    whole, place = cast(jobs.c.result, JSONB), literal_column("'{result,data}'::text[]", ARRAY(Text))
    return whole.op("#>")(place).is_not(None), cast(whole.op("#-")(place), JSON)


def _stored(row: Row[Any]) -> StoredJob:
    return StoredJob(_accepted(row), row.status, row.result, row.finished_at)


def _accepted(row: Row[Any]) -> AcceptedJob:
    return AcceptedJob(
        id=row.id,
        kind=row.kind,
        project_id=row.project_id,
        request=row.request,
        idempotency_key=row.idempotency_key,
        body_hash=row.body_hash,
        accepted_at=row.accepted_at,
        attempts=row.attempts,
        label=row.label,
        parked=row.parked,
    )
