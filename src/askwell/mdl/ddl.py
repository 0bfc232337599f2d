"""The text of a model for a prompt: CREATE statements with comments, since that is what language models read best.

Whatever a model's author wrote stays inside the comment or the name it stands in, on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, Relationship, SemanticModel, Table, TableKind

# More names or values than this are counted, not listed.
_MAX_LISTED = 50

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = re.compile(
    r"all|and|any|as|asc|between|by|case|cast|check|column|constraint|create|cross|default|delete|desc|distinct|drop|else"
    r"|end|except|exists|false|for|foreign|from|full|grant|group|having|in|index|inner|insert|intersect|into|is|join|key"
    r"|left|like|limit|natural|not|null|offset|on|or|order|outer|primary|references|right|rows|select|set|table|then|to"
    r"|true|union|unique|update|user|using|values|view|when|where|window|with|current_(date|time|timestamp)",
    re.IGNORECASE,
)
# What is said of a column besides its alias, description and values, in this order.
_PROPERTIES = ("abbreviation_of", "json_type", "json_fields", "nested_columns")


def model_ddl(
    model: SemanticModel,
    tables: Iterable[str] | None = None,
    columns: Mapping[str, Collection[str]] | None = None,
) -> str:
    """The text of several tables (all of them by default), with the foreign keys among these tables.

    `columns` chooses the columns of the tables that it names; the others are shown whole.
    """
    chosen = list(model) if tables is None else _chosen(model, tables)
    names = {table.name for table in chosen}
    among = [link for link in model.relationships if {link.left, link.right} <= names]
    links: dict[str, list[Relationship]] = {name: [] for name in names}
    for link in among:
        for name in {link.left, link.right}:
            links[name].append(link)
    picked = columns or {}
    dialect = sql_dialect(model.data_source)
    return "\n\n".join(
        table_ddl(table, links[table.name], columns=picked.get(table.name), dialect=dialect) for table in chosen
    )


def _chosen(model: SemanticModel, names: Iterable[str]) -> list[Table]:
    found = (model.table(name) for name in names)
    return list({table.name: table for table in found if table is not None}.values())


def table_ddl(
    table: Table,
    relationships: Iterable[Relationship] = (),
    *,
    columns: Collection[str] | None = None,
    dialect: str = "duckdb",
) -> str:
    """The text of one table: only `columns`, in any letter case, where they are given; it says which were left out.

    Of `relationships`, those are shown as foreign keys that start at this table and whose columns are shown.
    """
    wanted = None if columns is None else {name.lower() for name in columns}
    shown = [column for column in table.columns if wanted is None or column.name.lower() in wanted]
    left_out = [column.name for column in table.columns if wanted is not None and column.name.lower() not in wanted]
    text = _Text(table, shown, dialect)
    return "\n".join([*text.heading(), *text.statement(relationships), *_left_out(left_out), *_join_hints(table)])


@dataclass(frozen=True, slots=True)
class _Text:
    table: Table
    columns: list[Column]
    dialect: str

    def heading(self) -> Iterator[str]:
        facts = _facts(self.table.name, self.table.display_name, self.table.description, self.table.synonyms)
        if self.table.question:
            facts["question"] = self.table.question
        match self.table.kind:
            case TableKind.METRIC | TableKind.CUBE:
                kind = self.table.kind.value
                base = _one_line(self.table.base or "")
                yield f"/* {kind} on {base}: one row for each combination of its dimensions */"
            case _:
                pass
        if facts:
            yield f"/* {_json(facts)} */"

    def statement(self, relationships: Iterable[Relationship]) -> Iterator[str]:
        is_view = self.table.kind is TableKind.VIEW
        yield f"CREATE {'VIEW' if is_view else 'TABLE'} {self._name(self.table.name)} ("
        entries = [*map(self._column, self.columns), *self._keys(), *map(self._foreign_key, self._links(relationships))]
        for position, entry in enumerate(entries):
            comma = "," if position < len(entries) - 1 else ""
            yield from (f"  {line}" for line in entry.comments)
            yield f"  {entry.line}{comma}{entry.remark}"
        statement = (self.table.statement or "").strip().rstrip(";")
        yield from (") AS", f"{statement};") if is_view and statement else (");",)

    def _column(self, column: Column) -> _Entry:
        comments = []
        expression = _one_line(column.expression or "")
        match column.role:
            case ColumnRole.CALCULATED:
                comments.append(f"-- Calculated Field: {expression}" if expression else "-- Calculated Field")
            case ColumnRole.DIMENSION:
                comments.append(f"-- Dimension: {expression}" if expression else "-- Dimension")
            case ColumnRole.MEASURE:
                comments.append(f"-- Measure: {expression}" if expression else "-- Measure")
            case ColumnRole.PLAIN:
                pass
        facts = _column_facts(column)
        mark = "[ESSENTIAL] " if column.essential else ""  # prompts tell models to take such columns first
        if mark or facts:
            comments.append(f"-- {mark}{_json(facts) if facts else ''}".rstrip())
        key = " PRIMARY KEY" if self.table.primary_key == (column.name,) else ""
        return _Entry(f"{self._name(column.name)} {_one_line(column.type)}".rstrip() + key, tuple(comments))

    def _keys(self) -> Iterator[_Entry]:
        key = self.table.primary_key
        if len(key) > 1 and self._shows(key):
            yield _Entry(f"PRIMARY KEY ({self._names(key)})")

    def _links(self, relationships: Iterable[Relationship]) -> Iterator[Relationship]:
        for link in relationships:
            outward = link
            if link.left != self.table.name or (
                link.cardinality is Cardinality.ONE_TO_MANY and link.left != link.right
            ):
                outward = _reversed(link)
            starts_here = outward.left == self.table.name and outward.cardinality is not Cardinality.ONE_TO_MANY
            # A link between equals is written down once, on its left.
            if not starts_here or (outward is not link and link.cardinality is not Cardinality.ONE_TO_MANY):
                continue
            if self._shows(tuple(here for here, _ in outward.pairs)):
                yield outward

    def _foreign_key(self, link: Relationship) -> _Entry:
        here = self._names(here for here, _ in link.pairs)
        there = self._names(there for _, there in link.pairs)
        line = f"FOREIGN KEY ({here}) REFERENCES {self._name(link.right)}({there})"
        return _Entry(line, remark=f"  -- {link.cardinality}{', inferred' if link.inferred else ''}")

    def _shows(self, names: Collection[str]) -> bool:
        return set(names) <= {column.name for column in self.columns}

    def _names(self, names: Iterable[str]) -> str:
        return ", ".join(map(self._name, names))

    def _name(self, name: str) -> str:
        return written_name(name, self.dialect)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a CREATE statement: comments above it, its line, and a remark after its comma."""

    line: str
    comments: tuple[str, ...] = ()
    remark: str = ""


