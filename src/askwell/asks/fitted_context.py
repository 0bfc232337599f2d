"""What retrieval found, in a size that the language model can read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.base import PromptTooLong

T = TypeVar("T")
Shrink = Callable[[RetrievedContext], Awaitable[RetrievedContext]]


@dataclass(slots=True)
class FittedContext:
    """`found` is made smaller by `shrink`, once, when a prompt with it is too long; every later prompt has the smaller
    one. None of `shrink`: it cannot be."""

    found: RetrievedContext
    shrink: Shrink | None = None
    _shrinking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def ask(self, call: Callable[[RetrievedContext], Awaitable[T]]) -> T:
        """What `call` gives for what was found. Raises what it raises."""
        shown = self.found
        try:
            return await call(shown)
        except PromptTooLong:
            async with self._shrinking:  # another prompt may have been too long meanwhile
                if self.found is shown:
                    if self.shrink is None:
                        raise
                    self.found, self.shrink = await self.shrink(shown), None
            return await call(self.found)
