"""What people teach the service: SQL pairs and instructions, stored first, then indexed; and keyword rules."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from askwell.errors import AskwellError, NotFound
from askwell.jobs.runner import JobRunner
from askwell.knowledge.keywords import Keyword
from askwell.knowledge.record import Record
from askwell.knowledge.saved import EventKind, Instruction, SqlPair
from askwell.pipelines.indexing import Indexing
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.sql_pair_check import check_pairs
from askwell.sql.nearest import nearest_text

logger = logging.getLogger(__name__)

_UNEXPECTED = "Something unexpected went wrong while indexing; what was saved is kept and is indexed when it is needed."


@dataclass(frozen=True, slots=True)
class AcceptedSql:
    """SQL over the model that people vouched for. `view_id` is set for a view: its id, else its name."""

    sql: str
    source: Literal["view", "sql_pair"]
    view_id: str | None = None


class Knowledge:
    """A change is in the record before its event's id is told; the event says when it is in the index too."""

    def __init__(self, record: Record, runner: JobRunner, indexing: Indexing, projects: ProjectModels) -> None:
        self._saved = record.saved
        self._projects = projects
        self._runner = runner
        self._indexing = indexing

    async def save_sql_pairs(self, project_id: str, pairs: Sequence[Mapping[str, Any]]) -> str:
        """Store pairs `{id, sql, question, parameters?}`, each in the place of the one with its id; the event's id.
        A pair whose SQL the project's model does not bear out is not stored, and the event fails with the reason."""
        items = [
            SqlPair(str(pair["id"]), pair["question"], pair["sql"], tuple(pair.get("parameters") or ()))
            for pair in _last_of_each(pairs)
        ]
        event_id = self._new_event()
        checked = await check_pairs(self._projects, project_id, items)
        await self._saved.save_pairs(
            project_id, checked.usable, event_id, refusal=checked.refusal, warnings=checked.warnings
        )
        return self._index(project_id, event_id)

    async def delete_sql_pairs(self, project_id: str, ids: Sequence[str]) -> str:
        """Remove pairs by id, passing over unknown ones; the event's id."""
        event_id = self._new_event()
        await self._saved.delete_pairs(project_id, ids, event_id)
        return self._index(project_id, event_id)

    async def sql_pairs(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """`limit` of the project's pairs after the first `offset`, in the order of saving; and how many
        there are."""
        saved = (await self._saved.of(project_id)).pairs
        page = islice(saved.values(), offset, offset + limit)
        return [{"id": one.id, "sql": one.sql, "question": one.question} for one in page], len(saved)

    async def save_instructions(self, project_id: str, instructions: Sequence[Mapping[str, Any]]) -> str:
        """Store instructions `{id, instruction, questions, is_default, scope}`, each in the place of the one with its
        id; the event's id."""
        items = [
            Instruction(
                id=str(one["id"]),
                text=one["instruction"],
                questions=tuple(one.get("questions") or ()),
                is_default=bool(one.get("is_default", False)),
                scope=one.get("scope") or "sql",
            )
            for one in _last_of_each(instructions)
        ]
        event_id = self._new_event()
        await self._saved.save_instructions(project_id, items, event_id)
        return self._index(project_id, event_id)

    async def delete_instructions(self, project_id: str, ids: Sequence[str]) -> str:
        """Remove instructions by id, passing over unknown ones; the event's id."""
        event_id = self._new_event()
        await self._saved.delete_instructions(project_id, ids, event_id)
        return self._index(project_id, event_id)

    async def instructions(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """`limit` of the project's instructions after the first `offset`, in the order of saving; and
        how many there are."""
        saved = (await self._saved.of(project_id)).instructions
        page = [
            {
                "id": one.id,
                "instruction": one.text,
                "questions": list(one.questions),
                "is_default": one.is_default,
                "scope": one.scope,
            }
            for one in islice(saved.values(), offset, offset + limit)
        ]
        return page, len(saved)

    async def save_keywords(self, project_id: str, keywords: Sequence[Mapping[str, Any]]) -> Sequence[str]:
        """Store keyword rules `{id, pattern, tables}`, each in the place of the one with its id; warnings, of tables
        that the project's model does not have. They count from now on: none of it is indexed."""
        items = [Keyword(str(one["id"]), one["pattern"], tuple(one["tables"])) for one in _last_of_each(keywords)]
        await self._saved.save_keywords(project_id, items)
        return await self._unknown_tables(project_id, items)

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        """Remove keyword rules by id, passing over unknown ones."""
        await self._saved.delete_keywords(project_id, ids)

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        """The project's keyword rules, as they were saved."""
        saved = await self._saved.of(project_id)
        return [{"id": one.id, "pattern": one.pattern, "tables": list(one.tables)} for one in saved.keywords.values()]

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

    async def event(self, event_id: str, kind: EventKind) -> Mapping[str, Any]:
        """`{event_id, status, error, trace_id, warnings?}` of a change to knowledge of that kind. Raises `NotFound`."""
        event = await self._saved.event(event_id)
        if event is None or event.kind != kind:
            raise NotFound(f"There is no event {event_id[:64]}.", "Use the event_id that the change was answered with.")
        error = {"code": event.error.code, "message": event.error.message} if event.error else None
        answer = {"event_id": event.id, "status": event.status, "error": error, "trace_id": None}
        return answer | {"warnings": list(event.warnings)} if event.warnings else answer

    async def find_accepted(self, project: ProjectModel, question_key: str) -> AcceptedSql | None:
        """The saved SQL whose question has the same normal form (see `normalise_question`): a view's, else a pair's."""
        if not question_key:
            return None
        if (view := project.views_by_question.get(question_key)) is not None and view.statement:
            return AcceptedSql(view.statement, "view", view.view_id or view.name)
        saved = await self._saved.of(project.project_id)
        pair = saved.pairs_by_question.get(question_key)
        return None if pair is None else AcceptedSql(pair.sql, "sql_pair")

    async def resume(self) -> int:
        """Index what was saved before a restart and not seen to be indexed; how many changes there are."""
        events = await self._saved.unfinished_events()
        for event in events:
            self._index(event.project_id, event.id)
        return len(events)

    def _new_event(self) -> str:
        self._runner.require_room()
        return uuid.uuid4().hex

    def _index(self, project_id: str, event_id: str) -> str:
        self._runner.submit(f"knowledge:{event_id}", lambda: self._work(project_id, event_id))
        return event_id

    async def _work(self, project_id: str, event_id: str) -> None:
        error: AskwellError | None = None
        try:
            await self._indexing.knowledge_section(await self._saved.of(project_id))
        except AskwellError as raised:
            error = raised
        except Exception as raised:  # noqa: BLE001 - an event always ends
            logger.error("indexing saved knowledge failed", extra={"error": type(raised).__name__})
            error = AskwellError(_UNEXPECTED)
        await self._saved.end_event(event_id, error)


def _last_of_each(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One item for each id, the last one: a statement cannot replace the same row twice."""
    return list({str(item["id"]): item for item in items}.values())
