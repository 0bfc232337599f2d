"""Work in the background: what is tidied up now and then, so that a service that runs for months does not fill the
disk, and making models ready after a start, so that the first question need not wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from askwell.errors import AskwellError
from askwell.heap import collect_all
from askwell.jobs.runner import cancel
from askwell.knowledge.record import Record
from askwell.pipelines.passages import PassageSearch
from askwell.pipelines.retrieval import Retrieval
from askwell.services.projects import KEPT_MODELS, ProjectModels

if TYPE_CHECKING:
    from askwell.pipelines.generation.pipeline import Pipeline
    from askwell.pipelines.generation.sql_writing import Generated

logger = logging.getLogger(__name__)

_EVERY_SECONDS = 3_600.0
# Prompts that llama.cpp and Ollama keep apart, unless they are told otherwise.
_PREFIXES = 4


class Housekeeping:
    """Takes the rows out of results that nobody can poll any more (what was asked, how it ended and its SQL stay), jobs
    of the kinds that are `forgotten` as a whole, the names of ended sessions that are over by now, the vectors of texts
    that no index is made of, and the garbage that models left behind while they were made.

    `ask_ttl` (seconds) is how long results can be polled; `idle` tells whether nobody waits for anything. The first
    round is at the start, the others an hour apart; one that breaks is tried again with the next.
    """

    def __init__(
        self,
        record: Record,
        ask_ttl: float,
        *,
        forgotten: Collection[str] = (),
        idle: Callable[[], bool] = lambda: True,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._record = record
        self._idle = idle
        self._forgotten = forgotten
        self._kept = timedelta(seconds=ask_ttl)
        self._now = now
        self._done_until: datetime | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in the background."""
        self._task = asyncio.create_task(self._run(), name="housekeeping")

    async def stop(self) -> None:
        """End, in the middle of a round if need be: the next one begins where it was. Safe to call twice."""
        await cancel(self._task)

    async def tidy(self) -> int:
        """One round; how many results had rows. Raises `RecordUnavailable`."""
        until = self._now() - self._kept
        dropped = await self._record.jobs.drop_rows(until, ended_since=self._done_until)
        self._done_until = until
        await self._record.jobs.forget(until, self._forgotten)
        await self._record.ended_tokens.forget(self._now())
        return dropped

    async def _run(self) -> None:
        # At the start nothing has become garbage yet, and everybody is in a hurry.
        begun = False
        while True:
            try:
                if dropped := await self.tidy():
                    logger.info("dropped the rows of old results", extra={"jobs": dropped})
                if forgotten := await self._record.embeddings.drop_unused():
                    logger.info("dropped embeddings of old texts", extra={"texts": forgotten})
            except AskwellError as error:
                logger.warning("housekeeping could not be done", extra={"error": error.code})
            except Exception as error:  # noqa: BLE001 - nobody awaits this task, and there is a next round
                logger.warning("housekeeping could not be done", extra={"error": type(error).__name__})
            if begun and self._idle():
                collect_all()
            begun = True
            await asyncio.sleep(_EVERY_SECONDS)


class PrefixReading:
    """Has a language model that runs here read the schema of each project, of as many as a server keeps apart, before
    somebody asks: again after a preparation, where the model has changed. Nobody waits for it, and it never fails."""

    def __init__(
        self, record: Record, projects: ProjectModels, retrieval: Retrieval, generation: Pipeline[..., Generated]
    ) -> None:
        self._record = record
        self._projects = projects
        self._retrieval = retrieval
        self._generation = generation
        self._read: set[str] = set()
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Look for what was not read yet, in the background."""
        self._wanted.set()
        self._task = self._task or asyncio.create_task(self._run(), name="prefixes")

    async def stop(self) -> None:
        """Give up what is still going on. Safe to call twice."""
        await cancel(self._task)

    async def _run(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            try:
                for project_id in (await self._record.models.projects())[:_PREFIXES]:
                    await self._of(project_id)
            except AskwellError as error:
                logger.info("what prompts begin with was not read", extra={"error": error.code})
            except Exception as error:  # noqa: BLE001 - nobody awaits this task, and the first question does the same
                logger.error("what prompts begin with was not read", extra={"error": type(error).__name__})

    async def _of(self, project_id: str) -> None:
        from askwell.pipelines.generation.sql_writing import read_prefix

        project = await self._projects.get(project_id, None)
        if project is None or project.content_hash in self._read:
            return
        found = await self._retrieval.run(project, "")
        self._read.add(project.content_hash)
        await read_prefix(self._generation, found, project.engine.dialect)


class Warming:
    """Loads the current model of each project, as many as are kept, one after the other, and builds its index where it
    is missing, after a change of the embedder too, and that of its documents. Questions do not wait for it, and it
    never fails: what cannot be made ready now is made by the first question, which tells why it cannot."""

    def __init__(
        self,
        record: Record,
        projects: ProjectModels,
        retrieval: Retrieval,
        passages: PassageSearch | None = None,
    ) -> None:
        self._record = record
        self._projects = projects
        self._retrieval = retrieval
        self._passages = passages
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in the background."""
        self._task = asyncio.create_task(self._run(), name="warming")

    @property
    def is_going_on(self) -> bool:
        """Whether there may be models that were not looked at yet."""
        return self._task is not None and not self._task.done()

    async def stop(self) -> None:
        """Give up what is still going on. Safe to call twice."""
        await cancel(self._task)

    async def _run(self) -> None:
        try:
            for project_id in (await self._record.models.projects())[:KEPT_MODELS]:
                await self._warm(project_id)
        except AskwellError as error:
            logger.warning("models could not be made ready", extra={"error": error.code})

    async def _warm(self, project_id: str) -> None:
        try:
            project = await self._projects.get(project_id, None)
            if project is not None:
                await self._retrieval.warm(project)
            if self._passages is not None:
                await self._passages.warm(project_id)
        except AskwellError as error:
            logger.warning("a model could not be made ready", extra={"project": project_id, "error": error.code})
        except Exception as error:  # noqa: BLE001 - the first question meets it again, and reports it
            kind = type(error).__name__
            logger.error("making a model ready ended with an unexpected error", extra={"error": kind})
