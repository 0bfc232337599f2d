"""Whether a question is about this data at all, and what to say when it is not."""

from __future__ import annotations

import re

from askwell.asks.states import AskError
from askwell.pipelines.retrieval.context import Scope

# Wording about the service or the data itself: such a question need not name anything in the model.
_ABOUT_THE_SERVICE = re.compile(
    r"""\b(
        what \s+ (can|could|do|does) \s+ (you|i|we|askwell|this|it) \b
      | (which|what) \s+ (tables?|columns?|fields?|data|datasets?|models?|metrics?|questions?) \b
      | how \s+ (do|can|should) \s+ (i|we) \s+ (use|ask|start)
      | who \s+ are \s+ you
      | help
      | (describe|explain|list|show) \s+ (me \s+)? ((the|your|all|this) \s+)? (data|database|tables?|schema|models?)
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_about_the_service(question: str) -> bool:
    """True for questions that the intent reading answers although they name no data."""
    return _ABOUT_THE_SERVICE.search(question) is not None


def nothing_relevant(scope: Scope) -> AskError:
    """The error for a question about nothing in the model."""
    nearest = ", ".join(scope.nearest)
    hint = f"The nearest tables are: {nearest}. " if nearest else ""
    return AskError(
        code="NO_RELEVANT_DATA",
        message="Nothing in this project's data matches the question.",
        hint=f"{hint}Ask about something these tables hold, in the words the model uses.",
        nl2sql_code="3003",
    )
