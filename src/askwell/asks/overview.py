"""What the data is about: the tables and example questions, for new users; and whether a question is about it
at all, and how an ask ends that is not."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from askwell.asks.about.wording import asks_about_the_service
from askwell.asks.failures import NO_SUCH_DATA
from askwell.asks.states import AskError
from askwell.mdl.names import listed, plural, readable
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.messages import say
from askwell.pipelines.retrieval.context import RetrievedContext, Scope
from askwell.question.about_data import asks_an_assistant, is_in_another_language
from askwell.resources import words_file
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.candidates import CandidateQueue, Category, candidate_questions
from askwell.services.recommendations.questions import candidate_sql

_MOST_TABLES = 20
_MOST_COLUMNS = 5
# Example questions that are put to the rules, and the categories that one is looked for in.
_TRIED = 40
_EXAMPLES = frozenset({Category.DESCRIPTIVE, Category.SEGMENTATION, Category.COMPARATIVE})


def tables_in_words(model: SemanticModel) -> list[str]:
    """A line for each of the first tables, with a few of their columns."""
    tables = list(model)
    lines = [f"  {columns_in_words(table, model)}" for table in tables[:_MOST_TABLES]]
    return lines if len(tables) <= _MOST_TABLES else [*lines, f"  … and {len(tables) - _MOST_TABLES} more"]


def examples(project: ProjectModel, mode: RulesMode) -> list[str]:
    """One question of each category that rules answer in this `mode`, about different tables where that can be.
    Takes some ten milliseconds: call it on a thread."""
    if project.rules is None or mode is RulesMode.OFF:
        return []
    queue = CandidateQueue(candidate_questions(project.rules.facts, project.values))
    found: dict[str, str] = {}
    for _ in range(_TRIED):
        candidate = queue.take(_EXAMPLES - found.keys())
        if candidate is None:
            break
        if candidate_sql(project, candidate, mode) is not None:
            found[candidate.category] = candidate.question
            queue.accept(candidate)
    return [found[category] for category in Category if category in found]


def examples_in_words(project: ProjectModel, mode: RulesMode) -> list[str]:
    """A line with questions that rules answer in this `mode`, where there are any. Takes some ten milliseconds: call it
    on a thread."""
    questions = ", ".join(f"“{question}”" for question in examples(project, mode))
    return [f"For example: {questions}."] if questions else []


def columns_in_words(table: Table, model: SemanticModel) -> str:
    """A table and those of its columns that tell most, without its keys."""
    columns = without_keys(table, model) or table.columns
    more = ", …" if len(columns) > _MOST_COLUMNS else ""
    return f"{table.name} ({', '.join(column.name for column in columns[:_MOST_COLUMNS])}{more})"


def without_keys(table: Table, model: SemanticModel) -> tuple[Column, ...]:
    """The columns of a table that neither identify its rows nor refer to others."""
    keys = {name.lower() for name in table.primary_key}
    for link in model.relationships:
        for left, right in link.pairs:
            keys |= {name.lower() for side, name in ((link.left, left), (link.right, right)) if side == table.name}
    return tuple(column for column in table.columns if column.name.lower() not in keys)


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
    groups = words_file("askwell.asks", "business_terms.yaml")
    terms = {term for group in groups.values() for term in re.split(r"\s{2,}|\n", group.strip())}
    pattern = "|".join(re.escape(term).replace(r"\ ", r"[\s-]+") for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w&/])(?:{pattern})(?![\w&/])", re.IGNORECASE)


_MOST_NEAREST = 3


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
    names = [plural(table.display_name or readable(table.name)).lower() for table in tables[:_MOST_NEAREST]]
    more = len(list(model)) - len(names)
    names_listed = listed([*names, f"{more} more"] if more else names)
    else_ = ", or let the language model decide (settings.scope_gate: false)" if has_model else ""
    return AskError("NO_RELEVANT_DATA", *say("ask.not_about_the_data", tables=names_listed, else_=else_), NO_SUCH_DATA)


def no_table_relevant(found: RetrievedContext, model: SemanticModel) -> AskError:
    """The error for a question that a language model finds no table of `model` for."""
    message = f"Of the {len(found.candidates)} tables nearest to the question none holds what it asks for."
    return replace(nothing_relevant(found.scope, model, has_model=False), message=message)
