"""What saved SQL reads of today's model, and whether it works over it at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.binder import bind
from askwell.sql.guard import Guard, GuardRefusal
from askwell.sql.outcome import RejectedSql

# Statements that are kept read; a project shows the same ones again and again.
_KEPT = 2_000


def columns_reader(model: SemanticModel, dialect: str) -> Callable[[str], Mapping[str, frozenset[str]] | None]:
    """Gives the model's tables that a statement reads, each with the columns that it reads of it, or None for one that
    does not bind to the model, as when a table or a column of it is gone. One that is larger than a statement may be is
    not parsed. Remembers what it read (one takes about a millisecond); may be used on any thread."""
    guard = Guard(dialect)

    @lru_cache(maxsize=_KEPT)
    def columns_of(sql: str) -> Mapping[str, frozenset[str]] | None:
        read = guard.read(sql)
        if isinstance(read, GuardRefusal):
            return None
        try:
            bound = bind(read.tree, model, dialect)
        except (SqlglotError, RecursionError):
            return None
        return None if isinstance(bound, RejectedSql) else bound.columns

    return columns_of
