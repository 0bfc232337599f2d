"""What is said of an answer by a statement once it stands: what the statement does, and what else could be meant."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import sqlglot

from askwell.asks.alternatives import alternatives_in, offered
from askwell.asks.states import SqlAnswer
from askwell.pipelines.generation.question import QuestionContext
from askwell.services.projects import ProjectModel
from askwell.sql.wording import question_of_sql

logger = logging.getLogger(__name__)

# An answer does not wait longer for what is only said beside it.
_SECONDS = 1.0


async def with_reading(answer: SqlAnswer, question: QuestionContext, project: ProjectModel) -> SqlAnswer:
    """The answer with its reading, and one by a language model with its alternatives; as it is where that takes too
    long, or fails."""
    try:
        async with asyncio.timeout(_SECONDS):
            return await asyncio.to_thread(_with_reading, answer, question, project)
    except TimeoutError:
        return answer
    except Exception as error:  # noqa: BLE001 - an answer that was proven is not lost for words beside it
        logger.warning("an answer could not be put in words", extra={"error": type(error).__name__})
        return answer


def _with_reading(answer: SqlAnswer, question: QuestionContext, project: ProjectModel) -> SqlAnswer:
    valid, model = answer.valid, project.model
    words = question_of_sql(sqlglot.parse_one(valid.sql, dialect=valid.dialect), model, valid.dialect)
    answer = replace(answer, reading=words or None)
    if answer.source != "llm":
        return answer
    found = alternatives_in(valid, question.question, question.bindings, model)
    return replace(answer, alternatives=offered(found, answer.assumptions, model))
