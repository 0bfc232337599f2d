"""What a query process needs of a database, and what sessions have in common."""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from askwell.child_process import limits
from askwell.providers.engine.worker.outcomes import Rejected, Unusable

T = TypeVar("T")

Columns = list[tuple[str, str]]
"""Name and type name of each column, in order. A type may be empty until rows have been seen."""

Rights = tuple[list[str], list[str], list[str]]

Rows = Generator[tuple[Any, ...], None, None]
"""Rows as they are computed. Closing it lets go of whatever the query still holds."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a statement is run: for at most `timeout` seconds, in a session of the zone `timezone`, under the
    database's `role`, and reading nothing but `tables`, folded names, where they are given."""

    timeout: float
    timezone: str
    tables: frozenset[str] | None
    role: str | None = None


class Session(Protocol):
    """One database. Every method opens it when need be and raises `Rejected` or `Unusable`.

    No more than `row_limit` + 1 rows of a query will be taken.
    """

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]: ...

    def check(self, sql: str, terms: Terms) -> None: ...

    def functions(self) -> list[str]: ...

    def introspect(self) -> list[dict[str, Any]]: ...


@runtime_checkable
class ServerSession(Session, Protocol):
    """A database on a server, where killing this process does not stop a query. It heeds `Terms.role`."""

    def take_role(self, role: str) -> None:
        """Run what follows, until the end of the transaction or the next `clean`, under this role. Raises
        `Rejected`."""
        ...

    def rights(self) -> Rights:
        """What the role may do besides reading, in words that fit after "the role", and the functions that it may
        execute and no question needs; and what the database defines of its own that a statement could run unseen, in
        words that fit after "defines". Empty where that cannot be asked."""
        ...

    def clean(self) -> None:
        """Leave nothing of the last statement in the session, as far as the database has a way; raises nothing."""
        ...

    def stop(self) -> None:
        """Have the server stop what it is doing for us. Called from a signal handler; raises nothing."""
        ...


