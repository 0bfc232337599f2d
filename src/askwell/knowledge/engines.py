"""From `knowledge.url` to the engines that the record is read and written through.

On PostgreSQL a lock lets one service at a time write to it; with `shared` several processes have it together, and none
that wants it alone. The lock is an advisory one of the session, and every connection that may write takes it before
anything else. So there is nothing to watch: whoever can write has the lock, and a service whose connection broke gets
it back with the next one, unless another service was quicker. Where the server has not noticed that the connection
broke, the session that it still keeps is ended. It needs a session of its own: a pooler between may pool by
session only.

The folder that the record lies in, and the lock that lets one service at a time use it: two would take up the same
unfinished asks and answer each of them twice.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import socket
import sys
import time
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from askwell.errors import ConfigurationError, RecordUnavailable
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
# A statement that takes longer waits for someone else's lock; nothing of ours takes a second. Where the server or the
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


if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

LOCK_NAME = "service.lock"
# How long, and how often, someone who only looks at the lock is waited for.
_LOOKS = 1000
_LOCK_LOOK_SECONDS = 0.002


class HomeLock:
    """An advisory lock on a file in `home`. The operating system lets go of it when the process ends, however it ends;
    the file itself stays, because removing it would let two processes lock two files of one name."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, home: Path) -> Self:
        """Lock `home`, which is made when missing. Raises `RecordUnavailable` when another service has it. Where the
        system or the file system has no such locks, a line in the log has to do."""
        make_folder(home)
        if sys.platform == "win32":
            logger.warning("this system has no file locks: start no second service on the same home")
            return cls(None)
        try:
            descriptor = os.open(home / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise RecordUnavailable(*say("record.home_unusable", home=home, strerror=error.strerror)) from error
        try:
            _lock_file(descriptor)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise RecordUnavailable(*say("record.home_in_use", holder=holder, home=home)) from None
        except OSError as error:
            os.close(descriptor)
            logger.warning(
                "home cannot be locked: start no second service on it", extra={"reason": error.strerror, "home": home}
            )
            return cls(None)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return cls(descriptor)

    @staticmethod
    def holder(home: Path) -> str | None:
        """Who has `home` now, in words; None for nobody, or where that is not known. Makes nothing, and asks for a
        shared lock that it gives back at once."""
        if sys.platform == "win32":
            return None
        try:
            descriptor = os.open(home / LOCK_NAME, os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"a service{_holder(descriptor)}"
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return None

    def release(self) -> None:
        """Let others have the home. Safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock_file(descriptor: int) -> None:
    """Raises `BlockingIOError` when another service has the lock. Who only looks whether one has it, or tries to take
    it at the same time, is waited for."""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # cannot be had beside a service
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(_LOCK_LOOK_SECONDS)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(descriptor: int) -> str:
    """Who has the lock, for whoever wants to stop it: what that process wrote into the file."""
    written = os.pread(descriptor, 16, 0)
    return f" (process {written.decode()})" if written.isdigit() else ""


def make_folder(folder: Path) -> None:
    """Make `folder` and those above it. Raises `RecordUnavailable` where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordUnavailable(*say("record.folder", folder=folder, strerror=error.strerror)) from error


def make_private(file: Path) -> None:
    """Make an empty `file`, where there is none, that its owner alone may read: SQLite gives the same rights to those
    that it makes beside it. Where that cannot be done, opening it says why."""
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
