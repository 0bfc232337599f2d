"""A statement whose every name belongs to the project's semantic model, what its names mean, and the tables of that
model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel, Table
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable, ColumnUse, Resolution

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


class Names:
    """What the names of a statement mean. Its tree has to outlive this, and nobody may change it."""

    def __init__(self, resolution: Resolution, model: SemanticModel) -> None:
        self._model = model
        self.known = not resolution.problems
        self._uses: dict[int, list[ColumnUse]] = {}
        for use in resolution.columns:
            self._uses.setdefault(id(use.node), []).append(use)
        self._tables = {id(node): model.tables[table.name] for node, table in resolution.tables}
        self.tables = frozenset(table.name for _, table in resolution.tables)
        self._ctes = {id(node): identifier for node, identifier in resolution.cte_references}

    def uses(self, column: exp.Expr) -> list[ColumnUse]:
        """What a column reads; several where USING or NATURAL makes one of two."""
        return self._uses.get(id(column), [])

    def owners(self, name: exp.Expr) -> list[tuple[int, str]]:
        """The sources that a column may belong to, by the identity of their nodes, and its folded name there.

        Several where USING or NATURAL makes one column of two; none for aliases of the SELECT list and the like. `name`
        is a column, or an identifier in USING.
        """
        return [(id(use.source.node), fold(use.name)) for use in self.uses(name)]

    def places(self, name: exp.Expr) -> list[ColumnRef]:
        """The columns of the model that a column may be."""
        owners = ((self._tables.get(source), column) for source, column in self.owners(name))
        found = (self._model.column(table.name, column) for table, column in owners if table is not None)
        return [ref for ref in found if ref is not None]

    def table(self, node: exp.Expr) -> Table | None:
        """The model's table that a table node names."""
        return self._tables.get(id(node))

    def cte(self, node: exp.Expr) -> exp.Expr | None:
        """The definition of the CTE that a table node names."""
        identifier = self._ctes.get(id(node))
        return identifier.find_ancestor(exp.CTE) if identifier is not None else None
