"""Random semantic models with databases that hold their rows: ordinary ones, and ones with every kind of name, key,
type and relationship that validation accepts. The same seed gives the same database."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.mdl.validation import read_manifest
from tests.support.random_words import (
    DATE_COLUMNS,
    FLAG_COLUMNS,
    LINE_TABLES,
    NUMBER_COLUMNS,
    ODD_TYPES,
    ROLES,
    SELF_REFERENCES,
    STRANGE_NAMES,
    TABLE_NAMES,
    TEXT_COLUMNS,
    TYPES,
    VALUES,
)

Row = tuple[Any, ...]

_EXPRESSIONS = {
    "number": ("{0} * 2", "{0} + 1"),
    "text": ("lower({0})", "upper({0})"),
}


@dataclass
class RandomColumn:
    """A column of the model and of the table behind it. `kind`: key, reference, text, number, date, flag, or odd:
    of a type that only some databases have, and without values."""

    name: str
    kind: str
    type: str
    mdl: dict[str, Any] = field(default_factory=dict)

    @property
    def is_stored(self) -> bool:
        """Whether the database has it, and not only the model."""
        return not self.mdl.get("isCalculated")


@dataclass
class RandomTable:
    """A model over a table of the same name."""

    name: str
    columns: list[RandomColumn]
    primary_key: list[str]
    mdl: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    @property
    def stored(self) -> list[RandomColumn]:
        """The columns of the database's table."""
        return [column for column in self.columns if column.is_stored]


@dataclass
class RandomDatabase:
    """A model as MDL, the tables it is over, and their rows."""

    tables: list[RandomTable]
    relationships: list[dict[str, Any]]
    derived: dict[str, list[dict[str, Any]]]

    @cached_property
    def mdl(self) -> dict[str, Any]:
        """The model as it is written down."""
        models = [
            {
                "name": table.name,
                "tableReference": {"table": table.name},
                "columns": [{"name": c.name, "type": c.type, **c.mdl} for c in table.columns],
                **({"primaryKey": table.primary_key} if table.primary_key else {}),
                **table.mdl,
            }
            for table in self.tables
        ]
        parts = {"models": models, "relationships": self.relationships, **self.derived}
        return {"catalog": "c", "schema": "s", **parts}

    @cached_property
    def values(self) -> SampledValues:
        """The texts in the visible columns, as a service samples them."""
        found: dict[ColumnRef, tuple[str, ...]] = {}
        for table in self.tables:
            for place, column in enumerate(table.stored):
                held = dict.fromkeys(row[place] for row in table.rows if isinstance(row[place], str))
                if held and column.kind == "text" and not column.mdl.get("isHidden"):
                    found[ColumnRef(table.name, column.name)] = tuple(held)
        return found

    def statements(self, dialect: str) -> Iterator[tuple[str, list[Row]]]:
        """CREATE TABLE and INSERT statements, each with the rows for its question marks."""
        for table in self.tables:
            name = _quoted(table.name, dialect)
            columns = ", ".join(f"{_quoted(c.name, dialect)} {_stored_type(c, dialect)}" for c in table.stored)
            yield f"CREATE TABLE {name} ({columns})", []
            yield f"INSERT INTO {name} VALUES ({', '.join('?' for _ in table.stored)})", table.rows


def random_database(rng: random.Random) -> RandomDatabase:
    """A model that validation accepts, and its rows."""
    while True:
        made = _Maker(rng).database()
        if read_manifest(made.mdl, data_source="DUCKDB").manifest is not None:
            return made


def _quoted(name: str, dialect: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)


def _stored_type(column: RandomColumn, dialect: str) -> str:
    """How DuckDB or SQLite stores it: what the model calls an enum, or by a name that no database knows, is text."""
    if column.kind == "odd":
        return column.type if dialect == "duckdb" else "TEXT"
    if column.kind == "date":
        return "DATE" if column.type == "DATE" else "TIMESTAMP"
    return {"text": "TEXT", "number": "DOUBLE", "flag": "BOOLEAN"}.get(column.kind, "INTEGER")


