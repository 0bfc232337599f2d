"""What a query process needs of a database."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

Columns = list[tuple[str, str]]
"""Name and type name of each column, in order. A type may be empty until rows have been seen."""

Rows = Generator[tuple[Any, ...], None, None]
"""Rows as they are computed. Closing it lets go of whatever the query still holds."""


class Session(Protocol):
    """One database file. Every method opens it when need be and raises `Rejected` or `Unusable`.

    `tables`, where they are given, are the folded names of all that a statement may read.
    """

    def query(self, sql: str, timeout: float, tables: frozenset[str] | None) -> tuple[Columns, Rows]: ...

    def check(self, sql: str, timeout: float, tables: frozenset[str] | None) -> None: ...

    def functions(self) -> list[str]: ...

    def introspect(self) -> list[dict[str, Any]]: ...
