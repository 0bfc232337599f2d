"""The tables of a semantic model, as name resolution asks for them."""

from __future__ import annotations

from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable


class ModelCatalogue:
    """What a statement over the model may name. With `hidden_of`, hidden columns too: for statements in the manifest,
    whose author may read everything."""

    def __init__(self, model: SemanticModel, manifest: Manifest, hidden_of: Lookup | None = None) -> None:
        self._model = model
        self._hidden_of = hidden_of
        self._qualifiers = frozenset(
            {fold(manifest.schema_name), f"{fold(manifest.catalog)}.{fold(manifest.schema_name)}"}
        )

    def table(self, name: str) -> CatalogueTable | None:
        """The model, view, metric or cube of that name, in any letter case."""
        table = self._model.table(name)
        if table is None:
            return None
        columns = {fold(column.name): column.name for column in table.columns}
        model = self._hidden_of.model(name) if self._hidden_of else None
        if model is not None:
            columns |= {fold(column.name): column.name for column in model.columns if column.relationship is None}
        return CatalogueTable(table.name, columns)

    def is_qualifier(self, prefix: str) -> bool:
        """Whether the text is this model's schema, or its catalog and schema."""
        return prefix in self._qualifiers
