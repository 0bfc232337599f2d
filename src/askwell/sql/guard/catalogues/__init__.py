"""The functions that a statement may call, by dialect: each was looked at by somebody, name by name."""

from __future__ import annotations

from askwell.sql.guard.catalogues import bigquery, duckdb, mysql, postgres, snowflake, sqlite, trino, tsql

REVIEWED: dict[str, frozenset[str]] = {
    dialect: frozenset(module.NAMES.split())
    for dialect, module in (
        ("duckdb", duckdb),
        ("sqlite", sqlite),
        ("postgres", postgres),
        ("mysql", mysql),
        ("trino", trino),
        ("bigquery", bigquery),
        ("snowflake", snowflake),
        ("tsql", tsql),
    )
}
# Functions with a place before their name: place → names.
NAMESPACES: dict[str, dict[str, frozenset[str]]] = {
    "bigquery": {place: frozenset(names.split()) for place, names in bigquery.NAMESPACES.items()}
}
