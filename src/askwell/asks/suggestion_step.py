"""Three questions that somebody may ask after an answer."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from askwell.asks.ask import AskTools
from askwell.asks.ledger import Ledger
from askwell.asks.states import SqlAnswer
from askwell.errors import AskwellError
from askwell.pipelines.generation.question import QuestionContext
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.rules_answers import RulesAnswers
from askwell.services.recommendations.suggestions import suggest_by_model, suggest_by_templates
from askwell.services.recommendations.writing import RecommendationWriter
from askwell.sql.context import QueryContext

logger = logging.getLogger(__name__)

# The answer is there: nobody waits longer for what may be asked next.
_SECONDS = 10.0


async def suggestions(
    question: QuestionContext,
    answer: SqlAnswer,
    project: ProjectModel,
    tools: AskTools,
    ledger: Ledger,
    context: QueryContext,
) -> tuple[str, ...]:
    """Three questions, or none: also where writing them breaks or takes too long."""
    asked = (*(turn.question for turn in question.histories), question.question)
    try:
        async with asyncio.timeout(_SECONDS):
            with ledger.stage("suggestions"):
                if tools.generation is not None:
                    tables = answer.valid.tables
                    writer = RecommendationWriter(
                        tools.generation, project.model, tables, question.language, ledger.add
                    )
                    return await suggest_by_model(asked, partial(writer.suggestions, question, answer.valid.sql))
                return await _by_templates(asked, answer, project, tools, context)
    except (AskwellError, TimeoutError) as error:
        logger.warning("no suggestions were written", extra={"error": type(error).__name__})
        return ()


async def _by_templates(
    asked: tuple[str, ...], answer: SqlAnswer, project: ProjectModel, tools: AskTools, context: QueryContext
) -> tuple[str, ...]:
    if project.rules is None:
        return ()
    rules = RulesAnswers(project, context, float(tools.settings.engine_timeout), tools.rules_mode)
    tables = answer.valid.tables
    return await suggest_by_templates(project.rules.facts, project.values, asked, tables, rules.candidate)
