"""Which process runs which job: membership and claims."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from askwell import __version__
from askwell.errors import Busy, RecordUnavailable
from askwell.jobs.runner import JobRunner, cancel
from askwell.knowledge.claims import ClaimShelf, Wanted
from askwell.knowledge.jobs import AcceptedJob
from askwell.messages import say

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
        self._beat_at = self._steady_since = self._tried_at = time.monotonic()
        self.worker = _new_name()
        self.taken_out: Callable[[], Awaitable[None]] = _no_notice
        self.after_beat: Callable[[], Awaitable[None]] = _no_notice

    def now(self) -> datetime:
        """The present moment (timezone-aware), the same on all machines."""
        return self._clock() + self._ahead

    @property
    def may_be_dead(self) -> bool:
        """Whether this process stood still for so long that the others may have its jobs: it has not asked yet."""
        return time.monotonic() - self._tried_at > DEAD_SECONDS - BEAT_SECONDS

    async def join(self) -> None:
        """Become known. Raises `RecordUnavailable`."""
        began = time.monotonic()
        about = {"host": socket.gethostname()[:64], "version": __version__}
        self._set_clock(await self._claims.join(self.worker, about), began)

    def start(self) -> None:
        """Tell again and again that the process lives, in the background."""
        self._task = asyncio.create_task(self._beat(), name="cluster-membership")

    async def close(self) -> None:
        """Leave. Safe to call twice."""
        if self._task is None:
            return
        await cancel(self._task)
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
                logger.warning("the heartbeat of this process was not recorded", extra={"error": error.code})
            except Exception as error:
                # A process that stops telling is taken for dead.
                kind = type(error).__name__
                logger.error("telling that this process lives failed", extra={"error": kind}, exc_info=error)
            self._tried_at = time.monotonic()

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


def _new_name() -> str:
    return uuid.uuid4().hex


async def _no_notice() -> None:
    pass


# Taken at once: others may be idle too.
_AT_ONCE = 4
# How often a process looks without having been told that there is something.
_LOOK_SECONDS = 1.0

TakeUp = Callable[[AcceptedJob], Awaitable[None]]


class Claimer:
    """Takes jobs that are `wanted` into `runner` by `take_up`. A process that does not work takes none, and only knows
    how many wait."""

    def __init__(
        self, claims: ClaimShelf, membership: Membership, runner: JobRunner, wanted: Wanted, *, works: bool
    ) -> None:
        self._claims = claims
        self._membership = membership
        self.runner = runner
        self._wanted = wanted
        self._mine: set[str] = set()
        self._wake = asyncio.Event()
        self._waiting = 0
        self._task: asyncio.Task[None] | None = None
        self.works = works
        self.take_up: TakeUp = _nothing

    @property
    def waiting(self) -> int:
        """How many jobs nobody works on yet, as far as is known."""
        return self._waiting

    @property
    def has_room(self) -> bool:
        """Whether a job that comes now can begin here, and nobody has waited longer."""
        return self.works and self._task is not None and self.runner.is_idle and not self._waiting

    def require_room(self) -> None:
        """Raises `Busy` where too many jobs wait, as far as is known: it is looked after every second."""
        if self._waiting >= max(1, self.runner.queue_size):
            raise Busy(
                *say("jobs.queue_full_waiting", waiting=self._waiting, queue_size=self.runner.queue_size),
                retry_after=2,
            )

    def start(self) -> None:
        """Begin, in the background."""
        self._task = asyncio.create_task(self._run(), name="claimer")

    def wake(self) -> None:
        """There is something to take."""
        self._wake.set()

    def one_more(self) -> None:
        """A job was accepted here that nobody works on yet."""
        self._waiting += 1

    def hold(self, job_id: str) -> None:
        """This process has the job, or is about to."""
        self._mine.add(job_id)

    def release(self, job_id: str) -> None:
        """It has the job no more."""
        self._mine.discard(job_id)
        self._wake.set()

    async def close(self) -> None:
        """Take nothing more. Safe to call twice."""
        await cancel(self._task)
        self._task = None

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                taken = await self._take()
                if not taken:
                    self._waiting = await self._claims.waiting(self._wanted.kinds)
            except RecordUnavailable as error:
                logger.warning("jobs could not be taken", extra={"error": error.code})
                taken = 0
            except Exception as error:
                kind = type(error).__name__
                logger.error("taking jobs failed unexpectedly", extra={"error": kind}, exc_info=error)
                taken = 0
            if not taken:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS * random.uniform(0.75, 1.25)):
                        await self._wake.wait()

    async def _take(self) -> int:
        room = min(self.runner.room, _AT_ONCE) if self.works else 0
        if room <= 0:
            return 0
        jobs = await self._claims.take(self._membership.worker, self._wanted, room, self._mine)
        for job in jobs:
            self.hold(job.id)
        left = {job.id for job in jobs}
        try:
            for job in jobs:
                await self.take_up(job)
                left.discard(job.id)
        finally:
            for job_id in left:
                self.release(job_id)  # to be taken again
        self._waiting = max(0, self._waiting - len(jobs))
        return len(jobs)


async def _nothing(_: AcceptedJob) -> None:
    pass
