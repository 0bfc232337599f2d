"""Which columns hold values that questions name, as far as their names and the model say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRole, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import ISO_DATE, date_form, is_called_a_date
from askwell.resources import words_file


def worth_sampling(model: SemanticModel) -> Iterator[tuple[Table, list[Column]]]:
    """The columns of each model whose values may be kept, by what the model says of them and their names: texts, and
    those that may hold dates otherwise than as the database does (`may_be_dates`)."""
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        columns = [column for column in table.columns if _is_worth_sampling(column, sql_dialect(model.data_source))]
        if columns:
            yield table, columns


def _is_worth_sampling(column: Column, dialect: str) -> bool:
    is_told = type_family(column.type) is TypeFamily.TEXT or may_be_dates(column, dialect)
    is_open = not is_secret(column) and not column.values
    return is_told and column.role is ColumnRole.PLAIN and is_open


def may_be_dates(column: Column, dialect: str) -> bool:
    """Whether only the values tell if a column holds dates: numbers, and in SQLite what is declared as a date."""
    family = type_family(column.type)
    is_loose = family is TypeFamily.TIME and dialect == "sqlite"
    return column.epoch is None and (is_loose or (family is TypeFamily.NUMBER and is_called_a_date(column.name)))


def holds_other_dates(column: Column, texts: Collection[str]) -> bool:
    """Whether these values of a column that may hold dates are such as its type does not say."""
    is_number = type_family(column.type) is TypeFamily.NUMBER
    written = date_form(column.name, texts, column.epoch, is_number=is_number)
    return written is not None or (not is_number and not all(map(ISO_DATE.match, texts)))


def rank(column: Column) -> int:
    """How telling a column is by its name; smaller is better."""
    named = words(column.name)
    if named and named[-1] in _words("telling"):
        return 0
    return 1 if _words("untelling").isdisjoint(named) else 2


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(words_file("askwell.services", "telling_columns.yaml")[kind].split())
