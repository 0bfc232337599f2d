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

# All values of a number that says yes or no.
YES_AND_NO = {"0", "1"}


def worth_sampling(model: SemanticModel) -> Iterator[tuple[Table, list[Column]]]:
    """The columns of each model whose values may be kept, by what the model says of them and their names: texts, and
    those of which only the values say what they hold (`told_by_values`)."""
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        columns = [column for column in table.columns if _is_worth_sampling(column, sql_dialect(model.data_source))]
        if columns:
            yield table, columns


def _is_worth_sampling(column: Column, dialect: str) -> bool:
    is_told = type_family(column.type) is TypeFamily.TEXT or told_by_values(column, dialect)
    is_open = not is_secret(column) and not column.values
    return is_told and column.role is ColumnRole.PLAIN and is_open


def told_by_values(column: Column, dialect: str) -> bool:
    """Whether only the values tell if a column holds dates, or yes and no: whole numbers, and in SQLite what is
    declared as a date."""
    family = type_family(column.type)
    is_loose = family is TypeFamily.TIME and dialect == "sqlite"
    may_tell = "INT" in column.type.upper() or is_called_a_date(column.name)
    return column.epoch is None and (is_loose or (family is TypeFamily.NUMBER and may_tell))


def say_more(column: Column, texts: Collection[str]) -> bool:
    """Whether these values of a column that they tell of are what its type does not say: yes and no, or dates."""
    is_number = type_family(column.type) is TypeFamily.NUMBER
    if is_number and set(texts) == YES_AND_NO:
        return True
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
