"""Stages that an ask can do without: when the language model fails at one, the ask goes on, and its answer says so."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import TypeVar

from askwell.asks.ledger import Ledger
from askwell.config import Settings
from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import NoTextReply, Usage

logger = logging.getLogger(__name__)

# The share of an ask's time that one of them may take: the SQL still has to be written after two that hang.
_SHARE_OF_DEADLINE = 0.25
_NAMES = {
    "intent": "Reading what kind of question this is",
    "reformulation": "Rewriting the question to stand alone",
    "planning": "The plan",
    "column_pruning": "Choosing columns",
    "table_relevance": "Judging a table",
    "table_refinement": "Choosing among the relevant tables",
    "query_requirements": "Working out what the SQL needs",
    "join_inference": "Choosing joins",
    "field_extraction": "Reading the values that were said",
    "choice_matching": "Finding the option that was meant",
    "diagnosis": "The diagnosis of a failed statement",
}

T = TypeVar("T")


def optional_seconds(settings: Settings) -> float:
    """How long one of these stages may take."""
    return _SHARE_OF_DEADLINE * float(settings.ask_deadline)


async def attempted(stage: str, ledger: Ledger, call: Awaitable[T]) -> T | None:
    """What the stage gives; None, with a warning on the answer, when the language model fails. Timed by the ledger."""
    with ledger.stage(stage):
        return await skipped_on_failure(stage, ledger, call)


async def skipped_on_failure(stage: str, ledger: Ledger, call: Awaitable[T]) -> T | None:
    """The same for one of several calls of a stage, which is timed as a whole."""
    try:
        return await call
    except asyncio.CancelledError:
        ledger.add(Usage(llm_calls=1))  # what it cost until then nobody tells
        raise
    except ModelUnavailable as error:
        logger.warning("a stage was skipped", extra={"stage": stage, "error": type(error).__name__})
        if isinstance(error, NoTextReply):
            ledger.add(error.usage)
        ledger.warn(f"{_NAMES[stage]} was skipped. {error.message}")
        return None
