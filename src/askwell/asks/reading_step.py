"""What is said of an answer by a statement once it stands: what the statement does, and what else could be meant."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import sqlglot

from askwell.asks.alternatives import alternatives_in, offered
from askwell.asks.ask import Ask
from askwell.asks.states import Finished, SqlAnswer
from askwell.sql.wording import describe_sql, question_of_sql

logger = logging.getLogger(__name__)

# An answer does not wait longer for what is only said beside it.
_SECONDS = 1.0


async def with_reading(end: Finished, answer: SqlAnswer, ask: Ask) -> Finished:
    """The end with the answer's reading, and one by a language model with its alternatives. Where nobody wrote a plan,
    the statement in words takes its place, in the stream too. As it is where that takes too long, or fails."""
    try:
        async with asyncio.timeout(_SECONDS):
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
