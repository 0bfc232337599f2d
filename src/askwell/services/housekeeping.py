"""Work in the background: what is tidied up now and then, so that a service that runs for months does not fill the
disk, and making models ready after a start, so that the first question need not wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from askwell.errors import AskwellError
from askwell.heap import collect_all
from askwell.jobs.runner import cancel
from askwell.knowledge.record import Record
from askwell.pipelines.passages.search import PassageSearch
from askwell.pipelines.retrieval.retrieval import Retrieval
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


class Warming:
    """Loads the current model of each project, as many as are kept, one after the other, and builds its index where it
    is missing, after a change of the embedder too, and that of its documents. With `generation` a language model that
    runs here then reads the schema of as many projects as a server keeps apart, once for each model. Questions do not
    wait for it, and it never fails: what cannot be made ready now is made by the first question, which tells why it
    cannot."""

    def __init__(
        self,
        record: Record,
        projects: ProjectModels,
        retrieval: Retrieval,
        passages: PassageSearch | None = None,
        generation: Pipeline[..., Generated] | None = None,
    ) -> None:
        self._record = record
        self._projects = projects
        self._retrieval = retrieval
        self._passages = passages
        self._generation = generation
        self._read: set[str] = set()
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.is_going_on = False
        """Whether there may be models that were not looked at yet."""

    def start(self) -> None:
        """Begin, in the background, or look again for what is not ready, as after a preparation."""
        self.is_going_on = True
        self._wanted.set()
        self._task = self._task or asyncio.create_task(self._run(), name="warming")

    async def stop(self) -> None:
        """Give up what is still going on. Safe to call twice."""
        await cancel(self._task)

    async def _run(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            known: list[str] = []
            try:
                known = list(await self._record.models.projects())
            except AskwellError as error:
                logger.warning("models could not be made ready", extra={"error": error.code})
            except Exception as error:  # noqa: BLE001 - nobody awaits this task, and a preparation begins it again
                logger.error("models could not be made ready", extra={"error": type(error).__name__})
            for project_id in known[:KEPT_MODELS]:
                await self._try(self._warm, project_id)
            self.is_going_on = self._wanted.is_set()
            for project_id in known[:_PREFIXES]:
                await self._try(self._read_ahead, project_id)

    async def _try(self, make_ready: Callable[[str], Awaitable[None]], project_id: str) -> None:
        try:
            await make_ready(project_id)
        except AskwellError as error:
            logger.warning("a model could not be made ready", extra={"project": project_id, "error": error.code})
        except Exception as error:  # noqa: BLE001 - the first question meets it again, and reports it
            kind = type(error).__name__
            logger.error("making a model ready ended with an unexpected error", extra={"error": kind})

    async def _warm(self, project_id: str) -> None:
        project = await self._projects.get(project_id, None)
        if project is not None:
            await self._retrieval.warm(project)
        if self._passages is not None:
            await self._passages.warm(project_id)

    async def _read_ahead(self, project_id: str) -> None:
        project = await self._projects.get(project_id, None) if self._generation is not None else None
        if self._generation is None or project is None or project.content_hash in self._read:
            return
        from askwell.pipelines.generation.sql_writing import read_prefix

        await read_prefix(self._generation, await self._retrieval.run(project, ""), project.engine.dialect)
        self._read.add(project.content_hash)
