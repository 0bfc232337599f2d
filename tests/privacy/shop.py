"""A shop whose every value is a word that stands nowhere else, and its model."""

from __future__ import annotations

import copy
import sqlite3
from pathlib import Path
from typing import Any

from tests.support.tables import case_table

_SCHEMA = case_table(__file__, "schema")
ROWS: dict[str, list[tuple[Any, ...]]] = case_table(__file__, "rows")


def make_shop(path: Path) -> Path:
    """Write the SQLite file and return its path."""
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(_SCHEMA)
        for table, rows in ROWS.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.close()
    return path


def manifest() -> dict[str, Any]:
    """The semantic model: the tables as they are, an enum, a calculated field and a view with values in their SQL."""
    return copy.deepcopy(case_table(__file__, "manifest"))
