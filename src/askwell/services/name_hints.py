"""What names suggest about keys and links that a database does not declare, too weak to be believed without a look at
the values: `customerid`, `aid` of authors, `state_name` in two tables.

What names alone are enough for is in `mdl.importers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askwell.mdl.names import singular, words
from askwell.mdl.types import TypeFamily, comparable, type_family
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

_ID = "id"
_KEY_WORDS = (_ID, "key", "code", "no", "nr", "number", "uuid", "guid", "name")
_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`column` of `table` may hold the key of `to_table`; `reason` says why, in words."""

    table: PhysicalTable
    column: PhysicalColumn
    to_table: PhysicalTable
    to_column: PhysicalColumn
    reason: str


def likely_keys(table: PhysicalTable, tables: Sequence[PhysicalTable]) -> list[PhysicalColumn]:
    """Columns that may be the table's key, best first: `id`, its own name with a word for a key (`customer_id` or
    `customerid` of customers and of raw_customers), its initial (`aid` of authors), or a name shared with other tables
    that is no other table's."""
    stems = _stems(table)
    others = {"".join(_stems(other)) for other in tables if other != table}
    shared = {column.name.lower() for other in tables if other != table for column in other.columns}
    own = ["".join(stems[start:]) for start in range(len(stems))]
    ranked: list[tuple[int, PhysicalColumn]] = []
    for column in table.columns:
        if type_family(column.type) not in _KEY_FAMILIES:
            continue
        subject, word = _parted(column.name)
        if not word:
            continue
        if not subject and word == _ID:
            rank = 0
        elif subject in own and (subject == own[0] or subject not in others):
            rank = 1 + _KEY_WORDS.index(word)
        elif word == _ID and subject == "".join(stem[0] for stem in stems):
            rank = 20
        elif len(words(column.name)) > 1 and column.name.lower() in shared and subject not in others:
            rank = 30
        else:
            continue
        ranked.append((rank, column))
    return [column for _, column in sorted(ranked, key=lambda pair: pair[0])]


def suggested_links(tables: Sequence[PhysicalTable], linked: set[tuple[PhysicalTable, str]]) -> Iterator[Suggestion]:
    """For columns of base tables that are not linked yet (`linked`: table and column name in lower case): the one table
    whose key they may hold."""
    keys = {table: key for table in tables if (key := _single_key(table)) is not None}
    for table in tables:
        own = {name.lower() for name in table.primary_key}
        for column in table.columns if not table.is_view else ():
            name = column.name.lower()
            if (table, name) in linked or own == {name}:
                continue
            near = [(target, reason) for target, key in keys.items() if (reason := _why(table, column, target, key))]
            telling = [pair for pair in near if _parted(column.name)[0] == "".join(_stems(pair[0]))]
            best = telling if len(telling) == 1 else near
            if len(best) == 1:
                target, reason = best[0]
                yield Suggestion(table, column, target, keys[target], reason)


def _why(table: PhysicalTable, column: PhysicalColumn, target: PhysicalTable, key: PhysicalColumn) -> str:
    if target == table or not comparable(column.type, key.type):
        return ""
    subject, word = _parted(column.name)
    if word and subject and column.name.lower() == key.name.lower():
        return f"{column.name} has the name of the key of {target.name}"
    named = "".join(_stems(target))
    if word == _ID and subject == named and _parted(key.name)[1] == _ID:
        return f"{column.name} names {target.name}"
    same_kind = type_family(column.type) == type_family(key.type) == TypeFamily.NUMBER
    return (
        f"{column.name} names {target.name}"
        if same_kind and "".join(map(singular, words(column.name))) == named
        else ""
    )


def _single_key(table: PhysicalTable) -> PhysicalColumn | None:
    if len(table.primary_key) != 1:
        return None
    return next((column for column in table.columns if column.name.lower() == table.primary_key[0].lower()), None)


def _parted(name: str) -> tuple[str, str]:
    """What a name is about, as singular words written together, and its word for a key; "" where there is none."""
    parts = words(name)
    if parts and parts[-1] in _KEY_WORDS:
        return "".join(map(singular, parts[:-1])), parts[-1]
    for word in (_ID, "key", "code") if len(parts) == 1 else ():
        if parts[0].endswith(word):
            return singular(parts[0].removesuffix(word)), word
    return "", ""


def _stems(table: PhysicalTable) -> tuple[str, ...]:
    return tuple(singular(word) for word in words(table.name)) or (table.name.lower(),)
