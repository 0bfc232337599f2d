"""The loop of a query process: a request comes in, its answer goes out, until the service closes the pipe."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any, BinaryIO, cast

from askwell.providers.engine.wire import pack, pack_text, read_frame
from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker.outcomes import Rejected, Unusable
from askwell.providers.engine.worker.roles import NO_ROLES
from askwell.providers.engine.worker.session import NoSession, RoleSession, ServerSession, Session, Terms
from askwell.providers.engine.worker.values import row_as_json

# Small enough to decode in a few milliseconds, large enough that most results are one frame.
_FRAME_CHARS = 128 * 1024


def main() -> None:
    """Read the settings, then serve until the pipe closes."""
    requests, replies, settings = begin()
    limits.restrict_process()
    limits.loosen_address_space()
    session = _open_session(settings)
    while (request := read_frame(requests)) is not None:
        limits.allow_cpu_seconds((request["timeout"] + 1) * settings["threads"])
        _answer(session, request, settings["byte_limit"], lambda frame: write_all(replies, frame))
        if isinstance(session, ServerSession):
            session.clean()


def begin() -> tuple[BinaryIO, BinaryIO, dict[str, Any]]:
    """The pipes of a worker process, and the settings that come first; it dies with its parent from now on. Exits
    where the pipe closes before."""
    requests, replies = _take_over_pipes()
    settings = read_frame(requests)
    if settings is None:
        sys.exit()
    limits.die_with(settings["parent"])
    return requests, replies, settings


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol, and point 0 and 1 where stray prints do no harm."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies


def _open_session(settings: dict[str, Any]) -> Session:
    match settings["engine"]:
        case "duckdb":
            from askwell.providers.engine.worker.duckdb_session import DuckDBSession

            return DuckDBSession(settings["path"], settings["memory_mb"], settings["threads"])
        case "sqlite":
            from askwell.providers.engine.worker.sqlite_session import SQLiteSession

            return SQLiteSession(settings["path"], settings["uri"], settings["memory_mb"])
        case "postgres" | "mysql" | "sqlalchemy":
            return _stopped_by_interrupt(_open_server_session(settings))
        case unknown:
            sys.exit(f"unknown engine {unknown!r}")


def _open_server_session(settings: dict[str, Any]) -> ServerSession:
    memory_mb = settings["memory_mb"]
    functions = settings.get("functions")
    try:
        match settings["engine"]:
            case "postgres":
                from askwell.providers.engine.worker.postgres_session import PostgresSession

                return PostgresSession(
                    settings["connect"], memory_mb, None if functions is None else frozenset(functions)
                )
            case "mysql":
                from askwell.providers.engine.worker.mysql_session import MySQLSession

                return MySQLSession(settings["connect"], memory_mb, calls_stored=functions is None)
            case _:
                from askwell.providers.engine.worker.sqlalchemy_session import SQLAlchemySession

                return SQLAlchemySession(settings["url"], settings["vendor"], memory_mb)
    except ImportError:
        return NoSession()


def _stopped_by_interrupt(session: ServerSession) -> ServerSession:
    """On SIGINT the server is told to stop the query, and this process leaves, in the middle of whatever it does."""

    def leave(_number: int, _frame: object) -> None:
        try:
            session.stop()
        finally:
            os._exit(0)

    signal.signal(signal.SIGINT, leave)
    return session


def _answer(session: Session, request: dict[str, Any], byte_limit: int, send: Callable[[bytes], None]) -> None:
    try:
        match request["op"]:
            case "query":
                _query(session, request, byte_limit, send)
            case "check":
                session.check(request["sql"], _terms(session, request))
                send(pack({"end": True}))
            case "functions":
                send(pack({"value": session.functions(), "end": True}))
            case "introspect":
                send(pack({"value": session.introspect(), "end": True}))
            case "rights":
                send(pack({"value": cast(ServerSession, session).rights(), "end": True}))
    except Rejected as rejected:
        message = rejected.bare if request.get("hides_rows") else rejected.message
        send(pack({"failure": [rejected.kind, message, rejected.lacks], "end": True}))
    except Unusable as unusable:
        send(pack({"unusable": [unusable.reason, unusable.detail], "end": True}))
    except (MemoryError, RecursionError):
        send(pack({"failure": ["resources", "The statement needs more memory than it may use."], "end": True}))
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        # Drivers raise these for text they cannot take and values they cannot convert.
        send(pack({"failure": ["error", f"The database's driver refused it ({type(error).__name__})."], "end": True}))


def _query(session: Session, request: dict[str, Any], byte_limit: int, send: Callable[[bytes], None]) -> None:
    """Send the rows in frames, within the row limit and the byte limit, which is one of each row where rows are
    `streamed`: then nothing of them is kept."""
    streamed = request.get("streamed", False)
    columns, rows = session.query(request["sql"], request["row_limit"], _terms(session, request))
    types = [type_name for _, type_name in columns]
    untyped = "" in types
    pending: list[str] = []
    pending_size = total_size = count = 0
    truncated = False
    with closing(rows):
        for row in rows:
            if count == request["row_limit"]:
                truncated = True
                break
            text = row_as_json(row)
            total_size = len(text) + (0 if streamed else total_size)
            if total_size > byte_limit:
                if streamed or count == 0:
                    raise Rejected("resources", f"A single row is larger than the limit of {byte_limit} bytes.")
                truncated = True
                break
            count += 1
            if untyped:
                _observe_types(types, row)
            pending.append(text)
            pending_size += len(text)
            if pending_size > _FRAME_CHARS:
                send(pack_text('{"rows":[' + ",".join(pending) + "]}"))
                pending, pending_size = [], 0
    if pending:
        send(pack_text('{"rows":[' + ",".join(pending) + "]}"))
    described = [[name, type_name] for (name, _), type_name in zip(columns, types, strict=True)]
    send(pack({"columns": described, "truncated": truncated, "end": True}))


def _terms(session: Session, request: dict[str, Any]) -> Terms:
    tables, role = request["tables"], request["role"]
    if role is not None and not isinstance(session, RoleSession):
        raise Rejected("error", NO_ROLES)
    return Terms(request["timeout"], request["timezone"], None if tables is None else frozenset(tables), role)


def _observe_types(types: list[str], row: tuple[Any, ...]) -> None:
    """Name the type of columns the database itself has no type for (SQLite), by its five storage classes."""
    for index, value in enumerate(row):
        if value is not None and types[index] in ("", "INTEGER"):
            storage = _STORAGE_CLASSES.get(type(value), "")
            if types[index] == "" or storage == "REAL":
                types[index] = storage
        elif types[index] == "BLOB" and isinstance(value, str):
            types[index] = "ANY"  # or its texts would be taken for bytes, in base64


_STORAGE_CLASSES = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}


def write_all(stream: BinaryIO, frame: bytes) -> None:
    """Write a frame to the end, however little a pipe takes at once."""
    rest = memoryview(frame)
    while rest:
        rest = rest[stream.write(rest) :]
