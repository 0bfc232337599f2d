"""What the catalogue of MySQL and MariaDB says: tables with their keys, stored functions, and rights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TABLES = "SELECT table_name, table_type LIKE '%VIEW' FROM information_schema.tables WHERE table_schema = DATABASE()"

COLUMNS = """
SELECT table_name, column_name, column_type, is_nullable = 'NO' FROM information_schema.columns
WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position
"""

KEYS = """
SELECT table_name, constraint_name, column_name, referenced_table_schema = DATABASE(), referenced_table_name,
  referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND (constraint_name = 'PRIMARY' OR referenced_table_name IS NOT NULL)
ORDER BY table_name, constraint_name, ordinal_position
"""

# Those that the role may execute, in lower case.
STORED_FUNCTIONS = """
SELECT DISTINCT lower(routine_name) FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'FUNCTION'
"""

GRANTS = "SHOW GRANTS"

# Without ANSI_QUOTES and NO_BACKSLASH_ESCAPES, which our sessions do not have.
_PIECE = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`((?:[^`]|``)*)`|([\w$]+)|\s+|/\*.*?\*/|(?:\#|--\s)[^\n]*|.""",
    re.DOTALL,
)

_RIGHTS = (
    (
        re.compile(r"\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|INDEX|SUPER|GRANT OPTION|\w+_ADMIN)\b"),
        "may change data",
    ),
    (re.compile(r"\b(ALL PRIVILEGES|FILE)\b"), "may use files of the server"),
    (re.compile(r"\b(ALL PRIVILEGES|EXECUTE)\b"), "may execute stored functions"),
    (re.compile(r"\b(ALL PRIVILEGES|SUPER|CONNECTION ADMIN|CONNECTION_ADMIN)\b"), "may end the sessions of others"),
)


def physical_tables(
    tables: list[tuple[Any, ...]], columns: list[tuple[Any, ...]], keys: list[tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """Rows of the three queries as `PhysicalTable` fields. There is no schema: the database is the connection's."""
    found: dict[str, dict[str, Any]] = {
        name: {
            "name": name,
            "schema": None,
            "is_view": bool(is_view),
            "columns": [],
            "primary_key": [],
            "foreign_keys": [],
        }
        for name, is_view in sorted(tables)
    }
    for table, name, type_name, not_null in columns:
        if table in found:
            found[table]["columns"].append([name, type_name, bool(not_null)])
    foreign: dict[tuple[str, str], list[Any]] = {}
    for table, constraint, column, is_here, to_table, to_column in keys:
        if table not in found:
            continue
        if to_table is None:
            found[table]["primary_key"].append(column)
        elif is_here and to_table in found:
            key = foreign.setdefault((table, constraint), [[], to_table, [], None])
            key[0].append(column)
            key[2].append(to_column)
    for (table, _), key in foreign.items():
        found[table]["foreign_keys"].append(key)
    return list(found.values())


def called(sql: str) -> Iterator[str]:
    """Names in front of a bracket, in lower case, but for those that AS gives."""
    name = before = ""
    for piece in _PIECE.finditer(sql):
        if piece[0].isspace() or piece[0].startswith(("/*", "#", "--")):
            continue
        if piece[0] == "(" and name and before != "as":
            yield name
        before, name = name, (piece[1] or piece[2] or "").replace("``", "`").lower()


def rights(grants: list[str]) -> list[str]:
    """What the granted rights allow besides reading, in words that fit after "the role"."""
    granted = " ".join(grant.partition(" ON ")[0] for grant in grants).upper()
    return [words for pattern, words in _RIGHTS if pattern.search(granted)]
