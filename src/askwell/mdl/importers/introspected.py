"""A semantic model from what a database declares about itself."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import TokenType, exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.importers.imported import join_condition, quoted, unique_name
from askwell.mdl.importers.inference import Link, inferred_links
from askwell.mdl.manifest import Manifest
from askwell.mdl.names import readable
from askwell.mdl.reserved import is_file_place, is_reserved, is_system_place, unusable_characters
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.types import TypeFamily, is_sql_type, type_family
from askwell.mdl.units import unit_of_name
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable

# What SQLite calls a column without a declared type can hold anything, and mostly holds text.
_UNDECLARED_TYPE = "VARCHAR"
_WITH_MADE_TYPES = frozenset({"postgres"})

# MySQL's ENUM with its values.
_VALUE = re.compile(r"'((?:[^']|'')*)'")
_ENUM = re.compile(r"enum\s*\(((?:\s*'(?:[^']|'')*'\s*,?)+)\)", re.I)


def manifest_from_schema(
    physical: PhysicalSchema,
    *,
    data_source: str,
    catalog: str = "askwell",
    schema: str = "main",
    names: Mapping[tuple[str, ...], str] | None = None,
) -> Manifest:
    """Tables and views with a usable name and columns become models; foreign keys and suggested links, relationships.

    Links are suggested by names and types (`inference.py`); they say so in their properties (`inferred`, `reason`).
    `names` are readable names keyed `(table,)` or `(table, column)` in lower case, used before those made from the
    identifiers. The same schema always gives the same manifest, and one that validates
    if there is any table at all.
    """
    imported = _named_tables(physical, names or {}, data_source)
    relationships = _relationships(imported)
    return Manifest.model_validate(
        {
            "catalog": catalog,
            "schema": schema,
            "dataSource": data_source,
            "models": [table.model() for table in imported],
            "relationships": relationships,
            "enumDefinitions": [enum for table in imported for enum in table.enums()],
        }
    )


@dataclass(frozen=True, slots=True)
class _Imported:
    """A physical table with the names that its model and columns get."""

    table: PhysicalTable
    name: str
    columns: Mapping[str, str]
    readable_names: Mapping[tuple[str, ...], str]
    dialect: str

    def model(self) -> dict[str, Any]:
        reference = {"table": self.table.name} | ({"schema": self.table.schema} if self.table.schema else {})
        key = [self.columns[column.lower()] for column in self.table.primary_key if column.lower() in self.columns]
        model: dict[str, Any] = {
            "name": self.name,
            "tableReference": reference,
            "columns": [self._column(column) for column in self._distinct_columns()],
            "properties": {
                **self._properties((self.table.name.lower(),), self.table.name),
                **({"is_view": True} if self.table.is_view else {}),
            },
        }
        if key and len(key) == len(self.table.primary_key):
            model["primaryKey"] = key[0] if len(key) == 1 else key
        return model

    def enums(self) -> list[dict[str, Any]]:
        """The values of columns whose type lists them, as MySQL's do."""
        return [
            {"name": self._enum_name(column), "values": [{"name": value} for value in values]}
            for column in self._distinct_columns()
            if (values := _listed_values(column.type))
        ]

    def _type(self, column: PhysicalColumn) -> str:
        kind = column.type.strip()
        if _listed_values(kind):
            return self._enum_name(column)
        # A type that somebody made: what can be written into it and read from it is text.
        made = self.dialect in _WITH_MADE_TYPES and not is_sql_type(kind, self.dialect)
        return _UNDECLARED_TYPE if made or not kind else kind

    def _enum_name(self, column: PhysicalColumn) -> str:
        return f"{self.name}.{self.columns[column.name.lower()]}"

    def _distinct_columns(self) -> list[PhysicalColumn]:
        return list({column.name.lower(): column for column in reversed(self.table.columns)}.values())[::-1]

    def _column(self, column: PhysicalColumn) -> dict[str, Any]:
        name = self.columns[column.name.lower()]
        written: dict[str, Any] = {"name": name, "type": self._type(column)}
        if name != column.name:
            written["expression"] = quoted(column.name)
        if column.not_null:
            written["notNull"] = True
        key = (self.table.name.lower(), column.name.lower())
        written["properties"] = self._properties(key, name, column.name if name != column.name else "")
        if type_family(column.type) is TypeFamily.NUMBER and column.name not in self.table.primary_key:
            unit = unit_of_name(column.name, [other.name for other in self.table.columns])
            written["properties"] |= {"unit": unit} if unit else {}
        return written

    def _properties(self, key: tuple[str, ...], identifier: str, own: str = "") -> dict[str, Any]:
        name = self.readable_names.get(key) or own or readable(identifier)
        # A single word is its own readable name.
        return {"displayName": name} if name.lower() != identifier.lower() else {}


