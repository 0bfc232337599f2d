"""SQLite files of questions: running statements on them with a time limit, the models that Askwell makes of them, and
whether a statement gives what a gold does.

`tables.json` beside the questions (Spider's format) gives readable names and foreign keys that the database files
themselves often leave out.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlglot

from askwell.errors import InvalidRequest
from askwell.mdl.comment_codes import coded_columns, with_value_names
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SampledValues, SemanticModel
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.worker.session import fold, one_line
from askwell.providers.engine.worker.sqlite_comments import comments_in
from askwell.services.drafted_measures import with_measures
from askwell.services.value_sampling import SamplingBounds, needs_values, sample_values, say_more
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import PlannedSql, Planner
from askwell.sql.query_result import QueryBroke, shows
from askwell.sql.same_result import Row, same_result
from askwell_evaluation.questions import Question, read_json

SAMPLED_VALUES_PER_COLUMN = 1_200
LONGEST_SAMPLED_VALUE = 60

_TABLE_FILES = ("tables.json", "dev_tables.json", "train_tables.json")
_TABLE_KEYS = {
    *("db_id", "table_names", "table_names_original", "column_names", "column_names_original"),
    *("primary_keys", "foreign_keys"),
}

# What Spider's format says of one database.
Spider = Mapping[str, Any]


class SqliteReader:
    """A connection that runs queries with a time limit: a read-only one to a file, or one that is given, which it
    closes. Not for use by several threads. Raises `InvalidRequest` for a file that is no SQLite database."""

    def __init__(self, source: Path | sqlite3.Connection, timeout: float = 20.0) -> None:
        self._timeout = timeout
        self.connection = open_file(source) if isinstance(source, Path) else source
        self.connection.text_factory = lambda raw: raw.decode("utf-8", "replace")

    def run(self, sql: str, row_limit: int = 200_000) -> list[Row] | QueryBroke:
        """All rows (at most `row_limit`), or what went wrong."""
        deadline = time.monotonic() + self._timeout
        self.connection.set_progress_handler(lambda: time.monotonic() > deadline, 20_000)
        try:
            with closing(self.connection.execute(sql)) as cursor:
                return cursor.fetchmany(row_limit)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as broke:
            return QueryBroke(str(broke))
        finally:
            self.connection.set_progress_handler(None, 0)

    def close(self) -> None:
        """Release the file."""
        self.connection.close()


def open_file(path: Path) -> sqlite3.Connection:
    """A read-only connection to a file. Raises `InvalidRequest` for one that is no SQLite database."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as broke:
        connection.close()
        raise InvalidRequest(f"{path} cannot be read: {broke}.", "It has to be a SQLite database.") from broke
    return connection


# ---------------------------------------------------------------- comparing results
class Judge:
    """Says of statements over a drafted model whether they give what the golds of their question give. `answering` is
    the database that they run on, `reader` that of the golds."""

    def __init__(self, reader: SqliteReader, drafted: DraftedModel, answering: SqliteReader | None = None) -> None:
        self._reader, self._drafted, self._answering = reader, drafted, answering or reader
        self._golds: dict[str, list[Row] | QueryBroke] = {}

    def verdict(self, question: Question, sql: str) -> tuple[bool, bool]:
        """Whether the statement gives what one of the golds gives, and whether it at least shows it: columns may be
        further ones, and in another order."""
        given = self._answering.run(self._drafted.on_file(sql))
        if isinstance(given, QueryBroke):
            return False, False
        golds = [gold for sql in question.golds if not isinstance(gold := self._gold(sql), QueryBroke)]
        ordered = bool(question.ordered)
        same = any(same_result(gold, given, ordered=ordered) for gold in golds)
        return same, same or any(shows(gold, given, ordered=ordered) for gold in golds)

    def _gold(self, sql: str) -> list[Row] | QueryBroke:
        if sql not in self._golds:
            self._golds[sql] = self._reader.run(sql)
        return self._golds[sql]


# ---------------------------------------------------------------- models
class DraftedModel:
    """The model that Askwell drafts of a SQLite file by its names alone. `model` is what may be asked about, `manifest`
    what it was made from."""

    def __init__(self, connection: sqlite3.Connection, spider: Spider | None) -> None:
        self.manifest = with_measures(introspected_manifest(connection, spider))
        self.model: SemanticModel = authorised_view(self.manifest, "")
        self._planner = Planner(self.model, self.manifest, "sqlite")
        self._calculated = [c.name for t in self.model for c in t.columns if c.role is ColumnRole.CALCULATED]

    def on_file(self, sql: str) -> str:
        """The statement over the file's own tables; as it is where it reads nothing else, or cannot be planned."""
        if not any(name in sql for name in self._calculated):
            return sql
        bound = bind(sqlglot.parse_one(sql, dialect="sqlite"), self.model, "sqlite")
        if not isinstance(bound, BoundSql):
            return sql
        planned = self._planner.plan(bound, QueryContext(datetime.now(UTC)))
        return planned.sql if isinstance(planned, PlannedSql) else sql

    def values_by_service(self, path: Path) -> SampledValues:
        """The values that the service's own sampling takes from the file."""

        async def sample() -> SampledValues:
            engine = create_engine("sqlite", path)
            try:
                checker = SqlChecker(self.model, self._planner, engine)
                bounds = SamplingBounds()
                return (await sample_values(self.model, checker, bounds=bounds, on_progress=lambda *_: None)).values
            finally:
                await engine.close()

        return asyncio.run(sample())


