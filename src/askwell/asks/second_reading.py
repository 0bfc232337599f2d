"""A second derivation of an answer: what the rules read in the question, beside what a language model wrote."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from askwell.asks.candidates import result_key
from askwell.asks.proof import Proved
from askwell.errors import EngineUnavailable
from askwell.semantic_parsing.translation import Translation
from askwell.sql.checker import Executed

if TYPE_CHECKING:
    from askwell.asks.ask import Ask


async def agrees_with_rules(ask: Ask, proved: Proved) -> bool | None:
    """Whether the rules' reading of the question, however unsure, gives the same rows; None where there is no such
    reading, or nothing was run."""
    rules, project, settings = ask.project.rules, ask.project, ask.tools.settings
    if rules is None or proved.rows is None:
        return None
    question, bound = ask.question.question, ask.question.bindings
    reading, _ = await asyncio.to_thread(ask.lessons.read, rules, question, project.model, bound=bound)
    if not isinstance(reading, Translation):
        return None
    try:
        executed = await project.checker.execute(
            reading.sql, context=ask.context, row_limit=settings.row_limit, timeout=float(settings.engine_timeout)
        )
    except EngineUnavailable:  # the answer itself is there
        return None
    if not isinstance(executed, Executed):
        return None
    return result_key(Proved(executed.valid, executed.rows)) == result_key(proved)
