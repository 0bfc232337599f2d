"""One process among several that share a record on PostgreSQL, by way of a Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from typing import Any, cast

from askwell.agent.run_log import RunFeed
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
from askwell.sharing import Sharing


async def join_cluster(
    url: str, works: bool, record: Record, clock: Callable[[], datetime], closing: AsyncExitStack
) -> Sharing:
    """Become one of several processes, until `closing`. `url` is the Redis, `clock` the machine's; `works` says whether
    it takes jobs of others. Raises `RecordUnavailable` and `ConfigurationError`."""
    cluster = Cluster(url, record.claims, clock, prefix=f"askwell:{record.name}", works=works)
    closing.push_async_callback(cluster.close)
    await cluster.open()
    return _ClusterSharing(cluster, await cluster.shared_secret())


class _ClusterSharing(Sharing):
    def __init__(self, cluster: Cluster, shared_secret: bytes | None) -> None:
        super().__init__(cluster.now, shared_secret)
        self._cluster = cluster

    def serve(self, kind: JobKind[Any, Any], engine: JobEngine) -> JobService[Any, Any]:
        return SharedJobs(kind, engine, self._cluster)

    def share_memory(self, record: Record) -> None:
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
        return RunFeed(threads, self._cluster.signals.poke_soon, self._cluster.signals.changes)

    def take(self, runner: JobRunner, services: Iterable[JobService[Any, Any]], *, in_turn: bool = False) -> None:
        self._cluster.take(runner, *(cast("SharedJobs[Any, Any]", one) for one in services), in_turn=in_turn)

    def count_waiting(self, metrics: Metrics, runner: JobRunner) -> None:
        metrics.watch_queue(waiting=partial(self._cluster.waiting_for, runner), running=lambda: runner.running)

    def start(self) -> None:
        self._cluster.start()

    async def put_down(self) -> None:
        await self._cluster.put_down()

    def checks(self) -> Mapping[str, Check]:
        return {"redis": Check(partial(redis_is_heard, self._cluster.signals))}
