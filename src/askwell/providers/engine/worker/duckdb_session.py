"""DuckDB inside a query process: one file, read-only, without access to anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import duckdb

from askwell.child_process import limits
from askwell.providers.engine.worker.database_file import FileSession, file_state
from askwell.providers.engine.worker.duckdb_exact import exact_query, with_infinity
from askwell.providers.engine.worker.outcomes import (
    Rejected,
    Trouble,
    Unusable,
    about_rows,
    in_its_words,
    statements,
    ways_of,
)
from askwell.providers.engine.worker.session import Columns, Rows, Terms, fold, only_select, physical_tables

_LOCK_HOLDER = re.compile(r"held in (?P<program>\S+)(?: \(PID (?P<pid>\d+)\))?")

# Errors that can only be about the text of the statement: their words name tables and columns, never values of rows.
# Not so what is not implemented: a time zone, say, that a row names.
_ABOUT_THE_TEXT = (
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.BinderException,
    duckdb.CatalogException,
)
# Errors that a value of a row may have brought about.
_ABOUT_VALUES = (duckdb.DataError, duckdb.InvalidInputException)
_TAIL = re.compile(r"^(Invalid Input Error: [^:]+: )(.*)$")

_NO_SUCH_NAME = re.compile(
    r"^(?:Catalog Error: Table with name|Binder Error: Referenced column|.* have a column named)"
)
_TROUBLES = (
    ((duckdb.ParserException, duckdb.SyntaxException), Trouble.SYNTAX),
    ((duckdb.BinderException, duckdb.CatalogException), Trouble.NAMES),
    (duckdb.NotImplementedException, Trouble.UNSUPPORTED),
    (duckdb.OutOfRangeException, Trouble.RANGE),
    ((duckdb.ConversionException, duckdb.InvalidInputException), Trouble.VALUE),
)

# After what happened comes advice for someone at a console, names of tables and columns that the asker may not know
# of, and a line of the planned statement, which nobody wrote.
_MORE_WORDS = re.compile(
    r"\s*\n\s*(Possible solutions|Database is launched|Unused blocks|For more info|Did you mean|"
    r"Candidate (?:bindings|tables)|LINE \d)"
)

_SQL = statements("duckdb.sql")
# What tells of the engine and its files, rather than of rows.
_TELLS = re.compile(
    r"\b(?:duckdb_\w|pragma_\w|sqlite_master|pg_catalog|information_schema)"
    r"|\b(?:current_setting|getenv|getvariable|which_secret|glob|query|query_table|(?:read|sniff|parquet)_\w+)\W*\(",
    re.IGNORECASE,
)

# DuckDB makes a type of the values first, in a statement of its own.
_OPEN_PIVOT = (
    "PIVOT has to list its values, as in ON city IN ('Rome', 'Oslo'). Or use GROUP BY, with an aggregate and FILTER "
    "for each value."
)


class DuckDBSession(FileSession):
    """A locked-down connection."""

    kinds = ("duckdb",)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._threads: int = settings["threads"]
        self._timezone = "UTC"
        # All that the database calls a table or view, its own catalogue included, folded.
        self._relations: frozenset[str] | None = None
        # Views that tell of the engine itself, folded.
        self._telling: frozenset[str] | None = None

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. Rows are computed while they are read, where the plan allows it."""
        connection = self._current_connection(terms.timezone)
        statement = _only_select(connection, sql)
        if terms.tables is not None:
            self._check_reads(connection, sql, terms.tables)
        described = _guarded(sql, lambda: connection.execute("DESCRIBE " + sql).fetchall())
        columns = [(name, type_name.strip('"')) for name, type_name, *_ in described]
        exact = exact_query(sql, columns)
        if exact is not None:
            try:
                _guarded(sql, lambda: _unless_about_it(connection, exact))
                return columns, _exact_rows(sql, connection, columns)
            except _NotSo:
                pass  # a type that cannot be converted so, or a value that the statement itself fails at
        _guarded(sql, lambda: connection.execute(statement))
        return columns, _rows(sql, connection)

    def check(self, sql: str, terms: Terms) -> None:
        """Bind and plan `sql` without running it."""
        connection = self._current_connection(terms.timezone)
        _only_select(connection, sql)
        if terms.tables is not None:
            self._check_reads(connection, sql, terms.tables)
        _guarded(sql, lambda: connection.execute("EXPLAIN " + sql).fetchall())

    def functions(self) -> list[str]:
        """Lower-case names of everything the catalogue calls a function, without the file's own macros."""
        return [row[0] for row in self._current_connection().execute(_SQL["functions"]).fetchall()]

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views of this file, as `PhysicalTable` fields."""
        connection = self._current_connection()
        telling = self._telling_views(connection)
        columns = [
            row for row in connection.execute(_SQL["columns"]).fetchall() if not (row[2] and fold(row[1]) in telling)
        ]
        return physical_tables(columns, connection.execute(_SQL["keys"]).fetchall())

    def _check_reads(self, connection: Any, sql: str, tables: frozenset[str]) -> None:
        """Refuse a statement in which DuckDB's own parser sees a table that is not one of `tables`.

        Wherever a name that the database has as a table or view stands, that table could be meant.
        """
        written = _guarded(sql, lambda: connection.execute(_SQL["parsed"], [sql]).fetchone()[0])
        named = set(_named_tables(json.loads(written)))
        if telling := sorted(named & self._telling_views(connection)):
            raise Rejected("error", f"The view {telling[0]} tells of the database engine itself and may not be read.")
        others = named - tables
        if not others:
            return
        if self._relations is None:
            self._relations = frozenset(fold(row[0]) for row in connection.execute(_SQL["relations"]).fetchall())
        strange = sorted(others & self._relations)
        if strange:
            raise Rejected("error", f"The statement may not read {strange[0]}.")

    def _telling_views(self, connection: Any) -> frozenset[str]:
        """Views that are made of what tells of the engine, also through other views and macros; the names of these
        macros as well."""
        if self._telling is None:
            written = {fold(name): str(sql) for name, sql in connection.execute(_SQL["written"]).fetchall()}
            telling = {name for name, sql in written.items() if _TELLS.search(sql)}
            before = -1
            while len(telling) > before:
                before = len(telling)
                words = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in telling) or r"(?!)", re.IGNORECASE)
                telling |= {name for name, sql in written.items() if words.search(sql)}
            self._telling = frozenset(telling)
        return self._telling

    def _current_connection(self, timezone: str | None = None) -> Any:
        """The open connection; without `timezone`, of whatever zone. Its settings are locked, so another zone needs
        another one."""
        self._timezone = timezone or self._timezone
        return self._connected((file_state(self._path), self._timezone))

    def _open(self) -> Any:
        self._relations = self._telling = None
        limits.loosen_address_space()
        try:
            connection = duckdb.connect(
                self._path,
                read_only=True,
                config={
                    **ways_of("duckdb")["config"],
                    "memory_limit": f"{self._memory_mb}MiB",
                    "threads": str(self._threads),
                },
            )
        except (duckdb.Error, MemoryError) as error:
            raise _unusable(error) from None
        try:
            connection.execute("SET TimeZone = ?", [self._timezone])
        except duckdb.NotImplementedException:
            connection.close()
            self._timezone = "UTC"  # for what is asked next in no zone
            raise Unusable("timezone") from None
        _look_up_own_names_first(connection)
        connection.execute("SET lock_configuration = true")
        # Twice the buffer limit: allocators fragment, and values being built are not in DuckDB's own account.
        limits.tighten_address_space(2 * self._memory_mb)
        return connection


def _look_up_own_names_first(connection: Any) -> None:
    """Have DuckDB find its own functions before macros of the file. Else a macro that is named like a function, or like
    what grammar is made of (`+`, LIKE's `~~`, `count_star`), would run in its place. Views keep their own order."""
    connection.execute("SET search_path = 'system.main'")
    schemas = [row[0] for row in connection.execute(_SQL["schemas"]).fetchall()]
    connection.execute("SET search_path = ?", [",".join(("system.main", *schemas))])


def _only_select(connection: Any, sql: str) -> Any:
    """The statement in `sql`, if it is one and reads. The guard has seen to it; this is the second lock."""
    statements = _guarded(sql, lambda: connection.extract_statements(sql))
    if len(statements) == 1 and statements[0].type == duckdb.StatementType.MULTI:
        raise Rejected("error", _OPEN_PIVOT)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise only_select()
    return statements[0]


def _rows(sql: str, connection: Any) -> Rows:
    try:
        while (row := _guarded(sql, connection.fetchone)) is not None:
            yield row
    finally:
        # Another statement is the only way to make DuckDB drop an unfinished result and what it holds in memory.
        connection.execute("SELECT 1")


def _exact_rows(sql: str, connection: Any, columns: Columns) -> Rows:
    with closing(_rows(sql, connection)) as rows:
        for row in rows:
            yield with_infinity(row, columns)


class _NotSo(Exception):
    """A statement does not run in the way that loses nothing: better the driver's reading than none."""


def _unless_about_it(connection: Any, exact: str) -> None:
    try:
        connection.execute(exact)
    except (*_ABOUT_THE_TEXT, *_ABOUT_VALUES, duckdb.NotImplementedException):
        raise _NotSo from None


def _guarded(sql: str, action: Any) -> Any:
    """Do `action`, and turn what the driver raises into the two outcomes the service knows."""
    try:
        return action()
    except duckdb.OutOfMemoryException as error:
        raise in_its_words("resources", _first_part(error), Trouble.RESOURCES) from None
    except _ABOUT_THE_TEXT as error:
        raise in_its_words("error", _first_part(error), _trouble(error)) from None
    except (duckdb.FatalException, duckdb.InternalException):
        raise Rejected("resources", "The database hit an internal error while running the statement.") from None
    except duckdb.IOException as error:
        raise _unusable(error) from None
    except duckdb.Error as error:
        if "orrupt" in str(error) and not isinstance(error, _ABOUT_VALUES):
            raise Unusable("corrupt") from None
        raise about_rows("error", _without_tail(error, sql), sql, _trouble(error)) from None
    except RecursionError:
        raise Rejected("resources", "The statement is nested too deeply.") from None


def _first_part(error: Exception) -> str:
    return " ".join(_MORE_WORDS.split(str(error))[0].split())


def _without_tail(error: Exception, sql: str) -> str:
    """The first line, without the value that may stand behind it, or behind its colon, with no quotes around it."""
    line = next(iter(str(error).splitlines()), "")
    return _TAIL.sub(lambda tail: tail[0] if tail[2] in sql else tail[1] + "…", line)


def _trouble(error: Exception) -> Trouble:
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)) and _NO_SUCH_NAME.search(str(error)):
        return Trouble.NO_SUCH_NAME
    return next((trouble for kind, trouble in _TROUBLES if isinstance(error, kind)), Trouble.OTHER)


