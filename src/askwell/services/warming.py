"""After a start the current models are made ready in the background, so that the first question need not wait."""

from __future__ import annotations

import asyncio
import logging

from askwell.errors import AskwellError
from askwell.knowledge.record import Record
from askwell.pipelines.passages import PassageSearch
from askwell.pipelines.retrieval import Retrieval
from askwell.services.projects import KEPT_MODELS, ProjectModels

logger = logging.getLogger(__name__)


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
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

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
