"""What names suggest about keys that a database does not declare, too weak to be believed without a look at the values:
`customerid`, `aid` of authors, `state_name` in two tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from askwell.mdl.importers.inference import single_key
from askwell.mdl.link_tokens import column_prefix, shortens
from askwell.mdl.names import singular, words
from askwell.mdl.types import TypeFamily, type_family
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

_ID = "id"
_NAME = "name"
_KEY_WORDS = (_ID, "key", "code", "no", "nr", "number", "uuid", "guid", _NAME)
_AFTER_ALL = 40
_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)


class KeyHints:
    """Which columns of a table may be its key, told by the names in all `tables`."""

    def __init__(self, tables: Sequence[PhysicalTable]) -> None:
        self._subjects = Counter("".join(_stems(table)) for table in tables)
        self._columns = Counter(name for table in tables for name in {column.name.lower() for column in table.columns})
        self._declared = {key.name.lower() for table in tables if (key := single_key(table)) is not None}

    def likely_keys(self, table: PhysicalTable) -> list[PhysicalColumn]:
        """Columns of one of the tables that may be its key, best first: `id`, its own name with a word for a key
        (`customer_id` or `customerid` of customers and of raw_customers), its initial (`aid` of authors), or a name
        shared with other tables that is no other table's."""
        stems = _stems(table)
        prefix = column_prefix([column.name for column in table.columns])
        if singular(prefix) in self._subjects:  # columns that tell of another table
            prefix = ""
        ranked = []
        for column in table.columns:
            ranks = {self._rank(stems, column.name), self._rank_without(prefix, stems, column.name)} - {None}
            if ranks and type_family(column.type) in _KEY_FAMILIES:
                ranked.append((min(rank for rank in ranks if rank is not None), column))
        return [column for _, column in sorted(ranked, key=lambda pair: pair[0])]

    def _rank_without(self, prefix: str, stems: tuple[str, ...], column: str) -> int | None:
        """The rank of a name without the first word that most columns of its table share."""
        parts = words(column)
        if not prefix or len(parts) < 2 or parts[0] != prefix:
            return None
        subject, word = _parted("_".join(parts[1:]))
        return (
            1 + _KEY_WORDS.index(word)
            if word not in ("", _NAME) and not subject
            else self._rank(stems, "_".join(parts[1:]))
        )

    def _rank(self, stems: tuple[str, ...], column: str) -> int | None:
        subject, word = _parted(column)
        if not word:
            return None
        own = ["".join(stems[start:]) for start in range(len(stems))]
        of_another = self._subjects[subject] > (1 if subject == own[0] else 0)
        if not subject and word == _ID:
            return 0
        if subject in own and (subject == own[0] or not of_another):
            return 1 + _KEY_WORDS.index(word) + (_AFTER_ALL if word == _NAME else 0)
        if word == _ID and subject == "".join(stem[0] for stem in stems):
            return 20
        if word != _NAME and any(shortens(subject, stem) for stem in stems):
            return 25
        shared = self._columns[column.lower()] > 1 and column.lower() not in self._declared
        if subject and shared and not of_another:
            return 30
        return None


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
