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
    """The model's tables, as the resolver wants to see them; only those that are asked for are looked at."""

    def __init__(self, model: SemanticModel, dialect: str) -> None:
        self._model = model
        self._qualifiers = QUALIFIERS.get(dialect, frozenset())
        self._seen: dict[str, CatalogueTable | None] = {}

    def table(self, name: str) -> CatalogueTable | None:
        key = fold(name)
        if key not in self._seen:
            table = self._model.table(name)
            columns = {fold(c.name): c.name for c in table.columns} if table is not None else {}
            self._seen[key] = CatalogueTable(table.name, columns) if table is not None else None
        return self._seen[key]

    def is_qualifier(self, prefix: str) -> bool:
        return prefix in self._qualifiers
