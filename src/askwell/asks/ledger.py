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

    `clock` gives seconds: the wall clock, or a benchmark's count of processor time. `whole`: this is a part of another
    one, which hears of its costs and not of its times, since parts run beside each other.
    """

    def __init__(
        self, metrics: Metrics, clock: Callable[[], float] = time.perf_counter, whole: Ledger | None = None
    ) -> None:
        self._metrics = metrics
        self._clock = clock
        self._whole = whole
        self._usage = Usage()
        self._timings: dict[str, float] = {}
        self._warnings: dict[str, None] = {}
        self._span: tuple[float, float] | None = None
        self._rejections: list[RejectedSql] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the asker is to know of how the answer came about, each thing once."""
        return tuple(self._warnings)

    @property
    def rejections(self) -> tuple[RejectedSql, ...]:
        """The statements that did not pass."""
        return tuple(self._rejections)

    def part(self) -> Ledger:
        """A ledger for work that runs beside other work of the same ask."""
        return Ledger(self._metrics, self._clock, self)

    def add(self, usage: Usage) -> None:
        self._usage += usage
        if self._whole is not None:
            self._whole.add(usage)

    def warn(self, sentence: str) -> None:
        self._warnings[sentence] = None
        if self._whole is not None:
            self._whole.warn(sentence)

    def rejected(self, rejected: RejectedSql) -> None:
        """A statement did not pass."""
        self._metrics.statement_rejected(rejected.kind, rejected.rule)
        for ledger in filter(None, (self, self._whole)):
            ledger._rejections.append(rejected)

    def rules_failed(self) -> None:
        """The rules raised an exception."""
        self._metrics.rules_failed()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time until the block ends, however it ends; a stage that runs again is added to."""
        started = self._clock()
        try:
            yield
        finally:
            ended = self._clock()
            self._span = (min(started, self._span[0]) if self._span else started, ended)
            self._timings[name] = self._timings.get(name, 0.0) + (ended - started) * 1000
            self._metrics.stage_ended(name, ended - started)

    def account(self) -> Account:
        began, ended = self._span or (0.0, 0.0)
        return Account(self._usage, tuple(self._timings.items()), (ended - began) * 1000)
