"""The same on PostgreSQL and MariaDB, as a user who may do everything there: the worst case."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL, make_url

from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.sql.guard.mutations.databases import CANARY, LIMITS, TABLES, Target, vault_table

POSTGRESQL = os.environ.get("ASKWELL_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres")
MARIADB = os.environ.get("ASKWELL_TEST_MARIADB", "mysql://root@127.0.0.1:3306/test")

_POSTGRES_WIPE = (
    "CREATE FUNCTION wipe() RETURNS bigint LANGUAGE sql AS "
    "'DELETE FROM public.shipments; DELETE FROM public.payroll; SELECT 1::bigint'"
)
_MARIADB_WIPE = "CREATE FUNCTION wipe() RETURNS INT BEGIN DELETE FROM shipments; DELETE FROM payroll; RETURN 1; END"

# What a server knows of a database, by question. Other tests use the same server: only what is ours, or is planted.
_POSTGRES_STATE = (
    "SELECT c.oid, n.nspname, relname, relkind, relfilenode, relacl::text FROM pg_class AS c "
    "JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname IN ('public', 'vault') ORDER BY 1",
    "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)), count(*) FROM public.t_people AS t",
    "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)), count(*) FROM public.shipments AS t",
    "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)), count(*) FROM public.payroll AS t",
    "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)), count(*) FROM vault.secrets AS t",
    "SELECT last_value, is_called FROM public.counter",
    "SELECT pg_get_viewdef('public.everything'::regclass)",
    "SELECT proname FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'vault'::regnamespace) ORDER BY 1",
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_(temp|toast)' ORDER BY 1",
    "SELECT extname FROM pg_extension ORDER BY 1",
    "SELECT count(*) FROM pg_largeobject_metadata",
    "SELECT datname FROM pg_database WHERE datname LIKE '%planted%'",
    "SELECT rolname FROM pg_roles WHERE rolname LIKE '%planted%'",
    "SELECT setconfig FROM pg_db_role_setting ORDER BY 1",
    "SELECT name, setting FROM pg_settings WHERE name IN ('work_mem', 'default_transaction_read_only') ORDER BY 1",
    "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory' AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())",
)
_MARIADB_STATE = (
    "SELECT table_schema, table_name, table_type, create_time FROM information_schema.tables "
    "WHERE table_schema LIKE '{own}%' OR table_name LIKE '%planted%' ORDER BY 1, 2",
    "CHECKSUM TABLE t_people, shipments, payroll, {own}_vault.secrets",
    "SELECT next_not_cached_value FROM counter",
    "SHOW CREATE VIEW everything",
    "SELECT routine_schema, routine_name FROM information_schema.routines "
    "WHERE routine_schema LIKE '{own}%' OR routine_name LIKE '%planted%' ORDER BY 1, 2",
    "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE '%planted%'",
    "SELECT user FROM mysql.user WHERE user LIKE '%planted%'",
    "SELECT is_used_lock('planted')",
    "SELECT @@global.max_connections, @@global.sort_buffer_size, @@global.max_statement_time, @@global.read_only, "
    "@@global.event_scheduler, @@global.general_log, @@global.tx_read_only",
)


@dataclass
class ServerTarget(Target):
    """`ask` runs a statement on a connection of its own, which no attack has ever seen."""

    ask: Callable[[str], list[Any]]
    questions: tuple[str, ...]
    drop: Callable[[], object]

    def state(self) -> dict[str, Any]:
        """What the server knows of the database, and the files it could have written."""
        return super().state() | {question: self.ask(question) for question in self.questions}

    async def close(self) -> None:
        """Leave nothing behind."""
        await super().close()
        self.drop()
        shutil.rmtree(self.folder)


def postgres_target() -> ServerTarget:
    """A database of its own; skips the test where no PostgreSQL answers."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not attacked")
    url, name = make_url(POSTGRESQL), _new_name()

    def ask_in(database: str | None) -> Callable[[str], list[Any]]:
        def ask(sql: str) -> list[Any]:
            address = url.set(database=database).render_as_string(hide_password=False)
            with psycopg.connect(address, autocommit=True, connect_timeout=3) as connection:
                cursor = connection.execute(sql)
                return cursor.fetchall() if cursor.description else []

        return ask

    try:
        ask_in(url.database)(f"CREATE DATABASE {name}")
    except psycopg.OperationalError:
        pytest.skip(f"no PostgreSQL answers at {url.render_as_string()}, so it is not attacked")
    ask = ask_in(name)
    ask(f"{TABLES} CREATE SCHEMA vault; {vault_table('vault')} CREATE SEQUENCE counter; {_POSTGRES_WIPE}")
    return ServerTarget(
        engine=_engine(url.set(database=name)),
        own="public",
        vault="vault",
        folder=_shared_folder(),
        ask=ask,
        questions=_POSTGRES_STATE,
        drop=lambda: ask_in(url.database)(f"DROP DATABASE {name} WITH (FORCE)"),
    )


def mariadb_target() -> ServerTarget:
    """Two databases of its own; skips the test where no MariaDB answers."""
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed, so MariaDB is not attacked")
    url, own = make_url(MARIADB), _new_name()

    def ask(sql: str) -> list[Any]:
        connection = pymysql.connect(
            host=url.host, port=url.port or 3306, user=url.username, password=url.password or "", autocommit=True,
            connect_timeout=3, charset="utf8mb4",
        )  # fmt: skip
        with connection, connection.cursor() as cursor:
            if created:
                cursor.execute(f"USE {own}")
            cursor.execute(sql)
            return list(cursor.fetchall())

    created = False
    try:
        ask(f"CREATE DATABASE {own}")
    except pymysql.err.OperationalError:
        pytest.skip(f"no MariaDB answers at {url.render_as_string()}, so it is not attacked")
    created = True
    ask(f"CREATE DATABASE {own}_vault")
    for statement in f"{TABLES}{vault_table(f'{own}_vault')}CREATE SEQUENCE counter".split(";"):
        if statement.strip():
            ask(statement)
    ask(_MARIADB_WIPE)

    def drop() -> None:
        ask(f"DROP DATABASE {own}_vault")
        ask(f"DROP DATABASE {own}")

    return ServerTarget(
        engine=_engine(url.set(database=own)),
        own=own,
        vault=f"{own}_vault",
        folder=_shared_folder(),
        ask=ask,
        questions=tuple(question.replace("{own}", own) for question in _MARIADB_STATE),
        drop=drop,
    )


def _engine(url: URL) -> SQLAlchemyEngine:
    return SQLAlchemyEngine(url.render_as_string(hide_password=False), LIMITS)


def _new_name() -> str:
    return f"askwell_mutations_{uuid.uuid4().hex[:8]}"


def _shared_folder() -> Path:
    """A folder where a server, which is another user, may read and write."""
    folder = Path(tempfile.mkdtemp(prefix="askwell_mutations_"))
    folder.chmod(0o777)
    (folder / "notes.csv").write_text(f"note\n{CANARY}\n", encoding="utf-8")
    (folder / f"{CANARY}.txt").write_text(CANARY, encoding="utf-8")
    return folder
