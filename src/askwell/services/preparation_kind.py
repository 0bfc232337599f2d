"""The preparation of a semantic model as a kind of job: index it, look at its database, and make it current.

Work of which one piece at a time goes on for each project.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, TypeVar

from askwell.errors import AskwellError, InvalidModel
from askwell.heap import many_objects
from askwell.jobs.kind import Job, JobFailed, JobState, SimpleKind, Superseded
from askwell.jobs.request import Body
from askwell.pipelines.indexing.indexing import Indexing
from askwell.services.database import check_against_database
from askwell.services.example_sampling import sample_examples
from askwell.services.link_evidence import link_candidates
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.value_sampling import SamplingBounds, sample_values

ResultT = TypeVar("ResultT")


@dataclass(slots=True)
class _Turns:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    wanted: asyncio.Event = field(default_factory=asyncio.Event)


class ProjectTurns:
    """A project's turns, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._turns: defaultdict[str, _Turns] = defaultdict(_Turns)

    @asynccontextmanager
    async def take(self, project_id: str) -> AsyncIterator[None]:
        """The project's turn, once all before it have ended."""
        turns = self._turns[project_id]
        turns.waiting += 1
        turns.wanted.set()
        try:
            await turns.lock.acquire()
        finally:
            turns.waiting -= 1
            if not turns.waiting:
                turns.wanted.clear()
        try:
            yield
        finally:
            turns.lock.release()

    async def until_wanted(self, project_id: str, work: Coroutine[Any, Any, ResultT]) -> ResultT | None:
        """What comes of `work` of whoever has the turn; None where someone else came to wait for it, and `work` was
        cancelled. Raises what `work` raises."""
        doing = asyncio.create_task(work)
        wanted = asyncio.create_task(self._turns[project_id].wanted.wait())
        try:
            await asyncio.wait({doing, wanted}, return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            wanted.cancel()
            await asyncio.gather(doing, wanted, return_exceptions=True)


logger = logging.getLogger(__name__)

PREPARATION = "preparation"
PreparationEnd = Literal["finished", "failed"]

# As they are told of. The index is made beside what goes before it; the last stage lasts until all is ready.
_STAGES = ("checking", "sampling", "indexing")
# When a model in use is held against its database, in seconds after the time before: what answers for the database may
# itself wait until the model is in use.
_LOOKS_AFTER = (0.0, 5.0, 20.0, 60.0)
_NO_VALUES = (
    "Askwell stores no sample values, because statements run under people's database roles. It understands questions "
    "with values less well. If everyone may see the values, set values_for_all_roles of the data source."
)
# How often clients hear of progress, in seconds.
_REPORT_EVERY = 0.2


class PreparationRequest(Body):
    """A manifest that was read and stored under its content's hash, and the label that clients give it."""

    mdl_hash: str
    content_hash: str = ""


@dataclass(slots=True)
class _Progress:
    """How many parts of each stage are done, and of how many; `ended` are those that are over. `tell` hears of it."""

    tell: Callable[[dict[str, Any]], None]
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    reported_at: float = 0.0

    def watch(self, stage: str) -> Callable[[int, int], None]:
        """What counts the parts of a stage."""

        def on_progress(done: int, total: int) -> None:
            self.counts[stage] = (done, total)
            now = time.monotonic()
            if now >= self.reported_at + _REPORT_EVERY:
                self.reported_at = now
                self.tell(self.now())

        return on_progress

    def end(self, *stages: str) -> None:
        """These stages are over."""
        self.ended.update(stages)
        self.tell(self.now())

    def now(self) -> dict[str, Any]:
        """The first stage that has not ended. None is come back to."""
        stage = next((stage for stage in _STAGES if stage not in self.ended), _STAGES[-1])
        done, total = self.counts.get(stage, (0, 0))
        return {"done": done, "total": total, "stage": stage}


class PreparationKind(SimpleKind[PreparationRequest]):
    """Models of one project are prepared in the order in which they came. `bounds` limit the sampling of values, which
    is left out without them. A model that is prepared again is held against its database again; its values are sampled
    again where they are older than the bounds say, or there is something else to say about it than before. With
    `sample_last` a model is ready, and its preparation finished, before its values are sampled."""

    name: ClassVar[str] = PREPARATION
    noun: ClassVar[str] = "preparation"
    request: ClassVar[type[Body]] = PreparationRequest
    statuses: ClassVar[tuple[str, ...]] = ("indexing", "finished")
    codes: ClassVar[frozenset[str]] = frozenset({"MDL_PARSE_ERROR", "OTHERS"})
    takes_turns = True

    def __init__(
        self,
        projects: ProjectModels,
        indexing: Indexing,
        bounds: SamplingBounds | None,
        on_end: Callable[[PreparationEnd], None],
        *,
        sample_last: bool = False,
    ) -> None:
        self._models = projects.record.models
        self._projects = projects
        self._indexing = indexing
        self._bounds = bounds
        self._on_end = on_end
        self._sample_last = sample_last
        self._turns = ProjectTurns()

    def require(self, request: PreparationRequest) -> None:
        self._projects.require_database(request.project_id)

    def label(self, request: PreparationRequest) -> str:
        return request.mdl_hash

    def turn(self, request: PreparationRequest) -> AbstractAsyncContextManager[object]:
        return self._turns.take(request.project_id)

    def ended(self, state: JobState, seconds: float) -> None:
        if state.status != "stopped":
            self._on_end("finished" if state.status == "finished" else "failed")

    def render(self, job_id: str, state: JobState) -> dict[str, Any]:
        fields = {name: value for name, value in state.fields.items() if value}
        return {"status": state.status, **fields, "trace_id": job_id}

    def failure(self, error: AskwellError) -> JobState:
        if isinstance(error, InvalidModel):
            error = JobFailed("MDL_PARSE_ERROR", error.message, error.hint)
        return super().failure(error)

    async def run(self, job: Job[PreparationRequest, JobState]) -> JobState:
        request = job.request
        project_id, label, digest = request.project_id, request.mdl_hash, request.content_hash
        progress = _Progress(lambda now: job.advance(self.live("indexing", progress=now)))
        with many_objects():
            stored = await self._projects.load(project_id, digest, label)
            if stored is None:
                raise Superseded  # removed meanwhile
            project = stored
            if not self._sample_last:
                project = await self._look_and_index(project, progress)
            else:
                await self._indexing.model_section(project_id, project.model, progress.watch("indexing"))
            # What the first question would wait for otherwise.
            await asyncio.to_thread(lambda: (project.prepared, project.views_by_question))
        if not await self._models.finish(project_id, label, digest):
            raise Superseded
        if self._sample_last:
            job.advance(self.live("finished", warnings=list(project.warnings)))
            # A newer model does not wait for the values of this one.
            project = await self._turns.until_wanted(project_id, self._sampled_after(project, progress)) or project
        return self.finished(warnings=list(project.warnings))

    async def _sampled_after(self, project: ProjectModel, progress: _Progress) -> ProjectModel:
        """The model is in use by now: what goes wrong here does not take it away."""
        progress.tell = lambda _: None
        looked = project
        for pause in _LOOKS_AFTER:
            await asyncio.sleep(pause)
            try:
                looked = await self._look_at_database(project, progress)
            except AskwellError as error:
                logger.warning("values could not be sampled", extra={"error": error.code})
            if looked.sampled_at is not None:
                break
        return looked

    async def _look_and_index(self, project: ProjectModel, progress: _Progress) -> ProjectModel:
        """The project as it is known in the end. The database is looked at while texts are embedded: one waits mostly
        for the database, the other for processors."""

        async def index() -> None:
            await self._indexing.model_section(project.project_id, project.model, progress.watch("indexing"))

        async def look() -> ProjectModel:
            known = await self._look_at_database(project, progress)
            progress.end("checking", "sampling")
            return known

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(index())
                looking = group.create_task(look())
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        return looking.result()

    def _is_due(self, project: ProjectModel) -> bool:
        """Whether values were never looked for, or are old."""
        if project.sampled_at is None:
            return True
        age = datetime.now(UTC) - project.sampled_at
        return self._bounds is not None and age.total_seconds() >= self._bounds.max_age

    async def _look_at_database(self, project: ProjectModel, progress: _Progress) -> ProjectModel:
        """Check the model against the database and sample values. A database that is not there now is looked at when
        the model is sent again; until then what is known of it stands."""
        found = await check_against_database(project.manifest, self._projects.database_for(project.project_id))
        if not found.reached:
            return replace(project, warnings=project.warnings + found.warnings)
        progress.end("checking")
        said = (*await self._said_before(project), *found.warnings)
        if said == project.warnings and not self._is_due(project):
            return project
        if self._projects.database_for(project.project_id).hides_values:
            # What the service's own login sees is not for everybody.
            return await self._projects.learn(project, {}, (*said, _NO_VALUES), None)
        if self._bounds is None:
            return await self._projects.learn(project, {}, said, None)
        model, checker = project.model, project.checker
        sampled, examples = await asyncio.gather(
            sample_values(model, checker, bounds=self._bounds, on_progress=progress.watch("sampling")),
            sample_examples(model, checker, bounds=self._bounds),
        )
        candidates = await link_candidates(model, checker)
        seen = {**examples, **sampled.values}
        return await self._projects.learn(project, seen, (*said, *sampled.warnings), candidates)

    async def _said_before(self, project: ProjectModel) -> tuple[str, ...]:
        """What there is to say about a model without its database, and so without what an earlier look at that gave."""
        stored = await self._models.find(project.project_id, project.content_hash)
        if stored is None:
            return ()
        read = await self._projects.reader.read(stored.manifest, self._projects.database_for(project.project_id))
        return tuple(map(str, read.warnings))
