"""From a manifest that a client sends to a model that can be asked about, without disturbing the one in use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from askwell.errors import AskwellError, InvalidModel, NotFound, RecordUnavailable
from askwell.heap import many_objects
from askwell.jobs.runner import JobRunner
from askwell.knowledge.models import Preparation
from askwell.knowledge.record import Record
from askwell.mdl.manifest import canonical_json, hash_of
from askwell.mdl.validation import ManifestReading, read_manifest
from askwell.pipelines.indexing import Indexing
from askwell.providers.engine.base import Engine
from askwell.services.database import DatabaseFor
from askwell.services.physical_check import check_against_database
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.value_sampling import SampledColumns, SamplingBounds, sample_values
from askwell.sql.planner import unsafe_parts

logger = logging.getLogger(__name__)

# A preparation that the service did not survive may be the reason why: it is tried again, but not for ever.
MAX_ATTEMPTS = 3
# How long a preparation waits before it looks whether a record that was away is back.
_RECORD_SECONDS = 1.0

_UNEXPECTED = AskwellError(
    "Something unexpected went wrong inside the service while preparing the model.",
    "Send the model again; if it happens again, report it with the time and the label.",
)
_GAVE_UP = AskwellError(
    "The service was interrupted several times while preparing this model, and has given up on it.",
    "Send it again; if the service stops once more, look into its log for the reason.",
)


_BOUNDS = SamplingBounds()

PreparationEnd = Literal["finished", "failed"]


def _nobody_counts(end: PreparationEnd) -> None:
    pass


# As they are told of. The index is made beside what goes before it; the last stage lasts until all is ready.
_STAGES = ("checking", "sampling", "indexing")


@dataclass(slots=True)
class _Progress:
    """How many parts of each stage are done, and of how many; `ended` are those that are over."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def told(self) -> dict[str, Any]:
        """The first stage that has not ended. None is come back to."""
        stage = next((stage for stage in _STAGES if stage not in self.ended), _STAGES[-1])
        done, total = self.counts.get(stage, (0, 0))
        return {"done": done, "total": total, "stage": stage}


