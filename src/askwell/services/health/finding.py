"""What a look at one part gives, and looking at all of them at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from askwell.errors import AskwellError

logger = logging.getLogger(__name__)

_LATE = "Look whether it is busy, or away."


class State(StrEnum):
    """Better ones first. `skipped`: could not be looked at, for a reason said elsewhere; `warning`: works, and someone
    should know."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, and what to do about it. Neither holds a secret. `is_set_up` is false for what nobody has set up,
    which the service does without."""

    state: State
    message: str
    hint: str = ""
    is_set_up: bool = True


def ok(message: str) -> Finding:
    """It works."""
    return Finding(State.OK, message)


def not_set_up(message: str) -> Finding:
    """Nobody has set it up, and nothing is wrong with that."""
    return Finding(State.OK, message, is_set_up=False)


def warning(message: str, hint: str) -> Finding:
    """It works, with something to know."""
    return Finding(State.WARNING, message, hint)


def failed(message: str, hint: str) -> Finding:
    """It does not work."""
    return Finding(State.FAILED, message, hint)


def skipped(message: str) -> Finding:
    """It could not be looked at."""
    return Finding(State.SKIPPED, message)


def worst(findings: Iterable[Finding]) -> Finding:
    """The one that matters most."""
    return max(findings, key=lambda finding: list(State).index(finding.state))


Look = Callable[[], Awaitable[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A look at one part, the seconds that it may take, and what to do where it takes more. An `AskwellError` that
    `look` raises is a failure in its words."""

    look: Look
    seconds: float = 5.0
    when_late: str = _LATE


async def examine(checks: Mapping[str, Check], on_end: Callable[[str], None] = lambda _: None) -> dict[str, Finding]:
    """All checks at once; the findings by part, in the order of the checks. None can hold up or break another.
    `on_end` is told the name of each part that has been looked at."""

    async def one(part: str, check: Check) -> Finding:
        finding = await _finding(check)
        on_end(part)
        return finding

    found = await asyncio.gather(*(one(part, check) for part, check in checks.items()))
    return dict(zip(checks, found, strict=True))


async def _finding(check: Check) -> Finding:
    try:
        async with asyncio.timeout(check.seconds):
            return await check.look()
    except TimeoutError:
        return failed(f"It is late: nothing was found out within {check.seconds:g} seconds.", check.when_late)
    except AskwellError as error:
        return failed(error.message, error.hint)
    except Exception as error:
        # Only the class: a message may hold a value.
        logger.error("a check broke", extra={"error": type(error).__name__}, exc_info=error)
        return failed(f"Looking at it broke unexpectedly ({type(error).__name__}).", "That is a defect: report it.")
