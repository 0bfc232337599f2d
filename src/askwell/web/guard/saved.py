"""What a project knows, as those who may use the project see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import IO, Any

from askwell.access.current import current_call
from askwell.archives import ProjectArchives
from askwell.archives.parts import Option
from askwell.archives.service import Imported
from askwell.errors import Forbidden
from askwell.knowledge.saved import EventKind
from askwell.principal import Person
from askwell.services.current_models import CurrentModels, ListedProject, ModelDescription
from askwell.services.description_changes import DescriptionChange
from askwell.services.documents import Documents
from askwell.services.knowledge import Knowledge
from askwell.services.lessons.book import LessonBook
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.web.guard.jobs import Counted, GuardedJobs, counted_person

_FROM_THE_RECORD = "`askwell project export` without --url writes them from the record, for whoever runs the service."


def _person(project_id: str) -> Person:
    """The caller. Raises `NotFound` where the project is not theirs."""
    call = current_call()
    call.require_project(project_id)
    return call.principal.person


class GuardedArchives:
    """Whole projects, for whoever may use them, and without what is somebody's own: an administrator sees no more of
    others than anybody does. Who runs the service has the record, and the command that writes all of it."""

    def __init__(self, archives: ProjectArchives) -> None:
        self._archives = archives

    async def write(self, project_id: str, file: IO[bytes], options: Collection[Option] = ()) -> Mapping[str, int]:
        _person(project_id)
        if options:
            raise Forbidden("Conversations and asks belong to those who had them.", _FROM_THE_RECORD)
        if await self._archives.hides_rows(project_id):
            raise Forbidden(
                f"Not everybody may read the same of project {project_id}, and what is saved may tell of it.",
                _FROM_THE_RECORD,
            )
        return await self._archives.write(project_id, file, options)

    async def read(self, project_id: str, file: IO[bytes], *, replace: bool = False) -> Imported:
        _person(project_id)
        return await self._archives.read(project_id, file, replace=replace, options=())


class GuardedPreparation:
    """Models belong to their project."""

    def __init__(self, preparation: SemanticsPreparation, counted: Counted) -> None:
        self._preparation, self._counted = preparation, counted
        self._jobs = GuardedJobs(preparation.jobs, counted, is_shared=True)

    @property
    def jobs(self) -> GuardedJobs:
        return self._jobs

    async def start(
        self,
        project_id: str,
        mdl: str | Mapping[str, Any],
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._preparation.start(project_id, mdl, label, idempotency_key, person=person)

    async def status(self, project_id: str | None, label: str) -> Mapping[str, Any]:
        return await self._preparation.status(await self._meant(project_id, label), label)

    async def job_id(self, project_id: str | None, label: str) -> str:
        return await self._preparation.job_id(await self._meant(project_id, label), label)

    async def delete(self, project_id: str) -> None:
        _person(project_id)
        await self._preparation.delete(project_id)

    async def _meant(self, project_id: str | None, label: str) -> str:
        """The project that is said; else, of the caller's, the only one with that label."""
        call = current_call()
        meant = project_id or await self._preparation.project_of(label, call.principal.may_use)
        call.require_project(meant)
        return meant


class GuardedSemanticModels:
    """Models belong to their project. Warnings may name what nobody is shown, so they are for whoever may change the
    descriptions, and may read the same of a preparation."""

    def __init__(self, models: CurrentModels) -> None:
        self._models = models

    async def projects(self) -> list[ListedProject]:
        return await self._models.projects(current_call().principal.may_use)

    async def describe(self, project_id: str) -> ModelDescription:
        person = _person(project_id)
        with_warnings = current_call().principal.may("curate")
        return await self._models.describe(project_id, person=person, with_warnings=with_warnings)

    async def change(self, project_id: str, mdl_hash: str, changes: Sequence[DescriptionChange]) -> str:
        return await self._models.change(project_id, mdl_hash, changes, person=_person(project_id))


