"""A database with a table that projects may not see, and the models by which one might try to see it all the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from tests.support.servers import new_postgresql
from tests.support.tables import case_table

TOKEN = "tok-9d31f7"
QUESTION = "What is it?"
COUNT = "How many orders are there?"

# `summary` is a view that the database's owner lets everybody read.
_SCRIPT = case_table(__file__, "script")
# The same name in another letter case is another table.
_POSTGRESQL = case_table(__file__, "postgresql")
# Statements that models may be over, of each kind of database.
_READINGS = case_table(__file__, "readings")
_DUCKDB = f"""
CREATE SCHEMA hidden;
CREATE TABLE hidden.orders (id INTEGER, status VARCHAR(40));
INSERT INTO hidden.orders VALUES (1, '{TOKEN}');
"""

_TOKEN = {"name": "token", "type": "VARCHAR"}
_COUNT = {"name": "n", "type": "INTEGER", "isCalculated": True, "expression": "count(*)"}


@dataclass(frozen=True)
class SecretShop:
    """`source` is the entry of `data_sources`; `schema` is what stands before its tables, "" for nothing."""

    kind: str
    source: dict[str, Any]
    schema: str

    @property
    def listed(self) -> list[str]:
        """What models may read."""
        return [self.name("orders"), self.name("summary")]

    def name(self, table: str) -> str:
        """The table as `tables` lists it."""
        return f"{self.schema}.{table}" if self.schema else table

    def place(self, table: str, schema: str | None = None) -> dict[str, str]:
        """The table as a model refers to it."""
        found = self.schema if schema is None else schema
        return {"table": table} | ({"schema": found} if found else {})

    def manifest(self, *more: dict[str, Any], columns: tuple[Any, ...] = (), **sections: Any) -> dict[str, Any]:
        """A model of the orders, with `columns` and `more` models, and whatever else."""
        own = [{"name": "id", "type": "INTEGER"}, {"name": "status", "type": "VARCHAR"}, *columns]
        orders = {"name": "orders", "tableReference": self.place("orders"), "primaryKey": "id", "columns": own}
        head = {"catalog": "shop", "schema": "model", "dataSource": self.kind.upper()}
        return {**head, "models": [orders, *more], **sections}


@contextmanager
def secret_shop(kind: str, folder: Path) -> Iterator[SecretShop]:
    """The shop on `sqlite`, `duckdb` or `postgres`."""
    if kind == "postgres":
        server = new_postgresql()
        try:
            server.ask(_SCRIPT + _POSTGRESQL)
            yield SecretShop(kind, {"engine": "sqlalchemy", "url": server.url}, "public")
        finally:
            server.drop()
        return
    path = folder / f"secret.{kind}"
    if kind == "sqlite":
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(_SCRIPT)
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute(_SCRIPT + _DUCKDB)
    yield SecretShop(kind, {"engine": kind, "path": str(path)}, "")


def attacks(shop: SecretShop) -> dict[str, dict[str, Any]]:
    """Models that would show the token, by the way in which they try; `QUESTION` asks for it."""

    def asking(statement: str, *models: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A view of the model that answers the question."""
        view = {"name": "it", "statement": statement, "properties": {"question": QUESTION, "viewId": "v1"}}
        return shop.manifest(*models, views=[view], **more)

    def reading(sql: str) -> dict[str, Any]:
        """A model over a statement of the database."""
        return asking("SELECT token FROM tokens", {"name": "tokens", "refSql": sql, "columns": [_TOKEN]})

    def at(**place: str) -> dict[str, Any]:
        """A model over a table."""
        return asking("SELECT token FROM tokens", {"name": "tokens", "tableReference": place, "columns": [_TOKEN]})

    def field(expression: str, *, calculated: bool = True) -> dict[str, Any]:
        """A column of the orders."""
        column = {**_TOKEN, "isCalculated": calculated, "expression": expression}
        return asking("SELECT token FROM orders", columns=(column,))

    def ruled(condition: str) -> dict[str, Any]:
        """A row rule."""
        manifest = asking("SELECT status FROM orders")
        rule = {"name": "r", "condition": condition, "requiredProperties": []}
        manifest["models"][0]["rowLevelAccessControls"] = [rule]
        return manifest

    orders, secrets, own = shop.name("orders"), shop.name("secrets"), shop.schema or "main"
    columns = [{"name": "id", "type": "INTEGER"}, _TOKEN]
    tokens = {"name": "tokens", "tableReference": shop.place("secrets"), "primaryKey": "id", "columns": columns}
    condition = "orders.id = tokens.id"
    link = {"name": "owner", "models": ["orders", "tokens"], "joinType": "ONE_TO_ONE", "condition": condition}
    through = (
        {"name": "owner", "type": "tokens", "relationship": "owner"},
        {**_TOKEN, "isCalculated": True, "expression": "owner.token"},
    )
    metric = {"name": "m", "baseObject": "tokens", "dimension": [_TOKEN], "measure": [_COUNT]}
    cube = {"name": "m", "baseObject": "tokens", "dimensions": [_TOKEN | {"expression": "token"}], "measures": [_COUNT]}
    tried = {
        "a table": at(**shop.place("secrets")),
        "a table in capitals": at(**shop.place("SECRETS")),
        "a table with its schema": at(table="secrets", schema=own),
        "a table whose name holds a dot": at(table=f"{own}.secrets"),
        "a schema that holds a dot": at(table="secrets", schema=f"x.{own}"),
        "a view of the database": at(**shop.place("behind")),
        "a calculated field": field(f"(SELECT max(token) FROM {secrets})"),
        "a plain column": field(f"(SELECT max(token) FROM {secrets})", calculated=False),
        "IN a table": field("CASE WHEN 1 IN secrets THEN 'tok-' || '9d31f7' END"),
        "a relationship": asking("SELECT token FROM orders", tokens, relationships=[link], columns=through),
        "a condition": asking(
            "SELECT token FROM tokens",
            tokens,
            relationships=[link | {"condition": f"orders.id = (SELECT id FROM {secrets})"}],
        ),
        "a row rule": ruled(f"id = (SELECT max(id) FROM {secrets})"),
        "a metric": asking("SELECT token FROM m", tokens, metrics=[metric]),
        "a metric over the table": asking("SELECT token FROM m", metrics=[metric | {"baseObject": "secrets"}]),
        "a cube": asking("SELECT token FROM m", tokens, cubes=[cube]),
        "a model over the table": asking(
            "SELECT token FROM tokens", {"name": "tokens", "baseObject": "secrets", "columns": [_TOKEN]}
        ),
        "a view of the model": asking(f"SELECT token FROM {secrets}"),
        "a macro": reading("{{ all() }}") | {"macros": [{"name": "all", "definition": f"() => TABLE {secrets}"}]},
    }
    if shop.kind == "postgres":
        tried |= {
            "another schema": at(table="orders", schema="hidden"),
        }
    named = {
        "orders": orders,
        "secrets": secrets,
        "SECRETS": secrets.upper(),
        "own": own,
        "behind": shop.name("behind"),
    }
    # In SQLite a CTE's name means the CTE, inside of it too.
    for which in ("every", shop.kind, *(["server_or_duckdb"] if shop.kind != "sqlite" else [])):
        tried |= {name: reading(sql.format(**named)) for name, sql in _READINGS[which].items()}
    return tried
