"""The process that runs queries: a statement comes in, rows go out."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import closing
from functools import partial
from importlib import import_module
from typing import Any, cast

from askwell.child_process import limits
from askwell.child_process.child import Child, Request
from askwell.child_process.wire import pack_text
from askwell.providers.engine.worker.outcomes import Rejected, Unusable
from askwell.providers.engine.worker.session import NO_ROLES, ServerSession, Session, Terms
from askwell.providers.engine.worker.values import row_as_json

# Small enough to decode in a few milliseconds, large enough that most results are one frame.
_FRAME_CHARS = 128 * 1024

# By engine: the module of its session, which is imported by a process of that engine only, and its class.
_SESSIONS = {
    "duckdb": ("duckdb_session", "DuckDBSession"),
    "sqlite": ("sqlite_session", "SQLiteSession"),
    "postgres": ("postgres_session", "PostgresSession"),
    "mysql": ("mysql_session", "MySQLSession"),
    "sqlalchemy": ("sqlalchemy_session", "SQLAlchemySession"),
}

# Frames of rows, and the fields of the answer.
Frames = Generator[bytes, None, dict[str, Any]]


def main() -> None:
    """Open the session that the settings name, then serve until the pipe closes."""
    child = Child()
    limits.restrict_process()
    limits.loosen_address_space()
    settings = child.settings
    try:
        session = _open_session(settings)
    except ImportError:
        child.serve(lambda _: {"unusable": ["driver", ""]})
        return
    child.serve(
        partial(_answer, session, byte_limit=settings["byte_limit"]),
        cpu_factor=settings["threads"],
        afterwards=session.clean if isinstance(session, ServerSession) else lambda: None,
    )


def _open_session(settings: dict[str, Any]) -> Session:
    """Raises `ImportError` where the driver is there and cannot be loaded."""
    module, name = _SESSIONS[settings["engine"]]
    session: Session = getattr(import_module(f"{__package__}.{module}"), name)(settings)
    return _stopped_by_interrupt(session) if isinstance(session, ServerSession) else session


def _stopped_by_interrupt(session: ServerSession) -> ServerSession:
    """On SIGINT the server is told to stop the query, and this process leaves, in the middle of whatever it does."""

    def leave(_number: int, _frame: object) -> None:
        try:
            session.stop()
        finally:
            os._exit(0)

    signal.signal(signal.SIGINT, leave)
    return session


def _answer(session: Session, request: Request, byte_limit: int) -> Frames:
    try:
        match request["op"]:
            case "query":
                return (yield from _query(session, request, byte_limit))
            case "check":
                session.check(request["sql"], _terms(session, request))
                return {}
            case "functions":
                return {"value": session.functions()}
            case "introspect":
                return {"value": session.introspect()}
            case _:
                return {"value": cast(ServerSession, session).rights()}
    except Rejected as rejected:
        message = rejected.bare if request.get("hides_rows") else rejected.message
        return _failure(rejected.kind, message, rejected.lacks)
    except Unusable as unusable:
        return {"unusable": [unusable.reason, unusable.detail]}
    except (MemoryError, RecursionError):
        return _failure("resources", "The statement needs more memory than it may use.")
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        # Drivers raise these for text they cannot take and values they cannot convert.
        return _failure("error", f"The database's driver refused it ({type(error).__name__}).")


def _failure(kind: str, message: str, lacks: str = "") -> dict[str, Any]:
    # Out of resources, this process has its memory in pieces: the next query gets a new one.
    return {"failure": [kind, message, lacks], "last": kind == "resources"}


def _query(session: Session, request: Request, byte_limit: int) -> Frames:
    """Yield the rows in frames, within the row limit and the byte limit, which is one of each row where rows are
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
                yield _packed(pending)
                pending, pending_size = [], 0
    if pending:
        yield _packed(pending)
    described = [[name, type_name] for (name, _), type_name in zip(columns, types, strict=True)]
    return {"columns": described, "truncated": truncated}


def _packed(rows: list[str]) -> bytes:
    return pack_text('{"rows":[' + ",".join(rows) + "]}")


def _terms(session: Session, request: dict[str, Any]) -> Terms:
    tables, role = request["tables"], request["role"]
    if role is not None and not isinstance(session, ServerSession):
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
