"""A DB-API over a SQLite file; every statement it is given is written down beside it."""

from __future__ import annotations

import sqlite3
from typing import Any

apilevel, threadsafety, paramstyle = "2.0", 1, "qmark"
sqlite_version_info = sqlite3.sqlite_version_info
Error, OperationalError, ProgrammingError = sqlite3.Error, sqlite3.OperationalError, sqlite3.ProgrammingError
DatabaseError, InterfaceError, IntegrityError = sqlite3.DatabaseError, sqlite3.InterfaceError, sqlite3.IntegrityError


class Cursor:
    def __init__(self, connection: Connection) -> None:
        self._log = connection.log
        self._cursor = connection.inner.cursor()

    def execute(self, sql: str, parameters: Any = None) -> None:
        if parameters is not None and not parameters and "%" in sql:
            raise ProgrammingError("parameters where there is no place for them")
        with open(self._log, "a") as log:
            log.write(sql + "\n")
        if sql.startswith("SET SESSION"):
            sql = "SELECT 1"
        elif sql.startswith("EXPLAIN (TYPE VALIDATE) "):
            sql = sql.replace("(TYPE VALIDATE) ", "", 1)
        elif sql == "SHOW FUNCTIONS":
            sql = "SELECT upper(name), 'scalar' FROM pragma_function_list"
        self._cursor.execute(sql, parameters or ())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


class Connection:
    def __init__(self, file: str) -> None:
        self.log = file + ".log"
        self.inner = sqlite3.connect(file)

    def cursor(self) -> Cursor:
        return Cursor(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def connect(file: str) -> Connection:
    if not file.endswith(".db"):
        raise OperationalError(f"no catalog {file} for user me, password hunter2")
    return Connection(file)
