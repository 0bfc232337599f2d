"""Reading text-to-SQL questions: `questions.jsonl`, `databases/*.sqlite` and, where there is one, `tables.json`.

Each row of the questions is `{id, db_id, question, sql, gold_exec, ordered, …}`; `tables.json` (the Spider format)
gives readable names and foreign keys that the database files themselves often leave out.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    Relationship,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)

SAMPLED_VALUES_PER_COLUMN = 1_200
LONGEST_SAMPLED_VALUE = 60
TUNING_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Question:
    """One row: a question, its gold SQL, and whether the gold's result is fit for scoring."""

    id: str
    db_id: str
    question: str
    sql: str
    scorable: bool
    ordered: bool


def read_questions(path: Path, *, limit: int | None = None, seed: int = 0) -> list[Question]:
    """All rows in file order, or `limit` of the scorable ones drawn with `seed`."""
    rows = [_question(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if limit is not None:
        scorable = [row for row in rows if row.scorable]
        rows = random.Random(seed).sample(scorable, min(limit, len(scorable)))
    return rows


def _question(row: Mapping[str, Any]) -> Question:
    return Question(
        id=str(row["id"]),
        db_id=str(row["db_id"]),
        question=str(row["question"]),
        sql=str(row["sql"]),
        scorable=row.get("gold_exec") == "ok",
        ordered=bool(row.get("ordered")),
    )


def split_of(db_id: str) -> str:
    """`tuning` or `validation`: decided by a hash of the database's name, so it is the same everywhere and for ever."""
    share = int.from_bytes(hashlib.sha256(db_id.encode()).digest()[:4], "big") / 2**32
    return "tuning" if share < TUNING_SHARE else "validation"


def read_spider_tables(folder: Path) -> dict[str, Mapping[str, Any]]:
    """`tables.json` beside the questions by database, or nothing where there is none."""
    path = folder / "tables.json"
    if not path.exists():
        return {}
    return {entry["db_id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


def introspected_model(connection: sqlite3.Connection, spider: Mapping[str, Any] | None) -> SemanticModel:
    """The semantic model of a SQLite file, named and related as `tables.json` says where it is given."""
    tables = {name: _table(connection, name) for name in _table_names(connection)}
    relationships = list(_declared_keys(connection, tables))
    if spider is not None:
        tables = _with_readable_names(tables, spider)
        known = {(r.left, r.right, r.pairs) for r in relationships}
        relationships += [r for r in _spider_keys(tables, spider) if (r.left, r.right, r.pairs) not in known]
    relationships += _inferred_keys(tables, relationships)
    return SemanticModel(
        content_hash="",
        data_source="SQLITE",
        tables=tables,
        relationships=tuple(_with_cardinality(tables, relationships)),
    )


def sampled_values(connection: sqlite3.Connection, model: SemanticModel) -> SampledValues:
    """Distinct short text values of every text column, bounded a column."""
    sampled: dict[ColumnRef, tuple[str, ...]] = {}
    for table in model:
        for column in table.columns:
            values = _distinct_text(connection, table.name, column.name)
            if values:
                sampled[ColumnRef(table.name, column.name)] = values
    return sampled


def _distinct_text(connection: sqlite3.Connection, table: str, column: str) -> tuple[str, ...]:
    sql = (
        f"SELECT DISTINCT {_quoted(column)} FROM {_quoted(table)} "
        f"WHERE {_quoted(column)} IS NOT NULL LIMIT {SAMPLED_VALUES_PER_COLUMN}"
    )
    try:
        rows = connection.execute(sql).fetchall()
    except sqlite3.Error:
        return ()
    return tuple(v for (v,) in rows if isinstance(v, str) and 0 < len(v) <= LONGEST_SAMPLED_VALUE)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table_names(connection: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    return [name for (name,) in connection.execute(sql)]


def _table(connection: sqlite3.Connection, name: str) -> Table:
    info = connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
    columns = tuple(Column(name=row[1], type=row[2] or "TEXT", not_null=bool(row[3])) for row in info)
    keys = sorted((row[5], row[1]) for row in info if row[5])
    return Table(name=name, kind=TableKind.MODEL, columns=columns, primary_key=tuple(key for _, key in keys))


def _declared_keys(connection: sqlite3.Connection, tables: Mapping[str, Table]) -> Iterable[Relationship]:
    by_lower = {name.lower(): table for name, table in tables.items()}
    for name in tables:
        by_id: dict[int, list[tuple[str, str, str | None]]] = {}
        for row in connection.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
            by_id.setdefault(row[0], []).append((row[2], row[3], row[4]))
        for number, parts in sorted(by_id.items()):
            target = by_lower.get(parts[0][0].lower())
            if target is None:
                continue
            pairs = []
            for position, (_, source, referred) in enumerate(parts):
                left = tables[name].column(source)
                wanted = referred or (target.primary_key[position] if position < len(target.primary_key) else "")
                right = target.column(wanted)
                if left is not None and right is not None:
                    pairs.append((left.name, right.name))
            if len(pairs) == len(parts) and target.name != name:
                yield _relationship(f"{name}_{number}", name, target.name, tuple(pairs))


def _relationship(
    name: str, left: str, right: str, pairs: tuple[tuple[str, str], ...], inferred: bool = False
) -> Relationship:
    return Relationship(name, left, right, Cardinality.MANY_TO_ONE, pairs, inferred)


def _with_readable_names(tables: Mapping[str, Table], spider: Mapping[str, Any]) -> dict[str, Table]:
    readable_tables = {
        original.lower(): readable
        for original, readable in zip(spider["table_names_original"], spider["table_names"], strict=True)
    }
    originals, readable = spider["column_names_original"], spider["column_names"]
    readable_columns = {
        (spider["table_names_original"][t].lower(), original.lower()): name
        for (t, original), (_, name) in zip(originals, readable, strict=True)
        if t >= 0
    }
    keys: dict[str, list[str]] = {}
    for key in spider["primary_keys"]:
        for index in key if isinstance(key, list) else [key]:
            t, original = originals[index]
            keys.setdefault(spider["table_names_original"][t].lower(), []).append(original)
    named = {}
    for name, table in tables.items():
        columns = tuple(
            replace(column, display_name=readable_columns.get((name.lower(), column.name.lower())))
            for column in table.columns
        )
        key = table.primary_key or tuple(
            column.name for wanted in keys.get(name.lower(), []) if (column := table.column(wanted)) is not None
        )
        named[name] = replace(table, columns=columns, primary_key=key, display_name=readable_tables.get(name.lower()))
    return named


def _spider_keys(tables: Mapping[str, Table], spider: Mapping[str, Any]) -> Iterable[Relationship]:
    by_lower = {name.lower(): table for name, table in tables.items()}

    def place(index: int) -> tuple[Table, Column] | None:
        t, original = spider["column_names_original"][index]
        table = by_lower.get(spider["table_names_original"][t].lower())
        column = table.column(original) if table is not None else None
        return (table, column) if table is not None and column is not None else None

    for number, (source, target) in enumerate(spider["foreign_keys"]):
        left, right = place(source), place(target)
        if left is None or right is None or left[0].name == right[0].name:
            continue
        yield _relationship(f"key_{number}", left[0].name, right[0].name, ((left[1].name, right[1].name),))


_COMMON_KEY_NAMES = re.compile(r"id|name|code|number", re.IGNORECASE)


def _inferred_keys(tables: Mapping[str, Table], stated: Iterable[Relationship]) -> list[Relationship]:
    """A column named like another table's one-column key refers to it, unless the two tables are related already."""
    related = {frozenset((r.left, r.right)) for r in stated}
    found: list[Relationship] = []
    for target in tables.values():
        if len(target.primary_key) != 1 or _COMMON_KEY_NAMES.fullmatch(target.primary_key[0]):
            continue
        key = target.primary_key[0]
        for table in tables.values():
            pair = frozenset((table.name, target.name))
            column = table.column(key)
            if table.name == target.name or column is None or pair in related:
                continue
            related.add(pair)
            name = f"{table.name}_{target.name}"
            found.append(_relationship(name, table.name, target.name, ((column.name, key),), inferred=True))
    return found


def _with_cardinality(tables: Mapping[str, Table], relationships: Iterable[Relationship]) -> Iterable[Relationship]:
    """A side whose columns are its table's whole key is a "one" side."""
    for relationship in relationships:
        left = _is_key(tables[relationship.left], [a for a, _ in relationship.pairs])
        right = _is_key(tables[relationship.right], [b for _, b in relationship.pairs])
        match left, right:
            case True, True:
                cardinality = Cardinality.ONE_TO_ONE
            case True, False:
                cardinality = Cardinality.ONE_TO_MANY
            case False, True:
                cardinality = Cardinality.MANY_TO_ONE
            case _:
                cardinality = Cardinality.MANY_TO_MANY
        yield replace(relationship, cardinality=cardinality)


def _is_key(table: Table, columns: list[str]) -> bool:
    return bool(table.primary_key) and {c.lower() for c in columns} == {c.lower() for c in table.primary_key}
