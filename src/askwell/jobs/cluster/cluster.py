"""All that this process needs to share a record with others: opened and closed as one."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from askwell.errors import ConfigurationError, RecordUnavailable
from askwell.jobs.cluster.claimer import Claimer, Membership
from askwell.jobs.cluster.feeds import Feeds
from askwell.jobs.cluster.live_states import Board, Mirrors
from askwell.jobs.cluster.signals import ANSWER_SECONDS, Signals, Word, noticing_redis
from askwell.jobs.runner import JobRunner
from askwell.jobs.status_store import Entry
from askwell.knowledge.claims import ClaimShelf, Wanted
from askwell.messages import say

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from askwell.jobs.cluster.service import SharedJobs

logger = logging.getLogger(__name__)

_CONNECTIONS = 32


class Cluster:
    """One of the processes that share a record. `works` says whether it takes jobs. Words that it hears are
    `work` (a job was accepted), `stop` (one is to be stopped), `forget` (some were deleted), and what others registered
    by `on_word`."""

    def __init__(
        self, redis_url: str, claims: ClaimShelf, clock: Callable[[], datetime], *, prefix: str, works: bool
    ) -> None:
        self._redis: Any = redis_client(redis_url)
        self.claims = claims
        self.works = works
        self.membership = Membership(claims, clock)
        self.signals = Signals(self._redis, prefix)
        self.board = Board(self._redis, prefix, self.signals, self.now)
        self.mirrors = Mirrors(self.board, self.signals, self._lost)
        self.feeds = Feeds(self.board)
        self.is_ending = False
        self._services: dict[str, SharedJobs[Any, Any]] = {}
        self._claimers: list[Claimer] = []
        self.membership.taken_out = self._taken_out
        self.membership.after_beat = self._end_overdue
        self.signals.on_word(self._heard)
        self.signals.on_reconnect(self._forget_ended)

    def now(self) -> datetime:
        """The present moment, the same for all processes."""
        return self.membership.now()

    async def open(self) -> None:
        """Become one of the processes and hear what the others say. A Redis that is away is waited for in the
        background. Raises `RecordUnavailable`."""
        await self.membership.join()
        self.membership.start()
        await self.signals.start()

    async def shared_secret(self) -> bytes | None:
        """Random bytes that all processes have alike, for what lasts no longer than Redis keeps them; None where it is
        away."""
        with noticing_redis(self.signals):
            name = self.signals.channel("secret")
            await self._redis.set(name, secrets.token_bytes(32), nx=True)
            found: bytes | None = await self._redis.get(name)
            return found
        return None

    def take(self, runner: JobRunner, *services: SharedJobs[Any, Any], in_turn: bool = False) -> Claimer:
        """Have jobs of these services run by `runner`, whichever process accepted them; with `in_turn` one at a time
        in each project. They are taken from `Claimer.start` on."""
        kinds = tuple(service.kind.name for service in services)
        claimer = Claimer(
            self.claims, self.membership, runner, Wanted(kinds, kinds if in_turn else ()), works=self.works
        )
        for service in services:
            self._services[service.kind.name] = service
            service.claimer = claimer
        claimer.take_up = lambda job: self._services[job.kind].take_up(job)
        self._claimers.append(claimer)
        return claimer

    def waiting_for(self, runner: JobRunner) -> int:
        """How many jobs that this runner could run nobody works on yet, as far as is known."""
        return sum(claimer.waiting for claimer in self._claimers if claimer.runner is runner)

    def start(self) -> None:
        """Begin to take jobs."""
        for claimer in self._claimers:
            claimer.start()

    async def put_down(self) -> None:
        """Take no more jobs; those that go on here do so. Nobody waits here for others any more. Safe to call twice."""
        self.is_ending = True
        self.signals.wake_all()
        for claimer in self._claimers:
            await claimer.close()

    async def close(self) -> None:
        """Leave the others. Safe to call twice."""
        await self.put_down()
        await self.feeds.close()
        await self.mirrors.close()
        await self.membership.close()
        await self.signals.tell({"work": True})  # what was handed back is free
        await self.signals.close()
        with contextlib.suppress(Exception):
            await self._redis.aclose()

    async def _heard(self, word: Word) -> None:
        if "work" in word:
            for claimer in self._claimers:
                claimer.wake()
        if (job_id := word.get("stop")) is not None:
            for service in self._services.values():
                if await service.stop_here(job_id):
                    await self.signals.poke(f"stopped:{job_id}")

        if (job_ids := word.get("forget")) is not None:
            for service in self._services.values():
                service.forget_here(job_ids)

    def _forget_ended(self) -> None:
        for service in self._services.values():
            service.forget_ended()

    async def _lost(self, entry: Entry) -> None:
        service = self._services.get(entry.kind.name)
        if service is not None:
            logger.warning("another process works on a job of this one", extra={"job": entry.job_id})
            await service.give_up(entry)

    async def _taken_out(self) -> None:
        for service in self._services.values():
            await service.give_up_former()

    async def _end_overdue(self) -> None:
        for job in await self.claims.overdue(list(self._services)):
            try:
                await self._services[job.kind].expire(job)
            except RecordUnavailable:
                raise
            except Exception as error:
                # One job does not keep the others from their ends.
                details = {"job": job.id, "error": type(error).__name__}
                logger.error("a job that waited too long could not be ended", extra=details, exc_info=error)


def redis_client(url: str) -> Redis:
    """A client that waits for no answer longer than `ANSWER_SECONDS`. Raises `ConfigurationError` where it is not
    installed, or for what is no address."""
    try:
        from redis.asyncio import BlockingConnectionPool, Redis
    except ModuleNotFoundError as error:
        raise ConfigurationError(*say("jobs.redis_not_installed")) from error
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import ConnectionError as Cut

    options: Mapping[str, Any] = {
        # Another connection may have been cut while it was idle; one that is late is away.
        "retry": Retry(NoBackoff(), 1, supported_errors=(Cut,)),
        "socket_timeout": ANSWER_SECONDS,
        "socket_connect_timeout": ANSWER_SECONDS,
        "health_check_interval": 0,
        # Whoever comes when all are in use waits for one.
        "max_connections": _CONNECTIONS,
        "timeout": ANSWER_SECONDS,
    }
    try:
        # Of a pool that it is given otherwise, a client closes nothing.
        return Redis.from_pool(BlockingConnectionPool.from_url(url, **options))
    except ValueError as error:
        raise ConfigurationError(*say("jobs.redis_address")) from error
