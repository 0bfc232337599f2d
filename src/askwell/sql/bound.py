"""A statement whose every name belongs to the project's semantic model, and the tables of that model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable, Resolution

# Prefixes that models of the world put before a table out of habit; the model's own names have none.
QUALIFIERS: dict[str, frozenset[str]] = {
    "duckdb": frozenset({"main", "memory.main"}),
    "sqlite": frozenset({"main"}),
    "postgres": frozenset({"public"}),
    "snowflake": frozenset({"public"}),
    "tsql": frozenset({"dbo"}),
}


@dataclass(frozen=True, slots=True)
class BoundSql:
    """What binding yields, and what the planner takes in.

    `tree` is the statement as its author wrote it, except for names: references have the spelling of what they refer
    to, and schema prefixes are gone. `*` is not expanded and no qualifier is added. Nobody may change it in place: copy
    first.

    `tables` are canonical model names in order of first appearance; `columns` maps each of them to the canonical
    columns that the statement reads (all of them where it says `*`). CTE names are in neither. `resolution` says what
    each name of `tree` refers to.
    """

    tree: exp.Expr
    dialect: str
    tables: tuple[str, ...]
    columns: Mapping[str, frozenset[str]]
    resolution: Resolution = field(compare=False, repr=False)


class ModelCatalogue:
    """The model's tables, as the resolver wants to see them; only those that are asked for are looked at. Without a
    dialect there are no schemas, as in a bound statement, from which binding has removed them."""

    def __init__(self, model: SemanticModel, dialect: str = "") -> None:
        self._model = model
        self._qualifiers = QUALIFIERS.get(dialect, frozenset())

    def table(self, name: str) -> CatalogueTable | None:
        """The model, view, metric or cube of that name, in any letter case."""
        table = self._model.table(name)
        if table is None:
            return None
        return CatalogueTable(table.name, {fold(column.name): column.name for column in table.columns})

    def type_of(self, table: str, column: str) -> str:
        """The SQL type of a column, as the model says."""
        found = self._model.tables[table].column(column)
        return found.type if found is not None else ""

    def is_qualifier(self, prefix: str) -> bool:
        """Whether the prefix may stand before a table."""
        return prefix in self._qualifiers
