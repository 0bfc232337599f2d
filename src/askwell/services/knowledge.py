"""What people teach the service: SQL pairs and instructions, stored first, then indexed; and keyword rules."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel

from askwell.errors import AskwellError, InvalidModel
from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import Job, JobFailed, JobState, SimpleKind
from askwell.jobs.request import Body
from askwell.jobs.service import JobService, Serve
from askwell.knowledge.jobs import Change
from askwell.knowledge.keywords import Keyword
from askwell.knowledge.lessons import Lessons
from askwell.knowledge.project_cache import ProjectCache
from askwell.knowledge.record import Record
from askwell.knowledge.saved import EventKind, Instruction, SavedKnowledge, SavedShelf, SqlPair
from askwell.pipelines.indexing.indexing import Indexing
from askwell.principal import NOBODY, Person
from askwell.services.pair_parameters import FormTemplates
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.seen_knowledge import lessons_for_all
from askwell.services.sql_pair_check import CheckedPairs, check_pairs, refuse_same
from askwell.sql.nearest import nearest_text

ItemT = TypeVar("ItemT", SqlPair, Instruction, Keyword)


class Refusal(BaseModel):
    """Why some of what came was not stored."""

    code: str
    message: str


class KnowledgeChange(Body):
    """A change that is stored with the job; `digest` tells it from others. `refusal` is set where some of what came was
    not to be stored; `remarks` are those of `CheckedPairs`."""

    digest: str = ""
    operation: Literal["indexing", "deleting"]
    refusal: Refusal | None = None
    warnings: list[str] = []
    remarks: list[dict[str, Any]] = []


class KnowledgeKind(SimpleKind[KnowledgeChange]):
    """A change of saved knowledge of one sort."""

    id_name: ClassVar[str] = "event_id"
    noun: ClassVar[str] = "event"
    request: ClassVar[type[Body]] = KnowledgeChange
    statuses: ClassVar[tuple[str, ...]] = ("indexing", "deleting")

    def __init__(self, saved: SavedShelf, indexing: Indexing, projects: ProjectModels) -> None:
        self._saved = saved
        self._indexing = indexing
        self._projects = projects

    def require(self, request: KnowledgeChange) -> None:
        self._projects.require_database(request.project_id)

    def body(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        # A second check of the same statements may come to another end.
        return {name: value for name, value in kept.items() if name not in ("refusal", "warnings", "remarks")}

    def queued(self, request: KnowledgeChange) -> JobState:
        return self.live(request.operation)

    def render(self, job_id: str, state: JobState) -> dict[str, Any]:
        fields = {name: value for name, value in state.fields.items() if value}
        return {"event_id": job_id, "status": state.status, "error": None, "trace_id": job_id, **fields}

    async def run(self, job: Job[KnowledgeChange, JobState]) -> JobState:
        await self._indexing.knowledge_section(await self._saved.of(job.project_id))
        notes = {"warnings": job.request.warnings, "remarks": job.request.remarks}
        if (refusal := job.request.refusal) is not None:
            raise JobFailed(refusal.code, refusal.message, fields=notes)
        return self.finished(**notes)


class SqlPairsKind(KnowledgeKind):
    """SQL pairs that are saved or removed."""

    name: ClassVar[str] = "sql_pair"


class InstructionsKind(KnowledgeKind):
    """Instructions that are saved or removed."""

    name: ClassVar[str] = "instruction"


@dataclass(frozen=True, slots=True)
class AcceptedSql:
    """SQL over the model that people vouched for. `view_id` is set for a view: its id, else its name;
    `pair_id` for a pair."""

    sql: str
    source: Literal["view", "sql_pair"]
    view_id: str | None = None
    pair_id: str | None = None


class Knowledge:
    """A change is in the record before its event's id is told; the event says when it is in the index too. The same
    `idempotency_key` with the same content gives the first event. Everything that is for a project raises
    `InvalidRequest` where the configuration does not name it."""

    def __init__(
        self,
        record: Record,
        projects: ProjectModels,
        indexing: Indexing,
        engine: JobEngine,
        serve: Serve = JobService,
    ) -> None:
        self._saved = record.saved
        self._projects = projects
        self._forms: ProjectCache[FormTemplates] = ProjectCache(record.versions)
        self.jobs: Mapping[EventKind, JobService[KnowledgeChange, JobState]] = {
            "sql_pair": serve(SqlPairsKind(record.saved, indexing, projects), engine),
            "instruction": serve(InstructionsKind(record.saved, indexing, projects), engine),
        }

    async def save_sql_pairs(
        self,
        project_id: str,
        pairs: Sequence[SqlPair],
        idempotency_key: str | None = None,
        *,
        strict: bool = False,
        person: Person = NOBODY,
    ) -> str:
        """Store pairs, each in the place of the one with its id; the event's id. A pair whose SQL the project's model
        does not bear out is not stored, and the event fails with the reason. With `strict` neither is one whose SQL
        works only with repairs, or whose question another pair asks too."""
        self.jobs["sql_pair"].require_room(KnowledgeChange(project_id=project_id, operation="indexing"))
        items = _last_of_each(pairs)
        checked = await check_pairs(self._projects, project_id, items, strict=strict)
        if strict:
            known = await self._shown_pairs(person, project_id)
            checked = await asyncio.to_thread(refuse_same, checked, items, known)
        digest = _digest([*_wire(pairs), *(["strict"] if strict else [])])
        return await self.store_pairs(project_id, checked, idempotency_key, digest=digest, person=person)

    async def store_pairs(
        self,
        project_id: str,
        checked: CheckedPairs,
        idempotency_key: str | None = None,
        *,
        digest: str = "",
        person: Person = NOBODY,
    ) -> str:
        """Store the pairs that passed; the event's id, which fails where others are refused. `digest` is of all."""
        refusal = checked.refusal
        change = KnowledgeChange(
            project_id=project_id,
            operation="indexing",
            digest=digest,
            refusal=None if refusal is None else Refusal(code=refusal.code, message=refusal.message),
            warnings=list(checked.warnings),
            remarks=list(checked.remarks),
        )
        stored = self._saved.saving(project_id, checked.usable)
        return await self._start("sql_pair", change, stored, idempotency_key, person)

    async def save_instructions(
        self,
        project_id: str,
        instructions: Sequence[Instruction],
        idempotency_key: str | None = None,
        *,
        person: Person = NOBODY,
    ) -> str:
        """Store instructions, each in the place of the one with its id; the event's id."""
        change = KnowledgeChange(project_id=project_id, operation="indexing", digest=_digest(_wire(instructions)))
        stored = self._saved.saving(project_id, _last_of_each(instructions))
        return await self._start("instruction", change, stored, idempotency_key, person)

    async def delete(
        self,
        kind: EventKind,
        project_id: str,
        ids: Sequence[str],
        idempotency_key: str | None = None,
        *,
        person: Person = NOBODY,
    ) -> str:
        """Remove pairs or instructions by id, passing over unknown ones; the event's id."""
        change = KnowledgeChange(project_id=project_id, operation="deleting", digest=_digest(ids))
        gone = self._saved.deleting(kind, project_id, ids)
        return await self._start(kind, change, gone, idempotency_key, person)

    async def page(
        self, kind: EventKind, project_id: str, offset: int, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """`limit` of the project's pairs or instructions after the first `offset`, in the order of saving; and how many
        there are."""
        return _page((await self._of(project_id)).of_kind(kind), offset, limit)

    async def delete_all(self, project_id: str) -> None:
        """Remove a project's pairs and instructions."""
        saved = await self._saved.of(project_id)
        for kind in self.jobs:
            await self.delete(kind, project_id, tuple(saved.of_kind(kind)))

    async def save_keywords(self, project_id: str, keywords: Sequence[Keyword]) -> Sequence[str]:
        """Store keyword rules, each in the place of the one with its id; warnings, of tables that the project's model
        does not have. They count from now on: none of it is indexed."""
        self._projects.require_database(project_id)
        items = _last_of_each(keywords)
        await self._saved.save_keywords(project_id, items)
        return await self._unknown_tables(project_id, items)

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        """Remove keyword rules by id, passing over unknown ones."""
        self._projects.require_database(project_id)
        await self._saved.delete_keywords(project_id, ids)

    async def keywords(self, project_id: str) -> Sequence[Keyword]:
        """The project's keyword rules, as they were saved."""
        return list((await self._of(project_id)).keywords.values())

    async def _of(self, project_id: str) -> SavedKnowledge:
        self._projects.require_database(project_id)
        return await self._saved.of(project_id)

    async def _unknown_tables(self, project_id: str, keywords: Sequence[Keyword]) -> list[str]:
        try:
            project = await self._projects.get(project_id, None)
        except AskwellError as error:
            return [f"The tables were not checked: {error.message}"]
        if project is None:
            return [f"The tables were not checked: project {project_id} has no semantic model yet."]
        model = project.model
        unknown = dict.fromkeys(name for one in keywords for name in one.tables if model.table(name) is None)
        return [f"The model has no table {name}{nearest_text(name, model.tables)}." for name in unknown]

    async def event(self, event_id: str, kind: EventKind, project_id: str | None = None) -> Mapping[str, Any]:
        """`{event_id, status, error, trace_id, warnings?}` of a change to knowledge of that kind, and of that project
        where one is said. Raises `NotFound`."""
        return await self.jobs[kind].result(event_id, project_id)

    async def lessons(self, project_id: str) -> Lessons:
        """What the project has learnt, by id."""
        return (await self._saved.of(project_id)).lessons

    async def lessons_for(self, project: ProjectModel) -> Lessons:
        """Those of what the project has learnt that everybody may be shown, by id."""
        known = await self.lessons(project.project_id)
        return await asyncio.to_thread(lessons_for_all, known, project.private) if project.private.are_any else known

    async def find_accepted(
        self, project: ProjectModel, question_key: str, person: Person = NOBODY
    ) -> AcceptedSql | None:
        """The saved SQL whose question has the same normal form (see `normalise_question`), and which may be used for
        this person: a view's, else a pair's."""
        if not question_key:
            return None
        if (view := project.views_by_question.get(question_key)) is not None and view.statement:
            return AcceptedSql(view.statement, "view", view.view_id or view.name)
        saved = await self._saved.of(project.project_id)
        for pair in saved.pairs_by_question.get(question_key, ()):
            if not project.private.are_any or await asyncio.to_thread(project.may_use, person, pair):
                return AcceptedSql(pair.sql, "sql_pair", pair_id=pair.id)
        return None

    async def pairs_for(
        self, person: Person, project_id: str, offset: int, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """As `page`, of the pairs that may be shown to this person."""
        return _page(await self._shown_pairs(person, project_id), offset, limit)

    async def _shown_pairs(self, person: Person, project_id: str) -> Mapping[str, SqlPair]:
        """The pairs that may be shown to this person. Without a model, which would tell, there are none for who signed
        in, and with one that is not served none for anybody."""
        saved = (await self._saved.of(project_id)).pairs
        try:
            project = await self._projects.get(project_id, None)
        except InvalidModel:
            return {}
        if project is not None:
            return await asyncio.to_thread(project.pairs_for, person, saved)
        return {} if person.has_signed_in else saved

    async def sql_pair(self, project_id: str, pair_id: str) -> SqlPair | None:
        """The saved pair of that id."""
        return (await self._saved.of(project_id)).pairs.get(pair_id)

    async def forms(self, project_id: str) -> FormTemplates:
        """The project's saved questions with parameters."""

        async def read() -> FormTemplates:
            return await asyncio.to_thread(FormTemplates.of, await self._saved.of(project_id))

        return await self._forms.get(project_id, read)

    async def resume(self) -> int:
        """Index what was saved before a restart and not seen to be indexed; how many changes there are."""
        return sum([await jobs.resume() for jobs in self.jobs.values()])

    async def _start(
        self, kind: EventKind, change: KnowledgeChange, stored: Change, idempotency_key: str | None, person: Person
    ) -> str:
        with self._saved.versions.changing(change.project_id):
            return await self.jobs[kind].start(change, idempotency_key, person=person, also=stored)


def _page(
    saved: Mapping[str, SqlPair | Instruction], offset: int, limit: int
) -> tuple[Sequence[Mapping[str, Any]], int]:
    return _wire(islice(saved.values(), offset, offset + limit)), len(saved)


def _wire(items: Iterable[SqlPair | Instruction]) -> list[dict[str, Any]]:
    return [one.wire() for one in items]


def _digest(came: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(came, sort_keys=True, default=str).encode()).hexdigest()


def _last_of_each(items: Sequence[ItemT]) -> list[ItemT]:
    """One item for each id, the last one: a statement cannot replace the same row twice."""
    return list({item.id: item for item in items}.values())
