"""What people saved for a project, and what was learnt: SQL pairs with their parameters, instructions, keyword rules
and lessons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from sqlalchemy import Connection, Row, Table, func, select

from askwell.errors import InvalidRequest
from askwell.field_types import Flag, Identifier, Question, Sql
from askwell.knowledge.database import Database
from askwell.knowledge.jobs import Change
from askwell.knowledge.keywords import MAX_KEYWORDS, Keyword
from askwell.knowledge.lessons import Lessons, Revision, read_lessons, revising
from askwell.knowledge.project_cache import ProjectCache, ProjectVersions
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.rows import delete_by, insert_or_replace, own, row_of, value_of
from askwell.knowledge.schema import instructions as instruction_rows
from askwell.knowledge.schema import keywords as keyword_rows
from askwell.knowledge.schema import sql_pairs as pair_rows
from askwell.messages import say

ShortText = Annotated[str, Field(max_length=1_000, pattern=r"^[^\u0000]*$")]
Plain = StrictBool | int | Annotated[float, Field(allow_inf_nan=False)] | ShortText
# SQL types by how they begin.
_JSON_TYPES = {
    "bool": "boolean",
    **dict.fromkeys(("int", "bigint", "smallint", "tinyint", "hugeint"), "integer"),
    **dict.fromkeys(("dec", "num", "float", "double", "real"), "number"),
}


class AskedParameter(BaseModel):
    """A parameter that is asked for. `type` is a SQL type; `default` holds where it is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
    type: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_ (),]{0,63}$")] = "VARCHAR"
    description: ShortText | None = None
    required: StrictBool = True
    default: Plain | list[Plain] | None = None

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @property
    def json_type(self) -> str:
        """Its type in JSON Schema."""
        sql_type = self.type.lower()
        return next((to for begins, to in _JSON_TYPES.items() if sql_type.startswith(begins)), "string")

    @property
    def has_to_be_said(self) -> bool:
        """Whether nothing can be taken for it."""
        return self.required and self.default is None


class PairParameter(AskedParameter):
    """What stands as `:name` in the SQL of a pair. `type` is a SQL type; an optional one may have a `default`."""

    default: Plain | None = None


Scope = Literal["sql", "answer", "chart"]
EventKind = Literal["sql_pair", "instruction"]


@dataclass(frozen=True, slots=True)
class SqlPair:
    """A question and the SQL, over the model, that answers it; `:name` in it stands for the parameter of that name."""

    id: Identifier
    question: Question
    sql: Sql
    parameters: Annotated[tuple[PairParameter, ...], Field(max_length=50)] = ()

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> SqlPair:
        """The pair with the fields of `wire`, otherwise unchecked. Raises `ValueError` for a parameter that is none."""
        parameters = tuple(map(PairParameter.model_validate, fields.get("parameters") or ()))
        return cls(str(fields["id"]), fields["question"], fields["sql"], parameters)

    def wire(self) -> dict[str, Any]:
        """JSON-ready."""
        return row_of(self, parameters=[one.model_dump(exclude_none=True) for one in self.parameters])


@dataclass(frozen=True, slots=True)
class Instruction:
    """A rule for questions like `questions`; a default one is for all. `scope` is what it is a rule for."""

    id: Identifier
    instruction: Question
    questions: Annotated[tuple[Question, ...], Field(max_length=100)] = ()
    is_default: Flag = False
    scope: Scope = "sql"

    def wire(self) -> dict[str, Any]:
        """JSON-ready."""
        return row_of(self, questions=[*self.questions])


@dataclass(frozen=True)
class SavedKnowledge:
    """All that is saved for a project at one moment. `digest` identifies what is indexed of it."""

    project_id: str
    pairs: Mapping[str, SqlPair] = field(default_factory=dict)
    instructions: Mapping[str, Instruction] = field(default_factory=dict)
    keywords: Mapping[str, Keyword] = field(default_factory=dict)
    lessons: Lessons = field(default_factory=dict)

    def of_kind(self, kind: EventKind) -> Mapping[str, SqlPair | Instruction]:
        """The pairs or the instructions, by id."""
        return self.pairs if kind == "sql_pair" else self.instructions

    @cached_property
    def digest(self) -> str:
        """A hash of pairs and instructions: equal ones have an equal digest, whenever they were saved."""
        content = [
            [[p.id, p.question, p.sql] for p in self.pairs.values()],
            [[i.id, i.instruction, i.questions, i.is_default, i.scope] for i in self.instructions.values()],
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

    def saving(self, project_id: str, items: Sequence[SqlPair | Instruction | Keyword]) -> Change:
        """Stores pairs, instructions or keyword rules, each in the place of the one with its id."""
        more = {"project_id": project_id, "stored_at": datetime.now(UTC)}
        rows = [_row(one) | more for one in items]
        table = _TABLES[type(items[0])] if items else pair_rows
        return lambda connection: insert_or_replace(connection, table, rows)

    def deleting(self, kind: EventKind, project_id: str, ids: Sequence[str]) -> Change:
        """Removes pairs or instructions; ids that are not there are passed over."""
        return partial(_delete, pair_rows if kind == "sql_pair" else instruction_rows, project_id, ids)

    async def save_keywords(self, project_id: str, keywords: Sequence[Keyword]) -> None:
        """Store keyword rules, each in the place of the one with its id. Raises `InvalidRequest`, and stores none,
        where the project would have more than `MAX_KEYWORDS`."""
        saved = self.saving(project_id, keywords)
        count = select(func.count()).where(keyword_rows.c.project_id == project_id)

        def write(connection: Connection) -> None:
            saved(connection)
            if (connection.scalar(count) or 0) > MAX_KEYWORDS:
                raise InvalidRequest(*say("keywords.too_many", max_keywords=MAX_KEYWORDS))

        await self._write(project_id, write)

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        """Remove keyword rules; ids that are not there are passed over."""
        await self._write(project_id, partial(_delete, keyword_rows, project_id, ids))

    async def revise_lessons(self, project_id: str, revise: Revision) -> None:
        """Change lessons by what there is at the time of writing. Raises what `revise` does, and changes nothing."""
        await self._write(project_id, revising(project_id, revise))

    async def _write(self, project_id: str, change: Change) -> None:
        with self.versions.changing(project_id):
            await self._database.write(change)


_TABLES: Mapping[type, Table] = {SqlPair: pair_rows, Instruction: instruction_rows, Keyword: keyword_rows}


def _row(item: SqlPair | Instruction | Keyword) -> dict[str, Any]:
    match item:
        case SqlPair():
            return item.wire() | {"question_key": normalise_question(item.question)}
        case Instruction():
            return item.wire() | {"is_default": int(item.is_default)}
        case Keyword():
            return row_of(item)


def _delete(table: Table, project_id: str, ids: Sequence[str], connection: Connection) -> None:
    delete_by(connection, table, project_id, "id", ids)


def _read(connection: Connection, project_id: str) -> SavedKnowledge:
    def saved(table: Table) -> Iterable[Row[Any]]:
        statement = select(table).where(own(table, project_id))
        return connection.execute(statement.order_by(table.c.stored_at, table.c.id))

    return SavedKnowledge(
        project_id=project_id,
        pairs={row.id: SqlPair.of(row._asdict()) for row in saved(pair_rows)},
        instructions={
            row.id: value_of(Instruction, row, is_default=bool(row.is_default)) for row in saved(instruction_rows)
        },
        keywords={row.id: value_of(Keyword, row) for row in saved(keyword_rows)},
        lessons=read_lessons(connection, project_id),
    )
