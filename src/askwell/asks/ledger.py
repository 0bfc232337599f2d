"""What an ask has cost so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from askwell.asks.states import Account
from askwell.providers.llm.base import Usage


class Ledger:
    """Adds up model usage and the time of each stage of one ask; survives a stage that fails.

    `clock` gives seconds: the wall clock, or a benchmark's count of processor time.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._usage = Usage()
        self._timings: dict[str, float] = {}

    def add(self, usage: Usage) -> None:
        self._usage += usage

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time until the block ends, however it ends; a stage that runs again is added to."""
        started = self._clock()
        try:
            yield
        finally:
            self._timings[name] = self._timings.get(name, 0.0) + (self._clock() - started) * 1000

    def account(self) -> Account:
        return Account(self._usage, tuple(self._timings.items()))
