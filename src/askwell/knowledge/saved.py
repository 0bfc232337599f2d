"""What people saved for a project, and what was learnt: SQL pairs, instructions, keyword rules and lessons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, Literal

from sqlalchemy import Connection, Table, delete, func, select

from askwell.errors import InvalidRequest
from askwell.knowledge.database import Database
from askwell.knowledge.jobs import Change
from askwell.knowledge.keywords import MAX_KEYWORDS, Keyword
from askwell.knowledge.lessons import Lessons, Revision, read_lessons, revising
from askwell.knowledge.project_cache import ProjectCache, ProjectVersions
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.schema import instructions as instruction_rows
from askwell.knowledge.schema import keywords as keyword_rows
from askwell.knowledge.schema import sql_pairs as pair_rows
from askwell.knowledge.upsert import insert_or_replace

Scope = Literal["sql", "answer", "chart"]
EventKind = Literal["sql_pair", "instruction"]


@dataclass(frozen=True, slots=True)
class SqlPair:
    """A question and the SQL, over the model, that answers it."""

    id: str
    question: str
    sql: str
    parameters: tuple[Mapping[str, Any], ...] = ()

    def wire(self) -> dict[str, Any]:
        """JSON-ready."""
        parameters = [dict(one) for one in self.parameters]
        return {"id": self.id, "sql": self.sql, "question": self.question, "parameters": parameters}


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
    lessons: Lessons = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """A hash of pairs and instructions: equal ones have an equal digest, whenever they were saved."""
        content = [
            [[p.id, p.question, p.sql] for p in self.pairs.values()],
            [[i.id, i.text, i.questions, i.is_default, i.scope] for i in self.instructions.values()],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @cached_property
    def pairs_by_question(self) -> Mapping[str, tuple[SqlPair, ...]]:
        """Pairs that need no parameters, by normal form of their question; of several, the one saved last first."""
        found: dict[str, tuple[SqlPair, ...]] = {}
        for pair in self.pairs.values():
            if not pair.parameters:
                key = normalise_question(pair.question)
                found[key] = (pair, *found.get(key, ()))
        return found


class SavedShelf:
    """Saved knowledge by project. A change and its event are written together."""

    def __init__(self, database: Database, versions: ProjectVersions) -> None:
        self._database = database
        self.versions = versions
        self._cache: ProjectCache[SavedKnowledge] = ProjectCache(versions)

    async def of(self, project_id: str) -> SavedKnowledge:
        """Everything saved for a project."""
        read = partial(self._database.read, lambda connection: _read(connection, project_id))
        return await self._cache.get(project_id, read)

    def saving_pairs(self, project_id: str, pairs: Sequence[SqlPair]) -> Change:
        """Stores pairs, each in the place of the one with its id."""
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
        return lambda connection: insert_or_replace(connection, pair_rows, rows)

    def saving_instructions(self, project_id: str, instructions: Sequence[Instruction]) -> Change:
        """Stores instructions, each in the place of the one with its id."""
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
        return lambda connection: insert_or_replace(connection, instruction_rows, rows)

    def deleting_pairs(self, project_id: str, ids: Sequence[str]) -> Change:
        """Removes pairs; ids that are not there are passed over."""
        return _deletion(pair_rows, project_id, ids)

    def deleting_instructions(self, project_id: str, ids: Sequence[str]) -> Change:
        """Removes instructions; ids that are not there are passed over."""
        return _deletion(instruction_rows, project_id, ids)

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

    async def revise_lessons(self, project_id: str, revise: Revision) -> None:
        """Change lessons by what there is at the time of writing. Raises what `revise` does, and changes nothing."""
        await self._write(project_id, revising(project_id, revise))

    async def _write(self, project_id: str, change: Change) -> None:
        with self.versions.changing(project_id):
            await self._database.write(change)


def _deletion(table: Table, project_id: str, ids: Sequence[str]) -> Change:
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
        lessons=read_lessons(connection, project_id),
    )
