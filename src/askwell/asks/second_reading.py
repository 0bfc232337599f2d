"""A second derivation of an answer: what the rules read in the question, beside what a language model wrote."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from askwell.asks.candidates import result_key
from askwell.asks.proof import Proved
from askwell.semantic_parsing.translation import Translation

if TYPE_CHECKING:
    from askwell.asks.ask import Ask


async def agrees_with_rules(ask: Ask, proved: Proved) -> bool | None:
    """Whether the rules' reading of the question, however unsure, gives the same rows; None where there is no such
    reading, or nothing was run."""
    rules, settings = ask.project.rules, ask.tools.settings
    if rules is None or proved.rows is None:
        return None
    question, bound = ask.question.question, ask.question.bindings
    reading, _ = await asyncio.to_thread(ask.lessons.read, rules, question, ask.project.model, bound=bound)
    if not isinstance(reading, Translation):
        return None
    rows = await ask.prover(ask.ledger).glance(reading.sql, settings.row_limit, float(settings.engine_timeout))
    return None if rows is None else result_key(replace(proved, rows=rows)) == result_key(proved)
