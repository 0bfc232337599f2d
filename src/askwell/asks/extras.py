"""What is added to an end: what its statement does, what else could be meant, and what to ask next."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial

import sqlglot

from askwell.asks.alternatives import alternatives_in, offered
from askwell.asks.ask import Ask
from askwell.asks.states import Failed, Finished, SqlAnswer
from askwell.errors import AskwellError
from askwell.services.recommendations.questions import SUGGESTED, RulesAnswers, suggest_by_model, suggest_by_templates
from askwell.services.recommendations.writing import RecommendationWriter
from askwell.sql.wording import describe_sql, question_of_sql

logger = logging.getLogger(__name__)

# An answer does not wait longer for what is only said beside it.
_READING_SECONDS = 1.0


async def with_reading(end: Finished, answer: SqlAnswer, ask: Ask) -> Finished:
    """The end with the answer's reading, and one by a language model with its alternatives. Where nobody wrote a plan,
    the statement in words takes its place, in the stream too. As it is where that takes too long, or fails."""
    try:
        async with asyncio.timeout(_READING_SECONDS):
            read = await asyncio.to_thread(_with_reading, end, answer, ask)
    except TimeoutError:
        return end
    except Exception as error:  # noqa: BLE001 - an answer that was proven is not lost for words beside it
        logger.warning("an answer could not be put in words", extra={"error": type(error).__name__})
        return end
    if read.plan != end.plan:
        ask.stream.append(read.plan or "")
    return read


def _with_reading(end: Finished, answer: SqlAnswer, ask: Ask) -> Finished:
    valid, model = answer.valid, ask.project.model
    tree = sqlglot.parse_one(valid.sql, dialect=valid.dialect)
    answer = replace(answer, reading=question_of_sql(tree, model, valid.dialect) or None)
    if answer.source == "llm":
        found = alternatives_in(valid, ask.question.question, ask.question.bindings, model)
        answer = replace(answer, alternatives=offered(found, answer.assumptions, model))
    plan = end.plan or (describe_sql(tree, model, valid.dialect) if ask.wants_plan else None)
    return replace(end, answer=answer, plan=plan)


# The end is there: nobody waits longer for what may be asked next.
_SUGGESTION_SECONDS = 10.0


async def suggestions(end: Finished | Failed, ask: Ask) -> tuple[str, ...]:
    """Three questions, or none: also where writing them breaks or takes too long. After words and failures they are
    about the tables that were found, or any."""
    try:
        async with asyncio.timeout(_SUGGESTION_SECONDS):
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
    templates = await suggest_by_templates(facts, project.values, asked, tables, rules.candidate, beyond)
    return tuple(dict.fromkeys((*ask.nearby.questions, *templates)))[:SUGGESTED] if templates else ()
