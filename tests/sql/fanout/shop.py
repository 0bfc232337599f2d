"""A made-up shop with every kind of key and relationship, as a model and as tables of DuckDB."""

from __future__ import annotations

import sqlglot

from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import FanOut, Statement, find_fan_outs

# Table: its columns, and after the bar its primary key. `memos` and `visits` have none.
TABLES = {
    "customers": "id name country email credit region_id | id",
    "regions": "id name budget | id",
    "orders": "id customer_id total tax status created_on billing_id shipping_id coupon_id | id",
    "order_lines": "order_id line_no product_id qty price kind | order_id line_no",
    "parcels": "id order_id line_no weight | id",
    "products": "id name category price cost | id",
    "product_texts": "product_id lang title words | product_id lang",
    "payments": "id order_id customer_id amount paid_on | id",
    "addresses": "id city rent | id",
    "coupons": "id code value | id",
    "authors": "id name country fee | id",
    "books": "id title price | id",
    "book_authors": "book_id author_id share | book_id author_id",
    "employees": "id name boss_id salary department_id | id",
    "departments": "id name cost | id",
    "profiles": "id customer_id points | id",
    "visits": "customer_id seconds page",
    "memos": "order_id minutes author",
    "rates": "currency day rate | currency day",
    "calendar": "day month | day",
}

_LINKS = [
    ("order_customer", "orders", "customers", "MANY_TO_ONE", "orders.customer_id = customers.id"),
    ("customer_region", "regions", "customers", "ONE_TO_MANY", "regions.id = customers.region_id"),
    ("order_billing", "orders", "addresses", "MANY_TO_ONE", "orders.billing_id = addresses.id"),
    ("order_shipping", "orders", "addresses", "MANY_TO_ONE", "orders.shipping_id = addresses.id"),
    ("order_lines_of", "orders", "order_lines", "ONE_TO_MANY", "orders.id = order_lines.order_id"),
    ("line_product", "order_lines", "products", "MANY_TO_ONE", "order_lines.product_id = products.id"),
    (
        "parcel_line",
        "parcels",
        "order_lines",
        "MANY_TO_ONE",
        "parcels.order_id = order_lines.order_id AND parcels.line_no = order_lines.line_no",
    ),
    ("customer_profile", "customers", "profiles", "ONE_TO_ONE", "customers.id = profiles.customer_id"),
    ("customer_visits", "customers", "visits", "ONE_TO_MANY", "customers.id = visits.customer_id"),
    ("employee_boss", "employees", "departments", "MANY_TO_ONE", "employees.department_id = departments.id"),
]


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
