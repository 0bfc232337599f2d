"""Accepted jobs: what was asked for, how often it was tried, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
    Update,
    and_,
    cast,
    delete,
    func,
    literal_column,
    or_,
    select,
    update,
)

from askwell.knowledge.database import Database
from askwell.knowledge.rows import insert_one_new, own, row_of, value_of
from askwell.knowledge.schema import jobs
from askwell.principal import NOBODY, Person

# Something that is written together with a job. It may be called more than once, and leaves what it leaves when called
# once.
Change = Callable[[Connection], object]

# Results may be megabytes each, and others want to write too.
_DROPPED_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class AcceptedJob:
    """A job that was promised an end. `request` is its body as JSON; `body_hash` tells two bodies apart; `attempts`
    counts how often work on it was started; `label` is what clients call it, where that is not its id; `parked` is what
    it waits for, where it does; `person` is for whom it is, `worker` the
    process that has it, where several share the record."""

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
    person: Person = NOBODY
    worker: str | None = None


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


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs are listed: of this `status`; with this `text` in the request's `query`, in any case; of one person
    where `owner` is their id; those of which was noted as `feedback` that they are right (True) or wrong. None: any.
    With `of_somebody` those that nobody who had signed in started are left out."""

    status: str | None = None
    text: str | None = None
    owner: str | None = None
    feedback: bool | None = None
    of_somebody: bool = False


