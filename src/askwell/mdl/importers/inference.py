"""Links between tables that a database does not declare, guessed from names and types.

A wrong link gives silently wrong answers, so only what has one reading is guessed, and the model says that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from askwell.mdl.names import singular, words
from askwell.mdl.types import comparable
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

# The last word of a column that holds another table's key.
_KEY_WORDS = frozenset({"id", "key", "code", "no", "nr", "number", "num", "fk", "uuid", "guid", "ref"})


@dataclass(frozen=True, slots=True)
class Link:
    """`columns` of `table` hold the values of `to_columns` of `to_table`. `reason` is set where the link is a guess."""

    table: PhysicalTable
    columns: tuple[str, ...]
    to_table: PhysicalTable
    to_columns: tuple[str, ...]
    reason: str = ""


def inferred_links(tables: Sequence[PhysicalTable], declared: Iterable[Link]) -> list[Link]:
    """Guessed links for columns that no declared link uses, from base tables to tables with a one-column key."""
    linked = {(link.table, column.lower()) for link in declared for column in link.columns}
    targets = [_Target(table, key) for table in tables if (key := _single_key(table)) is not None]
    return [
        link
        for table in tables
        if not table.is_view
        for column in table.columns
        if (table, column.name.lower()) not in linked and (link := _link(table, column, targets)) is not None
    ]


@dataclass(frozen=True, slots=True)
class _Target:
    """A table that can be referred to, by its one-column key."""

    table: PhysicalTable
    key: PhysicalColumn

    @property
    def stems(self) -> tuple[str, ...]:
        """The table's name as singular words."""
        return tuple(singular(word) for word in words(self.table.name))


def _single_key(table: PhysicalTable) -> PhysicalColumn | None:
    if len(table.primary_key) != 1:
        return None
    return next((column for column in table.columns if column.name.lower() == table.primary_key[0].lower()), None)


def _link(table: PhysicalTable, column: PhysicalColumn, targets: list[_Target]) -> Link | None:
    own_key = tuple(name.lower() for name in table.primary_key)
    if own_key == (column.name.lower(),):
        return None
    usable = [target for target in targets if comparable(column.type, target.key.type)]
    same_key = [target for target in usable if target.table != table and _is_same_key(column, target)]
    if len(same_key) == 1:
        reason = f"{column.name} has the name of the key of {same_key[0].table.name}"
        return _to(table, column, same_key[0], reason)
    named = [target for target in usable if _names(table, column, target)]
    longest = max((len(target.stems) for target in named), default=0)
    best = [target for target in named if len(target.stems) == longest]
    if len(best) == 1 and not same_key:
        return _to(table, column, best[0], f"{column.name} names {best[0].table.name}")
    return None


def _is_same_key(column: PhysicalColumn, target: _Target) -> bool:
    """`orders.customer_id` and `customers.customer_id`: a telling name (more than `id`) that is another table's key."""
    parts = words(column.name)
    return column.name.lower() == target.key.name.lower() and len(parts) > 1 and parts[-1] in _KEY_WORDS


def _names(table: PhysicalTable, column: PhysicalColumn, target: _Target) -> bool:
    """`customer_id`, `home_team_id` or `TeamKey` for tables `customers`, `team`, `Teams`."""
    parts = words(column.name)
    if len(parts) < 2 or parts[-1] not in _KEY_WORDS or words(target.key.name)[-1:] not in [(parts[-1],), ("id",)]:
        return False
    stem = tuple(singular(word) for word in parts[:-1])
    # A table's own `train_number` is no reference to itself, but `parent_train_number` is.
    longer = target.table != table or len(stem) > len(target.stems)
    return bool(target.stems) and longer and stem[-len(target.stems) :] == target.stems


def _to(table: PhysicalTable, column: PhysicalColumn, target: _Target, reason: str) -> Link:
    return Link(table, (column.name,), target.table, (target.key.name,), reason)
