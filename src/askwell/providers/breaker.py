"""A breaker for each server of models: while it is away nobody waits for it, and it is looked for by itself."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)

# Requests in a row that did not reach the server: one or two may be a restart, or a connection that was let go of.
FAILURES = 3
# Seconds before a server that is away is looked for again, a quarter more or less; doubled each time, up to the second.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 15.0

# Whether the server is there now. It costs nothing, takes a few seconds at most, and does not raise.
Look = Callable[[], Awaitable[bool]]


class Breaker:
    """Shared by all models at one address; belongs to one event loop. After `FAILURES` requests in a row that failed it
    looks at the server itself: one that answers is not away, whatever it makes of some request or some model."""

    def __init__(self) -> None:
        self.away = False
        self._failures = 0
        self._watch: asyncio.Task[None] | None = None

    def answered(self) -> None:
        """The server answered a request, with whatever."""
        self._failures = 0
        self._let_go()

    def failed(self, model: str, look: Look, requests: int = 1) -> None:
        """So many requests of this model did not reach the server."""
        self._failures += requests
        if self._failures >= FAILURES and self._watch is None:
            self._watch = asyncio.create_task(self._until_it_is_there(model, look), name="model-server")

    async def close(self) -> None:
        """Look no more. Safe to call twice."""
        if (watch := self._let_go()) is not None:
            await asyncio.wait([watch])

    def _let_go(self) -> asyncio.Task[None] | None:
        watch, self._watch, self.away = self._watch, None, False
        if watch is not None:
            watch.cancel()
        return watch

    async def _until_it_is_there(self, model: str, look: Look) -> None:
        pause = _FIRST_PAUSE
        try:
            while not await look():
                if not self.away:
                    logger.warning("a language model server is away", extra={"model": model})
                self.away = True
                await asyncio.sleep(pause * random.uniform(0.75, 1.25))
                pause = min(pause * 2, _LONGEST_PAUSE)
            if self.away:
                logger.info("a language model server is back", extra={"model": model})
        except Exception as error:  # noqa: BLE001 - then requests find out for themselves
            kind = type(error).__name__
            logger.error("looking for a model server ended unexpectedly", extra={"model": model, "error": kind})
        # Not where it was cancelled: another one may have begun.
        self._failures, self._watch, self.away = 0, None, False
