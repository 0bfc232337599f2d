"""Queries that analysts write, which have to pass and to give the same rows after rendering."""

from __future__ import annotations

from tests.support.tables import case_table

_MADE: dict[str, list[str]] = {
    "duckdb": [
        "SELECT * FROM people WHERE id IN (" + ", ".join(map(str, range(1000))) + ")",
        "SELECT * FROM people WHERE " + " OR ".join(f"id = {i}" for i in range(300)),
        " UNION ALL ".join(f"SELECT {i} AS n FROM people" for i in range(100)),
    ],
}
LEGITIMATE: dict[str, list[str]] = {
    dialect: [*case_table(__file__, dialect), *_MADE.get(dialect, [])]
    for dialect in ("duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql")
}
