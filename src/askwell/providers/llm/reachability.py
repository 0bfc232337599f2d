"""Whether the configured language models can be reached, for readiness probes that come every few seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import LanguageModel

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
        async with self._turn:  # whoever comes meanwhile hears the same
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