class JobShelf:
    """The jobs of all projects. An id cannot be guessed; where people sign in, the caller is looked at
    besides."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, job: AcceptedJob, also: Change | None = None) -> AcceptedJob | IdempotencyConflict:
        """Store a job. The same idempotency key with the same body gives back the job that has it already.
        `also` is written together with a job that is new."""

        def write(connection: Connection) -> AcceptedJob | IdempotencyConflict:
            person = job.person.to_json() if job.person != NOBODY else None
            row = row_of(job, request=dict(job.request), owner=job.person.id, person=person)
            if insert_one_new(connection, jobs, row):
                if also is not None:
                    also(connection)
                return job
            same_key = own(jobs, job.project_id, kind=job.kind, idempotency_key=job.idempotency_key)
            first = connection.execute(select(jobs).where((jobs.c.id == job.id) | same_key)).one()
            if first.body_hash != job.body_hash:
                return IdempotencyConflict(first.id)
            return accepted_of(first)

        return await self._database.write(write)

    async def start_attempt(self, job_id: str, before: int, worker: str | None = None) -> int:
        """Count one more attempt than there were `before`; how many there are now, 0 for a job that is unknown, has
        ended, or is not the `worker`'s. Counted twice it is still one."""
        return await self._database.write(partial(_set_attempts, open_one=_open(job_id, worker), attempts=before + 1))

    async def hand_back(self, job_id: str, before: int, worker: str | None = None) -> None:
        """Take back the attempt that followed those `before`: work on the job was put down on purpose, so it does not
        count against it. Nobody has it then."""
        await self._database.write(partial(_set_attempts, open_one=_open(job_id, worker), attempts=before, worker=None))

    async def park(
        self,
        job_id: str,
        parked: Mapping[str, Any],
        also: Change | None = None,
        *,
        until: datetime | None = None,
        worker: str | None = None,
    ) -> bool:
        """Keep what a job waits for (JSON), and `until` when, with no attempt counted, and `also` together with it.
        False for one that is unknown, has ended, or is not the `worker`'s."""
        waits = {"parked": dict(parked), "parked_until": until, "attempts": 0, "worker": None}
        statement = _open(job_id, worker).values(waits).returning(jobs.c.id)

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
        statement = _open(job_id, None).values(parked=None, request=dict(request)).returning(jobs)
        row = await self._database.write(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else accepted_of(row)

    async def keep_request(self, job_id: str, request: Mapping[str, Any], worker: str | None = None) -> None:
        """Keep the request of a job as it is from now on; nothing for one that is unknown, has ended, or is not the
        `worker`'s."""
        statement = _open(job_id, worker).values(request=dict(request))
        await self._database.write(lambda connection: connection.execute(statement))

    async def end(
        self,
        job_id: str,
        status: str,
        result: Mapping[str, Any],
        ended_at: datetime | None = None,
        also: Change | None = None,
        *,
        seen: Mapping[str, Any] | None = None,
        worker: str | None = None,
    ) -> bool:
        """Write how a job ended, and `also` together with it; with `seen` only while it waits for that. False when it
        is unknown, is not the `worker`'s, or has ended in another way: the first end stands. Whoever tries again,
        because the record was away, gives the same `ended_at` as before (left out: now), by which an end that was
        written after all is known."""
        ended_at = ended_at or datetime.now(UTC)
        ending = {"status": status, "result": dict(result), "finished_at": ended_at}
        statement = _open(job_id, worker).values(ending).returning(jobs.c.id)
        same = select(jobs.c.id).where(jobs.c.id == job_id, jobs.c.status == status, jobs.c.finished_at == ended_at)

        def write(connection: Connection) -> bool:
            if seen is not None and not waits_for(connection, job_id, seen):
                return connection.scalar(same) is not None
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

    async def whose(self, job_id: str, kind: str) -> tuple[str, str] | None:
        """The project of a job of this kind, and the id of the person for whom it is, "" for nobody's."""
        statement = select(jobs.c.project_id, jobs.c.owner).where(jobs.c.id == job_id, jobs.c.kind == kind)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else (row.project_id, row.owner or "")

    async def latest(self, kind: str, project_id: str, label: str) -> StoredJob | None:
        """The last job of a kind that was accepted under a label."""
        statement = (
            select(jobs)
            .where(own(jobs, project_id, kind=kind, label=label))
            .order_by(jobs.c.accepted_at.desc(), jobs.c.id)
            .limit(1)
        )
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _stored(row)

    async def projects_of(self, kind: str, label: str) -> list[str]:
        """The projects with a job of a kind under a label."""
        statement = select(jobs.c.project_id).where(jobs.c.kind == kind, jobs.c.label == label).distinct()
        return list(await self._database.read(lambda connection: connection.scalars(statement).all()))

    async def last_ends(
        self, kind: str, status: str, project_ids: Collection[str]
    ) -> dict[tuple[str, str | None], datetime]:
        """When the last job of a kind that came to this end did so, by project and label."""
        ended = (jobs.c.project_id.in_(project_ids), jobs.c.kind == kind, jobs.c.status == status)
        latest = select(jobs.c.project_id, jobs.c.label, func.max(jobs.c.finished_at)).where(*ended)
        statement = latest.group_by(jobs.c.project_id, jobs.c.label)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {(project_id, label): moment for project_id, label, moment in rows}

    async def remove(self, kind: str, project_id: str) -> None:
        """Remove a project's jobs of a kind, ended or not."""
        statement = delete(jobs).where(jobs.c.project_id == project_id, jobs.c.kind == kind)
        await self._database.write(lambda connection: connection.execute(statement))

    async def unfinished(self, kind: str) -> list[AcceptedJob]:
        """Every job of a kind that has not ended, oldest first."""
        open_ones = select(jobs).where(jobs.c.kind == kind, jobs.c.finished_at.is_(None))
        statement = open_ones.order_by(jobs.c.accepted_at)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [accepted_of(row) for row in rows]

    async def page(
        self,
        kind: str,
        project_id: str,
        chosen: JobFilter,
        *,
        limit: int,
        offset: int,
        ended_since: datetime,
    ) -> tuple[list[StoredJob], int]:
        """Jobs of a kind and a project that are chosen, and have not ended, or ended since a moment: `limit` of them
        after the first `offset`, latest first; and how many there are."""
        wanted = [
            jobs.c.kind == kind,
            jobs.c.project_id == project_id,
            or_(jobs.c.finished_at.is_(None), jobs.c.finished_at >= ended_since),
            *_conditions(chosen),
        ]
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


def _conditions(chosen: JobFilter) -> Iterator[ColumnElement[bool]]:
    if chosen.status is not None:
        yield jobs.c.status == chosen.status
    if chosen.owner is not None:
        yield jobs.c.owner == chosen.owner
    if chosen.of_somebody:
        yield and_(jobs.c.owner.is_not(None), jobs.c.owner != "")
    if chosen.text is not None:
        yield jobs.c.request["query"].as_string().icontains(chosen.text, autoescape=True)
    if chosen.feedback is not None:
        yield jobs.c.result[("notes", "feedback", "positive")].as_boolean().is_(chosen.feedback)


def _open(job_id: str, worker: str | None) -> Update:
    """A change of a job that has not ended, and is this process's where one is named."""
    open_one = update(jobs).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
    return open_one if worker is None else open_one.where(jobs.c.worker == worker)


def waits_for(connection: Connection, job_id: str, seen: Mapping[str, Any]) -> bool:
    """Whether a job has not ended and waits for what was `seen`; it stays so until the end of the transaction."""
    open_one = select(jobs.c.parked).where(jobs.c.id == job_id, jobs.c.finished_at.is_(None))
    parked = connection.scalar(open_one.with_for_update())
    return parked is not None and dict(parked) == dict(seen)


def _set_attempts(connection: Connection, *, open_one: Update, **values: int | None) -> int:
    return connection.scalar(open_one.values(**values).returning(jobs.c.attempts)) or 0


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
    from sqlalchemy.dialects.postgresql import JSONB  # as in `rows`

    whole, place = cast(jobs.c.result, JSONB), literal_column("'{result,data}'::text[]", ARRAY(Text))
    return whole.op("#>")(place).is_not(None), cast(whole.op("#-")(place), JSON)


def _stored(row: Row[Any]) -> StoredJob:
    return StoredJob(accepted_of(row), row.status, row.result, row.finished_at)


def accepted_of(row: Row[Any]) -> AcceptedJob:
    """A job as a row of `jobs` has it."""
    return value_of(AcceptedJob, row, person=Person.from_json(row.person))
