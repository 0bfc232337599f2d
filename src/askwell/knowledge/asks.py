"""Accepted questions: what was asked, how often it was tried, how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    cast,
    delete,
    func,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from askwell.knowledge.database import Database
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.schema import asks
from askwell.knowledge.upsert import insert_one_new

# Results may be megabytes each, and others want to write too.
_DROPPED_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class AcceptedAsk:
    """An ask that was promised an end. `request` is its body as JSON; `body_hash` tells two bodies apart; `attempts`
    counts how often work on it was started."""

    id: str
    project_id: str
    request: Mapping[str, Any]
    idempotency_key: str | None
    body_hash: str
    accepted_at: datetime
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class IdempotencyConflict:
    """The key was used before, in this project, with another body. `ask_id` is the ask that has it."""

    ask_id: str


@dataclass(frozen=True, slots=True)
class StoredAsk:
    """An ask as the record has it. `status`, `result` and `finished_at` are None until it has ended."""

    ask: AcceptedAsk
    status: str | None
    result: Mapping[str, Any] | None
    finished_at: datetime | None


class AskShelf:
    """The asks of all projects. An id cannot be guessed: whoever has one was given it, and may read that ask."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, ask: AcceptedAsk) -> AcceptedAsk | IdempotencyConflict:
        """Store an ask. The same idempotency key with the same body gives back the ask that has it already."""

        def write(connection: Connection) -> AcceptedAsk | IdempotencyConflict:
            row = {
                "id": ask.id,
                "project_id": ask.project_id,
                "request": dict(ask.request),
                "question_key": normalise_question(str(ask.request.get("query", ""))),
                "idempotency_key": ask.idempotency_key,
                "body_hash": ask.body_hash,
                "accepted_at": ask.accepted_at,
                "attempts": ask.attempts,
            }
            if insert_one_new(connection, asks, row):
                return ask
            same_key = (asks.c.project_id == ask.project_id) & (asks.c.idempotency_key == ask.idempotency_key)
            first = connection.execute(select(asks).where((asks.c.id == ask.id) | same_key)).one()
            if first.body_hash != ask.body_hash:
                return IdempotencyConflict(first.id)
            return _accepted(first)

        return await self._database.write(write)

    async def start_attempt(self, ask_id: str) -> int:
        """Count one more attempt; how many there are now, 0 for an ask that is unknown or has ended."""
        statement = (
            update(asks)
            .where(asks.c.id == ask_id, asks.c.finished_at.is_(None))
            .values(attempts=asks.c.attempts + 1)
            .returning(asks.c.attempts)
        )
        return await self._database.write(lambda connection: connection.scalar(statement)) or 0

    async def hand_back(self, ask_id: str) -> None:
        """Take back one attempt: work on the ask was put down on purpose, so it does not count against it."""
        statement = (
            update(asks)
            .where(asks.c.id == ask_id, asks.c.finished_at.is_(None), asks.c.attempts > 0)
            .values(attempts=asks.c.attempts - 1)
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def end(self, ask_id: str, status: str, result: Mapping[str, Any]) -> bool:
        """Write how an ask ended. False when it is unknown or has ended before: the first end stands."""
        statement = (
            update(asks)
            .where(asks.c.id == ask_id, asks.c.finished_at.is_(None))
            .values(status=status, result=dict(result), finished_at=datetime.now(UTC))
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount == 1)

    async def find(self, ask_id: str) -> StoredAsk | None:
        """The ask of that id."""
        statement = select(asks).where(asks.c.id == ask_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else StoredAsk(_accepted(row), row.status, row.result, row.finished_at)

    async def unfinished(self) -> list[AcceptedAsk]:
        """Every ask that has not ended, oldest first."""
        statement = select(asks).where(asks.c.finished_at.is_(None)).order_by(asks.c.accepted_at)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_accepted(row) for row in rows]

    async def drop_rows(self, ended_before: datetime, ended_since: datetime | None = None) -> int:
        """Take the rows out of the results of asks that ended between two moments; how many had any. A few at a time,
        so that other writes get in between; what it frees in a file is used again by what comes."""
        dropped = 0
        while batch := await self._database.read(partial(_with_rows, since=ended_since, before=ended_before)):
            await self._database.write(partial(_drop_rows, ids=[row.id for row in batch]))
            dropped += len(batch)
            ended_since = batch[-1].finished_at
        return dropped

    async def forget(self, finished_before: datetime) -> int:
        """Remove asks that ended before a moment; how many there were."""
        statement = delete(asks).where(asks.c.finished_at < finished_before)
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _with_rows(connection: Connection, *, since: datetime | None, before: datetime) -> list[Row[Any]]:
    """The first few asks, by their end, whose results have rows."""
    there, _ = _rows_of_result(connection)
    statement = select(asks.c.id, asks.c.finished_at).where(asks.c.finished_at < before, there)
    if since is not None:
        statement = statement.where(asks.c.finished_at >= since)
    return list(connection.execute(statement.order_by(asks.c.finished_at).limit(_DROPPED_AT_ONCE)))


def _drop_rows(connection: Connection, *, ids: Sequence[str]) -> None:
    _, without = _rows_of_result(connection)
    connection.execute(update(asks).where(asks.c.id.in_(ids)).values(result=without))


def _rows_of_result(connection: Connection) -> tuple[ColumnElement[bool], ColumnElement[Any]]:
    """Whether `result.data` is in the stored JSON, and the JSON without it: results may be large, and stay where they
    are."""
    if connection.dialect.name == "sqlite":
        path = "$.result.data"
        return func.json_type(asks.c.result, path).is_not(None), func.json_remove(asks.c.result, path)
    whole, place = cast(asks.c.result, JSONB), literal_column("'{result,data}'::text[]", ARRAY(Text))
    return whole.op("#>")(place).is_not(None), cast(whole.op("#-")(place), JSON)


def _accepted(row: Row[Any]) -> AcceptedAsk:
    return AcceptedAsk(
        id=row.id,
        project_id=row.project_id,
        request=row.request,
        idempotency_key=row.idempotency_key,
        body_hash=row.body_hash,
        accepted_at=row.accepted_at,
        attempts=row.attempts,
    )
