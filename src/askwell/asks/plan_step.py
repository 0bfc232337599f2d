"""The plan of an answer, written beside other work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from askwell.asks.held_text import HeldText
from askwell.asks.optional_stage import attempted, optional_seconds
from askwell.asks.stage_context import StageContext
from askwell.providers.llm.call_options import with_thoughts

T = TypeVar("T")


async def write_plan(stage: StageContext, text: HeldText) -> str | None:
    """The plan, written to `text`; None where the language model fails at it or writes nothing."""
    limit = optional_seconds(stage.settings)
    with with_thoughts(text.think):
        asking = stage.fitted.ask(
            lambda found: stage.generation.reasoning.run(stage.question, found, on_delta=text.append, timeout=limit)
        )
        written = await attempted("planning", stage.ledger, asking)
    text.end()
    if written is None:
        return None
    stage.ledger.add(written.usage)
    return written.text.strip() or None


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, T], name: str) -> AsyncIterator[asyncio.Task[T]]:
    """Work that goes on beside the block, and has stopped when the block is left."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
