"""The declared inner structure of columns, worked out only for tables that a statement takes fields from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.manifest import Model, ModelColumn
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.scopes import Shape, shape_of_column


class ModelShapes(Mapping[str, Mapping[str, Shape]]):
    """By folded table and column of the semantic model, from `type` and the property `nested_columns`."""

    def __init__(self, model: SemanticModel, dialect: str) -> None:
        self._model = model
        self._dialect = dialect
        self._names = {fold(name): name for name in model.tables}

    def __getitem__(self, key: str) -> Mapping[str, Shape]:
        columns = self._model.tables[self._names[key]].columns
        return {
            fold(column.name): shape_of_column(column.type, column.properties.get("nested_columns"), self._dialect)
            for column in columns
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class PhysicalShapes(Mapping[str, Mapping[str, Shape]]):
    """By folded physical table and column: what the columns of models that stand for them declare."""

    def __init__(self, models: Mapping[str, list[Model]], dialect: str) -> None:
        self._models = {fold(table): found for table, found in models.items()}
        self._dialect = dialect

    def __getitem__(self, key: str) -> Mapping[str, Shape]:
        return {
            fold(name): shape_of_column(column.type, column.properties.get("nested_columns"), self._dialect)
            for model in self._models[key]
            for column in model.columns
            if (name := physical_name(column, self._dialect))
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


def physical_name(column: ModelColumn, dialect: str) -> str:
    """The column of the database that a plain column stands for; empty where it is anything else."""
    if column.relationship is not None or column.is_calculated:
        return ""
    if column.expression is None:
        return column.name
    tree = read_expression(column.expression, dialect)
    return "" if isinstance(tree, Unreadable) or tree.key != "column" else str(tree.name)
