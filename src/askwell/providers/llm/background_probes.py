"""Probing the models that a service uses while it already answers: a start waits for no model's server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import LanguageModel

logger = logging.getLogger(__name__)

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
