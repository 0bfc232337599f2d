"""Which source each column of a statement belongs to, keyed by the nodes of its tree."""

from __future__ import annotations

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel, Table
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable, resolve


class Names:
    """The names of a bound statement, resolved once. The tree has to outlive this, and nobody may change it."""

    def __init__(self, tree: exp.Expr, model: SemanticModel, dialect: str) -> None:
        resolution = resolve(tree, _Catalogue(model), dialect)
        self._model = model
        self.known = not resolution.problems
        self._owners: dict[int, list[tuple[int, str]]] = {}
        for use in resolution.columns:
            self._owners.setdefault(id(use.node), []).append((id(use.source.node), fold(use.name)))
        self._tables = {id(node): model.tables[table.name] for node, table in resolution.tables}
        self.tables = frozenset(table.name for _, table in resolution.tables)
        self._ctes = {id(node): identifier for node, identifier in resolution.cte_references}

    def owners(self, name: exp.Expr) -> list[tuple[int, str]]:
        """The sources that a column may belong to, by the identity of their nodes, and its folded name there.

        Several where USING or NATURAL makes one column of two; none for aliases of the SELECT list and the like. `name`
        is a column, or an identifier in USING.
        """
        return self._owners.get(id(name), [])

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


class _Catalogue:
    """The model's tables for resolving. Binding has taken schemas away."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def table(self, name: str) -> CatalogueTable | None:
        table = self._model.table(name)
        if table is None:
            return None
        return CatalogueTable(table.name, {fold(column.name): column.name for column in table.columns})

    def is_qualifier(self, prefix: str) -> bool:
        return False
