"""Asking the rules, so that a fault of theirs costs an answer of theirs and no ask."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import NOTHING, Taught
from askwell.semantic_parsing.translation import Abstention, Translation, Turn
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
    read = partial(rules.translate, question, bound=bound, before=before, taught=taught)
    return guarded(failed, "a question", read)


def guarded(otherwise: T, what: str, ask: Callable[[], T]) -> T:
    """What `ask` gives of the rules; `otherwise` where they raise, which is logged, without the question."""
    try:
        return ask()
    except Exception as error:
        logger.error("rules failed on %s", what, extra={"error": type(error).__name__}, exc_info=error)
        return otherwise
