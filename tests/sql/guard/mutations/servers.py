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
from tests.support.tables import case_table

_POSTGRES_WIPE = (
    "CREATE FUNCTION wipe() RETURNS bigint LANGUAGE sql AS "
    "'DELETE FROM public.shipments; DELETE FROM public.payroll; SELECT 1::bigint'"
)
_MARIADB_WIPE = "CREATE FUNCTION wipe() RETURNS INT BEGIN DELETE FROM shipments; DELETE FROM payroll; RETURN 1; END"

# What a server knows of a database, by question. Other tests use the same server: only what is ours, or is planted.
_POSTGRES_STATE = case_table(__file__, "postgres_state")
_MARIADB_STATE = case_table(__file__, "mariadb_state")


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
