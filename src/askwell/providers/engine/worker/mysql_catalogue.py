"""What the catalogue of MySQL and MariaDB says: tables with their keys, and rights."""

from __future__ import annotations

import re
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

GRANTS = "SHOW GRANTS"

_WRITING = re.compile(
    r"\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|INDEX|FILE|SUPER|GRANT OPTION|SYSTEM_VARIABLES_ADMIN)\b"
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


def rights(grants: list[str]) -> str:
    """What the granted rights allow besides reading, in words; empty for nothing."""
    granted = " ".join(grant.partition(" ON ")[0] for grant in grants)
    return "may change data" if _WRITING.search(granted.upper()) else ""
