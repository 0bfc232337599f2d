"""SQLite inside a query process: one file, read-only, with an allow-list of what a statement may do, and a check that
SQLite would read for it what it was meant to read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from askwell.child_process import limits
from askwell.providers.engine.worker.database_file import FileSession, file_state, lock_holder
from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows, error_codes, in_its_words
from askwell.providers.engine.worker.session import Columns, Rows, Terms, fold, one_line, only_select, table_entry
from askwell.providers.engine.worker.sqlite_comments import comments_in

# Functions that stand where a table stands; what they give comes from their arguments.
_TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})


class Read(NamedTuple):
    """What SQLite asks its authorizer: a table, folded, by way of a view or CTE, or of none.

    Without `columns` none of its columns is read, only whether and how often it has rows; SQLite then asks for CTEs
    too, and no longer says which view it goes by.
    """

    table: str
    columns: bool
    via: str


def strange_reads(reads: Iterable[Read], behind: Iterable[Read], relations: Collection[str]) -> list[str]:
    """The tables among `reads` that have no business there.

    `behind` is what the bodies of the views read that may be read; `relations` are all the tables and views of the
    file, folded. A name that is not among them is a CTE, or a table function.
    """
    through = {(read.table, read.via) for read in behind if read.via}
    tables = {read.table for read in behind}
    strange = set()
    for read in reads:
        if read.table not in relations:
            fine = not read.columns or read.table in _TABLE_FUNCTIONS
        else:
            fine = (read.table, read.via) in through or (not read.columns and read.table in tables)
        if not fine:
            strange.add(read.table)
    return sorted(strange)


T = TypeVar("T")

_RECURSIVE = 33  # SQLITE_RECURSIVE, which the sqlite3 module has no name for in Python 3.11
_ALLOWED_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, _RECURSIVE})
_DENIED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "sqlite_log"})
_DENIED_TABLES = frozenset({"sqlite_dbpage", "dbstat", "sqlite_stmt", "completion", "bytecode", "tables_used"})

_BUSY_SECONDS = 1.0
_STEPS_BETWEEN_CLOCK_CHECKS = 20_000
_MAX_VALUE_BYTES = 20_000_000
_MAX_STATEMENT_BYTES = 2_000_000

# What of a view is looked at to see what it computes: so many rows, and seconds for all views.
_ROWS_FOR_TYPES = 50
_SECONDS_FOR_VIEWS = 3.0
# The type of a column by the storage classes of its values.
_TYPE_OF = {
    frozenset({"integer"}): "INTEGER",
    frozenset({"real"}): "REAL",
    frozenset({"integer", "real"}): "REAL",
    frozenset({"text"}): "TEXT",
    frozenset({"blob"}): "BLOB",
}


class SQLiteSession(FileSession):
    """A locked-down connection."""

    kinds = ("sqlite", "empty")

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._uri: str = settings["uri"]
        self._deadline = 0.0

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. SQLite has no result types, so they are left empty for the caller to observe."""
        self._deadline = time.monotonic() + terms.timeout
        connection = self._current_connection()
        if terms.tables is not None:
            self._check_reads(sql, terms.tables)
        cursor = self._guarded(sql, lambda: connection.execute(sql))
        if cursor.description is None:
            raise only_select()
        return [(column[0], "") for column in cursor.description], self._rows(sql, cursor)

    def check(self, sql: str, terms: Terms) -> None:
        """Compile `sql`, authorizer included, without running it."""
        self._deadline = time.monotonic() + terms.timeout
        if terms.tables is None:
            self._reads(sql)
        else:
            self._check_reads(sql, terms.tables)

    def functions(self) -> list[str]:
        """Lower-case names of the functions compiled into this SQLite."""
        return [row[0] for row in self._trusted("SELECT DISTINCT lower(name) FROM pragma_function_list")]

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views of this file, as `PhysicalTable` fields. A view that SQLite cannot compile, since a table
        that it reads is gone, has only its name, and why it is `unreadable`."""
        names = self._trusted(
            "SELECT name, type = 'view' FROM pragma_table_list "
            "WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "ORDER BY name"
        )
        # Views have neither keys nor links, and one that is broken fails whenever it is looked at.
        primary_keys = {name: [] if is_view else self._primary_key(name) for name, is_view in names}
        ends = time.monotonic() + _SECONDS_FOR_VIEWS
        return [self._view(name, ends) if is_view else self._table(name, primary_keys) for name, is_view in names]

    def _table(self, name: str, primary_keys: dict[str, list[str]]) -> dict[str, Any]:
        keys = {"primary_key": primary_keys[name], "foreign_keys": self._foreign_keys(name, primary_keys)}
        written = self._trusted("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", name)
        comments = comments_in(str(written[0][0] or "")) if written else {}
        columns = [[*column[:3], one_line(comments.get(fold(column[0])))] for column in self._columns(name)]
        return table_entry(name, None, False, columns, comments.get(None)) | keys

    def _view(self, name: str, ends: float) -> dict[str, Any]:
        try:
            return table_entry(name, None, True, self._view_columns(name, ends))
        except Rejected as rejected:
            return {"name": name, "unreadable": rejected.message}

    def _columns(self, table: str) -> list[list[Any]]:
        # hidden = 1 marks the hidden columns of virtual tables; 2 and 3 are generated columns, which people can select.
        rows = self._trusted('SELECT name, type, "notnull" FROM pragma_table_xinfo(?) WHERE hidden <> 1', table)
        return [[name, type_name, bool(not_null)] for name, type_name, not_null in rows]

    def _view_columns(self, view: str, ends: float) -> list[list[Any]]:
        """The columns of a view. SQLite knows no type of what a view computes: its first rows show it, while there is
        time."""
        columns = self._columns(view)
        untyped = [column for column in columns if not column[1]]
        if not untyped or time.monotonic() > ends:
            return columns
        kinds = ", ".join(f"typeof({_quoted(column[0])})" for column in untyped)
        sql = f"SELECT {kinds} FROM {_quoted(view)} LIMIT {_ROWS_FOR_TYPES}"
        connection = self._current_connection()
        self._deadline = ends
        try:
            rows = self._guarded(sql, lambda: connection.execute(sql).fetchall())
        except Rejected:
            return columns
        for number, column in enumerate(untyped):
            column[1] = _TYPE_OF.get(frozenset(row[number] for row in rows) - {"null"}, "")
        return columns

    def _primary_key(self, table: str) -> list[str]:
        return [
            row[0] for row in self._trusted("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
        ]

    def _foreign_keys(self, table: str, primary_keys: dict[str, list[str]]) -> list[list[Any]]:
        rows = self._trusted('SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', table)
        canonical = {name.lower(): name for name in primary_keys}
        keys: dict[int, list[Any]] = {}
        for number, to_table, column, to_column in rows:
            name = canonical.get(to_table.lower())
            if name is None:
                continue  # SQLite lets a foreign key name a table that does not exist
            key = keys.setdefault(number, [[], name, []])
            key[0].append(column)
            # Without named columns a foreign key refers to the other table's primary key.
            position = len(key[0]) - 1
            implied = primary_keys[name][position] if position < len(primary_keys[name]) else None
            key[2].append(to_column or implied)
        return [key for key in keys.values() if None not in key[2]]

    def _check_reads(self, sql: str, tables: frozenset[str]) -> None:
        """Refuse a statement that reads more than `tables`, as SQLite itself understands it."""
        others = {read for read in self._reads(sql) if read.table not in tables}
        if not others:
            return
        deadline = self._deadline
        objects = self._trusted("SELECT name, type = 'view' FROM sqlite_schema WHERE type IN ('table', 'view')")
        self._deadline = deadline
        own = {fold(name): bool(is_view) for name, is_view in objects}
        # What a view reads is compiled once more on its own, for nobody but the view's body may read that.
        views = [name for name in tables if own.get(name)]
        behind = {read for name in views for read in self._reads('SELECT * FROM "' + name.replace('"', '""') + '"')}
        strange = strange_reads(others, behind, own.keys())
        if strange:
            raise Rejected("error", f"The statement may not read {strange[0]}.")

    def _reads(self, sql: str) -> set[Read]:
        """What SQLite would read for `sql`, which is compiled and not run."""
        connection = self._current_connection()
        reads: set[Read] = set()

        def note(action: int, first: str | None, second: str | None, database: str | None, via: str | None) -> int:
            verdict = _authorize(action, first, second, database, via)
            if action == sqlite3.SQLITE_READ and verdict == sqlite3.SQLITE_OK:
                reads.add(Read(fold(first or ""), bool(second), fold(via or "")))
            return verdict

        connection.set_authorizer(note)
        try:
            self._guarded(sql, lambda: connection.execute("EXPLAIN " + sql).close())
        finally:
            connection.set_authorizer(_authorize)
        return reads

    def _trusted(self, sql: str, *parameters: str) -> list[tuple[Any, ...]]:
        """Our own catalogue queries, which need what the allow-list refuses."""
        self._deadline = float("inf")
        connection = self._current_connection()
        connection.set_authorizer(None)
        try:
            return self._guarded(sql, lambda: connection.execute(sql, parameters).fetchall())
        finally:
            connection.set_authorizer(_authorize)

    def _current_connection(self) -> sqlite3.Connection:
        state = file_state(self._path)
        connection: sqlite3.Connection = self._guarded("", lambda: self._connected((state.device, state.inode)))
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._uri, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)
        connection.text_factory = _readable_text
        # Sorting stays in memory, under the limit: a query process writes no files.
        for pragma in ("query_only=1", "trusted_schema=0", "cell_size_check=1", "temp_store=2", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MAX_STATEMENT_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 500)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VDBE_OP, 1_000_000)
        # These two are made when first used, by way of statements that nobody else may run.
        connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").close()
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(self._is_overdue, _STEPS_BETWEEN_CLOCK_CHECKS)
        limits.tighten_address_space(self._memory_mb)
        return connection

    def _is_overdue(self) -> bool:
        return time.monotonic() > self._deadline

    def _rows(self, sql: str, cursor: sqlite3.Cursor) -> Rows:
        try:
            while (row := self._guarded(sql, cursor.fetchone)) is not None:
                yield row
        finally:
            cursor.close()  # an unfinished cursor would keep writers out

    def _guarded(self, sql: str, action: Callable[[], T]) -> T:
        """Do `action`, and turn what the driver raises into the two outcomes the service knows."""
        try:
            return action()
        except sqlite3.Error as error:
            raise self._outcome_of(error, sql) from None
        except sqlite3.Warning:
            raise only_select() from None

    def _outcome_of(self, error: sqlite3.Error, sql: str) -> Rejected | Unusable:
        code = getattr(error, "sqlite_errorcode", None)
        primary = code & 0xFF if isinstance(code, int) else sqlite3.SQLITE_ERROR
        if primary == sqlite3.SQLITE_INTERRUPT:
            return Rejected("timeout", "The statement ran out of time.")
        if primary in (sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_FULL):
            return in_its_words("resources", str(error), Trouble.RESOURCES)
        for name, reason in error_codes("sqlite", "unusable").items():
            if primary == getattr(sqlite3, f"SQLITE_{name}"):
                return self._unusable(reason, str(error))
        return about_rows("error", str(error), sql, _trouble(error))

    def _unusable(self, reason: str, words: str) -> Unusable:
        if reason == "locked":
            return Unusable(reason, lock_holder(file_state(self._path)))
        self._close()
        return Unusable(reason, words)


def _trouble(error: sqlite3.Error) -> Trouble:
    return Trouble.NO_SUCH_NAME if str(error).startswith(("no such table", "no such column")) else Trouble.OTHER


def _readable_text(stored: bytes) -> str:
    """SQLite stores whatever bytes it was given as text; what is not UTF-8 is shown with replacement characters."""
    return stored.decode("utf-8", "replace")


def _authorize(action: int, first: str | None, second: str | None, database: str | None, via: str | None) -> int:
    """SQLite asks this for every thing that a statement would do; what is not on the list makes it fail to compile."""
    if action not in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _DENIED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ:
        table = (first or "").lower()
        if table.startswith(("sqlite_", "pragma_")) or table in _DENIED_TABLES:
            return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
