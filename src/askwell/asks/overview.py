"""The tables and example questions, for somebody who begins: told from the semantic model alone."""

from __future__ import annotations

from collections.abc import Collection

from askwell.mdl.semantic_model import Column, SemanticModel, Table
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


def examples(project: ProjectModel, mode: RulesMode, tables: Collection[str] | None = None) -> list[str]:
    """One question of each category that rules answer in this `mode`, about different ones of the `tables`, or of all,
    where that can be. Takes some ten milliseconds: call it on a thread."""
    if project.rules is None or mode is RulesMode.OFF:
        return []
    queue = CandidateQueue(candidate_questions(project.rules.facts, project.values, tables))
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
    told = ", ".join(f"“{question}”" for question in examples(project, mode))
    return [f"For example: {told}."] if told else []


def columns_in_words(table: Table, model: SemanticModel) -> str:
    """A table and those of its columns that tell most, without its keys."""
    told = without_keys(table, model) or table.columns
    more = ", …" if len(told) > _MOST_COLUMNS else ""
    return f"{table.name} ({', '.join(column.name for column in told[:_MOST_COLUMNS])}{more})"


def without_keys(table: Table, model: SemanticModel) -> tuple[Column, ...]:
    """The columns of a table that neither identify its rows nor refer to others."""
    keys = {name.lower() for name in table.primary_key}
    for link in model.relationships:
        for left, right in link.pairs:
            keys |= {name.lower() for side, name in ((link.left, left), (link.right, right)) if side == table.name}
    return tuple(column for column in table.columns if column.name.lower() not in keys)