class SemanticsPreparation:
    """Every accepted model is in the record before its label is told, and its preparation ends: finished or failed,
    after a restart too; `on_end` hears how. Models of one project are prepared in the order in which they came.

    `bounds` limit the sampling of values. Without them it is left out, and values from before are removed from the
    record. A model that is prepared again keeps its values until they are as old as the bounds say.
    """

    def __init__(
        self,
        *,
        record: Record,
        runner: JobRunner,
        indexing: Indexing,
        projects: ProjectModels,
        database_for: DatabaseFor,
        bounds: SamplingBounds | None = _BOUNDS,
        on_end: Callable[[PreparationEnd], None] = _nobody_counts,
    ) -> None:
        self._models = record.models
        self._runner = runner
        self._indexing = indexing
        self._projects = projects
        self._database_for = database_for
        self._bounds = bounds
        self._on_end = on_end
        self._progress: dict[tuple[str, str], _Progress] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    async def start(self, project_id: str, mdl: str | Mapping[str, Any], label: str | None = None) -> str:
        """Accept a model, as JSON text or as the object, and return the label to poll it by (the content's hash where
        the client gave none). One that does not validate is refused, with every problem, under that label: nothing else
        changes. Raises `InvalidModel` for one without a label, `Busy`, and `ConfigurationError` when the project has no
        database."""
        self._runner.require_room()
        engine = self._database_for(project_id).engine
        reading, digest, text = await asyncio.to_thread(_read, mdl, engine)
        if digest == "":
            if label is None:
                raise _refusal(reading)
            await self._models.refuse(project_id, label, _refusal(reading))
            self._on_end("failed")
            return label
        label = label or digest
        running = await self._models.preparation(project_id, label)
        if running is not None and running.status == "indexing":
            if running.content_hash == digest:
                self._submit(project_id, label)
                return label
            await self._runner.cancel(_key(project_id, label))
        await self._models.begin(project_id, label, digest, text, [str(warning) for warning in reading.warnings])
        self._submit(project_id, label)
        return label

    async def status(self, project_id: str, label: str) -> dict[str, Any]:
        """`{status, error?, progress?, warnings?}` of the latest preparation under a label. Raises `NotFound`."""
        found = await self._models.preparation(project_id, label)
        if found is None:
            raise NotFound(
                f"No model with the label {label[:64]} was sent for project {project_id[:64]}.",
                "Send it with POST /v1/semantics-preparations, and poll with the same project_id.",
            )
        return _status(found, self._progress.get((project_id, label)))

    async def delete(self, project_id: str) -> None:
        """Remove a project's models and index; what is being prepared for it is stopped. Its knowledge stays."""
        for preparation in await self._models.unfinished_preparations():
            if preparation.project_id == project_id:
                await self._runner.cancel(_key(project_id, preparation.label))
        await self._models.delete(project_id)
        self._projects.forget(project_id)
        await self._indexing.forget(project_id)

    async def resume(self) -> int:
        """Take up what was accepted before a restart; how many preparations run again."""
        unfinished = await self._models.unfinished_preparations()
        for preparation in unfinished:
            self._submit(preparation.project_id, preparation.label)
        return len(unfinished)

    def _submit(self, project_id: str, label: str) -> None:
        self._runner.submit(_key(project_id, label), lambda: self._work(project_id, label))

    async def _work(self, project_id: str, label: str) -> None:
        while True:
            try:
                return await self._attempt(project_id, label)
            except RecordUnavailable as error:
                # Its end has to be written there: until then it has none, and whoever polls it waits.
                logger.warning("a preparation waits for the record", extra={"error": error.code})
            await asyncio.sleep(_RECORD_SECONDS)

    async def _attempt(self, project_id: str, label: str) -> None:
        async with self._turns.setdefault(project_id, asyncio.Lock()):
            preparation = await self._models.preparation(project_id, label)
            if preparation is None or preparation.content_hash is None:
                return  # removed meanwhile
            attempt = await self._models.start_attempt(project_id, label)
            if attempt == 0:
                return  # it has ended
            digest, error = preparation.content_hash, None
            try:
                if attempt > MAX_ATTEMPTS:
                    error = _GAVE_UP
                else:
                    await self._prepare(project_id, label, digest)
            except RecordUnavailable:
                raise
            except AskwellError as raised:
                error = raised
            except Exception as raised:
                # An accepted model always ends. Only the class by default: a message may hold a value.
                logger.error("preparation failed", extra={"error": type(raised).__name__}, exc_info=raised)
                error = _UNEXPECTED
            finally:
                self._progress.pop((project_id, label), None)
            if error is not None:
                await self._models.fail(project_id, label, digest, error)
            self._on_end("finished" if error is None else "failed")

    async def _prepare(self, project_id: str, label: str, digest: str) -> None:
        progress = self._progress[project_id, label] = _Progress()
        with many_objects():
            project = await self._projects.load(project_id, digest, label)
            if project is None:
                return  # removed meanwhile
            project = await self._look_and_index(project, progress)
            # What the first question would wait for otherwise.
            await asyncio.to_thread(lambda: (project.prepared, project.views_by_question))
        await self._models.finish(project_id, label, digest, project.warnings)

    async def _look_and_index(self, project: ProjectModel, progress: _Progress) -> ProjectModel:
        """The project as it is known in the end. The database is looked at while texts are embedded: one waits mostly
        for the database, the other for processors."""

        async def index() -> None:
            await self._indexing.model_section(project.project_id, project.model, _watch(progress, "indexing"))

        async def look() -> ProjectModel:
            known = await self._look_at_database(project, progress) if self._is_due(project) else project
            progress.ended |= {"checking", "sampling"}
            return known

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(index())
                looking = group.create_task(look())
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        return looking.result()

    def _is_due(self, project: ProjectModel) -> bool:
        """Whether the database was never looked at for a model, or its values are old."""
        if project.sampled_at is None:
            return True
        age = datetime.now(UTC) - project.sampled_at
        return self._bounds is not None and age.total_seconds() >= self._bounds.max_age

    async def _look_at_database(self, project: ProjectModel, progress: _Progress) -> ProjectModel:
        """Check the model against the database and sample values. A database that is not there now is looked at when
        the model is sent again; until then what is known of it stands."""
        found = await check_against_database(project.manifest, project.engine)
        if not found.reached:
            return replace(project, warnings=project.warnings + found.warnings)
        progress.ended.add("checking")
        sampled = SampledColumns({})
        if self._bounds is not None:
            sampled = await sample_values(
                project.model, project.checker, bounds=self._bounds, on_progress=_watch(progress, "sampling")
            )
        warnings = (*await self._said_before(project), *found.warnings, *sampled.warnings)
        return await self._projects.learn(project, sampled.values, warnings)

    async def _said_before(self, project: ProjectModel) -> tuple[str, ...]:
        """What there is to say about a model without its database, and so without what an earlier look at that gave."""
        stored = await self._models.find(project.project_id, project.content_hash)
        if stored is None:
            return ()
        reading = await asyncio.to_thread(read_manifest, stored.manifest, data_source=project.engine.data_source)
        return tuple(map(str, reading.warnings))


def _watch(progress: _Progress, stage: str) -> Callable[[int, int], None]:
    def on_progress(done: int, total: int) -> None:
        progress.counts[stage] = (done, total)

    return on_progress


def _key(project_id: str, label: str) -> str:
    return f"prepare:{project_id}:{label}"


def _read(mdl: str | Mapping[str, Any], engine: Engine) -> tuple[ManifestReading, str, str]:
    """The reading, the content's hash and its JSON text; hash and text are empty for a manifest that is refused."""
    with many_objects():
        return _checked(mdl, engine)


def _checked(mdl: str | Mapping[str, Any], engine: Engine) -> tuple[ManifestReading, str, str]:
    reading = read_manifest(mdl if isinstance(mdl, str) else dict(mdl), data_source=engine.data_source)
    if reading.manifest is not None:
        unsafe = unsafe_parts(reading.manifest, engine.dialect)
        reading = replace(reading, manifest=None, problems=unsafe) if unsafe else reading
    if reading.manifest is None:
        return reading, "", ""
    text = canonical_json(reading.manifest)
    return reading, hash_of(text), text


def _refusal(reading: ManifestReading) -> InvalidModel:
    problems = tuple(str(problem) for problem in reading.problems)
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return InvalidModel(
        f"The semantic model has {count}:\n" + "\n".join(problems),
        "Correct them all and send the model again; the model in use is unchanged.",
        problems,
    )


def _status(found: Preparation, progress: _Progress | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"status": found.status}
    if found.error is not None:
        answer["error"] = {"code": found.error.code, "message": found.error.message, "hint": found.error.hint}
    if found.status == "indexing" and progress is not None:
        answer["progress"] = progress.told()
    if found.warnings:
        answer["warnings"] = list(found.warnings)
    return answer
