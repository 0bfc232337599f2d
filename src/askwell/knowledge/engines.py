"""From `knowledge.url` to the engines that the record is read and written through.

On PostgreSQL a lock lets one service at a time write to it; with `shared` several processes have it together, and none
that wants it alone. The lock is an advisory one of the session, and every connection that may write takes it before
anything else. So there is nothing to watch: whoever can write has the lock, and a service whose connection broke gets
it back with the next one, unless another service was quicker. Where the server has not noticed that the connection
broke, the session that it still keeps is ended. It needs a session of its own: a pooler between may pool by
session only.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from askwell.errors import ConfigurationError
from askwell.messages import say

# Milliseconds a writer waits for another process that holds the file.
BUSY_TIMEOUT_MS = 5000


def record_url(url: str, home_file: str) -> URL:
    """The database address for a configured `knowledge.url`; `sqlite` alone means the file in the service's home."""
    if url == "sqlite":
        return URL.create("sqlite", database=home_file)
    try:
        return make_url(url)
    except ArgumentError as error:
        raise ConfigurationError(*say("record.address")) from error


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
                raise ConfigurationError(*say("record.driver_missing")) from error
        case other:
            raise ConfigurationError(*say("record.kind", other=other))


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


# Advisory locks are pairs of numbers, shared by all that use a database: ours begin with "askw".
_LOCK_CLASS = int.from_bytes(b"askw")
_LOCK_KEY = "hashtext('askwell record in ' || coalesce(current_schema(), ''))"
_TAKE = f"SELECT pg_try_advisory_lock({_LOCK_CLASS}, {_LOCK_KEY})"
_TAKE_SHARED = f"SELECT pg_try_advisory_lock_shared({_LOCK_CLASS}, {_LOCK_KEY})"
_HOLDER = f"""
SELECT coalesce(a.application_name, ''), pid, a.application_name = current_setting('application_name')
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = {_LOCK_CLASS}
  AND l.objid = ({_LOCK_KEY}::bigint & 4294967295)::oid
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# A server that does not answer within this many seconds is away.
_CONNECT_SECONDS = 5
# A peer that is gone without a word is noticed after about half a minute, by us and by the server: until the server
# has noticed, it keeps the lock for a service that lost its machine.
_IDLE_SECONDS, _PROBE_SECONDS, _PROBES = 15, 5, 3
_UNANSWERED_MS = 10_000
# A statement that takes longer waits for somebody else's lock; nothing of ours takes a second. Where the server or the
# URL sets a limit, that counts.
_LIMIT = """
SELECT set_config('statement_timeout', '30s', false) WHERE current_setting('statement_timeout') = '0'
"""
# What a session of ours that is told to end gets for it, and how often we look.
_END_SECONDS, _LOOK_SECONDS = 2.0, 0.02


class LockTaken(Exception):
    """Another service has the lock; `holder` says which one, as far as the server tells."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def reading_engine(url: URL, connections: int) -> Engine:
    """For what only reads. Connects with the first use."""
    usual: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        "keepalives_idle": _IDLE_SECONDS,
        "keepalives_interval": _PROBE_SECONDS,
        "keepalives_count": _PROBES,
        "tcp_user_timeout": _UNANSWERED_MS,
        "application_name": f"askwell {socket.gethostname()[:32]} {os.getpid()}",
    }
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={name: value for name, value in usual.items() if name not in url.query},
        json_serializer=_json,
        pool_pre_ping=True,
        pool_size=connections,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_LIMIT)
        connection.commit()

    return engine


def writing_engine(url: URL, *, shared: bool = False) -> Engine:
    """For what writes: one connection, which has the lock, `shared` with others who have it so, or alone. Raises
    `LockTaken` where another service has it otherwise."""
    engine = reading_engine(url, connections=1)
    former = 0

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, _: object, arguments: Any, parameters: Any) -> Any:
        nonlocal former
        connection = dialect.connect(*arguments, **parameters)
        try:
            former = _lock(connection, former, shared=shared)
        except BaseException:
            connection.close()
            raise
        return connection

    return engine


def _lock(connection: Any, former: int, *, shared: bool) -> int:
    """Take the lock, and tell the session that has it now. `former` is the one that we had it by before, or 0. Raises
    `LockTaken`."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET tcp_keepalives_idle = {_IDLE_SECONDS}")
        cursor.execute(f"SET tcp_keepalives_interval = {_PROBE_SECONDS}")
        cursor.execute(f"SET tcp_keepalives_count = {_PROBES}")
        taken = _is_true(cursor, _TAKE_SHARED if shared else _TAKE)
        if not taken:
            cursor.execute(_HOLDER)
            holder, session, ours = cursor.fetchone() or ("", 0, False)
            if shared or not (ours and session == former):
                raise LockTaken(holder)
            cursor.execute(f"SELECT pg_terminate_backend({session})")
            deadline = time.monotonic() + _END_SECONDS
            while not (taken := _is_true(cursor, _TAKE)) and time.monotonic() < deadline:
                time.sleep(_LOOK_SECONDS)
            if not taken:
                raise LockTaken(holder)
        cursor.execute("SELECT pg_backend_pid()")
        own: int = cursor.fetchone()[0]
    connection.commit()
    return own


def _is_true(cursor: Any, question: str) -> bool:
    cursor.execute(question)
    return bool(cursor.fetchone()[0])


def _json(value: object) -> str:
    """JSON that PostgreSQL can look into: what a model wrote may hold half a surrogate pair, and a row a NUL."""
    text = json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()
    return _NUL.sub(r"\1\\ufffd", text) if "\\u0000" in text else text


# Not where the backslash is itself escaped: then it is text about a NUL.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
