"""The tables of a semantic model: as name resolution asks for them, and as the model's own statements see them."""

from __future__ import annotations

from dataclasses import replace

from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable


class ModelCatalogue:
    """What a bound statement over the model may name. There are no schemas: binding has removed them."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

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
        """Never."""
        return False


def authors_view(model: SemanticModel, manifest: Manifest) -> SemanticModel:
    """The model with its hidden columns: whoever wrote a view or metric into the manifest may read everything."""
    hidden = {
        entry.name: tuple(
            Column(column.name, column.type) for column in entry.columns if column.is_hidden and not column.relationship
        )
        for entry in manifest.models
    }
    tables = {
        name: replace(table, columns=table.columns + hidden.get(name, ())) for name, table in model.tables.items()
    }
    return SemanticModel(model.content_hash, model.data_source, tables, model.relationships)
