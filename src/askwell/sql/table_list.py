"""Which tables of a database models may name: what `tables` of a data source lists.

The list is about names. A view of the database that is listed may read whatever its owner has it read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from askwell.sql.guard.tables import CASELESS, effective_name, named_tables
from askwell.sql.names import fold

# Where a file's tables are that are named without a schema.
_OWN_SCHEMA = {"duckdb": "main", "sqlite": "main"}

Parts = tuple[str, ...]


class TableList:
    """The tables that `patterns` list: `orders`, `sales.orders` or `lake.sales.orders`, with `*` for all of a schema.

    A name is listed where a pattern has the same parts, compared as the database compares quoted names: a table without
    a schema is not the one with a schema, since only the database's search path could tell. `dialect` is sqlglot's name
    for its SQL.
    """

    def __init__(self, patterns: Iterable[str], dialect: str) -> None:
        self._dialect = dialect
        self._patterns = {self._key(pattern.split(".")): pattern for pattern in patterns}

    @property
    def patterns(self) -> tuple[str, ...]:
        """What it was made of."""
        return tuple(self._patterns.values())

    def has(self, parts: Iterable[str | None]) -> bool:
        """Whether the table with these parts of its name, exactly spelled, is listed. The outermost part comes first;
        None and empty text stand for one that is not there."""
        return bool(self._found(parts))

    def unused(self, tables: Iterable[Iterable[str | None]]) -> list[str]:
        """The patterns that none of these tables is listed by."""
        used = {key for parts in tables for key in self._found(parts)}
        return [pattern for key, pattern in self._patterns.items() if key not in used]

    def strange(self, tree: exp.Expr) -> Iterator[str]:
        """The tables that a statement over the database names and that are not listed, as they are written in it."""
        for table in named_tables(tree, self._dialect):
            parts = [table.args.get(key) for key in ("catalog", "db", "this")]
            names = [effective_name(part, self._dialect) if isinstance(part, exp.Identifier) else "" for part in parts]
            if not self.has(names):
                yield ".".join(part.name for part in parts if isinstance(part, exp.Expr))

    def _found(self, parts: Iterable[str | None]) -> Iterable[Parts]:
        names = [part or "" for part in parts]
        while names and not names[0]:
            names.pop(0)
        # `db..name` leaves the schema to the database; a dot inside of a name may separate two for it.
        if not names or not all(names) or any("." in name for name in names):
            return ()
        key = self._key(names)
        return self._patterns.keys() & {key, (*key[:-1], "*")}

    def _key(self, names: Iterable[str]) -> Parts:
        key = tuple(fold(name) if self._dialect in CASELESS else name for name in names)
        return key[1:] if len(key) == 2 and key[0] == _OWN_SCHEMA.get(self._dialect) else key
