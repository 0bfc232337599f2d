"""A made-up shop with every kind of key and relationship, as a model and as tables of DuckDB."""

from __future__ import annotations

import sqlglot

from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import FanOut, Statement, find_fan_outs
from tests.support.tables import case_table

# Table: its columns.
TABLES = case_table(__file__, "tables")


def _columns(table: str) -> list[str]:
    return TABLES[table].split()


def _type(column: str) -> str:
    if column in ("name", "country", "email", "status", "kind", "category", "lang", "title", "city", "code", "page"):
        return "VARCHAR"
    if column in ("author", "currency"):
        return "VARCHAR"
    if column in ("created_on", "paid_on", "day", "month"):
        return "DATE"
    return "VARCHAR[]" if column == "words" else "INTEGER"


DDL = ";\n".join(
    f"CREATE TABLE {table} ({', '.join(f'{column} {_type(column)}' for column in _columns(table))})" for table in TABLES
)

_MANIFEST = case_table(__file__, "manifest")
# Views as tables, so that statements over them can be tried on the database.
DDL += "".join(f";\nCREATE VIEW {view['name']} AS {view['statement']}" for view in _MANIFEST["views"])  # type: ignore[index]
DDL += ";\nCREATE VIEW country_sales AS SELECT country, sum(credit) AS credits FROM customers GROUP BY country"


def model() -> SemanticModel:
    reading = read_manifest(_MANIFEST)
    assert reading.manifest is not None, reading
    return authorised_view(reading.manifest, "fan-out shop")


def fan_outs(sql: str, over: SemanticModel, dialect: str = "duckdb") -> tuple[FanOut, ...]:
    bound = bind(sqlglot.parse_one(sql, dialect=dialect), over, dialect)
    assert isinstance(bound, BoundSql), bound
    return find_fan_outs(Statement.of(bound, over))
