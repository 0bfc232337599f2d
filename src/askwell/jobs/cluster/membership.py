"""This process among those that share the record: that it lives, and what the time is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from askwell import __version__
from askwell.errors import RecordUnavailable
from askwell.knowledge.claims import ClaimShelf

logger = logging.getLogger(__name__)

# How often a process tells that it lives, and after how many seconds without a word the others take over what it had.
# An event loop is held up for fractions of a second; a record that is cut off is back within some.
BEAT_SECONDS = 2.0
DEAD_SECONDS = 10.0


class Membership:
    """`worker` is the name under which this process takes jobs. It changes where the others took it for dead, and
    `taken_out` is called then: what it had is theirs. `now` is the clock of the record's server, whatever the machine's
    own says."""

    def __init__(self, claims: ClaimShelf, clock: Callable[[], datetime]) -> None:
        self._claims = claims
        self._clock = clock
        self._ahead = timedelta()
        self._task: asyncio.Task[None] | None = None
        self._beat_at = self._steady_since = time.monotonic()
        self.worker = _new_name()
        self.taken_out: Callable[[], Awaitable[None]] = _nothing
        self.after_beat: Callable[[], Awaitable[None]] = _nothing

    def now(self) -> datetime:
        """The present moment (timezone-aware), the same on all machines."""
        return self._clock() + self._ahead

    async def join(self) -> None:
        """Become known. Raises `RecordUnavailable`."""
        began = time.monotonic()
        self._set_clock(await self._claims.join(self.worker, _about()), began)

    def start(self) -> None:
        """Tell again and again that the process lives, in the background."""
        self._task = asyncio.create_task(self._beat(), name="cluster-membership")

    async def close(self) -> None:
        """Leave. Safe to call twice."""
        if self._task is None:
            return
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._task = None
        with contextlib.suppress(RecordUnavailable):
            await self._claims.leave(self.worker)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                await self._once()
                await self.after_beat()
            except RecordUnavailable as error:
                logger.warning("the record was not told that this process lives", extra={"error": error.code})
            except Exception as error:
                # A process that stops telling is taken for dead.
                kind = type(error).__name__
                logger.error("telling that this process lives failed", extra={"error": kind}, exc_info=error)

    async def _once(self) -> None:
        began = time.monotonic()
        moment = await self._claims.beat(self.worker)
        if moment is None:
            logger.error("the other processes took this one for dead; what it had is theirs")
            self.worker = _new_name()
            await self.join()
            await self.taken_out()
        else:
            self._set_clock(moment, began)
        if self._is_steady() and (freed := await self._claims.reap(DEAD_SECONDS)):
            logger.warning("took over what a dead process had", extra={"jobs": freed})

    def _is_steady(self) -> bool:
        """Whether this process could tell that it lives for as long as it takes to be dead: else the record was away,
        perhaps for the others too."""
        now = time.monotonic()
        if now > self._beat_at + 2 * BEAT_SECONDS:
            self._steady_since = now
        self._beat_at = now
        return now > self._steady_since + DEAD_SECONDS

    def _set_clock(self, moment: datetime, began: float) -> None:
        """`moment` was somewhere between `began` and now."""
        self._ahead = moment + timedelta(seconds=(time.monotonic() - began) / 2) - self._clock()


def _about() -> dict[str, str]:
    return {"host": socket.gethostname()[:64], "version": __version__}


def _new_name() -> str:
    return uuid.uuid4().hex


async def _nothing() -> None:
    pass