def _unusable(error: BaseException) -> Unusable:
    """What a file error means. DuckDB has one exception for all of them, so its words have to tell."""
    words = str(error)
    if "lock on file" in words:
        holder = _LOCK_HOLDER.search(words)
        if holder is None:
            return Unusable("locked")
        process = holder["program"].rsplit("/", 1)[-1]
        return Unusable("locked", f"{process} (PID {holder['pid']})" if holder["pid"] else process)
    if "does not exist" in words or "No such file" in words:
        return Unusable("missing")
    if "Permission denied" in words:
        return Unusable("unreadable", "Permission denied")
    if "newer version" in words or "version number" in words:
        return Unusable("newer_version")
    if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
        return Unusable("out_of_memory")
    return Unusable("corrupt")


def _named_tables(parsed: dict[str, Any]) -> Iterator[str]:
    """Every name that stands where a table stands, as DuckDB's own parser reads the statement, folded, CTEs included;
    `parsed` is `json_serialize_sql`'s.

    Raises `Rejected` for what DuckDB cannot write down as one SELECT.
    """
    if parsed.get("error"):
        said = str(parsed.get("error_message", "Only a single SELECT statement can be run."))
        raise in_its_words("error", said, Trouble.SYNTAX)
    stack: list[Any] = [parsed]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            name = value.get("table_name")
            # Columns carry the name of their table in a list of names.
            if isinstance(name, str) and value.get("type") != "COLUMN_REF":
                yield fold(name)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
