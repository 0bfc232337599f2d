"""What names suggest about keys and links that a database does not declare, too weak to be believed without a look at
the values: `customerid`, `aid` of authors, `state_name` in two tables.

What names alone are enough for is in `inference.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from askwell.mdl.importers.inference import single_key
from askwell.mdl.names import singular, words
from askwell.mdl.types import TypeFamily, comparable, type_family
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

_ID = "id"
_KEY_WORDS = (_ID, "key", "code", "no", "nr", "number", "uuid", "guid", "name")
# A key may be called so, and a column of another table too, without one having to do with the other.
_COMMON_NAMES = frozenset((*_KEY_WORDS, "date", "day", "month", "quarter", "year", "time", "title", "type", "status"))
_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`column` of `table` may hold the key of `to_table`; `reason` says why, in words."""

    table: PhysicalTable
    column: PhysicalColumn
    to_table: PhysicalTable
    to_column: PhysicalColumn
    reason: str


class KeyHints:
    """Which columns of a table may be its key, told by the names in all `tables`."""

    def __init__(self, tables: Sequence[PhysicalTable]) -> None:
        self._subjects = Counter("".join(_stems(table)) for table in tables)
        self._columns = Counter(name for table in tables for name in {column.name.lower() for column in table.columns})

    def likely_keys(self, table: PhysicalTable) -> list[PhysicalColumn]:
        """Columns of one of the tables that may be its key, best first: `id`, its own name with a word for a key
        (`customer_id` or `customerid` of customers and of raw_customers), its initial (`aid` of authors), or a name
        shared with other tables that is no other table's."""
        stems = _stems(table)
        ranked = [
            (rank, column)
            for column in table.columns
            if type_family(column.type) in _KEY_FAMILIES and (rank := self._rank(stems, column.name)) is not None
        ]
        return [column for _, column in sorted(ranked, key=lambda pair: pair[0])]

    def _rank(self, stems: tuple[str, ...], column: str) -> int | None:
        subject, word = _parted(column)
        if not word:
            return None
        own = ["".join(stems[start:]) for start in range(len(stems))]
        of_another = self._subjects[subject] > (1 if subject == own[0] else 0)
        if not subject and word == _ID:
            return 0
        if subject in own and (subject == own[0] or not of_another):
            return 1 + _KEY_WORDS.index(word)
        if word == _ID and subject == "".join(stem[0] for stem in stems):
            return 20
        if len(words(column)) > 1 and self._columns[column.lower()] > 1 and not of_another:
            return 30
        return None


class _Target:
    """A table with a key of one column, and the words of both."""

    def __init__(self, table: PhysicalTable, key: PhysicalColumn) -> None:
        self.table = table
        self.key = key
        self.subject = "".join(_stems(table))
        self.key_word = _parted(key.name)[1]


def suggested_links(tables: Sequence[PhysicalTable], linked: Mapping[PhysicalTable, Set[str]]) -> Iterator[Suggestion]:
    """For columns of base tables that are not linked yet (`linked`: their names in lower case, by table): the one table
    whose key they may hold."""
    targets = [_Target(table, key) for table in tables if (key := single_key(table)) is not None]
    # By key and by name: a thousand tables of twenty columns would be twenty million pairs to look at.
    near: dict[str, list[_Target]] = {}
    subjects = {"".join(_stems(table)) for table in tables}
    for target in targets:
        for name in {target.key.name.lower(), target.subject}:
            near.setdefault(name, []).append(target)
    for table in tables:
        own = {name.lower() for name in table.primary_key}
        taken = linked.get(table, frozenset())  # once a table: its hash looks at all columns
        for column in table.columns if not table.is_view else ():
            name = column.name.lower()
            if own == {name} or name in taken:
                continue
            subject = _parted(column.name)[0]
            names = {name, subject, "".join(map(singular, words(column.name)))}
            candidates = dict.fromkeys(target for one in names for target in near.get(one, ()))
            found = [(target, reason) for target in candidates if (reason := _why(table, column, target, subjects))]
            telling = [pair for pair in found if pair[0].subject == subject]
            best = telling if len(telling) == 1 else found
            if len(best) == 1:
                target, reason = best[0]
                yield Suggestion(table, column, target.table, target.key, reason)


def _why(table: PhysicalTable, column: PhysicalColumn, target: _Target, subjects: Set[str]) -> str:
    if target.table == table or not comparable(column.type, target.key.type):
        return ""
    subject, word = _parted(column.name)
    name = column.name.lower()
    called = "".join(map(singular, words(name)))
    of_others = any(other.startswith(called) for other in subjects - {target.subject})
    telling = bool(word and subject) or not (name in _COMMON_NAMES or of_others)
    if name == target.key.name.lower() and telling:
        return f"{column.name} has the name of the key of {target.table.name}"
    if word == _ID and subject == target.subject and target.key_word == _ID:
        return f"{column.name} names {target.table.name}"
    same_kind = type_family(column.type) == type_family(target.key.type) == TypeFamily.NUMBER
    return f"{column.name} names {target.table.name}" if same_kind and called == target.subject else ""


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