def fold(name: str) -> str:
    """Lower case for ASCII letters only: `str.lower` would take two different tables for one."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def only_select() -> Rejected:
    """Return the refusal of what is not one SELECT."""
    return Rejected("error", "Only a single SELECT statement can be run.")


_LONGEST_COMMENT = 500


def one_line(comment: Any) -> str:
    """A comment without line breaks and control characters, cut at a length that says enough."""
    text = "".join(one if one.isprintable() else " " for one in str(comment or "")[: 4 * _LONGEST_COMMENT])
    return " ".join(text.split())[:_LONGEST_COMMENT].rstrip()


def table_entry(
    name: str, schema: str | None, is_view: Any, columns: Iterable[Any] = (), comment: Any = ""
) -> dict[str, Any]:
    """The fields of a `PhysicalTable`, without keys so far."""
    return {
        "name": name,
        "schema": schema,
        "is_view": bool(is_view),
        "columns": list(columns),
        "comment": one_line(comment),
        "primary_key": [],
        "foreign_keys": [],
    }


def physical_tables(columns: Iterable[Sequence[Any]], keys: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """The fields of each `PhysicalTable`, from rows of a catalogue: of columns `(schema, table, is view, name, type,
    not null, comment, comment of the table)`, without a name where a table tells none; of keys `(is primary, schema,
    table, columns, schema, table and columns that they refer to)`, of which those to other tables than these are left
    out."""
    tables: dict[tuple[str | None, str], dict[str, Any]] = {}
    for schema, table, is_view, name, type_name, not_null, comment, of_table in columns:
        entry = tables.setdefault((schema, table), table_entry(table, schema, is_view, comment=of_table))
        if name is not None:
            entry["columns"].append([name, type_name, bool(not_null), one_line(comment)])
    for is_primary, schema, table, own, to_schema, to_table, to_columns in keys:
        if (schema, table) not in tables:
            continue
        entry = tables[schema, table]
        if is_primary:
            entry["primary_key"] = own
        elif (to_schema, to_table) in tables:
            entry["foreign_keys"].append([own, to_table, to_columns, to_schema if to_schema != schema else None])
    return list(tables.values())


# -- servers ----------------------------------------------------------------------------------------------------------

_CATALOGUE_SECONDS = 30.0
# For how long what is known of the database for a role counts, and of how many roles it is kept.
_KNOWN_SECONDS = 60.0
_MOST_ROLES = 100

NO_ROLES = "This kind of database has no roles, but you are set up with one."
# To the statements that take on a role these are no names: they bring back the rights of the login.
_NO_NAMES = frozenset({"none", "default", "all", "public"})
_MOST_CHARACTERS = 128


def quoted_role(role: str, quote: str) -> str:
    """The name of a role as an identifier between quotes of this kind. Raises `Rejected` for what names no role."""
    name = role.strip()
    if name != role or not name or len(name) > _MOST_CHARACTERS or "\0" in name or name.casefold() in _NO_NAMES:
        raise Rejected("error", "Your database role has a name that no role can have.")
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def not_taken() -> Rejected:
    """The database does not let the login take on the role."""
    return Rejected(
        "error",
        "The database does not let the service use your role. Grant the role to the service's login.",
    )


class DriverSession(ABC):
    """A connection that is opened when need be, and once more when the server has let go of it.

    Every statement runs in a transaction that is rolled back. `errors` are those of the driver about a connection.
    """

    errors: ClassVar[tuple[type[Exception], ...]]

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._memory_mb: int = settings["memory_mb"]
        self._connection: Any = None
        # By role, None for the login: another one may see and call more. With the moment until which it counts.
        self._known: dict[str | None, tuple[Any, float]] = {}

    @staticmethod
    @abstractmethod
    def outcome_of(error: Any, sql: str) -> Rejected | Unusable:
        """What an error that a statement met means."""

    @staticmethod
    @abstractmethod
    def connecting_trouble(error: Any) -> Unusable:
        """Why there is no connection."""

    @abstractmethod
    def _connect(self) -> Any:
        """A new connection with the settings of a session."""

    @abstractmethod
    def _start(self, connection: Any, timeout: float, timezone: str) -> None:
        """Begin a transaction in which a statement may take `timeout` seconds."""

    def _disconnect(self, connection: Any) -> None:
        """Close the connection."""
        connection.close()

    def take_role(self, role: str) -> None:
        """See `ServerSession`."""
        raise Rejected("error", NO_ROLES)

    def _guarded(self, sql: str, action: Callable[[], T]) -> T:
        """Do `action`, and turn what the driver raises into the two outcomes that the service knows."""
        try:
            return action()
        except self.errors as error:
            raise self.outcome_of(error, sql) from None

    @contextlib.contextmanager
    def _transaction(self, terms: Terms | None = None, *, keep: bool = False) -> Generator[Any, None, None]:
        """A connection in a fresh transaction on these terms, under their role; it is rolled back at the end, with
        `keep` only where it fails."""
        connection = self._begin(terms)
        try:
            if terms is not None and terms.role is not None:
                self.take_role(terms.role)
            yield connection
        except BaseException:
            self._roll_back()
            raise
        if not keep:
            self._roll_back()

    def _begin(self, terms: Terms | None) -> Any:
        timeout, timezone = (terms.timeout, terms.timezone) if terms else (_CATALOGUE_SECONDS, "UTC")
        deadline = time.monotonic() + timeout
        refusals: tuple[type[Exception], ...] = (*self.errors, RuntimeError, OSError)
        if self._connection is not None:
            try:
                self._start(self._connection, timeout, timezone)
                return self._connection
            except self.errors:
                self._drop()
        try:
            limits.loosen_address_space()
            self._connection = self._connect()
            # Twice what a query may use: a value stands in the driver's memory and in ours.
            limits.tighten_address_space(2 * self._memory_mb)
            self._start(self._connection, deadline - time.monotonic(), timezone)
            return self._connection
        except MemoryError:
            raise Unusable("out_of_memory") from None
        except ImportError:
            raise Unusable("driver") from None
        except refusals as error:
            self._drop()
            raise self.connecting_trouble(error) from None

    def _of_role(self, role: str | None, load: Callable[[], T]) -> T:
        """What `load` gives for a role, loaded again once a minute."""
        known = self._known.get(role)
        if known is None or known[1] < time.monotonic():
            value = self._guarded("", load)
            if len(self._known) >= _MOST_ROLES:
                self._known.clear()
            known = self._known[role] = value, time.monotonic() + _KNOWN_SECONDS
        return cast(T, known[0])

    def _roll_back(self) -> None:
        if self._connection is not None:
            try:
                self._connection.rollback()
            except self.errors:
                self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(*self.errors):
                self._disconnect(self._connection)
            self._connection = None
