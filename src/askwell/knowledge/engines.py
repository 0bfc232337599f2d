"""From `knowledge.url` to what the record is read and written through."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from askwell.errors import ConfigurationError
from askwell.knowledge.postgres import reading_engine, writing_engine

# Milliseconds a writer waits for another process that holds the file.
BUSY_TIMEOUT_MS = 5000


def record_url(url: str, home_file: str) -> URL:
    """The database address for a configured `knowledge.url`; `sqlite` alone means the file in the service's home."""
    if url == "sqlite":
        return URL.create("sqlite", database=home_file)
    try:
        return make_url(url)
    except ArgumentError as error:
        raise ConfigurationError(
            "knowledge.url is not a database address.",
            "Use `sqlite`, or `postgresql://user@host/database`.",
        ) from error


def record_engines(url: URL, readers: int, *, shared: bool = False) -> tuple[Engine, Engine]:
    """The engine for `readers` reads at once, and the one for a write, which `shared` processes have together. Connects
    to nothing; raises `ConfigurationError` for a database in which no record can be kept."""
    match url.get_backend_name():
        case "sqlite":
            engine = create_engine(url)
            _tune_sqlite(engine)
            return engine, engine
        case "postgresql":
            try:
                return reading_engine(url, readers), writing_engine(url, shared=shared)
            except (ModuleNotFoundError, NoSuchModuleError) as error:
                raise ConfigurationError(
                    "knowledge.url needs a database driver that is not installed (psycopg).",
                    "Install it with: pip install 'askwell[postgres]'",
                ) from error
        case other:
            raise ConfigurationError(
                f"knowledge.url: a record cannot be kept in {other}.",
                "Use `sqlite`, or `postgresql://…` for a record on a server.",
            )


def _lower(value: object) -> str | None:
    return None if value is None else str(value).lower()


def _tune_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver's guess
        # FULL: an accepted ask survives a power cut too. Groups of writes share the flush it costs.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_TIMEOUT_MS}"):
            connection.execute(f"PRAGMA {pragma}")
        # SQLite's own knows the letters of English alone.
        connection.create_function("lower", 1, _lower, deterministic=True)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # A writer takes the lock at once: upgrading a reader's snapshot fails whenever another process has written.
        writing = connection.get_execution_options().get("askwell_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
