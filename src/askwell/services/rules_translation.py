"""Asking the rules, so that a fault of theirs costs an answer of theirs and no ask."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import NOTHING, Taught
from askwell.semantic_parsing.translation import Abstention, Translation, Turn
from askwell.semantic_parsing.unknown_words import Likeness
from askwell.sql.bindings import FREE, Bindings

logger = logging.getLogger(__name__)
T = TypeVar("T")

# The reason of an abstention that stands for a fault.
FAILED = "failed"


def translated(
    rules: QuestionReader, question: str, bound: Bindings = FREE, before: Sequence[Turn] = (), taught: Taught = NOTHING
) -> Translation | Abstention:
    """The rules' translation, which keeps to what the question is `bound` to, may add to what was asked `before`, and
    knows the words that were `taught`. An exception that they raise counts as an abstention with the reason `FAILED`,
    so that a language model or the scope gate goes on. Takes milliseconds, seldom half a second: call it on a
    thread."""
    why = "The rules failed on this question. The log of the service says where."
    failed: Translation | Abstention = Abstention(FAILED, why)
    return _or(failed, "a question", lambda: rules.translate(question, bound=bound, before=before, taught=taught))


def asking_back(
    rules: QuestionReader,
    question: str,
    given: Abstention,
    bound: Bindings = FREE,
    before: Sequence[Turn] = (),
    taught: Taught = NOTHING,
    likeness: Likeness = (),
) -> Abstention:
    """The abstention that the rules have `given`, with what `QuestionReader.asking_back` adds. As it is, where they
    raise."""

    def ask() -> Abstention:
        return rules.asking_back(question, given, bound=bound, before=before, taught=taught, likeness=likeness)

    return _or(given, "asking back", ask)


def surely_meant(
    rules: QuestionReader,
    question: str,
    given: Abstention,
    bound: Bindings = FREE,
    before: Sequence[Turn] = (),
    taught: Taught = NOTHING,
    likeness: Likeness = (),
) -> Bindings:
    """What unknown words surely mean (see `QuestionReader.surely_meant`); nothing where the rules raise."""

    def ask() -> Bindings:
        return rules.surely_meant(question, given, likeness, bound=bound, before=before, taught=taught)

    return _or(FREE, "unknown words", ask)


def _or(otherwise: T, what: str, ask: Callable[[], T]) -> T:
    """What rules say; where they raise, that is logged, without the question."""
    try:
        return ask()
    except Exception as error:
        logger.error("rules failed on %s", what, extra={"error": type(error).__name__}, exc_info=error)
        return otherwise
