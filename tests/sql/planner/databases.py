"""Databases of the four kinds, each with tables of its own that are gone when the test is over."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.in_process import end_duckdb, new_duckdb, own_functions
from tests.support.servers import MARIADB, POSTGRESQL

DIALECTS = ("duckdb", "sqlite", "postgres", "mysql")


@dataclass
class Database:
    """A connection to a database of its own, which `execute` of any Python driver gives.

    `schema` is what the database calls the schema of its tables, where it is not the usual one.
    """

    dialect: str
    connection: Any
    schema: str | None = None
    schemas: list[str] = field(default_factory=list)

    def execute(self, sql: str) -> Any:
        """A cursor with what the statement gives."""
        if self.dialect == "mysql":
            cursor = self.connection.cursor()
            cursor.execute(sql)
            return cursor
        return self.connection.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows that the statement gives. Decimals are floats, so that they compare with what others count."""
        return [tuple(_plain(value) for value in row) for row in self.execute(sql).fetchall()]

    def names(self, sql: str) -> list[str]:
        """The names of the columns that the statement gives."""
        return [column[0] for column in self.execute(sql).description]

    def quoted(self, sql: str) -> str:
        """SQL with names in double quotes, and none around text, as this database takes it."""
        return sql.replace('"', "`") if self.dialect == "mysql" else sql

    def script(self, statements: str) -> None:
        """Run statements that end in a semicolon and a line break."""
        for statement in filter(None, (part.strip() for part in statements.split(";\n"))):
            self.execute(self.quoted(statement))

    def in_zone(self, zone: str) -> None:
        """Set the session's time zone, where there is one: UTC or hours from it. DuckDB knows zones by their names."""
        if self.dialect == "mysql":
            self.execute(f"SET time_zone = '{zone.replace('UTC', '+00:00')}'")
        elif self.dialect == "duckdb":
            self.execute(f"SET TimeZone = '{zone.replace('+05:00', 'Asia/Tashkent')}'")
        elif self.dialect == "postgres":
            self.execute(f"SET TimeZone TO '{zone.replace('+05:00', 'Asia/Tashkent')}'")

    def functions(self) -> frozenset[str] | None:
        """The functions that the database lists; None where the guard has a list of its own."""
        return own_functions(self.dialect) or None

    def new_schema(self) -> str:
        """A schema besides the first, which goes with it. SQLite has none."""
        self.schemas.append(f"askwell_{uuid.uuid4().hex[:12]}")
        self.execute(f"CREATE SCHEMA {self.schemas[-1]}")
        return self.schemas[-1]

    def close(self) -> None:
        """Drop what is left behind nowhere else, and disconnect."""
        for schema in self.schemas if self.dialect in ("postgres", "mysql") else ():
            self.execute(f"DROP SCHEMA {schema}" + (" CASCADE" if self.dialect == "postgres" else ""))
        if self.dialect == "duckdb":
            end_duckdb(self.connection)
        else:
            self.connection.close()


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


@contextmanager
def a_database(dialect: str, script: str = "") -> Iterator[Database]:
    """A database with the script's tables; skips the test where there is no server of that kind."""
    database = _OPENERS[dialect]()
    try:
        database.script(script)
        yield database
    finally:
        database.close()


def _duckdb() -> Database:
    return Database("duckdb", new_duckdb())


def _sqlite() -> Database:
    return Database("sqlite", sqlite3.connect(":memory:"))


def _postgres() -> Database:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not tested")
    try:
        connection = psycopg.connect(POSTGRESQL, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        pytest.skip(f"no PostgreSQL answers at {_without_password(POSTGRESQL)}")
    database = Database("postgres", connection)
    database.schema = database.new_schema()
    database.execute(f"SET search_path TO {database.schema}")
    return database


def _mysql() -> Database:
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed, so MariaDB is not tested")
    url = urlsplit(MARIADB)
    account = {"user": url.username or "", "password": url.password or ""}
    try:
        connection = pymysql.connect(
            host=url.hostname, port=url.port or 3306, autocommit=True, connect_timeout=3, charset="utf8mb4", **account
        )
    except pymysql.err.OperationalError:
        pytest.skip(f"no MariaDB answers at {_without_password(MARIADB)}")
    database = Database("mysql", connection)
    database.schema = database.new_schema()
    database.execute(f"USE {database.schema}")
    return database


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}"


_OPENERS = {"duckdb": _duckdb, "sqlite": _sqlite, "postgres": _postgres, "mysql": _mysql}
