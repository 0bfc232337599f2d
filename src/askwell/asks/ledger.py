"""What an ask has cost so far, and what did not go well in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from askwell.asks.states import Account
from askwell.observability.metrics import Metrics
from askwell.providers.llm.base import Usage
from askwell.sql.outcome import RejectedSql


class Ledger:
    """Adds up model usage and the time of each stage of one ask; survives a stage that fails. The metrics hear of each
    stage and each rejected statement at once, so that those of an ask that is stopped count too.

    `clock` gives seconds: the wall clock, or a benchmark's count of processor time.
    """

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = time.perf_counter) -> None:
        self._metrics = metrics
        self._clock = clock
        self._usage = Usage()
        self._timings: dict[str, float] = {}

    def add(self, usage: Usage) -> None:
        self._usage += usage

    def rejected(self, rejected: RejectedSql) -> None:
        """A statement did not pass."""
        self._metrics.statement_rejected(rejected.kind, rejected.rule)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time until the block ends, however it ends; a stage that runs again is added to."""
        started = self._clock()
        try:
            yield
        finally:
            seconds = self._clock() - started
            self._timings[name] = self._timings.get(name, 0.0) + seconds * 1000
            self._metrics.stage_ended(name, seconds)

    def account(self) -> Account:
        return Account(self._usage, tuple(self._timings.items()))
