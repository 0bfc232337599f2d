"""Whether the configured language models can be reached, for readiness probes that come every few seconds.
After a start that is looked at in the background: a start waits for no model's server."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import LanguageModel

logger = logging.getLogger(__name__)

# Seconds for which one look counts: what asks itself every second must not become the server's load.
KEPT_SECONDS = 15.0


class Reachability:
    """Looks at all models at once, and remembers what it saw. `clock` is in seconds and never goes back."""

    def __init__(self, models: Collection[LanguageModel], clock: Callable[[], float] = time.monotonic) -> None:
        self._models = models
        self._clock = clock
        self._turn = asyncio.Lock()
        self._looked: float | None = None
        self._problem: ModelUnavailable | None = None

    async def require(self) -> None:
        """Raises `ModelUnavailable` when one of the models could not be reached."""
        for model in self._models:
            if model.away:
                self._looked = None  # what was seen before counts no more
                await model.reach()  # says so without a look
        async with self._turn:  # those who come meanwhile hear the same
            if self._looked is None or self._clock() - self._looked >= KEPT_SECONDS:
                self._problem = await self._look()
                self._looked = self._clock()
        if self._problem is not None:
            raise ModelUnavailable(self._problem.message, self._problem.hint)

    async def _look(self) -> ModelUnavailable | None:
        found = await asyncio.gather(*(_problem_of(model) for model in self._models))
        return next((problem for problem in found if problem is not None), None)


async def _problem_of(model: LanguageModel) -> ModelUnavailable | None:
    try:
        await model.reach()
    except ModelUnavailable as error:
        return error
    return None


# Seconds before a server that could not be probed is tried again; doubled each time, up to the second.
_FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 3600.0


class BackgroundProbes:
    """Each model is probed once, as soon as its server lets it. `first_pause` in seconds."""

    def __init__(self, models: Collection[LanguageModel], first_pause: float = _FIRST_PAUSE) -> None:
        self._models = models
        self._first_pause = first_pause
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin, and return at once."""
        self._tasks = [asyncio.create_task(self._probe(model), name="probe") for model in self._models]

    async def stop(self) -> None:
        """Give up what is still going on. Safe to call twice."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _probe(self, model: LanguageModel) -> None:
        pause, said = self._first_pause, ""
        while True:
            try:
                found = await model.probe()
            except ModelUnavailable as error:
                if error.message != said:
                    logger.warning("%s %s", error.message, error.hint)
                said = error.message
            except Exception as error:  # noqa: BLE001 - replies find their way without a probe
                kind = type(error).__name__
                logger.error("a probe ended with an unexpected error", extra={"model": model.name, "error": kind})
                return
            else:
                way = found.json_format.value if found.json_format is not None else "none"
                logger.info("probed a language model", extra={"model": model.name, "json": way})
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
