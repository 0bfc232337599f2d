"""The interface of an engine: the database that a project's questions are answered from.

An engine only ever receives SQL that the guard has rendered. A statement that the database turns away is a
`QueryFailure` value; a database that cannot be used at all raises `EngineUnavailable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from askwell.child_process import pool


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Bounds on the query processes of one database.

    `pool_size`: how many may run at once. `memory_mb`: what one query may use in MiB; the process as a whole is held
    to about twice that. `threads`: DuckDB's workers inside one process. `idle_seconds`: how long an unused process
    keeps the file open. `byte_limit`: the largest result, in bytes of JSON.
    """

    pool_size: int = 2
    memory_mb: int = 512
    threads: int = 2
    idle_seconds: float = 15.0
    byte_limit: int = 8_000_000


DEFAULT_LIMITS = EngineLimits()


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its name as the database gives it, and the database's own type name. `unit` and a
    `heading` that says it are set where the model knows what the column shows."""

    name: str
    type: str
    unit: str | None = None
    heading: str | None = None

    def to_json(self) -> dict[str, str]:
        """`{name, type, heading?}`."""
        return {"name": self.name, "type": self.type} | ({"heading": self.heading} if self.heading else {})


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows that came back, JSON-ready: text, numbers, booleans, null, ISO 8601 text for dates and times, decimals as
    text, blobs as base64 text, lists and objects for nested values. `truncated` says that there were more rows."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """All rows of a result were handed over. `columns` and `truncated` are as in `QueryRows`."""

    columns: tuple[ResultColumn, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """The database turned the statement away (`error`), ran out of time (`timeout`) or out of its limits (`resources`).

    `message` is the database's own words about the statement, without paths or rows. `lacks` says what the database or
    its role lacks, where that is known: a table or column of that name, or the right to read one."""

    kind: Literal["error", "timeout", "resources"]
    message: str
    lacks: Literal["", "name", "right"] = ""


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """A column as the database declares it; `comment` is what it says of the column, in one line."""

    name: str
    type: str
    not_null: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the owning table refer to `to_columns` of `to_table`; `to_schema` is None for the owner's own."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]
    to_schema: str | None = None


@dataclass(frozen=True, slots=True)
class PhysicalTable:
    """A table or view as the database declares it; `comment` is what it says of the table, in one line."""

    name: str
    schema: str | None
    columns: tuple[PhysicalColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    is_view: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class PhysicalSchema:
    """What introspection finds. `is_listed` is False where the engine cannot list tables: then none says nothing.
    `unreadable` says of views that are left out why they cannot be read."""

    tables: tuple[PhysicalTable, ...] = field(default_factory=tuple)
    is_listed: bool = True
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoleRights:
    """What a role of a database may do that questions do not need: in words that fit after "the role", and functions
    that it may execute; and what the database defines beside reviewed names, in words that fit after "defines"."""

    beyond_reading: tuple[str, ...] = ()
    needless_functions: tuple[str, ...] = ()
    own_code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """On what terms a statement is run.

    `tables` are the names of all the tables and views of the database that the author of the statement meant to read,
    without a schema and with ASCII letters in lower case; None where that is not known. A statement that reads another
    one, as the engine itself understands it, is an `error`. What those views read counts as theirs. How sharply an
    engine sees that differs: DuckDB and SQLite to the name, PostgreSQL by its plan, in which a table behind one of
    those views may also be read directly; the other servers cannot tell, and rely on the guard.

    `timezone` is the IANA name of the zone in which values that are moments have days and hours, where the database has
    such values and lets a session say so.

    `hides_rows` says that the statement reads only some rows of a table: of the database's errors then nothing is told
    but a sentence of the engine's own about their kind, since whatever stands in their words may tell of a row.

    `role` is the role of the database that the statement is run, or proved, under, in place of the login's own rights;
    an engine whose database has none refuses the statement.
    """

    tables: frozenset[str] | None = None
    timezone: str = "UTC"
    hides_rows: bool = False
    role: str | None = None


ANY_TERMS = QueryTerms()

# The lower-case names of the functions that statements of a dialect may call. An engine whose database tells what a
# statement calls refuses others, whatever came before.
CallableFunctions = Callable[[str], frozenset[str]]


# More rows than come in any time that a statement has. PostgreSQL's FETCH takes one more, and no larger number.
ALL_ROWS = 2**31 - 2

# Takes the next rows of a result, each value as in `QueryRows`.
TakeRows = pool.TakeRows


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

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        """Prove that the engine accepts `sql` without running it (EXPLAIN or prepare). `timeout` in seconds."""
        ...

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows. `timeout` in seconds. Cancelling the call stops the query."""
        ...

    async def introspect(self) -> PhysicalSchema:
        """Tables, columns, keys and foreign keys, as the database declares them."""
        ...

    async def close(self) -> None:
        """Let go of files, connections and child processes. Safe to call twice."""
        ...


@runtime_checkable
class StreamingEngine(Protocol):
    """An engine that hands rows over as they come, so that a result may be larger than memory."""

    async def stream(
        self, sql: str, take: TakeRows, *, timeout: float, terms: QueryTerms = ANY_TERMS, row_limit: int = ALL_ROWS
    ) -> StreamEnd | QueryFailure:
        """Run `sql` and give at most `row_limit` rows to `take`, some at a time. `timeout` in seconds, for all of it.
        After a failure the rows that were given are not the whole result. Cancelling the call stops the query."""
        ...