def drafted_model(path: Path, spider: Spider | None, *, by_service: bool = False) -> tuple[DraftedModel, SampledValues]:
    """The drafted model of a SQLite file, and its values as `sampled_values` has them or as the service samples them.
    Raises `InvalidRequest` for another file."""
    with closing(open_file(path)) as connection:
        drafted = DraftedModel(connection, spider)
        values = {} if by_service else sampled_values(connection, drafted.model)
    return drafted, drafted.values_by_service(path) if by_service else values


def introspected_model(connection: sqlite3.Connection, spider: Spider | None) -> SemanticModel:
    """The semantic model of `introspected_manifest`."""
    return authorised_view(introspected_manifest(connection, spider), "")


def introspected_manifest(connection: sqlite3.Connection, spider: Spider | None) -> Manifest:
    """The model of a SQLite file, made by the service's own importer; `tables.json`, where it is given, adds the keys
    and readable names that the file leaves out."""
    schema = PhysicalSchema(tuple(introspected_tables(connection, spider)))
    manifest = manifest_from_schema(schema, data_source="SQLITE", names=readable_names(spider))
    coded = ((ref, _distinct(connection, ref)) for ref, _ in coded_columns(manifest))
    return with_value_names(manifest, {ref: tuple(str(value) for (value,) in rows) for ref, rows in coded})


def introspected_tables(connection: sqlite3.Connection, spider: Spider | None) -> list[PhysicalTable]:
    """The tables and views of a SQLite file, with the keys that `tables.json` adds."""
    named = connection.execute(
        "SELECT name, type = 'view', sql FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    )
    return with_spider_keys(
        [_introspected(connection, name, sql or "", bool(is_view)) for name, is_view, sql in named], spider
    )


def _introspected(connection: sqlite3.Connection, name: str, sql: str, is_view: bool) -> PhysicalTable:
    comments = {} if is_view else comments_in(sql)
    columns = connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
    keys: dict[int, list[Any]] = {}
    for number, _, table, here, there, *_ in connection.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
        key = keys.setdefault(number, [(), table, ()])
        key[0] += (here,)
        key[2] += () if there is None else (there,)
    return PhysicalTable(
        name=name,
        schema=None,
        columns=tuple(
            PhysicalColumn(column, kind or "TEXT", bool(given), one_line(comments.get(fold(column))))
            for _, column, kind, given, *_ in columns
        ),
        comment=one_line(comments.get(None)),
        primary_key=tuple(column for _, column in sorted((row[5], row[1]) for row in columns if row[5])),
        foreign_keys=tuple(ForeignKey(*key) for _, key in sorted(keys.items())),
        is_view=is_view,
    )


def sampled_values(connection: sqlite3.Connection, model: SemanticModel) -> SampledValues:
    """Distinct short text values of every column, bounded a column, and numbers that are dates."""
    columns = ((ColumnRef(table.name, column.name), column) for table in model for column in table.columns)
    return {ref: values for ref, column in columns if (values := _distinct_text(connection, ref, column))}


def _distinct_text(connection: sqlite3.Connection, ref: ColumnRef, column: Column) -> tuple[str, ...]:
    rows = _distinct(connection, ref)
    numbers = tuple(str(v) for (v,) in rows if isinstance(v, int))
    if numbers and needs_values(column, "sqlite") and say_more(column, numbers):
        return numbers
    return tuple(v for (v,) in rows if isinstance(v, str) and 0 < len(v) <= LONGEST_SAMPLED_VALUE)


def _distinct(connection: sqlite3.Connection, ref: ColumnRef) -> list[Any]:
    table, name = _quoted(ref.table), _quoted(ref.column)
    sql = f"SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL LIMIT {SAMPLED_VALUES_PER_COLUMN}"
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.Error:
        return []


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# ---------------------------------------------------------------- tables.json
def read_spider_tables(folder: Path) -> dict[str, Spider]:
    """`tables.json` beside the questions (BIRD: `dev_tables.json`, `train_tables.json`) by database, or nothing where
    there is none. Raises `InvalidRequest` for one of another form."""

    def described(entries: Any) -> dict[str, Spider]:
        return {entry["db_id"]: entry for entry in entries if entry.keys() >= _TABLE_KEYS}

    found: dict[str, Spider] = {}
    for path in (folder / name for name in _TABLE_FILES):
        if path.exists():
            found |= read_json(path, described, "descriptions of databases in Spider's format; else move it away")
    return found


def with_spider_keys(tables: Sequence[PhysicalTable], spider: Spider | None) -> list[PhysicalTable]:
    """Primary keys where the file declares none, and foreign keys that it does not declare."""
    if spider is None:
        return list(tables)
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
            foreign_keys=tuple(_merged([*references.get(table.name.lower(), ()), *table.foreign_keys])),
        )
        for table in tables
    ]


def _merged(keys: Sequence[ForeignKey]) -> Iterator[ForeignKey]:
    """Each key once in any letter case; a later one that names no columns gives way to one that does."""
    known = set[tuple[Any, ...]]()
    for key in keys:
        here, there = (tuple(c.lower() for c in columns) for columns in (key.columns, key.to_columns))
        link = (here, key.to_table.lower())
        if (*link, there) in known or (not there and link in known):
            continue
        known |= {link, (*link, there)}
        yield key


def readable_names(spider: Spider | None) -> dict[tuple[str, ...], str]:
    """The names of tables and columns, keyed as `manifest_from_schema` takes them."""
    if spider is None:
        return {}
    tables = [name.lower() for name in spider["table_names_original"]]
    readable = spider["table_names"]
    names: dict[tuple[str, ...], str] = {(table,): name for table, name in zip(tables, readable, strict=True)}
    for (t, original), (_, name) in zip(spider["column_names_original"], spider["column_names"], strict=True):
        if t >= 0:
            names[tables[t], original.lower()] = name
    return names
