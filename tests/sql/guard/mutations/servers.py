"""The same on PostgreSQL and MariaDB, as a user who may do everything there: the worst case."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.sql.guard.mutations.databases import CANARY, LIMITS, TABLES, Target, vault_table
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql

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
    """`server` answers on connections of its own, which no attack has ever seen."""

    server: ServerDatabase
    questions: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        """What the server knows of the database, and the files it could have written."""
        return super().state() | {question: self.server.ask(question) for question in self.questions}

    async def close(self) -> None:
        """Leave nothing behind."""
        await super().close()
        if self.vault != "vault":
            self.server.ask(f"DROP DATABASE {self.vault}")
        self.server.drop()
        shutil.rmtree(self.folder)


def postgres_target() -> ServerTarget:
    """A database of its own; skips the test where no PostgreSQL answers."""
    server = new_postgresql()
    server.ask(f"{TABLES} CREATE SCHEMA vault; {vault_table('vault')} CREATE SEQUENCE counter; {_POSTGRES_WIPE}")
    return _target(server, "public", "vault", _POSTGRES_STATE)


def mariadb_target() -> ServerTarget:
    """Two databases of its own; skips the test where no MariaDB answers."""
    server = new_mariadb()
    own, vault = server.name, f"{server.name}_vault"
    statements = f"CREATE DATABASE {vault};{TABLES}{vault_table(vault)}CREATE SEQUENCE counter".split(";")
    for statement in (*filter(str.strip, statements), _MARIADB_WIPE):
        server.ask(statement)
    return _target(server, own, vault, tuple(question.replace("{own}", own) for question in _MARIADB_STATE))


def _target(server: ServerDatabase, own: str, vault: str, questions: tuple[str, ...]) -> ServerTarget:
    return ServerTarget(
        engine=SQLAlchemyEngine(server.url, LIMITS),
        own=own,
        vault=vault,
        folder=_shared_folder(),
        server=server,
        questions=questions,
    )


def _shared_folder() -> Path:
    """A folder where a server, which is another user, may read and write."""
    folder = Path(tempfile.mkdtemp(prefix="askwell_mutations_"))
    folder.chmod(0o777)
    (folder / "notes.csv").write_text(f"note\n{CANARY}\n", encoding="utf-8")
    (folder / f"{CANARY}.txt").write_text(CANARY, encoding="utf-8")
    return folder
