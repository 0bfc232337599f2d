"""Asking the rules, so that a fault of theirs costs an answer of theirs and no ask."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from askwell.semantic_parsing.model.catalog import Target
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import NOTHING, Taught
from askwell.semantic_parsing.translation import Abstention, Translation, Turn
from askwell.sql.bindings import FREE, Bindings

logger = logging.getLogger(__name__)

# The reason of an abstention that stands for a fault.
FAILED = "failed"


def translated(
    rules: QuestionReader, question: str, bound: Bindings = FREE, before: Sequence[Turn] = (), taught: Taught = NOTHING
) -> Translation | Abstention:
    """The rules' translation, which keeps to what the question is `bound` to, may add to what was asked `before`, and
    knows the words that were `taught`. An exception that they raise is logged, without the question, and counts as an
    abstention with the reason `FAILED`,
    so that a language model or the scope gate goes on. Takes milliseconds, seldom half a second: call it on a
    thread."""
    try:
        return rules.translate(question, bound=bound, before=before, taught=taught)
    except Exception as error:
        logger.error("rules failed on a question", extra={"error": type(error).__name__}, exc_info=error)
        return Abstention(FAILED, "The rules failed on this question. The log of the service says where.")


def asking_back(
    rules: QuestionReader,
    question: str,
    given: Abstention,
    bound: Bindings = FREE,
    before: Sequence[Turn] = (),
    taught: Taught = NOTHING,
    near: Sequence[Target] = (),
) -> Abstention:
    """The abstention that the rules have `given`, with what unknown words could mean, also what is `near`. As it is,
    where they raise. Takes up to some tenths of a second: call it on a thread."""
    try:
        return rules.asking_back(question, given, bound=bound, before=before, taught=taught, near=near)
    except Exception as error:
        logger.error("rules failed on asking back", extra={"error": type(error).__name__}, exc_info=error)
        return given
