"""Three questions that somebody may ask next."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from askwell.asks.ask import Ask
from askwell.asks.states import Failed, Finished, SqlAnswer
from askwell.errors import AskwellError
from askwell.services.recommendations.questions import RulesAnswers, suggest_by_model, suggest_by_templates
from askwell.services.recommendations.writing import RecommendationWriter

logger = logging.getLogger(__name__)

# The end is there: nobody waits longer for what may be asked next.
_SECONDS = 10.0


async def suggestions(end: Finished | Failed, ask: Ask) -> tuple[str, ...]:
    """Three questions, or none: also where writing them breaks or takes too long. After words and failures they are
    about the tables that were found, or any."""
    try:
        async with asyncio.timeout(_SECONDS):
            with ask.ledger.stage("suggestions"):
                return await _suggested(end, ask)
    except (AskwellError, TimeoutError) as error:
        logger.warning("no suggestions were written", extra={"error": type(error).__name__})
        return ()


async def _suggested(end: Finished | Failed, ask: Ask) -> tuple[str, ...]:
    question, project, tools = ask.question, ask.project, ask.tools
    asked = (*(turn.question for turn in question.histories), question.question)
    answer = end.answer if isinstance(end, Finished) and isinstance(end.answer, SqlAnswer) else None
    if answer is not None and tools.generation is not None:
        tables = answer.valid.tables
        writer = RecommendationWriter(tools.generation, project.model, tables, question.language, ask.ledger.add)
        return await suggest_by_model(asked, partial(writer.suggestions, question, answer.valid.sql))
    if project.rules is None:
        return ()
    rules = RulesAnswers(project, ask.context, float(tools.settings.engine_timeout), tools.rules_mode)
    facts, tables = project.rules.facts, answer.valid.tables if answer is not None else end.found.tables
    beyond = () if answer is not None else facts.neighbours
    return await suggest_by_templates(facts, project.values, asked, tables, rules.candidate, beyond)
