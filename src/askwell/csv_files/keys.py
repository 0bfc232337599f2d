"""Which columns tell the rows of tables apart, by all of their values and by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import duckdb

from askwell.csv_files.words import word_set
from askwell.mdl.importers.imported import quoted
from askwell.mdl.names import singular, words

# Text that is longer, or has blanks in it, is a name or a sentence and no key.
_LONGEST_KEY = 40
_WHOLE_TYPES = ("BIGINT", "HUGEINT")
_KEY_TYPES = (*_WHOLE_TYPES, "VARCHAR")
_LIKE_CODES = r"[A-Z0-9][A-Z0-9_./-]*"
_MOST_PARTS = 6
_MOST_COLUMNS = 200
_FIRST_ROWS = 10_000
# Planning a query takes longer for each column the more it asks about.
_COLUMNS_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class _Column:
    """`is_unique` where every row has a value of its own, fit for a key; `is_code` where these are written like codes.
    `is_whole` are numbers without decimals."""

    name: str
    is_whole: bool
    is_unique: bool
    is_code: bool

    @property
    def has_key_word(self) -> bool:
        return _is_key_name(self.name)


_Tables = Mapping[str, Sequence[_Column]]


def find_keys(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, ...]]:
    """The key of each table of the database that has one: a column with values of its own that is called like a key,
    that other tables' columns are called like, or that comes first and holds codes; else two columns of which one
    counts within the other. Names of people and things are none."""
    tables = {name: _columns(connection, name) for (name,) in connection.execute("SHOW TABLES").fetchall()}
    keys: dict[str, tuple[str, ...]] = {}
    for table, columns in tables.items():
        ranked = [(rank, column.name) for column in columns if (rank := _rank(table, column, tables)) is not None]
        if ranked:
            keys[table] = (min(ranked, key=lambda one: one[0])[1],)
        elif numbered := next(_numbered(connection, table, columns), None):
            keys[table] = numbered
    return keys


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[_Column]:
    described = [(name, kind) for name, kind, *_ in connection.execute(f"DESCRIBE {quoted(table)}").fetchall()]
    fit = {name: kind for name, kind in described[:_MOST_COLUMNS] if kind in _KEY_TYPES}
    # Most columns repeat a value within the first rows, and need not be looked at as a whole.
    some = _facts(connection, f"{quoted(table)} LIMIT {_FIRST_ROWS}", list(fit))
    whole = _facts(connection, quoted(table), [name for name, (is_unique, _) in some.items() if is_unique])
    facts = some | whole
    return [_Column(name, kind in _WHOLE_TYPES, *facts[name]) for name, kind in fit.items()]


def _facts(connection: duckdb.DuckDBPyConnection, rows: str, names: Sequence[str]) -> dict[str, tuple[bool, bool]]:
    """Of each column whether its values are fit for a key, and whether they are written like codes."""
    facts: dict[str, tuple[bool, bool]] = {}
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        asked = ", ".join(expression for name in some for expression in _asked(quoted(name)))
        # Only these columns: a query over all of a wide table takes longer to plan than to run.
        own = ", ".join(map(quoted, some))
        found: Any = connection.execute(f"SELECT {asked} FROM (SELECT {own} FROM {rows})").fetchone()
        facts |= {name: (bool(found[2 * at]), found[2 * at + 1]) for at, name in enumerate(some)}
    return facts


def _asked(column: str) -> tuple[str, str]:
    own = f"{column}::VARCHAR"
    return (
        f"count(*) > 0 AND count(DISTINCT {column}) = count(*) "
        f"AND bool_and(length({own}) <= {_LONGEST_KEY} AND NOT regexp_matches({own}, '\\s'))",
        f"coalesce(bool_and(regexp_full_match({own}, '{_LIKE_CODES}')), false)",
    )


def _rank(table: str, column: _Column, tables: _Tables) -> int | None:
    """How likely the column is the table's key, 0 first; None where it is not."""
    if not column.is_unique:
        return None
    own = words(column.name)
    if column.has_key_word:
        if _subject(column.name) in ("", _whole(words(table))):
            return 0
        return None if _is_key_of_another(table, column, tables) else 1
    others = [one.name for name, columns in tables.items() if name != table for one in columns]
    is_first = tables[table][0] is column
    is_shared = any(words(other)[-len(own) :] == own for other in others if own)
    if is_shared and column.is_code and not column.is_whole:
        return 2
    return 3 if is_first and column.is_code and not column.is_whole else None


def _is_key_of_another(table: str, column: _Column, tables: _Tables) -> bool:
    """Whether the column refers to another table: that is called so, or there it comes first and here it does not."""
    is_first = tables[table][0] is column
    same = [
        (name, columns[0] is one)
        for name, columns in tables.items()
        for one in columns
        if name != table and one.is_unique and one.name.lower() == column.name.lower()
    ]
    return any(_subject(column.name) == _whole(words(name)) or (first and not is_first) for name, first in same)


def _subject(column: str) -> str:
    """What a column that is called like a key is the key of."""
    return _whole(words(column)[:-1])


def _whole(said: Sequence[str]) -> str:
    return "".join(map(singular, said))


def _numbered(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[_Column]
) -> Iterator[tuple[str, str]]:
    """Pairs of columns whose second counts 1, 2, 3 … within the first: lines of orders."""
    likely = [column for column in columns if column.has_key_word][:_MOST_PARTS]
    for of, number in permutations(likely, 2):
        if not number.is_whole:
            continue
        one, two = quoted(of.name), quoted(number.name)
        counts = f"count(*) = count(DISTINCT {two}) AND min({two}) = 1 AND max({two}) = count(*)"
        found: Any = connection.execute(
            f"SELECT coalesce(bool_and(counts), false) AND max(lines) > 1 AND count(*) > 1 AND count({one}) = count(*) "
            f"FROM (SELECT {one}, {counts} AS counts, count(*) AS lines FROM {quoted(table)} GROUP BY {one})"
        ).fetchone()
        if found[0]:
            yield of.name, number.name


def _is_key_name(name: str) -> bool:
    said = words(name)
    return bool(said) and said[-1] in word_set("key_words")
