"""How SQL dialects are called when one writes about them."""

from __future__ import annotations

_NAMES = {
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "trino": "Trino",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
    "tsql": "Microsoft SQL Server (T-SQL)",
}


def dialect_name(dialect: str) -> str:
    """The name people know a sqlglot dialect by; an unknown one is called as it is written, none is standard SQL."""
    return _NAMES.get(dialect, dialect or "standard SQL")
