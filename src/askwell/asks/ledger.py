"""What an ask has cost so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from askwell.asks.states import Account
from askwell.providers.llm.base import Usage


class Ledger:
    """Adds up model usage and the time of each stage of one ask; survives a stage that fails."""

    def __init__(self) -> None:
        self._usage = Usage()
        self._timings: dict[str, float] = {}

    def add(self, usage: Usage) -> None:
        self._usage += usage

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time until the block ends, however it ends; a stage that runs again is added to."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._timings[name] = self._timings.get(name, 0.0) + (time.perf_counter() - started) * 1000

    def account(self) -> Account:
        return Account(self._usage, tuple(self._timings.items()))
