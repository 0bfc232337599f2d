"""A made-up shop with every kind of key and relationship, as a model and as tables of DuckDB."""

from __future__ import annotations

import sqlglot

from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import FanOut, Statement, find_fan_outs
from tests.support.tables import case_rows, case_table

# Table: its columns, and after the bar its primary key. `memos` and `visits` have none.
TABLES = case_table(__file__, "tables")

_LINKS = case_rows(__file__, "links", "name", "left", "right", "kind", "condition")


def _columns(table: str) -> list[str]:
    return TABLES[table].partition("|")[0].split()


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

_MANIFEST = {
    "catalog": "askwell",
    "schema": "public",
    "dataSource": "DUCKDB",
    "models": [
        {
            "name": table,
            "tableReference": {"table": table},
            "columns": [{"name": column, "type": _type(column)} for column in _columns(table)],
            "primaryKey": definition.partition("|")[2].split(),
            "uniqueKeys": [["email"]] if table == "customers" else [],
        }
        for table, definition in TABLES.items()
    ],
    "relationships": [
        {"name": name, "models": [left, right], "joinType": kind, "condition": condition}
        for name, left, right, kind, condition in _LINKS
    ],
    "metrics": [
        {
            "name": "country_sales",
            "baseObject": "customers",
            "dimension": [{"name": "country", "type": "VARCHAR"}],
            "measure": [{"name": "credits", "type": "INTEGER", "expression": "sum(credit)"}],
        }
    ],
    "views": [
        {"name": "big_orders", "statement": "SELECT id, customer_id, total FROM orders WHERE total > 100"},
        {
            "name": "line_orders",
            "statement": "SELECT o.id, o.total, l.qty FROM orders o JOIN order_lines l ON l.order_id = o.id",
        },
    ],
}
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
    return find_fan_outs(Statement(bound.tree, over, bound.dialect))
