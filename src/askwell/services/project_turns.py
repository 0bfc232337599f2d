"""Work of which one piece at a time goes on for each project."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


@dataclass(slots=True)
class _Turns:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    wanted: asyncio.Event = field(default_factory=asyncio.Event)


class ProjectTurns:
    """A project's turns, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._turns: defaultdict[str, _Turns] = defaultdict(_Turns)

    @asynccontextmanager
    async def take(self, project_id: str) -> AsyncIterator[None]:
        """The project's turn, once all before it have ended."""
        turns = self._turns[project_id]
        turns.waiting += 1
        turns.wanted.set()
        try:
            await turns.lock.acquire()
        finally:
            turns.waiting -= 1
            if not turns.waiting:
                turns.wanted.clear()
        try:
            yield
        finally:
            turns.lock.release()

    async def until_wanted(self, project_id: str, work: Coroutine[Any, Any, ResultT]) -> ResultT | None:
        """What comes of `work` of whoever has the turn; None where somebody else came to wait for it, and `work` was
        cancelled. Raises what `work` raises."""
        doing = asyncio.create_task(work)
        wanted = asyncio.create_task(self._turns[project_id].wanted.wait())
        try:
            await asyncio.wait({doing, wanted}, return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else None
        finally:
            doing.cancel()
            wanted.cancel()
            await asyncio.gather(doing, wanted, return_exceptions=True)
