"""The data sources a manifest may name, and sqlglot's name for the SQL of each."""

from __future__ import annotations

_SAME_NAMES = (
    "DUCKDB SQLITE POSTGRES MYSQL BIGQUERY SNOWFLAKE TRINO CLICKHOUSE REDSHIFT DATABRICKS SPARK ATHENA ORACLE DORIS"
)
SQL_DIALECTS: dict[str, str] = {
    **{name: name.lower() for name in _SAME_NAMES.split()},
    "MSSQL": "tsql",
    # The file formats and object stores are read by DuckDB.
    **dict.fromkeys(("LOCAL_FILE", "S3_FILE", "GCS_FILE", "MINIO_FILE"), "duckdb"),
}

_OTHER_SPELLINGS = {"POSTGRESQL": "POSTGRES", "MARIADB": "MYSQL", "SQLSERVER": "MSSQL", "TSQL": "MSSQL"}


def data_source_name(written: str) -> str:
    """The upper-case name we use for a data source in any spelling; unknown names come back in upper case."""
    name = written.strip().upper()
    return _OTHER_SPELLINGS.get(name, name)


def sql_dialect(data_source: str | None) -> str:
    """sqlglot's dialect for a data source; an unknown or absent one reads as DuckDB, whose SQL is the widest."""
    return SQL_DIALECTS.get(data_source_name(data_source or ""), "duckdb")


def same_engine(left: str, right: str) -> bool:
    """Whether two data sources are answered by the same kind of engine."""
    return left == right or (left in SQL_DIALECTS and SQL_DIALECTS[left] == SQL_DIALECTS.get(right))
