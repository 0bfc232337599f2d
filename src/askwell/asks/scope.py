"""Whether a question is about this data at all, and what to say when it is not."""

from __future__ import annotations

import re

from askwell.asks.states import AskError
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.context import Scope

_MOST_TABLES = 12

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


def nothing_relevant(scope: Scope, model: SemanticModel, *, has_model: bool) -> AskError:
    """The error for a question about nothing in `model`; `has_model`: a language model could look at it too."""
    if scope.nearest:
        tables = f"The nearest tables are: {', '.join(scope.nearest)}."
    else:
        names = [table.name for table in model]
        more = f" and {len(names) - _MOST_TABLES} more" if len(names) > _MOST_TABLES else ""
        tables = f"There is: {', '.join(names[:_MOST_TABLES])}{more}."
    else_ = ", or let the language model decide (settings.scope_gate: false)" if has_model else ""
    return AskError(
        code="NO_RELEVANT_DATA",
        message="No table, column or value goes by the words of this question.",
        hint=f"{tables} Ask in the words of the tables and their columns{else_}.",
        nl2sql_code="3003",
    )