def _listed_values(type_name: str) -> tuple[str, ...]:
    """The values in `enum('open','it''s paid')`, each once."""
    listed = _ENUM.fullmatch(type_name.strip())
    return tuple(dict.fromkeys(v.replace("''", "'") for v in _VALUE.findall(listed[1]))) if listed else ()


def _named_tables(
    physical: PhysicalSchema, readable_names: Mapping[tuple[str, ...], str], data_source: str
) -> list[_Imported]:
    shared = Counter(table.name.lower() for table in physical.tables)
    taken: set[str] = set()
    imported = []
    for table in physical.tables:
        if not table.columns or not table.name.strip() or is_system_place(table.name, [table.schema or ""]):
            continue
        if is_file_place(table.name) and sql_dialect(data_source) != "sqlite":
            continue
        qualified = f"{table.schema}_{table.name}" if shared[table.name.lower()] > 1 and table.schema else table.name
        clean = _usable(qualified)
        name = unique_name(f"t_{clean}" if is_reserved(clean) else clean, taken)
        dialect = sql_dialect(data_source)
        plain = {column.name: _plain(column.name, dialect) for column in table.columns}
        # A name that stays is no other column's.
        taken_columns = {own.lower() for own, name in plain.items() if own == name}
        columns: dict[str, str] = {}
        for own, name_of_column in plain.items():
            if own.lower() not in columns:
                is_own = own == name_of_column
                columns[own.lower()] = own if is_own else unique_name(name_of_column, taken_columns)
        imported.append(_Imported(table, name, columns, readable_names, dialect))
    return imported


def _plain(name: str, dialect: str) -> str:
    """The name if it needs no quotes, else one like it that needs none: letters of any script stay."""
    if all(map(_is_of_word, name)) and not name[:1].isdigit():
        return f"{name}_" if _is_keyword(name, dialect) else name
    plain = "_".join("".join(one if _is_of_word(one) else " " for one in name).split()).lower()
    plain = f"_{plain}" if not plain or plain[0].isdigit() else plain
    return f"{plain}_" if _is_keyword(plain, dialect) else plain


def _is_of_word(character: str) -> bool:
    return character == "_" or character.isalnum() or unicodedata.category(character).startswith("M")


def _is_keyword(name: str, dialect: str) -> bool:
    """Whether the name is no column's without quotes."""
    tokens = Dialect.get_or_raise(dialect).tokenize(name)
    if [token.token_type for token in tokens] == [TokenType.VAR]:
        return False
    try:
        read = parse_one(f"SELECT {name}, t.{name} FROM t WHERE {name} = 1 GROUP BY {name}", dialect=dialect)
    except SqlglotError:
        return True
    return not all(isinstance(one, exp.Column) for one in read.expressions)


def _usable(name: str) -> str:
    return "".join("_" if character in unusable_characters(name) else character for character in name).strip() or "_"


def _relationships(imported: list[_Imported]) -> list[dict[str, Any]]:
    declared = [link for owner in imported for link in _declared_links(owner, imported)]
    by_name = {item.table: item for item in imported}
    taken: set[str] = set()
    written = []
    for link in declared + inferred_links([item.table for item in imported], declared):
        left, right = by_name[link.table], by_name[link.to_table]
        pairs = [
            (left.columns[column.lower()], right.columns[to.lower()])
            for column, to in zip(link.columns, link.to_columns, strict=True)
        ]
        properties = {"inferred": True, "reason": link.reason} if link.reason else {}
        written.append(
            {
                "name": unique_name(f"{left.name}_{'_'.join(column for column, _ in pairs)}", taken),
                "models": [left.name, right.name],
                "joinType": _cardinality(link),
                "condition": join_condition(left.name, right.name, pairs),
                "properties": properties,
            }
        )
    return written


def _declared_links(owner: _Imported, imported: list[_Imported]) -> list[Link]:
    """The owner's foreign keys that lead somewhere; one that names no columns refers to the primary key."""
    links: dict[Link, None] = {}
    for key in owner.table.foreign_keys:
        same_name = [item for item in imported if item.table.name.lower() == key.to_table.lower()]
        # Where several schemas have a table of that name, the one that is meant; without a word, the owner's.
        schema = key.to_schema or owner.table.schema
        same_name.sort(key=lambda item: item.table.schema != schema)
        if not same_name or (key.to_schema is not None and same_name[0].table.schema != key.to_schema):
            continue
        target = same_name[0]
        to_columns = key.to_columns or target.table.primary_key
        known = all(column.lower() in owner.columns for column in key.columns) and all(
            column.lower() in target.columns for column in to_columns
        )
        if known and key.columns and len(key.columns) == len(to_columns):
            links[Link(owner.table, key.columns, target.table, to_columns)] = None
    return list(links)


def _cardinality(link: Link) -> str:
    own_key = {column.lower() for column in link.table.primary_key}
    if own_key and own_key == {column.lower() for column in link.columns}:
        return Cardinality.ONE_TO_ONE
    return Cardinality.MANY_TO_ONE
