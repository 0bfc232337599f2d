"""Reading text-to-SQL questions: `questions.jsonl`, `databases/*.sqlite` and, where there is one, `tables.json`.

Each row of the questions is `{id, db_id, question, sql, gold_exec, ordered, …}`; `tables.json` (the Spider format)
gives readable names and foreign keys that the database files themselves often leave out.
"""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from askwell.errors import InvalidRequest
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable

SAMPLED_VALUES_PER_COLUMN = 1_200
LONGEST_SAMPLED_VALUE = 60
TUNING_SHARE = 0.6

_TABLE_FILES = ("tables.json", "dev_tables.json", "train_tables.json")
_TABLE_KEYS = {
    *("db_id", "table_names", "table_names_original", "column_names", "column_names_original"),
    *("primary_keys", "foreign_keys"),
}

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Question:
    """One row: a question, its gold SQL, and whether the gold's result is fit for scoring. `alternatives` are further
    statements whose results are right too."""

    id: str
    db_id: str
    question: str
    sql: str
    scorable: bool
    ordered: bool
    alternatives: tuple[str, ...] = ()

    @property
    def golds(self) -> tuple[str, ...]:
        """Every statement whose result is right, each once."""
        return tuple(dict.fromkeys((self.sql, *self.alternatives)))


def read_questions(path: Path, *, limit: int | None = None, seed: int = 0) -> list[Question]:
    """All rows in file order, or `limit` of the scorable ones drawn with `seed`. Raises `InvalidRequest` for a file
    that does not hold them."""
    rows = read_rows(path, _question, "id, db_id, question and sql")
    if limit is not None:
        scorable = [row for row in rows if row.scorable]
        rows = random.Random(seed).sample(scorable, min(limit, len(scorable)))
    return rows


