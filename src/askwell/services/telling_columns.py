"""Which columns hold values that questions name, as far as their names and the model say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRole, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.resources import words_file


def worth_sampling(model: SemanticModel) -> Iterator[tuple[Table, list[Column]]]:
    """The text columns of each model whose values may be kept, by what the model says of them and their names."""
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        columns = [column for column in table.columns if _is_worth_sampling(column)]
        if columns:
            yield table, columns


def _is_worth_sampling(column: Column) -> bool:
    is_text = type_family(column.type) is TypeFamily.TEXT
    is_open = not is_secret(column) and not column.values
    return is_text and column.role is ColumnRole.PLAIN and is_open


def rank(column: Column) -> int:
    """How telling a column is by its name; smaller is better."""
    named = words(column.name)
    if named and named[-1] in _words("telling"):
        return 0
    return 1 if _words("untelling").isdisjoint(named) else 2


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(words_file("askwell.services", "telling_columns.yaml")[kind].split())
