"""What a query process needs of a database."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, runtime_checkable

from askwell.providers.engine.worker.outcomes import Unusable

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
class RoleSession(Protocol):
    """A session that heeds `Terms.role`."""

    def take_role(self, role: str) -> None:
        """Run what follows, until the end of the transaction or the next `clean`, under this role. Raises
        `Rejected`."""
        ...


@runtime_checkable
class ServerSession(Session, Protocol):
    """A database on a server, where killing this process does not stop a query."""

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


class NoSession:
    """In place of a session whose driver is there but cannot be loaded."""

    def query(self, sql: str, row_limit: int, terms: Terms) -> NoReturn:
        raise Unusable("driver")

    def check(self, sql: str, terms: Terms) -> NoReturn:
        raise Unusable("driver")

    def functions(self) -> NoReturn:
        raise Unusable("driver")

    def introspect(self) -> NoReturn:
        raise Unusable("driver")

    def rights(self) -> NoReturn:
        raise Unusable("driver")

    def take_role(self, role: str) -> NoReturn:
        raise Unusable("driver")

    def clean(self) -> None:
        pass

    def stop(self) -> None:
        pass
