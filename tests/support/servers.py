"""Databases of a test's own on the servers that this machine has; a test that needs one it has not is skipped."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy.engine import URL, make_url

POSTGRESQL = os.environ.get("ASKWELL_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres")
MARIADB = os.environ.get("ASKWELL_TEST_MARIADB", "mysql://root@127.0.0.1:3306/test")


@dataclass(frozen=True)
class ServerDatabase:
    """`ask` runs a statement (on PostgreSQL: or several) on a new connection and gives the rows; `drop` ends it all."""

    name: str
    url: str
    ask: Callable[[str], list[Any]]
    drop: Callable[[], object]


def new_postgresql() -> ServerDatabase:
    """An empty database of a new name on PostgreSQL."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not tested")
    url, name = make_url(POSTGRESQL), _new_name()

    def ask_in(database: str | None) -> Callable[[str], list[Any]]:
        def ask(sql: str) -> list[Any]:
            with psycopg.connect(_text(url.set(database=database)), autocommit=True, connect_timeout=3) as connection:
                cursor = connection.execute(sql)
                return cursor.fetchall() if cursor.description else []

        return ask

    try:
        ask_in(url.database)(f"CREATE DATABASE {name}")
    except psycopg.OperationalError:
        pytest.skip(f"no PostgreSQL answers at {url.render_as_string()}")
    return ServerDatabase(
        name=name,
        url=_text(url.set(database=name)),
        ask=ask_in(name),
        drop=lambda: ask_in(url.database)(f"DROP DATABASE {name} WITH (FORCE)"),
    )


def new_mariadb() -> ServerDatabase:
    """An empty database of a new name on MariaDB or MySQL."""
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed, so MariaDB is not tested")
    url, name = make_url(MARIADB), _new_name()

    def ask_in(database: str | None) -> Callable[[str], list[Any]]:
        def ask(sql: str) -> list[Any]:
            connection = pymysql.connect(
                host=url.host, port=url.port or 3306, user=url.username, password=url.password or "",
                database=database, autocommit=True, connect_timeout=3, charset="utf8mb4",
            )  # fmt: skip
            with connection, connection.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall())

        return ask

    try:
        ask_in(None)(f"CREATE DATABASE {name}")
    except pymysql.err.OperationalError:
        pytest.skip(f"no MariaDB answers at {url.render_as_string()}")
    return ServerDatabase(
        name=name,
        url=_text(url.set(database=name)),
        ask=ask_in(name),
        drop=lambda: ask_in(None)(f"DROP DATABASE {name}"),
    )


def _text(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def _new_name() -> str:
    return f"askwell_{uuid.uuid4().hex[:12]}"
