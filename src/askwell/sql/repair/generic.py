"""Columns that several tables have: a wrong `name` is no sign of which table is meant."""

from __future__ import annotations

from collections.abc import Collection

from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.candidates import neighbours, tables_of
from askwell.sql.names import fold
from askwell.sql.repair.spelling import repair_words, words
from askwell.sql.repair.work import Asked, Work, table_has
from askwell.sql.scopes import NameProblem

# What columns of any table are called.
_GENERIC = repair_words("generic")


def is_generic(name: str) -> bool:
    """Whether every word of a column's name could stand in any table."""
    return set(words(name)) <= _GENERIC


def asked_of(question: str, model: SemanticModel) -> Asked:
    """The question's words, and the tables that it names: all words of their names are in it, in any order and
    number."""
    said = frozenset(words(question))
    return Asked(frozenset(table.name for table in model if (named := set(words(table.name))) and named <= said), said)


def rivals(columns: Collection[str], near: Collection[str], problem: NameProblem, work: Work) -> list[Table]:
    """The tables with all of these folded columns that may have been meant instead of one in the query: those one
    relationship away from the tables `near`, and those that the question names. None where one of the columns is what
    tables are joined by, and so much the same in all of them."""
    model = work.around.model
    keys = {fold(column) for link in model.relationships for pair in link.pairs for column in pair}
    if any(column in keys and not is_generic(column) for column in columns):
        return []
    outside = (neighbours(model, near) | work.asked.tables) - tables_of(problem.in_scope)
    return [
        model.tables[name] for name in sorted(outside & model.tables.keys()) if table_has(model.tables[name], columns)
    ]
