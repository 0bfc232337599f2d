"""Whether a question is about this data at all, and what to say when it is not."""

from __future__ import annotations

from dataclasses import replace

from askwell.asks.about.wording import asks_about_the_service
from askwell.asks.business_terms import names_a_business_term
from askwell.asks.failures import NO_SUCH_DATA
from askwell.asks.overview import columns_in_words
from askwell.asks.states import AskError
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.retrieval.context import RetrievedContext, Scope
from askwell.question.about_data import is_in_another_language

_MOST_TABLES = 3


def is_out_of_scope(question: str, scope: Scope, *, has_model: bool) -> bool:
    """Whether a question that stands alone is to be stopped; `has_model`: a language model could look at it.

    A language model understands questions in other languages than the semantic model's, and business terms that the
    model has under other names ("Show me ARR"). No word and hardly a vector leads anywhere from these: they are left to
    the language model.
    """
    if scope.in_scope or asks_about_the_service(question):
        return False
    return not (has_model and (is_in_another_language(question) or names_a_business_term(question)))


def nothing_relevant(scope: Scope, model: SemanticModel, *, has_model: bool) -> AskError:
    """The error for a question about nothing in `model`; `has_model`: a language model could look at it too."""
    nearest = [table for name in scope.nearest if (table := model.table(name)) is not None]
    tables: list[Table] = nearest or list(model)
    told = "; ".join(columns_in_words(table, model) for table in tables[:_MOST_TABLES])
    more = len(list(model)) - len(tables[:_MOST_TABLES])
    others = f"; and {more} more" if more else ""
    else_ = ", or let the language model decide (settings.scope_gate: false)" if has_model else ""
    return AskError(
        code="NO_RELEVANT_DATA",
        message="This question does not seem to be about the data: its words lead to no table, column or value.",
        hint=f"{'The nearest tables' if nearest else 'The tables'} are: {told}{others}. Ask in the words of the tables "
        f"and their columns, or ask “What can I ask?” to see all of them{else_}.",
        nl2sql_code=NO_SUCH_DATA,
    )


def no_table_relevant(found: RetrievedContext, model: SemanticModel) -> AskError:
    """The error for a question that a language model finds no table of `model` for."""
    message = f"Of the {len(found.candidates)} tables nearest to the question none holds what it asks for."
    return replace(nothing_relevant(found.scope, model, has_model=False), message=message)
