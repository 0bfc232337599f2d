"""The tiny shop on real database servers, in a schema of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support import tiny_shop
from tests.support.servers import new_mariadb, new_postgresql


@dataclass(frozen=True)
class ShopServer:
    """`url` has no password; `schema` is where the tables are; `data_source` is the manifest's name."""

    url: str
    schema: str
    data_source: str

    def manifest(self, schema: str | None = None) -> dict[str, Any]:
        """The tiny shop's model, with its tables in `schema`."""
        manifest = copy.deepcopy(tiny_shop.manifest()) | {"dataSource": self.data_source}
        for model in manifest["models"]:
            model["tableReference"]["schema"] = schema or self.schema
        return manifest


_TABLES = (
    "CREATE TABLE {0}.customers (id INTEGER PRIMARY KEY, name VARCHAR(40), country VARCHAR(40), created_at DATE, "
    "secret VARCHAR(40))",
    "CREATE TABLE {0}.orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES {0}.customers(id), "
    "order_date DATE, status VARCHAR(40), amount DOUBLE PRECISION)",
    "CREATE TABLE {0}.salaries (id INTEGER)",
)


@contextmanager
def shop_on(kind: str) -> Iterator[ShopServer]:
    """The shop on `postgres` or `mariadb`; the test is skipped, saying so, where there is no such server."""
    database = new_postgresql() if kind == "postgres" else new_mariadb()
    try:
        # What others call a schema is a database in MariaDB.
        schema = "shop" if kind == "postgres" else database.name
        if kind == "postgres":
            database.ask("CREATE SCHEMA shop")
        rows = {"customers": [(*row, "hush") for row in tiny_shop.CUSTOMERS], "orders": tiny_shop.ORDERS}
        for statement in _TABLES:
            database.ask(statement.format(schema))
        for table, values in rows.items():
            database.ask(f"INSERT INTO {schema}.{table} VALUES {', '.join(map(repr, values))}")
        yield ShopServer(database.url, schema, "POSTGRES" if kind == "postgres" else "MYSQL")
    finally:
        database.drop()
