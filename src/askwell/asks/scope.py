"""Whether a question is about the data at all, and how an ask ends that is not."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.resources import files

import yaml

from askwell.asks.about.wording import asks_about_the_service
from askwell.asks.failures import NO_SUCH_DATA
from askwell.asks.states import AskError
from askwell.mdl.names import listed, plural, readable
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.retrieval.context import RetrievedContext, Scope
from askwell.question.about_data import asks_an_assistant, is_in_another_language

# ARR, P&L, DAU/MAU, OTIF2: letters in capitals, and what stands between them.
_ABBREVIATION = re.compile(r"(?<![\w&/])(?=[A-Z0-9&/]*[A-Z][A-Z0-9&/]*[A-Z])[A-Z][A-Z0-9&/]{1,6}(?:s|\b)(?![\w&/])")
# A question of more words says more than what it wants measured.
_MOST_WORDS = 6


def names_a_business_term(question: str) -> bool:
    """True where one of `business_terms.yaml` stands in the question, and for a short request that is not put as to an
    assistant with an abbreviation in it, unless all of it is in capitals."""
    if _terms().search(question) is not None:
        return True
    short = len(question.split()) <= _MOST_WORDS and not question.isupper()
    return short and _ABBREVIATION.search(question) is not None and not asks_an_assistant(question)


@cache
def _terms() -> re.Pattern[str]:
    groups = yaml.safe_load(files("askwell.asks").joinpath("business_terms.yaml").read_text(encoding="utf-8"))
    terms = {term for group in groups.values() for term in re.split(r"\s{2,}|\n", group.strip())}
    told = "|".join(re.escape(term).replace(r"\ ", r"[\s-]+") for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w&/])(?:{told})(?![\w&/])", re.IGNORECASE)


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
    names = [plural(table.display_name or readable(table.name)).lower() for table in tables[:_MOST_TABLES]]
    more = len(list(model)) - len(names)
    told = listed([*names, f"{more} more"] if more else names)
    else_ = ", or let the language model decide (settings.scope_gate: false)" if has_model else ""
    return AskError(
        code="NO_RELEVANT_DATA",
        message="This question does not seem to be about the data: Askwell knows none of its words.",
        hint=f"The data is about {told}. Ask about these, or ask “What can I ask?” for examples{else_}.",
        nl2sql_code=NO_SUCH_DATA,
    )


def no_table_relevant(found: RetrievedContext, model: SemanticModel) -> AskError:
    """The error for a question that a language model finds no table of `model` for."""
    message = f"Of the {len(found.candidates)} tables nearest to the question none holds what it asks for."
    return replace(nothing_relevant(found.scope, model, has_model=False), message=message)