class GuardedKnowledge:
    """SQL pairs, instructions and keyword rules belong to their project, and the events of a change to whoever made
    it."""

    def __init__(self, knowledge: Knowledge, counted: Counted) -> None:
        self._knowledge, self._counted = knowledge, counted
        self._jobs = {kind: GuardedJobs(jobs, counted) for kind, jobs in knowledge.jobs.items()}

    @property
    def jobs(self) -> Mapping[EventKind, GuardedJobs]:
        return self._jobs

    async def save_sql_pairs(
        self,
        project_id: str,
        pairs: Sequence[Mapping[str, Any]],
        idempotency_key: str | None = None,
        *,
        strict: bool = False,
    ) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._knowledge.save_sql_pairs(project_id, pairs, idempotency_key, strict=strict, person=person)

    async def delete_sql_pairs(self, project_id: str, ids: Sequence[str], idempotency_key: str | None = None) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._knowledge.delete_sql_pairs(project_id, ids, idempotency_key, person=person)

    async def sql_pairs(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        _person(project_id)
        return await self._knowledge.sql_pairs(project_id, offset, limit)

    async def save_instructions(
        self, project_id: str, instructions: Sequence[Mapping[str, Any]], idempotency_key: str | None = None
    ) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._knowledge.save_instructions(project_id, instructions, idempotency_key, person=person)

    async def delete_instructions(self, project_id: str, ids: Sequence[str], idempotency_key: str | None = None) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._knowledge.delete_instructions(project_id, ids, idempotency_key, person=person)

    async def instructions(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        _person(project_id)
        return await self._knowledge.instructions(project_id, offset, limit)

    async def delete_all(self, project_id: str) -> None:
        _person(project_id)
        await self._knowledge.delete_all(project_id)

    async def save_keywords(self, project_id: str, keywords: Sequence[Mapping[str, Any]]) -> Sequence[str]:
        _person(project_id)
        return await self._knowledge.save_keywords(project_id, keywords)

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        _person(project_id)
        await self._knowledge.delete_keywords(project_id, ids)

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        _person(project_id)
        return await self._knowledge.keywords(project_id)

    async def event(self, event_id: str, kind: EventKind, project_id: str | None = None) -> Mapping[str, Any]:
        await self._jobs[kind].require(event_id)
        return await self._knowledge.event(event_id, kind, project_id)


class GuardedLessons:
    """Lessons belong to their project, which every method names first."""

    def __init__(self, lessons: LessonBook) -> None:
        self._lessons = lessons

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._lessons, name)

        async def guarded(project_id: str, *args: Any, **kwargs: Any) -> Any:
            _person(project_id)
            return await method(project_id, *args, **kwargs)

        return guarded


class GuardedDocuments:
    """Documents belong to their project, and the events of a change to whoever made it."""

    def __init__(self, documents: Documents, counted: Counted) -> None:
        self._documents, self._counted = documents, counted
        self._jobs = GuardedJobs(documents.jobs, counted)

    @property
    def jobs(self) -> GuardedJobs:
        return self._jobs

    async def add(self, project_id: str, content: bytes, **said: Any) -> tuple[str, str]:
        person = await counted_person(project_id, self._counted)
        return await self._documents.add(project_id, content, **said, person=person)

    async def delete(self, project_id: str, document_id: str, idempotency_key: str | None = None) -> str:
        person = await counted_person(project_id, self._counted)
        return await self._documents.delete(project_id, document_id, idempotency_key, person=person)

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[list[Mapping[str, Any]], int]:
        _person(project_id)
        return await self._documents.page(project_id, offset, limit)

    async def get(self, project_id: str, document_id: str) -> Mapping[str, Any]:
        _person(project_id)
        return await self._documents.get(project_id, document_id)

    async def chunks(
        self, project_id: str, document_id: str, offset: int, limit: int
    ) -> tuple[list[Mapping[str, Any]], int]:
        _person(project_id)
        return await self._documents.chunks(project_id, document_id, offset, limit)

    async def search(self, project_id: str, query: str, **wanted: Any) -> list[Mapping[str, Any]]:
        _person(project_id)
        return await self._documents.search(project_id, query, **wanted)

    async def event(self, event_id: str, project_id: str | None = None, wait: float = 0) -> Mapping[str, Any]:
        await self._jobs.require(event_id)
        return await self._documents.event(event_id, project_id, wait)
