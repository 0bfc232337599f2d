"""What is different where several processes share a record: everything else of the container is the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import JobKind
from askwell.jobs.runner import JobRunner
from askwell.jobs.service import JobService
from askwell.knowledge.record import Record
from askwell.knowledge.threads import ThreadShelf
from askwell.observability.metrics import Metrics

if TYPE_CHECKING:
    from askwell.agent.run_log import RunFeed
    from askwell.services.health.finding import Check


class Sharing:
    """A process alone, which shares nothing; `cluster_sharing` has one among several. `now` is the present moment, and
    `shared_secret` are random bytes, both the same for all of them."""

    def __init__(self, now: Callable[[], datetime], shared_secret: bytes | None = None) -> None:
        self.shared_secret = shared_secret or secrets.token_bytes(32)
        self.now = now

    def serve(self, kind: JobKind[Any, Any], engine: JobEngine) -> JobService[Any, Any]:
        """The service of a kind of job."""
        return JobService(kind, engine)

    def share_memory(self, record: Record) -> None:
        """Have all processes hear of the versions that one of them makes. While nothing can be heard, what was saved
        for projects is read anew each time; later all is read anew once."""

    def run_feed(self, threads: ThreadShelf) -> RunFeed | None:
        """How runs of other processes are read."""
        return None

    def take(self, runner: JobRunner, services: Iterable[JobService[Any, Any]], *, in_turn: bool = False) -> None:
        """Have jobs of these services run by `runner`, whichever process accepted them; with `in_turn` one at a time in
        each project."""

    def count_waiting(self, metrics: Metrics, runner: JobRunner) -> None:
        """Have the metrics tell how many jobs of this runner wait, wherever."""
        metrics.watch_queue(waiting=lambda: runner.waiting, running=lambda: runner.running)

    def start(self) -> None:
        """Begin to take jobs of others."""

    async def put_down(self) -> None:
        """Take no more jobs of others."""

    def checks(self) -> Mapping[str, Check]:
        """What readiness looks at besides."""
        return {}
