"""The door of an engine: the database that a project's questions are answered from.

An engine only ever receives SQL that the guard has rendered. A statement that the database turns away is a
`QueryFailure` value; a database that cannot be used at all raises `EngineUnavailable`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its name as the database gives it, and the database's own type name."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows that came back, JSON-ready: text, numbers, booleans, null, ISO 8601 text for dates and times, decimals as
    text, blobs as base64 text, lists and objects for nested values. `truncated` says that there were more rows."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """The database turned the statement away (`error`), ran out of time (`timeout`) or out of its limits (`resources`).

    `message` is the database's own words about the statement, without paths or rows."""

    kind: Literal["error", "timeout", "resources"]
    message: str


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """A column as the database declares it."""

    name: str
    type: str
    not_null: bool = False


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the owning table refer to `to_columns` of `to_table`; `to_schema` is None for the owner's own."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]
    to_schema: str | None = None


@dataclass(frozen=True, slots=True)
class PhysicalTable:
    """A table or view as the database declares it."""

    name: str
    schema: str | None
    columns: tuple[PhysicalColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class PhysicalSchema:
    """What introspection finds."""

    tables: tuple[PhysicalTable, ...] = field(default_factory=tuple)


class Engine(Protocol):
    """A read-only database. `dialect` is sqlglot's name for its SQL; `data_source` is the manifest's name for it."""

    @property
    def dialect(self) -> str: ...

    @property
    def data_source(self) -> str: ...

    async def functions(self) -> frozenset[str]:
        """Lower-case names of the functions the engine itself has; the guard takes its reviewed list from these.

        Empty where the database has no catalogue of them: then the guard's own list has to stand in.
        """
        ...

    async def dry_run(
        self, sql: str, *, timeout: float, tables: frozenset[str] | None = None, timezone: str = "UTC"
    ) -> QueryFailure | None:
        """Prove that the engine accepts `sql` without running it (EXPLAIN or prepare). `timeout` in seconds.

        `tables` and `timezone` as for `execute`.
        """
        ...

    async def execute(
        self,
        sql: str,
        *,
        row_limit: int,
        timeout: float,
        tables: frozenset[str] | None = None,
        timezone: str = "UTC",
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows. Cancelling the call stops the query itself.

        `timezone` is the IANA name of the zone in which values that are moments have days and hours, where the database
        has such values and lets a session say so.

        `tables` are the names of all the tables and views of the database that whoever wrote `sql` meant to read,
        without a schema and with ASCII letters in lower case; None where that is not known. A statement that reads
        another one, as the engine itself understands it, is an `error`. What those views read counts as theirs. How
        sharply an engine sees that differs: DuckDB and SQLite to the name, PostgreSQL by its plan, in which a table
        behind one of those views may also be read directly; the other servers cannot tell, and rely on the guard.
        """
        ...

    async def introspect(self) -> PhysicalSchema:
        """Tables, columns, keys and foreign keys, as the database declares them."""
        ...

    async def close(self) -> None:
        """Let go of files, connections and child processes. Safe to call twice."""
        ...
