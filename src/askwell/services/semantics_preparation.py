"""From a manifest that a client sends to a model that can be asked about, without disturbing the one in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from askwell.errors import Conflict, InvalidModel, NotFound
from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import JobState
from askwell.jobs.request import DEFAULT_PROJECT
from askwell.jobs.service import JobService, Serve
from askwell.mdl.problems import AND_MORE, Problem
from askwell.messages import say
from askwell.pipelines.indexing.indexing import Indexing
from askwell.principal import NOBODY, Person
from askwell.services.description_changes import DescriptionChange, changed_manifest
from askwell.services.preparation_kind import PREPARATION, PreparationEnd, PreparationKind, PreparationRequest
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.value_sampling import SamplingBounds


class SemanticsPreparation:
    """Every accepted model is in the record before its label is told, and its preparation ends: finished or failed,
    after a restart too."""

    def __init__(
        self,
        projects: ProjectModels,
        indexing: Indexing,
        engine: JobEngine,
        serve: Serve = JobService,
        *,
        bounds: SamplingBounds | None,
        on_end: Callable[[PreparationEnd], None] = lambda _: None,
        sample_last: bool = False,
    ) -> None:
        """See `PreparationKind`."""
        self._record = projects.record
        self._projects = projects
        self._indexing = indexing
        kind = PreparationKind(projects, indexing, bounds, on_end, sample_last=sample_last)
        self.jobs: JobService[PreparationRequest, JobState] = serve(kind, engine)

    async def start(
        self,
        project_id: str,
        mdl: str | Mapping[str, Any],
        label: str | None = None,
        idempotency_key: str | None = None,
        *,
        person: Person = NOBODY,
    ) -> str:
        """Accept a model, as JSON text or as the object, and return the label to poll it by (the content's hash where
        the client gave none). One that does not validate is refused, with every problem, under that label: nothing else
        changes. Raises `InvalidModel` for one without a label, `Busy`, and `ConfigurationError` when the project has no
        database."""
        # The label may only be known once the model was read.
        self.jobs.require_room(PreparationRequest(project_id=project_id, mdl_hash=label or ""))
        try:
            read = await self._projects.reader.read(mdl, self._projects.database_for(project_id))
            if read.problems:
                raise _refusal(read.problems)
        except InvalidModel as refusal:
            if label is None:
                raise
            request = PreparationRequest(project_id=project_id, mdl_hash=label)
            await self.jobs.refuse(request, refusal, person=person)
            return label
        label = label or read.digest
        request = PreparationRequest(project_id=project_id, mdl_hash=label, content_hash=read.digest)
        if not await self._goes_on(request):
            stored = self._record.models.storing(project_id, read.digest, read.text, list(map(str, read.warnings)))
            await self.jobs.start(request, idempotency_key, person=person, also=stored)
        return label

    async def change(
        self, before: ProjectModel, changes: Sequence[DescriptionChange], *, person: Person = NOBODY
    ) -> str:
        """Prepare a model with other descriptions than `before`, the project's current one, and return the label to
        poll it by, which is the content's hash. The same changes sent again meanwhile are the same preparation. Raises
        `InvalidRequest` for changes of what is not there, `Conflict` where another model is current by now or is being
        prepared, `Busy`, and `InvalidModel` where the model passes no longer."""
        project_id, content = before.project_id, before.content_hash
        self.jobs.require_room(PreparationRequest(project_id=project_id, mdl_hash=content))
        models = self._record.models
        stored = await models.find(project_id, content)
        if stored is None:
            raise Conflict(*say("model.removed", project_id=project_id))
        mdl = await asyncio.to_thread(changed_manifest, stored.manifest, before.model, changes)
        read = await self._projects.reader.read(mdl, self._projects.database_for(project_id))
        if read.problems:
            raise _refusal(read.problems)
        request = PreparationRequest(project_id=project_id, mdl_hash=read.digest, content_hash=read.digest)
        if not await self._goes_on(request):
            warnings = list(map(str, read.warnings))
            next_one = models.storing_next(
                project_id, content, read.digest, read.text, warnings, prepared_by=PREPARATION
            )
            await self.jobs.start(request, person=person, also=next_one)
        return read.digest

    async def _goes_on(self, request: PreparationRequest) -> bool:
        """Whether this model is being prepared under this label already. Another one under it is stopped."""
        latest = await self._record.jobs.latest(PREPARATION, request.project_id, request.mdl_hash)
        if latest is None or latest.status is not None:
            return False
        if latest.job.request.get("content_hash") == request.content_hash:
            return True
        await self.jobs.stop(latest.job.id)
        return False

    async def status(self, project_id: str, label: str) -> Mapping[str, Any]:
        """`{status, error?, progress?, warnings?}` of the latest preparation under a label. Raises `NotFound`."""
        return await self.jobs.result(await self.job_id(project_id, label))

    async def delete(self, project_id: str) -> None:
        """Remove a project's models and index; what is being prepared for it is stopped. Its knowledge stays."""
        for job in await self._record.jobs.unfinished(PREPARATION):
            if job.project_id == project_id:
                await self.jobs.stop(job.id)
        await self._record.jobs.remove(PREPARATION, project_id)
        await self._record.models.delete(project_id)
        self._projects.forget(project_id)
        await self._indexing.forget(project_id)

    async def job_id(self, project_id: str, label: str) -> str:
        """The id, among `jobs`, of the latest preparation under a label. Raises `NotFound`."""
        latest = await self._record.jobs.latest(PREPARATION, project_id, label)
        if latest is None:
            raise NotFound(*say("model.unknown_label", label=label[:64], project_id=project_id[:64]))
        return latest.job.id

    async def project_of(self, label: str, counts: Callable[[str], bool]) -> str:
        """The only project that has that label, of those that count; else `default`."""
        known = [one for one in await self._record.jobs.projects_of(PREPARATION, label) if counts(one)]
        return known[0] if len(known) == 1 else DEFAULT_PROJECT


def _refusal(found: Sequence[Problem]) -> InvalidModel:
    problems = tuple(map(str, found))
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    if found[-1] == AND_MORE:
        count = f"more than {len(problems) - 1} problems"
    return InvalidModel(
        f"The semantic model has {count}:\n" + "\n".join(problems),
        "Correct them all and send the model again; the model in use is unchanged.",
        problems,
    )
