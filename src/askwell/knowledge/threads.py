"""Conversations: threads, their messages, what clients were told of their runs, and the agents that people defined."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from askwell.errors import Conflict, InvalidRequest
from askwell.knowledge.database import Database
from askwell.knowledge.jobs import Change
from askwell.knowledge.rows import insert_new, insert_or_replace, own, row_of, value_of
from askwell.knowledge.schema import agents as agent_rows
from askwell.knowledge.schema import client_runs as client_run_rows
from askwell.knowledge.schema import jobs as job_rows
from askwell.knowledge.schema import messages as message_rows
from askwell.knowledge.schema import run_events as event_rows
from askwell.knowledge.schema import threads as thread_rows
from askwell.messages import say

RUN = "run"
"""The kind of the jobs that are runs of a thread; their label is the thread's id."""

NO_RUN = ""
"""In the place of a run's id, for words that a client brought along."""

MOST_AGENTS = 100
T = TypeVar("T")
Role = Literal["user", "assistant", "tool"]
Part = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation, with the agent that it is held with, its variables, and the id of the person whose it is ("" for
    nobody's)."""

    id: str
    agent_id: str
    title: str
    variables: Mapping[str, str]
    created_at: datetime
    updated_at: datetime
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `parts` are objects with a `type`; `run_id` is the run that it belongs to."""

    role: Role
    parts: Sequence[Part]
    run_id: str
    created_at: datetime
    id: str

    @classmethod
    def new(
        cls, role: Role, parts: Sequence[Part], run_id: str, created_at: datetime, id: str | None = None
    ) -> Message:
        """A message with an id of its own, where none is given."""
        return cls(role, parts, run_id, created_at, id or uuid.uuid4().hex)

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(part["text"] for part in self.parts if part["type"] == "text")


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event as clients get it; `place` counts from 1 over the whole run, `segment` from 0."""

    place: int
    segment: int
    event: Mapping[str, Any]


class ThreadShelf:
    """The threads of all projects. Everything but a run's events is found by project and id together."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- threads ----------------------------------------------------------------------------------------------------

    async def create(self, project_id: str, thread: Thread, owner: str = "") -> Thread:
        """Store a thread of this person unless there is one with its id; the one that is there then."""

        def write(connection: Connection) -> Thread:
            _create(connection, project_id, thread, owner)
            found = _find(connection, project_id, thread.id)
            assert found is not None
            return found

        return await self._database.write(write)

    async def find(self, project_id: str, thread_id: str) -> Thread | None:
        """A thread; None where the project has none with that id."""
        return await self._database.read(lambda connection: _find(connection, project_id, thread_id))

    async def owner(self, project_id: str, thread_id: str) -> str | None:
        """The id of the person whose thread it is, "" for nobody's; None where there is none."""
        statement = select(func.coalesce(thread_rows.c.owner, "")).where(own(thread_rows, project_id, id=thread_id))
        return await self._database.read(lambda connection: connection.scalar(statement))

    async def page(
        self, project_id: str, offset: int, limit: int, owner: str | None = None
    ) -> tuple[list[Thread], int]:
        """`limit` threads, of one person where `owner` is their id, after the first `offset`, the last used first, and
        how many there are."""
        wanted = own(thread_rows, project_id, **({} if owner is None else {"owner": owner}))
        ordered = select(thread_rows).where(wanted).order_by(thread_rows.c.updated_at.desc(), thread_rows.c.id)

        def read(connection: Connection) -> tuple[list[Thread], int]:
            rows = connection.execute(ordered.limit(limit).offset(offset)).all()
            count = connection.scalar(select(func.count()).select_from(thread_rows).where(wanted)) or 0
            return [_thread(row) for row in rows], count

        return await self._database.read(read)

    async def change(self, project_id: str, thread_id: str, **values: Any) -> bool:
        """Change the title or the variables; False where there is no such thread."""
        statement = (
            update(thread_rows)
            .where(own(thread_rows, project_id, id=thread_id))
            .values(**values)
            .returning(thread_rows.c.id)
        )
        return await self._database.write(lambda connection: connection.scalar(statement)) is not None

    async def set_variables(self, project_id: str, thread_id: str, variables: Mapping[str, str]) -> Mapping[str, str]:
        """Set variables of a thread beside those that it has; all of them as they are then."""
        return await self._database.write(
            lambda connection: _set_variables(connection, project_id, thread_id, variables)
        )

    async def delete(self, project_id: str, thread_id: str) -> list[str]:
        """Delete a thread with everything that belongs to it, questions and charts that its owner asked for it too; the
        ids of the jobs that are gone."""

        def write(connection: Connection) -> list[str]:
            owner = (
                select(func.coalesce(thread_rows.c.owner, ""))
                .where(own(thread_rows, project_id, id=thread_id))
                .scalar_subquery()
            )
            labelled = (job_rows.c.project_id == project_id) & (
                ((job_rows.c.kind == RUN) & (job_rows.c.label == thread_id))
                | (
                    (job_rows.c.kind != RUN)
                    & (job_rows.c.request["thread_id"].as_string() == thread_id)
                    & (func.coalesce(job_rows.c.owner, "") == owner)
                )
            )
            ids = list(connection.scalars(select(job_rows.c.id).where(labelled)))
            connection.execute(delete(event_rows).where(event_rows.c.run_id.in_(ids)))
            connection.execute(delete(client_run_rows).where(client_run_rows.c.run_id.in_(ids)))
            connection.execute(delete(job_rows).where(job_rows.c.id.in_(ids)))
            connection.execute(delete(message_rows).where(own(message_rows, project_id, thread_id=thread_id)))
            connection.execute(delete(thread_rows).where(own(thread_rows, project_id, id=thread_id)))
            return ids

        return await self._database.write(write)

    # -- messages ---------------------------------------------------------------------------------------------------

    async def messages(self, project_id: str, thread_id: str) -> list[Message]:
        """All messages of a thread, in order."""
        in_thread = own(message_rows, project_id, thread_id=thread_id)
        statement = select(message_rows).where(in_thread).order_by(message_rows.c.place)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [value_of(Message, row, parts=row.parts) for row in rows]

    # -- runs -------------------------------------------------------------------------------------------------------

    def beginning(
        self,
        project_id: str,
        thread: Thread,
        parts: Sequence[Part],
        now: datetime,
        *,
        variables: Mapping[str, str],
        client_id: str | None = None,
        earlier: Sequence[tuple[Role, str]] = (),
        owner: str = "",
    ) -> Change:
        """What is written together with a new run: its thread, where that is new, of a person (`owner`) and with the
        words that a client says came `earlier`; its `variables`, the user's message (none where there are no `parts`),
        and the id that the client gave. Raises `Conflict` where another run of the thread goes on."""

        message_id = uuid.uuid4().hex
        messages = [Message.new(role, [{"type": "text", "text": text}], NO_RUN, now) for role, text in earlier]

        def write(connection: Connection) -> None:
            if messages and _find(connection, project_id, thread.id) is None:
                _add(connection, project_id, thread.id, messages)
            _create(connection, project_id, thread, owner)
            going_on = list(connection.scalars(_open_run(project_id, thread.id)))
            if len(going_on) != 1:
                raise Conflict(*say("chat.run_goes_on"))
            run_id = going_on[0]
            if variables:
                _set_variables(connection, project_id, thread.id, variables)
            if parts:
                _add(connection, project_id, thread.id, [Message("user", parts, run_id, now, message_id)])
            if client_id is not None:
                row = {"project_id": project_id, "client_id": client_id, "run_id": run_id, "segment": 0}
                insert_new(connection, client_run_rows, [row])
            connection.execute(
                update(thread_rows).where(own(thread_rows, project_id, id=thread.id)).values(updated_at=now)
            )

        return write

    async def name_segment(self, project_id: str, client_id: str, run_id: str, segment: int) -> None:
        """Keep the id that a client gave to a segment of a run."""
        row = {"project_id": project_id, "client_id": client_id, "run_id": run_id, "segment": segment}
        await self._database.write(lambda connection: insert_new(connection, client_run_rows, [row]))

    async def named(self, project_id: str, client_id: str) -> tuple[str, int] | None:
        """The run and the segment that a client gave this id to."""
        statement = select(client_run_rows).where(own(client_run_rows, project_id, client_id=client_id))
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else (row.run_id, row.segment)

    async def open_asks(self, project_id: str, thread_id: str) -> list[str]:
        """The ids of the thread's questions that have not ended."""
        statement = select(job_rows.c.id).where(
            own(job_rows, project_id, kind="ask", finished_at=None),
            job_rows.c.request["thread_id"].as_string() == thread_id,
        )
        return await self._database.read(lambda connection: list(connection.scalars(statement)))

    async def going_on(self, project_id: str, thread_id: str) -> str | None:
        """The id of the thread's run that has not ended, where there is one."""
        statement = _open_run(project_id, thread_id)
        return await self._database.read(lambda connection: connection.scalar(statement))

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Write this now, and what it gives."""
        return await self._database.write(change)

    async def events(self, run_id: str, after: int = 0) -> list[RunEvent]:
        """The events of a run behind a place, in order."""
        return await self._database.read(lambda connection: events_of_run(connection, run_id, after))

    # -- agents -----------------------------------------------------------------------------------------------------

    async def agents(self, project_id: str) -> dict[str, Mapping[str, Any]]:
        """The definitions of all agents of a project, by id."""
        statement = select(agent_rows).where(agent_rows.c.project_id == project_id).order_by(agent_rows.c.id)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {row.id: row.definition for row in rows}

    async def keep_agent(self, project_id: str, agent_id: str, definition: Mapping[str, Any], now: datetime) -> None:
        """Keep a definition, in the place of an earlier one. Raises `InvalidRequest` for more than `MOST_AGENTS`."""
        row = {"project_id": project_id, "id": agent_id, "definition": dict(definition), "updated_at": now}

        def write(connection: Connection) -> None:
            insert_or_replace(connection, agent_rows, [row])
            count = select(func.count()).select_from(agent_rows).where(agent_rows.c.project_id == project_id)
            if (connection.scalar(count) or 0) > MOST_AGENTS:
                raise InvalidRequest(*say("agents.too_many", most_agents=MOST_AGENTS))

        await self._database.write(write)

    async def delete_agent(self, project_id: str, agent_id: str) -> bool:
        """Delete a definition; False where there is none."""
        statement = delete(agent_rows).where(own(agent_rows, project_id, id=agent_id)).returning(agent_rows.c.id)
        return await self._database.write(lambda connection: connection.scalar(statement)) is not None


def write_of_run(
    project_id: str,
    thread_id: str,
    run_id: str,
    events: Sequence[RunEvent],
    messages: Sequence[Message],
    *,
    open_only: bool = True,
) -> Callable[[Connection], bool]:
    """Writes events and messages of a run; those that are there already stay as they are. False, and nothing is
    written, after its thread was deleted, and with `open_only` also after it has ended."""

    def write(connection: Connection) -> bool:
        if _find(connection, project_id, thread_id) is None:
            return False
        if open_only:
            is_open = select(job_rows.c.id).where(job_rows.c.id == run_id, job_rows.c.finished_at.is_(None))
            if connection.scalar(is_open) is None:
                return False
        insert_new(connection, event_rows, [row_of(one, run_id=run_id, event=dict(one.event)) for one in events])
        _add(connection, project_id, thread_id, messages)
        return True

    return write


def events_of_run(connection: Connection, run_id: str, after: int = 0) -> list[RunEvent]:
    """The events of a run behind a place, in order."""
    statement = select(event_rows).where(event_rows.c.run_id == run_id, event_rows.c.place > after)
    return [value_of(RunEvent, row) for row in connection.execute(statement.order_by(event_rows.c.place))]


def request_of_run(connection: Connection, run_id: str) -> tuple[Mapping[str, Any], str]:
    """The request of a run that is there, and its project."""
    row = connection.execute(select(job_rows.c.request, job_rows.c.project_id).where(job_rows.c.id == run_id)).one()
    return row.request, row.project_id


def _open_run(project_id: str, thread_id: str) -> Select[Any]:
    return select(job_rows.c.id).where(own(job_rows, project_id, kind=RUN, label=thread_id, finished_at=None))


def _create(connection: Connection, project_id: str, thread: Thread, owner: str) -> None:
    row = row_of(thread, project_id=project_id, variables=dict(thread.variables), owner=owner)
    insert_new(connection, thread_rows, [row])


def _set_variables(
    connection: Connection, project_id: str, thread_id: str, variables: Mapping[str, str]
) -> Mapping[str, str]:
    thread = _find(connection, project_id, thread_id)
    if thread is None:
        return variables
    kept = {**thread.variables, **variables}
    connection.execute(update(thread_rows).where(own(thread_rows, project_id, id=thread_id)).values(variables=kept))
    return kept


def _find(connection: Connection, project_id: str, thread_id: str) -> Thread | None:
    row = connection.execute(select(thread_rows).where(own(thread_rows, project_id, id=thread_id))).one_or_none()
    return None if row is None else _thread(row)


def _thread(row: Row[Any]) -> Thread:
    return value_of(Thread, row, owner=row.owner or "")


def _add(connection: Connection, project_id: str, thread_id: str, messages: Sequence[Message]) -> None:
    rows = [
        row_of(one, project_id=project_id, thread_id=thread_id, parts=[dict(part) for part in one.parts])
        for one in messages
    ]
    these = message_rows.c.id.in_([one.id for one in messages])
    in_thread = own(message_rows, project_id, thread_id=thread_id)
    known = set(connection.scalars(select(message_rows.c.id).where(in_thread, these)))
    if new := [row for row in rows if row["id"] not in known]:
        connection.execute(insert(message_rows), new)
