"""What is different where several processes share a record: everything else of the container is the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from typing import Any, Self, cast

from askwell.agent.run_log import RunFeed
from askwell.config import Config
from askwell.jobs.cluster.cluster import Cluster
from askwell.jobs.cluster.service import SharedJobs
from askwell.jobs.cluster.signals import Word
from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import JobKind
from askwell.jobs.runner import JobRunner
from askwell.jobs.service import JobService
from askwell.knowledge.record import Record
from askwell.knowledge.threads import ThreadShelf
from askwell.observability.metrics import Metrics
from askwell.services.health.backends import redis_is_heard
from askwell.services.health.finding import Check


class Sharing:
    """One process among several, or alone: then nothing here does anything. `now` is the present moment, and
    `shared_secret` are random bytes, both the same for all of them."""

    def __init__(
        self, cluster: Cluster | None, clock: Callable[[], datetime], shared_secret: bytes | None = None
    ) -> None:
        self._cluster = cluster
        self.shared_secret = shared_secret or secrets.token_bytes(32)
        self.now = clock if cluster is None else cluster.now

    @classmethod
    async def join(cls, config: Config, record: Record, clock: Callable[[], datetime], closing: AsyncExitStack) -> Self:
        """Become one of several processes, where the configuration says so, until `closing`. `clock` is the machine's.
        Raises `RecordUnavailable` and `ConfigurationError`."""
        if config.jobs.redis is None:
            return cls(None, clock)
        url = config.jobs.redis.get_secret_value()
        cluster = Cluster(url, record.claims, clock, prefix=f"askwell:{record.name}", works=config.jobs.work)
        closing.push_async_callback(cluster.close)
        await cluster.open()
        return cls(cluster, clock, await cluster.shared_secret())

    def serve(self, kind: JobKind[Any, Any], engine: JobEngine) -> JobService[Any, Any]:
        """The service of a kind of job."""
        return JobService(kind, engine) if self._cluster is None else SharedJobs(kind, engine, self._cluster)

    def share_memory(self, record: Record) -> None:
        """Have all processes hear of the versions that one of them makes. While nothing can be heard, what was saved
        for projects is read anew each time; afterwards all is read anew once."""
        if self._cluster is None:
            return
        signals, membership = self._cluster.signals, self._cluster.membership
        shared = {"saved": record.versions, "models": record.model_versions}

        def tell(name: str, project_id: str) -> None:
            signals.say({"changed": project_id, "of": name, "from": membership.worker})

        async def hear(word: Word) -> None:
            if "changed" in word and word["from"] != membership.worker:
                shared[word["of"]].changed(word["changed"])

        def hear_again() -> None:
            for versions in shared.values():
                versions.all_changed()

        for name, versions in shared.items():
            versions.tell_others = partial(tell, name)
        record.versions.hears = lambda: signals.is_connected
        signals.on_word(hear)
        signals.on_reconnect(hear_again)

    def run_feed(self, threads: ThreadShelf) -> RunFeed | None:
        """How runs of other processes are read."""
        if self._cluster is None:
            return None
        return RunFeed(threads, self._cluster.signals.poke_soon, self._cluster.signals.changes)

    def take(self, runner: JobRunner, services: Iterable[JobService[Any, Any]], *, in_turn: bool = False) -> None:
        """Have jobs of these services run by `runner`, whichever process accepted them; with `in_turn` one at a time in
        each project."""
        if self._cluster is not None:
            self._cluster.take(runner, *(cast(SharedJobs[Any, Any], one) for one in services), in_turn=in_turn)

    def count_waiting(self, metrics: Metrics, runner: JobRunner) -> None:
        """Have the metrics tell how many jobs of this runner wait, wherever."""
        waiting = (lambda: runner.waiting) if self._cluster is None else partial(self._cluster.waiting_for, runner)
        metrics.watch_queue(waiting=waiting, running=lambda: runner.running)

    def start(self) -> None:
        """Begin to take jobs of others."""
        if self._cluster is not None:
            self._cluster.start()

    async def put_down(self) -> None:
        """Take no more jobs of others."""
        if self._cluster is not None:
            await self._cluster.put_down()

    def checks(self) -> Mapping[str, Check]:
        """What readiness looks at besides."""
        return {} if self._cluster is None else {"redis": Check(partial(redis_is_heard, self._cluster.signals))}