def read_rows(path: Path, made: Callable[[Any], Row], keys: str) -> list[Row]:
    """What `made` makes of each line's JSON object; `keys` says in words what it has to hold. Raises `InvalidRequest`
    with the file, the line and what is wrong there, and for a file without any."""
    hint = f"It holds a JSON object a line: {keys}."
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as broke:
        raise InvalidRequest(f"{path} cannot be read: {broke.strerror}.", "Name a file.") from broke
    except ValueError as broke:
        raise InvalidRequest(f"{path} is not text in UTF-8.", hint) from broke
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                rows.append(made(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as broke:
            raise InvalidRequest(f"{path} cannot be read: line {number} {unreadable(broke)}.", hint) from broke
    if not rows:
        raise InvalidRequest(f"{path} is empty.", hint)
    return rows


def unreadable(broke: Exception) -> str:
    """Why JSON could not be used, in words that fit after the name of its place."""
    match broke:
        case json.JSONDecodeError():
            at = f"line {broke.lineno}, column {broke.colno}" if broke.lineno > 1 else f"column {broke.colno}"
            return f"is not JSON at {at}"
        case KeyError():
            return f"has no “{broke.args[0]}”"
        case _:
            return "holds something else"


def _question(row: Mapping[str, Any]) -> Question:
    return Question(
        id=str(row["id"]),
        db_id=str(row["db_id"]),
        question=str(row["question"]),
        sql=str(row["sql"]),
        scorable=row.get("gold_exec") == "ok",
        ordered=bool(row.get("ordered")),
        alternatives=tuple(str(sql) for sql in row.get("sql_alternatives") or ()),
    )


def by_database(rows: Iterable[Question], databases: Path) -> dict[Path, list[Question]]:
    """The rows by the file of their database, in order. Raises `InvalidRequest` where a file is missing."""
    found: dict[Path, list[Question]] = {}
    for row in rows:
        path = databases / f"{row.db_id}.sqlite"
        if path not in found and not path.exists():
            raise InvalidRequest(f"There is no {path}.", "The folder of databases holds <db_id>.sqlite files.")
        found.setdefault(path, []).append(row)
    return found


def split_of(db_id: str) -> str:
    """`tuning` or `validation`: decided by a hash of the database's name, so it is the same everywhere and for ever."""
    share = int.from_bytes(hashlib.sha256(db_id.encode()).digest()[:4], "big") / 2**32
    return "tuning" if share < TUNING_SHARE else "validation"


def read_spider_tables(folder: Path) -> dict[str, Mapping[str, Any]]:
    """`tables.json` beside the questions (BIRD: `dev_tables.json`, `train_tables.json`) by database, or nothing where
    there is none. Raises `InvalidRequest` for one of another form."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in (folder / name for name in _TABLE_FILES):
        try:
            entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else ()
            found |= {entry["db_id"]: entry for entry in entries if entry.keys() >= _TABLE_KEYS}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as broke:
            raise InvalidRequest(
                f"{path} {unreadable(broke)}.", "It describes the databases in Spider's format; else move it away."
            ) from broke
    return found


def introspected_model(connection: sqlite3.Connection, spider: Mapping[str, Any] | None) -> SemanticModel:
    """The semantic model of `introspected_manifest`."""
    return authorised_view(introspected_manifest(connection, spider), "")


def introspected_manifest(connection: sqlite3.Connection, spider: Mapping[str, Any] | None) -> Manifest:
    """The model of a SQLite file, made by the service's own importer; `tables.json`, where it is given, adds the keys
    and readable names that the file leaves out."""
    names = readable_names(spider) if spider is not None else {}
    tables = introspected_physical(connection, spider)
    return manifest_from_schema(PhysicalSchema(tuple(tables)), data_source="SQLITE", names=names)


def introspected_physical(connection: sqlite3.Connection, spider: Mapping[str, Any] | None) -> list[PhysicalTable]:
    """The tables and views of a SQLite file, with the keys that `tables.json` adds."""
    tables = [_physical_table(connection, name, is_view) for name, is_view in _table_names(connection)]
    return tables if spider is None else with_spider_keys(tables, spider)


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


def _table_names(connection: sqlite3.Connection) -> list[tuple[str, bool]]:
    """Tables and views, each with whether it is a view."""
    sql = (
        "SELECT name, type = 'view' FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    )
    return [(name, bool(is_view)) for name, is_view in connection.execute(sql)]


def _physical_table(connection: sqlite3.Connection, name: str, is_view: bool) -> PhysicalTable:
    info = connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
    keys = sorted((row[5], row[1]) for row in info if row[5])
    return PhysicalTable(
        name=name,
        schema=None,
        columns=tuple(PhysicalColumn(row[1], row[2] or "TEXT", bool(row[3])) for row in info),
        primary_key=tuple(key for _, key in keys),
        foreign_keys=tuple(_declared_keys(connection, name)),
        is_view=is_view,
    )


def _declared_keys(connection: sqlite3.Connection, name: str) -> Iterable[ForeignKey]:
    by_number: dict[int, list[tuple[str, str, str | None]]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
        by_number.setdefault(row[0], []).append((row[2], row[3], row[4]))
    for _, parts in sorted(by_number.items()):
        referred = tuple(to for _, _, to in parts if to is not None)
        yield ForeignKey(tuple(column for _, column, _ in parts), parts[0][0], referred)


def with_spider_keys(tables: Sequence[PhysicalTable], spider: Mapping[str, Any]) -> list[PhysicalTable]:
    """Primary keys where the file declares none, and foreign keys that it does not declare."""
    originals = [
        (spider["table_names_original"][t].lower() if t >= 0 else "", column)
        for t, column in spider["column_names_original"]
    ]
    keys: dict[str, list[str]] = {}
    for key in spider["primary_keys"]:
        for index in key if isinstance(key, list) else [key]:
            keys.setdefault(originals[index][0], []).append(originals[index][1])
    references: dict[str, list[ForeignKey]] = {}
    for source, target in spider["foreign_keys"]:
        if originals[source][0] != originals[target][0]:
            key = ForeignKey((originals[source][1],), originals[target][0], (originals[target][1],))
            references.setdefault(originals[source][0], []).append(key)
    return [
        replace(
            table,
            primary_key=table.primary_key or tuple(keys.get(table.name.lower(), ())),
            foreign_keys=_merged(table.foreign_keys, references.get(table.name.lower(), ())),
        )
        for table in tables
    ]


def _merged(declared: Sequence[ForeignKey], stated: Sequence[ForeignKey]) -> tuple[ForeignKey, ...]:
    """All keys, each once in any letter case; a declared key that names no columns gives way to a stated one."""
    found: dict[tuple[Any, ...], ForeignKey] = {}
    for key in (*stated, *declared):
        if not key.to_columns and any(_folded(k)[:2] == _folded(key)[:2] for k in found.values()):
            continue
        found.setdefault(_folded(key), key)
    return tuple(found.values())


def _folded(key: ForeignKey) -> tuple[Any, ...]:
    return (tuple(c.lower() for c in key.columns), key.to_table.lower(), tuple(c.lower() for c in key.to_columns))


def readable_names(spider: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """The names of tables and columns, keyed as `manifest_from_schema` takes them."""
    tables = [name.lower() for name in spider["table_names_original"]]
    names: dict[tuple[str, ...], str] = {
        (original,): readable for original, readable in zip(tables, spider["table_names"], strict=True)
    }
    for (t, original), (_, readable) in zip(spider["column_names_original"], spider["column_names"], strict=True):
        if t >= 0:
            names[(tables[t], original.lower())] = readable
    return names
