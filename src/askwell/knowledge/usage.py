"""What the record says of a project's asks in numbers: how many ended how, by what, and at which cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, func, select, type_coerce

from askwell.knowledge.database import Database
from askwell.knowledge.schema import jobs

_DAY_MICROSECONDS = 86_400_000_000
_EPOCH = date(1970, 1, 1)
_COUNTED = ("llm_calls", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class JobGroup:
    """Jobs of one day (in UTC) that are alike. `status` is None for those that have not ended, `code` that of their
    error, `source` what wrote their SQL."""

    day: date
    status: str | None
    code: str | None
    source: str | None
    jobs: int
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed with this code, and what was asked."""

    code: str
    id: str
    query: str


class UsageShelf:
    """The jobs of all projects, counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def groups(self, kind: str, project_id: str, since: datetime) -> list[JobGroup]:
        """A project's jobs of a kind that were accepted since a moment, by day and by how they ended."""
        day = type_coerce(jobs.c.accepted_at, BigInteger) // _DAY_MICROSECONDS
        # Grouped outside: PostgreSQL takes a JSON path that stands in two places for two expressions.
        each = (
            select(
                day.label("day"),
                jobs.c.status,
                _told("error", "code").label("code"),
                _told("sql_source").label("source"),
                *(_usage(name).as_integer().label(name) for name in _COUNTED),
                _usage("cost_usd").as_float().label("cost_usd"),
            )
            .where(*_accepted(kind, project_id, since))
            .subquery()
        )
        alike = (each.c.day, each.c.status, each.c.code, each.c.source)
        sums = (func.coalesce(func.sum(each.c[name]), 0) for name in (*_COUNTED, "cost_usd"))
        statement = select(*alike, func.count(), *sums).group_by(*alike)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_group(*row) for row in rows]

    async def failed(
        self, kind: str, project_id: str, since: datetime, each: int, owner: str | None = None
    ) -> Sequence[FailedJob]:
        """The last jobs that failed, `each` at most for a code; of one person where `owner` is their id."""
        code = _told("error", "code")
        place = func.row_number().over(partition_by=code, order_by=(jobs.c.accepted_at.desc(), jobs.c.id))
        wanted = [*_accepted(kind, project_id, since), jobs.c.status == "failed", code.is_not(None)]
        if owner is not None:
            wanted.append(jobs.c.owner == owner)
        query = jobs.c.request["query"].as_string().label("query")
        ranked = select(code.label("code"), jobs.c.id, query, place.label("place")).where(*wanted).subquery()
        statement = (
            select(ranked.c.code, ranked.c.id, ranked.c.query)
            .where(ranked.c.place <= each)
            .order_by(ranked.c.code, ranked.c.place)
        )

        def read(connection: Connection) -> list[FailedJob]:
            return [FailedJob(*row) for row in connection.execute(statement)]

        return await self._database.read(read)


def _group(day: int, status: str | None, code: str | None, source: str | None, *sums: Any) -> JobGroup:
    *counts, cost = sums
    asked, llm_calls, prompt_tokens, completion_tokens = map(int, counts)
    on = _EPOCH + timedelta(days=int(day))
    return JobGroup(on, status, code, source, asked, llm_calls, prompt_tokens, completion_tokens, float(cost))


def _accepted(kind: str, project_id: str, since: datetime) -> tuple[ColumnElement[bool], ...]:
    return (jobs.c.project_id == project_id, jobs.c.kind == kind, jobs.c.accepted_at >= since)


def _told(*path: str) -> ColumnElement[Any]:
    """A text of what clients were told of the end; NULL where it is not there."""
    text: ColumnElement[Any] = jobs.c.result[("result", *path)].as_string()
    return text


def _usage(name: str) -> Any:
    return jobs.c.result[("result", "usage", name)]
