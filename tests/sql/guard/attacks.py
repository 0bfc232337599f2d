"""Statements that have to be refused, by dialect, with the rule (or rules) that may say so: those of `attacks.yaml`,
and long ones that are made here."""

from __future__ import annotations

from tests.support.tables import case_rows

_LONG: dict[str, list[tuple[str, str]]] = {
    "duckdb": [
        ("growth", "SELECT replace(replace(replace('aa', 'a', '{0}'), 'a', '{0}'), 'a', '{0}')".format("a" * 60)),
        ("too_deep", "SELECT " + "(" * 300 + "1" + ")" * 300),
        ("too_deep", "SELECT " + "NOT " * 3000 + "true"),
        ("too_deep", "SELECT " + "1+" * 500 + "1"),
        ("too_deep", "SELECT " + "[" * 300 + "1" + "]" * 300),
        ("too_large", "SELECT " + "1," * 15000 + "1"),
        ("too_deep", "SELECT " + "DATE(" * 40 + "1" + ")" * 40),
        ("too_deep", "SELECT " + "ARRAY[" * 40 + "1" + "]" * 40),
        ("too_deep", "SELECT " + "IF[" * 40 + "1" + "]" * 40),
        ("too_deep", "SELECT " + "a::STRUCT(b INT)[(" * 30 + "1" + ")]" * 30),
        ("growth", "SELECT " + "initcap(" * 20 + "name" + ")" * 20 + " FROM people"),
        ("growth", "SELECT " + "array_remove_at(" * 20 + "tags" + ", 1)" * 20 + " FROM shipments"),
        ("growth", "SELECT " + "ts_or_ds_to_date('a', " * 30 + "name" + ")" * 30 + " FROM people"),
    ],
    "tsql": [
        ("too_deep", "SELECT " + "CONVERT(" * 30 + "1" + ", INT)" * 30),
    ],
    "snowflake": [
        ("too_deep", "SELECT " + "DIV0NULL(" * 30 + "id" + ", 2)" * 30 + " FROM people"),
    ],
}
ATTACKS: dict[str, list[tuple[str, str]]] = {
    dialect: [*case_rows(__file__, dialect, "rules", "sql"), *_LONG.get(dialect, [])]
    for dialect in ("duckdb", "sqlite", "postgres", "mysql", "tsql", "snowflake", "bigquery", "trino")
}
