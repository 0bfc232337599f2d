"""The tiny shop on real database servers, in a schema of its own that is dropped at the end."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support import tiny_shop


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
    """The shop on `postgres` or `mariadb`; skips the test where there is no such server."""
    schema = f"askwell_{uuid.uuid4().hex[:12]}"
    if kind == "postgres":
        psycopg = pytest.importorskip("psycopg")
        url = "postgresql://root@127.0.0.1:5432/test"
        try:
            connection = psycopg.connect(url, autocommit=True, connect_timeout=5)
        except psycopg.OperationalError:
            pytest.skip("skipped: no PostgreSQL at 127.0.0.1:5432")
        drop = f"DROP SCHEMA {schema} CASCADE"
        server = ShopServer(url, schema, "POSTGRES")
    else:
        pymysql = pytest.importorskip("pymysql")
        try:
            connection = pymysql.connect(host="127.0.0.1", port=3306, user="root", autocommit=True, connect_timeout=5)
        except pymysql.OperationalError:
            pytest.skip("skipped: no MariaDB at 127.0.0.1:3306")
        drop = f"DROP DATABASE {schema}"
        # What other databases call a schema is a database here, and the URL names the one to look at.
        server = ShopServer(f"mysql://root@127.0.0.1:3306/{schema}", schema, "MYSQL")
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {schema}")
        try:
            for statement in _TABLES:
                cursor.execute(statement.format(schema))
            cursor.executemany(f"INSERT INTO {schema}.customers VALUES (%s, %s, %s, %s, 'hush')", tiny_shop.CUSTOMERS)
            cursor.executemany(f"INSERT INTO {schema}.orders VALUES (%s, %s, %s, %s, %s)", tiny_shop.ORDERS)
            yield server
        finally:
            cursor.execute(drop)