def written_name(name: str, dialect: str) -> str:
    """The name as it has to be written in SQL: quoted in the dialect's way where it would not be understood bare."""
    bare = _SIMPLE.fullmatch(name) is not None and _RESERVED.fullmatch(name) is None
    if dialect in ("postgres", "redshift"):
        bare = bare and name == name.lower()
    if dialect in ("snowflake", "oracle"):
        bare = bare and name == name.upper()
    return name if bare else exp.to_identifier(_one_line(name), quoted=True).sql(dialect=dialect)


def _reversed(link: Relationship) -> Relationship:
    return Relationship(
        name=link.name,
        left=link.right,
        right=link.left,
        cardinality=link.cardinality.reversed(),
        pairs=tuple((there, here) for here, there in link.pairs),
        inferred=link.inferred,
    )


def _facts(name: str, alias: str | None, description: str | None, synonyms: tuple[str, ...]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    # Aliases that importers make from names tell nothing new.
    if alias and (alias != readable(name) or len(words(name)) == 1):
        facts["alias"] = alias
    if description:
        facts["description"] = description
    if synonyms:
        facts["synonyms"] = list(synonyms)
    return facts


def _column_facts(column: Column) -> dict[str, Any]:
    facts = _facts(column.name, column.display_name, column.description, column.synonyms)
    if column.values:
        more = len(column.values) - _MAX_LISTED
        facts["values"] = [*column.values[:_MAX_LISTED], *([f"… {more} more"] if more > 0 else [])]
    if column.unit:
        facts["unit"] = column.unit
    if column.epoch:
        facts["epoch"] = column.epoch
    return facts | {key: column.properties[key] for key in _PROPERTIES if column.properties.get(key)}


def _left_out(names: list[str]) -> Iterator[str]:
    if names:
        more = len(names) - _MAX_LISTED
        listed = ", ".join(map(_one_line, names[:_MAX_LISTED])) + (f" and {more} more" if more > 0 else "")
        yield f"-- Columns left out here: {listed}"


def _join_hints(table: Table) -> Iterator[str]:
    hints = table.properties.get("join_hints")
    for hint in hints if isinstance(hints, list) else ():
        if isinstance(hint, str) and hint.strip():
            yield f"-- Join hint: {_one_line(hint)}"


def _json(facts: Mapping[str, Any]) -> str:
    """JSON on one line that cannot end the comment around it."""
    text = json.dumps(facts, ensure_ascii=False, default=str)
    return _printable(text.replace("*/", "*\\/"))


def _one_line(text: str) -> str:
    return _printable(" ".join(text.split())).replace("*/", "* /")


def _printable(text: str) -> str:
    """Without characters that a reader may take for the end of a line, or for nothing."""
    return "".join(character if character.isprintable() else " " for character in text)
