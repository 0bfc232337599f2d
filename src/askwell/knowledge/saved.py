"""What people saved for a project: SQL pairs, instructions and keyword rules, and the events by which clients follow a
change of what is indexed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal

from cachetools import LRUCache
from sqlalchemy import Connection, Row, Table, case, delete, func, select, update

from askwell.errors import AskwellError, InvalidRequest
from askwell.knowledge.database import Database
from askwell.knowledge.keywords import MAX_KEYWORDS, Keyword
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.schema import instructions as instruction_rows
from askwell.knowledge.schema import keywords as keyword_rows
from askwell.knowledge.schema import knowledge_events
from askwell.knowledge.schema import sql_pairs as pair_rows
from askwell.knowledge.upsert import insert_or_replace

Scope = Literal["sql", "answer", "chart"]
EventStatus = Literal["indexing", "deleting", "finished", "failed"]
EventKind = Literal["sql_pair", "instruction"]

# Projects whose knowledge is kept in memory; each asks for it at every question.
_CACHED_PROJECTS = 256


@dataclass(frozen=True, slots=True)
class SqlPair:
    """A question and the SQL, over the model, that answers it."""

    id: str
    question: str
    sql: str
    parameters: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Instruction:
    """A rule for questions like `questions`; a default one is for all. `scope` is what it is a rule for."""

    id: str
    text: str
    questions: tuple[str, ...] = ()
    is_default: bool = False
    scope: Scope = "sql"


@dataclass(frozen=True)
class SavedKnowledge:
    """All that is saved for a project at one moment. `digest` identifies what is indexed of it."""

    project_id: str
    pairs: Mapping[str, SqlPair] = field(default_factory=dict)
    instructions: Mapping[str, Instruction] = field(default_factory=dict)
    keywords: Mapping[str, Keyword] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """A hash of pairs and instructions: equal ones have an equal digest, whenever they were saved."""
        content = [
            [[p.id, p.question, p.sql] for p in self.pairs.values()],
            [[i.id, i.text, i.questions, i.is_default, i.scope] for i in self.instructions.values()],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @cached_property
    def pairs_by_question(self) -> Mapping[str, SqlPair]:
        """Pairs that need no parameters, by normal form of their question; of several, the one saved last."""
        return {normalise_question(pair.question): pair for pair in self.pairs.values() if not pair.parameters}


@dataclass(frozen=True, slots=True)
class KnowledgeEvent:
    """A change that a client made. `error` is set when `status` is failed; `warnings` are for who made the change."""

    id: str
    project_id: str
    kind: EventKind
    status: EventStatus
    error: AskwellError | None = None
    warnings: tuple[str, ...] = ()


class SavedShelf:
    """Saved knowledge by project. A change and its event are written together.

    What was read is kept in memory, so a change made by another process is seen only after a restart: one process
    writes, until there is a way to tell the others.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: LRUCache[str, SavedKnowledge] = LRUCache(_CACHED_PROJECTS)
        self._changes: Counter[str] = Counter()

    async def of(self, project_id: str) -> SavedKnowledge:
        """Everything saved for a project."""
        if (known := self._cache.get(project_id)) is not None:
            return known
        changes = self._changes[project_id]
        found = await self._database.read(lambda connection: _read(connection, project_id))
        if changes == self._changes[project_id]:  # else it may be older than a change that was written meanwhile
            self._cache[project_id] = found
        return found

    async def save_pairs(
        self,
        project_id: str,
        pairs: Sequence[SqlPair],
        event_id: str,
        *,
        refusal: AskwellError | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        """Store pairs, each in the place of the one with its id. The event ends as failed where there is a `refusal`:
        others that came with them were not to be stored."""
        now = datetime.now(UTC)
        rows = [
            {
                "project_id": project_id,
                "id": pair.id,
                "question": pair.question,
                "question_key": normalise_question(pair.question),
                "sql": pair.sql,
                "parameters": [dict(parameter) for parameter in pair.parameters],
                "stored_at": now,
            }
            for pair in pairs
        ]
        said = {
            "error_code": refusal.code if refusal else None,
            "error_message": refusal.message if refusal else None,
            "warnings": list(warnings),
        }
        await self._change(
            project_id, "sql_pair", "indexing", event_id, lambda c: insert_or_replace(c, pair_rows, rows), said
        )

    async def save_instructions(self, project_id: str, instructions: Sequence[Instruction], event_id: str) -> None:
        """Store instructions, each in the place of the one with its id."""
        now = datetime.now(UTC)
        rows = [
            {
                "project_id": project_id,
                "id": instruction.id,
                "instruction": instruction.text,
                "questions": list(instruction.questions),
                "is_default": int(instruction.is_default),
                "scope": instruction.scope,
                "stored_at": now,
            }
            for instruction in instructions
        ]
        await self._change(
            project_id, "instruction", "indexing", event_id, lambda c: insert_or_replace(c, instruction_rows, rows)
        )

    async def delete_pairs(self, project_id: str, ids: Sequence[str], event_id: str) -> None:
        """Remove pairs; ids that are not there are passed over."""
        await self._change(project_id, "sql_pair", "deleting", event_id, _deletion(pair_rows, project_id, ids))

    async def delete_instructions(self, project_id: str, ids: Sequence[str], event_id: str) -> None:
        """Remove instructions; ids that are not there are passed over."""
        await self._change(
            project_id, "instruction", "deleting", event_id, _deletion(instruction_rows, project_id, ids)
        )

    async def save_keywords(self, project_id: str, keywords: Sequence[Keyword]) -> None:
        """Store keyword rules, each in the place of the one with its id. Raises `InvalidRequest`, and stores none,
        where the project would have more than `MAX_KEYWORDS`."""
        now = datetime.now(UTC)
        rows = [
            {
                "project_id": project_id,
                "id": keyword.id,
                "pattern": keyword.pattern,
                "tables": list(keyword.tables),
                "stored_at": now,
            }
            for keyword in keywords
        ]
        count = select(func.count()).where(keyword_rows.c.project_id == project_id)

        def write(connection: Connection) -> None:
            insert_or_replace(connection, keyword_rows, rows)
            if (connection.scalar(count) or 0) > MAX_KEYWORDS:
                raise InvalidRequest(
                    f"A project may have {MAX_KEYWORDS} keyword rules.",
                    "Remove some, or put several words into one pattern: returns?|refunds?",
                )

        await self._write(project_id, write)

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        """Remove keyword rules; ids that are not there are passed over."""
        await self._write(project_id, _deletion(keyword_rows, project_id, ids))

    async def end_event(self, event_id: str, error: AskwellError | None = None) -> None:
        """Note that a change is in the index, or why it is not. What was refused with the change stays its error."""
        code, message = knowledge_events.c.error_code, knowledge_events.c.error_message
        statement = (
            update(knowledge_events)
            .where(knowledge_events.c.id == event_id)
            .values(
                status="failed" if error else case((code.is_not(None), "failed"), else_="finished"),
                error_code=func.coalesce(code, error.code if error else None),
                error_message=func.coalesce(message, error.message if error else None),
            )
        )
        await self._database.write(lambda connection: connection.execute(statement))

    async def event(self, event_id: str) -> KnowledgeEvent | None:
        """The event of that id."""
        statement = select(knowledge_events).where(knowledge_events.c.id == event_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _event(row)

    async def unfinished_events(self) -> list[KnowledgeEvent]:
        """Changes that are stored and were not seen to be indexed."""
        statement = select(knowledge_events).where(knowledge_events.c.status.in_(("indexing", "deleting")))
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_event(row) for row in rows]

    async def _change(
        self,
        project_id: str,
        kind: EventKind,
        status: EventStatus,
        event_id: str,
        change: Callable[[Connection], object],
        said: Mapping[str, Any] | None = None,
    ) -> None:
        event = {
            "id": event_id,
            "project_id": project_id,
            "kind": kind,
            "status": status,
            "happened_at": datetime.now(UTC),
            **(said or {}),
        }

        def write(connection: Connection) -> None:
            change(connection)
            connection.execute(knowledge_events.insert().values(event))

        await self._write(project_id, write)

    async def _write(self, project_id: str, change: Callable[[Connection], object]) -> None:
        try:
            await self._database.write(change)
        finally:
            self._changes[project_id] += 1
            self._cache.pop(project_id, None)


def _deletion(table: Table, project_id: str, ids: Sequence[str]) -> Callable[[Connection], object]:
    def run(connection: Connection) -> None:
        for start in range(0, len(ids), 500):
            some = table.c.id.in_(ids[start : start + 500])
            connection.execute(delete(table).where(table.c.project_id == project_id, some))

    return run


def _read(connection: Connection, project_id: str) -> SavedKnowledge:
    pairs = select(pair_rows).where(pair_rows.c.project_id == project_id)
    rules = select(instruction_rows).where(instruction_rows.c.project_id == project_id)
    words = select(keyword_rows).where(keyword_rows.c.project_id == project_id)
    return SavedKnowledge(
        project_id=project_id,
        pairs={
            row.id: SqlPair(row.id, row.question, row.sql, tuple(row.parameters))
            for row in connection.execute(pairs.order_by(pair_rows.c.stored_at, pair_rows.c.id))
        },
        instructions={
            row.id: Instruction(row.id, row.instruction, tuple(row.questions), bool(row.is_default), row.scope)
            for row in connection.execute(rules.order_by(instruction_rows.c.stored_at, instruction_rows.c.id))
        },
        keywords={
            row.id: Keyword(row.id, row.pattern, tuple(row.tables))
            for row in connection.execute(words.order_by(keyword_rows.c.stored_at, keyword_rows.c.id))
        },
    )


def _event(row: Row[Any]) -> KnowledgeEvent:
    error = None
    if row.status == "failed":
        error = AskwellError(row.error_message)
        error.code = row.error_code
    return KnowledgeEvent(row.id, row.project_id, row.kind, row.status, error, tuple(row.warnings or ()))