class _Maker:
    """Makes one database. `strange` is how likely each name is one that nobody would choose."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._strange = rng.choice((0.0, 0.0, 0.1, 0.5))

    def database(self) -> RandomDatabase:
        rng = self._rng
        names = self._distinct(TABLE_NAMES, rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 9)))
        if len(names) > 2 and rng.random() < 0.25:  # sales, with their lines
            names[:3] = ["orders", rng.choice(("order_items", "order_lines")), "products"]
            names = list(dict.fromkeys(names))
        tables = [self._table(name) for name in names]
        relationships = self._relationships(tables)
        for table in tables:
            self._fill(table)
        return RandomDatabase(tables, relationships, self._derived(tables))

    def _distinct(self, pool: Sequence[str], count: int) -> list[str]:
        found: dict[str, str] = {}
        for _ in range(count * 3):
            if len(found) == count:
                break
            name = self._name(pool)
            found.setdefault(name.lower(), name)
        return list(found.values())

    def _name(self, pool: Sequence[str]) -> str:
        rng = self._rng
        if rng.random() < self._strange:
            name = rng.choice(STRANGE_NAMES)
            return name if rng.random() < 0.95 else (name * 200)[:200]
        name = rng.choice(pool)
        form = rng.random()
        if form < 0.7:
            return name
        if form < 0.8:
            return name.title().replace("_", "")
        return name.replace("_", " ") if form < 0.85 else name.upper() if form < 0.9 else name.removesuffix("s")

    def _table(self, name: str) -> RandomTable:
        rng = self._rng
        columns: list[RandomColumn] = []
        key: list[str] = []
        if rng.random() < 0.85:
            own = rng.choice(("id", "id", f"{name.removesuffix('s')}_id", "Id", f"{name.removesuffix('s')}Id", "code"))
            columns.append(RandomColumn(own[:150], "key", "INTEGER", {"notNull": rng.random() < 0.8}))
            key = [columns[0].name]
        for pool, kind, most in (
            (TEXT_COLUMNS, "text", 4),
            (NUMBER_COLUMNS, "number", 3),
            (DATE_COLUMNS, "date", 2),
            (FLAG_COLUMNS, "flag", 1),
        ):
            columns += [self._column(pool, kind) for _ in range(rng.randint(0, most))]
        if name in LINE_TABLES and rng.random() < 0.8:
            columns += [RandomColumn("quantity", "number", "INTEGER"), RandomColumn("unit_price", "number", "DOUBLE")]
            if rng.random() < 0.4:
                columns.append(RandomColumn("discount", "number", "DOUBLE"))
        if rng.random() < 0.2:
            columns += [RandomColumn(part, "text", "VARCHAR") for part in ("first_name", "last_name")]
        if rng.random() < 0.1:  # a column called like a table
            columns.append(RandomColumn(self._name(TABLE_NAMES), "text", "VARCHAR"))
        unique = {column.name.lower(): column for column in reversed(columns)}
        columns = [column for column in columns if unique[column.name.lower()] is column]
        columns = columns or [RandomColumn("x", "text", "VARCHAR")]
        if key and len(columns) > 1 and rng.random() < 0.08:
            key.append(columns[1].name)
        facts = self._facts()
        return RandomTable(name, columns, key, {"properties": facts} if facts else {})

    def _column(self, pool: Sequence[str], kind: str) -> RandomColumn:
        rng = self._rng
        column = RandomColumn(self._name(pool), kind, rng.choice(TYPES[kind]))
        if kind == "flag" and rng.random() < 0.4:
            column.kind, column.type = ("number", "INTEGER") if rng.random() < 0.5 else ("text", "VARCHAR")
        if kind == "number" and rng.random() < 0.15:
            column.kind, column.type = "text", "TEXT"  # numbers that are kept as text
        if kind == "date" and rng.random() < 0.15:
            column.kind, column.type = "text", "VARCHAR"
        if kind == "text" and rng.random() < 0.05:
            column.type = rng.choice(("GEOMETRY", "whatever", "JSON", "Level", "UUID", "MAP(INTEGER, VARCHAR)", ""))
        if kind in ("number", "date") and rng.random() < 0.08:
            column.kind, column.type = "odd", rng.choice(ODD_TYPES)
        if rng.random() < 0.06:
            column.mdl["isHidden"] = True
        if rng.random() < 0.1:
            column.mdl["notNull"] = True
        facts = self._facts()
        if kind == "number" and rng.random() < 0.1:
            facts["unit"] = rng.choice(("seconds", "minutes", "kg", "USD", "x", ""))
        if kind == "number" and rng.random() < 0.05:
            facts["epoch"] = rng.choice(("seconds", "millis", "micros"))
        if facts:
            column.mdl["properties"] = facts
        return column

    def _facts(self) -> dict[str, Any]:
        rng = self._rng
        facts: dict[str, Any] = {}
        words = (*TEXT_COLUMNS, *NUMBER_COLUMNS, *TABLE_NAMES, *STRANGE_NAMES, "'", '"', "a\nb", "\u202eabc", "\u200b")
        if rng.random() < 0.1:
            facts["displayName"] = rng.choice(words).replace("_", " ")
        if rng.random() < 0.08:
            facts["synonyms"] = [rng.choice(words).replace("_", " ") for _ in range(rng.randint(1, 3))]
        return facts

    def _relationships(self, tables: list[RandomTable]) -> list[dict[str, Any]]:
        rng = self._rng
        found: list[dict[str, Any]] = []
        keyed = [table for table in tables if len(table.primary_key) == 1]
        wanted = rng.choice((0, 1, len(tables) - 1, len(tables), len(tables) + 2, 2 * len(tables)))
        ends = [(rng.choice(tables), rng.choice(keyed)) for _ in range(wanted if keyed else 0)]
        lines = next((table for table in tables if table.name in LINE_TABLES), None)
        if lines is not None and rng.random() < 0.9:
            ends += [(lines, parent) for parent in keyed if parent is not lines][:3]
        for number, (child, parent) in enumerate(ends):
            if child is parent and rng.random() < 0.7:
                child = tables[number % len(tables)]
            role = rng.choice(SELF_REFERENCES) if child is parent else f"{parent.name.removesuffix('s')}_id"[:150]
            if child is not parent and rng.random() < 0.2:
                role = f"{rng.choice(ROLES)}_{role}"[:150]
            here = next((c for c in child.columns if c.name.lower() == role.lower()), None)
            if here is None:
                here = RandomColumn(role, "reference", "INTEGER")
                child.columns.append(here)
            pairs = [(here.name, parent.primary_key[0])]
            if rng.random() < 0.06:
                more = [(a.name, b.name) for a in child.stored for b in parent.stored if a.kind == b.kind != "key"]
                pairs += rng.sample(more, 1) if more else []
            sides = [child.name, parent.name]
            kind = rng.choice(("MANY_TO_ONE",) * 8 + ("ONE_TO_ONE", "MANY_TO_MANY"))
            if kind == "MANY_TO_ONE" and rng.random() < 0.2:
                sides, pairs, kind = sides[::-1], [pair[::-1] for pair in pairs], "ONE_TO_MANY"
            left, right = sides
            condition = " AND ".join(f'"{left}"."{a}" = "{right}"."{b}"' for a, b in pairs)
            properties = {"properties": {"inferred": True}} if rng.random() < 0.1 else {}
            name = rng.choice((f"rel_{number}", f"{role}_{number}"))
            found.append(
                {"name": name, "models": [left, right], "joinType": kind, "condition": condition, **properties}
            )
        return found

    def _derived(self, tables: list[RandomTable]) -> dict[str, list[dict[str, Any]]]:
        """A calculated field, a view and a metric, each in some models."""
        rng = self._rng
        found: dict[str, list[dict[str, Any]]] = {}
        table = rng.choice(tables)
        taken = {one.name.lower() for one in tables}
        visible = [c for c in table.stored if not c.mdl.get("isHidden")]
        source = rng.choice(visible) if visible else None
        if source is not None and source.kind in _EXPRESSIONS and rng.random() < 0.2:
            name = f"twice {source.name}"[:150]
            if all(column.name.lower() != name.lower() for column in table.columns):
                text = rng.choice(_EXPRESSIONS[source.kind]).format(f'"{source.name}"')
                kind = "DOUBLE" if source.kind == "number" else "VARCHAR"
                made = RandomColumn(name, source.kind, kind, {"isCalculated": True, "expression": text})
                table.columns.append(made)
        if source is not None and rng.random() < 0.12 and "recent" not in taken:
            statement = f'SELECT "{source.name}", count(*) AS how_many FROM "{table.name}" GROUP BY "{source.name}"'
            found["views"] = [{"name": "recent", "statement": statement}]
        number = next((c for c in visible if c.kind == "number"), None)
        if source is not None and number is not None and rng.random() < 0.12 and "figures" not in taken:
            measure = {"name": "total_figure", "type": "DOUBLE", "expression": f'sum("{number.name}")'}
            dimension = {"name": source.name, "type": source.type}
            found["metrics"] = [
                {"name": "figures", "baseObject": table.name, "dimension": [dimension], "measure": [measure]}
            ]
        if any(column.type == "Level" for one in tables for column in one.columns):
            values = [{"name": "low"}, {"name": "high", "value": "top"}, {"name": "the"}]
            found["enumDefinitions"] = [{"name": "Level", "values": values}]
        return found

    def _fill(self, table: RandomTable) -> None:
        for key in range(1, self._rng.choice((0, 1, 4, 9)) + 1):
            table.rows.append(tuple(self._value(column, key) for column in table.stored))

    def _value(self, column: RandomColumn, key: int) -> Any:
        rng = self._rng
        if column.kind == "key":
            return key
        if column.kind == "odd" or rng.random() < 0.1:
            return None
        match column.kind:
            case "reference":
                return rng.randint(1, 5)
            case "number":
                return rng.choice((0, 1, 2, 10, 99, 1.5, 2024, -3))
            case "flag":
                return rng.random() < 0.5
            case "date":
                return f"{rng.randint(2019, 2026)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        if column.name in NUMBER_COLUMNS:
            return str(rng.choice((0, 5, 10, 12.5)))
        if column.name in DATE_COLUMNS:
            return f"{rng.randint(2019, 2026)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        return rng.choice(VALUES)
