"""A semantic model from what a database declares about itself."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import TokenType, exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.importers.imported import join_condition, model_entry, quoted, relationship_entry
from askwell.mdl.links import named_links
from askwell.mdl.manifest import Manifest, RelationshipEntry
from askwell.mdl.names import is_file_place, is_reserved, is_system_place, readable, unusable_characters
from askwell.mdl.semantic_model import LinkCandidate
from askwell.mdl.types import TypeFamily, is_sql_type, type_family
from askwell.mdl.units import unit_of_name
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell.spelling import free_name

# What SQLite calls a column without a declared type can hold anything, and mostly holds text.
_UNDECLARED_TYPE = "VARCHAR"
# Links as sure as this are taken where nobody looks at values.
_LIKELY = 0.75
_WITH_MADE_TYPES = frozenset({"postgres"})

# MySQL's ENUM with its values.
_VALUE = re.compile(r"'((?:[^']|'')*)'")
_ENUM = re.compile(r"enum\s*\(((?:\s*'(?:[^']|'')*'\s*,?)+)\)", re.I)


def manifest_from_schema(
    physical: PhysicalSchema, *, data_source: str, names: Mapping[tuple[str, ...], str] | None = None
) -> Manifest:
    """The model that a database declares (`declared_manifest`), with the links between tables of which names leave
    little doubt: these say so in their properties (`inferred`, `reason`)."""
    manifest = declared_manifest(physical, data_source=data_source, names=names)
    found = named_links(authorised_view(manifest, ""), guess_keys=False)
    views = {entry.name for entry in manifest.models if entry.properties.get("is_view")}
    return with_links(manifest, (link for link in found if link.table not in views), least=_LIKELY)


def declared_manifest(
    physical: PhysicalSchema, *, data_source: str, names: Mapping[tuple[str, ...], str] | None = None
) -> Manifest:
    """Tables and views with a usable name and columns become models; foreign keys become relationships.

    `names` are readable names keyed `(table,)` or `(table, column)` in lower case, used before those made from the
    identifiers. The same schema always gives the same manifest, and one that validates if there is any table at all.
    """
    imported = _named_tables(physical, names or {}, data_source)
    return Manifest.model_validate(
        {
            "catalog": "askwell",
            "schema": "main",
            "dataSource": data_source,
            "models": [table.model() for table in imported],
            "relationships": _relationships(imported),
            "enumDefinitions": [enum for table in imported for enum in table.enums()],
        }
    )


def with_links(manifest: Manifest, links: Iterable[LinkCandidate], *, least: float = 0.9) -> Manifest:
    """The model with those links as relationships that are at least so sure."""
    taken = {entry.name.lower() for entry in manifest.relationships}
    added = [
        RelationshipEntry(
            name=free_name(f"{link.table}_{link.column}", taken, str.lower),
            models=(link.table, link.to_table),
            join_type=link.cardinality,
            condition=join_condition(link.table, link.to_table, [(link.column, link.to_column)]),
            properties={"inferred": True, "reason": link.because},
        )
        for link in sorted(links, key=lambda link: (link.table, link.column))
        if link.confidence >= least
    ]
    return manifest.model_copy(update={"relationships": (*manifest.relationships, *added)})


@dataclass(frozen=True, slots=True)
class _Imported:
    """A physical table with the names that its model and columns get."""

    table: PhysicalTable
    name: str
    columns: Mapping[str, str]
    readable_names: Mapping[tuple[str, ...], str]
    dialect: str

    def model(self) -> dict[str, Any]:
        key = [self.columns[column.lower()] for column in self.table.primary_key if column.lower() in self.columns]
        return model_entry(
            self.name,
            {"table": self.table.name, "schema": self.table.schema or ""},
            [self._column(column) for column in self._distinct_columns()],
            primary=key if len(key) == len(self.table.primary_key) else (),
            properties=self._properties((self.table.name.lower(),), self.table.name)
            | _described(self.table.comment)
            | {"is_view": self.table.is_view},
        )

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
        # A type that a user made: what can be written into it and read from it is text.
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
        own = column.name if name != column.name else ""
        written["properties"] = self._properties(key, name, own) | _described(column.comment)
        if type_family(column.type) is TypeFamily.NUMBER and column.name not in self.table.primary_key:
            unit = unit_of_name(column.name, [other.name for other in self.table.columns])
            written["properties"] |= {"unit": unit} if unit else {}
        return written

    def _properties(self, key: tuple[str, ...], identifier: str, own: str = "") -> dict[str, Any]:
        name = self.readable_names.get(key) or own or readable(identifier)
        # A single word is its own readable name.
        return {"displayName": name} if name.lower() != identifier.lower() else {}


def _described(comment: str) -> dict[str, str]:
    return {"description": comment} if comment else {}


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
        name = free_name(f"t_{clean}" if is_reserved(clean) else clean, taken, str.lower)
        dialect = sql_dialect(data_source)
        plain = {column.name: _plain(column.name, dialect) for column in table.columns}
        # A name that stays is no other column's.
        taken_columns = {own.lower() for own, name in plain.items() if own == name}
        columns: dict[str, str] = {}
        for own, name_of_column in plain.items():
            if own.lower() not in columns:
                is_own = own == name_of_column
                columns[own.lower()] = own if is_own else free_name(name_of_column, taken_columns, str.lower)
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
    """The foreign keys that lead somewhere; one that names no columns refers to the primary key."""
    taken: set[str] = set()
    found: dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[str, Any]] = {}
    for owner in imported:
        for key in owner.table.foreign_keys:
            target = _target(key, owner, imported)
            to_columns = key.to_columns or target.table.primary_key if target else ()
            if target is None or not key.columns or len(key.columns) != len(to_columns):
                continue
            sides = [
                (owner.columns.get(here.lower()), target.columns.get(there.lower()))
                for here, there in zip(key.columns, to_columns, strict=True)
            ]
            pairs = tuple((here, there) for here, there in sides if here is not None and there is not None)
            if len(pairs) == len(sides) and (owner.name, target.name, pairs) not in found:
                one = {column.lower() for column in owner.table.primary_key} == {here.lower() for here in key.columns}
                entry = relationship_entry(owner.name, target.name, pairs, taken, one_to_one=one)
                found[owner.name, target.name, pairs] = entry
    return list(found.values())


def _target(key: ForeignKey, owner: _Imported, imported: list[_Imported]) -> _Imported | None:
    """The table that a foreign key refers to: of several schemas' the one that is meant, without a word the owner's."""
    schema = key.to_schema or owner.table.schema
    same_name = [item for item in imported if item.table.name.lower() == key.to_table.lower()]
    found = min(same_name, key=lambda item: item.table.schema != schema, default=None)
    is_other = found is not None and key.to_schema is not None and found.table.schema != key.to_schema
    return None if is_other else found
