"""Links between tables that a database does not declare, guessed from names and types.

A wrong link gives silently wrong answers, so only what has one reading is guessed, and the model says that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    return [readings[0] for readings in possible_links(tables, declared) if len(readings) == 1]


def possible_links(tables: Sequence[PhysicalTable], declared: Iterable[Link]) -> Iterator[tuple[Link, ...]]:
    """For each column of a base table that no declared link uses, the links that its name may mean, where there are
    any: several where several tables have such a key."""
    linked = {(_place(link.table), column.lower()) for link in declared for column in link.columns}
    targets = _Targets([_Target(table, key) for table in tables if (key := single_key(table)) is not None])
    for table in tables:
        for column in table.columns if not table.is_view else ():
            if (_place(table), column.name.lower()) not in linked and (links := _links(table, column, targets)):
                yield links


class _Target:
    """A table that can be referred to, by its one-column key. `stems` are its name as singular words."""

    def __init__(self, table: PhysicalTable, key: PhysicalColumn) -> None:
        self.table = table
        self.key = key
        self.key_word = words(key.name)[-1:]
        self.stems = tuple(singular(word) for word in words(table.name))


class _Targets:
    """Looked up by name: a thousand tables of twenty columns would be twenty million pairs to look at."""

    def __init__(self, targets: Iterable[_Target]) -> None:
        self._by_key: dict[str, list[_Target]] = {}
        self._by_stems: dict[tuple[str, ...], list[_Target]] = {}
        for target in targets:
            self._by_key.setdefault(target.key.name.lower(), []).append(target)
            self._by_stems.setdefault(target.stems, []).append(target)

    def with_key(self, name: str) -> list[_Target]:
        return self._by_key.get(name.lower(), [])

    def named_at_the_end_of(self, stem: tuple[str, ...]) -> list[_Target]:
        return [target for start in range(len(stem)) for target in self._by_stems.get(stem[start:], ())]


def _place(table: PhysicalTable) -> tuple[str | None, str]:
    return table.schema, table.name


def single_key(table: PhysicalTable) -> PhysicalColumn | None:
    """The column that is the table's key on its own."""
    if len(table.primary_key) != 1:
        return None
    return next((column for column in table.columns if column.name.lower() == table.primary_key[0].lower()), None)


def _links(table: PhysicalTable, column: PhysicalColumn, targets: _Targets) -> tuple[Link, ...]:
    own_key = tuple(name.lower() for name in table.primary_key)
    parts = words(column.name)
    if own_key == (column.name.lower(),) or len(parts) < 2 or parts[-1] not in _KEY_WORDS:
        return ()
    # `orders.customer_id` and `customers.customer_id`: a telling name (more than `id`) that is another table's key.
    same_key = [
        target
        for target in targets.with_key(column.name)
        if _place(target.table) != _place(table) and comparable(column.type, target.key.type)
    ]
    if same_key:
        reason = f"{column.name} has the name of the key of"
        return tuple(_to(table, column, target, f"{reason} {target.table.name}") for target in same_key)
    named = _named(table, column, parts, targets)
    longest = max((len(target.stems) for target in named), default=0)
    best = [target for target in named if len(target.stems) == longest]
    return tuple(_to(table, column, target, f"{column.name} names {target.table.name}") for target in best)


def _named(table: PhysicalTable, column: PhysicalColumn, parts: tuple[str, ...], targets: _Targets) -> list[_Target]:
    """`customer_id`, `home_team_id` or `TeamKey` for tables `customers`, `team`, `Teams`."""
    stem = tuple(singular(word) for word in parts[:-1])
    return [
        target
        for target in targets.named_at_the_end_of(stem)
        if target.key_word in [(parts[-1],), ("id",)]
        # A table's own `train_number` is no reference to itself, but `parent_train_number` is.
        and (_place(target.table) != _place(table) or len(stem) > len(target.stems))
        and comparable(column.type, target.key.type)
    ]


def _to(table: PhysicalTable, column: PhysicalColumn, target: _Target, reason: str) -> Link:
    return Link(table, (column.name,), target.table, (target.key.name,), reason)
