"""Trying again what broke: how long to wait before it, and work that waits until the record can be used."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from askwell.errors import RecordUnavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_SECONDS = 0.05
# How often work that has waited for the record a while tries again.
_LONGEST_PAUSE = 2.0


def pauses(longest: float) -> Iterator[float]:
    """Seconds to wait before each next try, without end: twice as long every time, up to `longest`. Each is up to a
    half shorter by chance, so that those who broke together do not come back together."""
    most = min(_FIRST_SECONDS, longest)
    while True:
        yield random.uniform(most / 2, most)
        most = min(2 * most, longest)


async def once_recorded(use: Callable[[], Awaitable[T]], what: str) -> T:
    """The result of `use`, begun again until the record can be used: what was accepted ends there and nowhere else,
    and has no end before. `what` names it in the log. Cancelled, it leaves the work to the next start, which finds it
    in the record."""
    waits = pauses(_LONGEST_PAUSE)
    is_logged = False
    while True:
        try:
            return await use()
        except RecordUnavailable as error:
            if not is_logged:
                logger.warning("%s waits for the record", what, extra={"error": error.message})
            is_logged = True
        await asyncio.sleep(next(waits))
