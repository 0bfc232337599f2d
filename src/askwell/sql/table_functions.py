"""Functions that give rows, by dialect, as far as statements may select from them."""

from __future__ import annotations

# Untyped functions that may stand where a table stands, with the columns they give (None: depends on the call).
TABLE_FUNCTIONS: dict[str, dict[str, tuple[str, ...] | None]] = {
    "duckdb": {
        "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
        "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    },
    "sqlite": {
        "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
        "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    },
    "postgres": {
        "jsonb_array_elements": ("value",),
        "jsonb_array_elements_text": ("value",),
        "json_array_elements": ("value",),
        "json_array_elements_text": ("value",),
        "jsonb_each": ("key", "value"),
        "jsonb_each_text": ("key", "value"),
        "json_each": ("key", "value"),
        "json_each_text": ("key", "value"),
        "jsonb_object_keys": ("jsonb_object_keys",),
        "json_object_keys": ("json_object_keys",),
        "jsonb_to_record": None,
        "json_to_record": None,
        "jsonb_to_recordset": None,
        "json_to_recordset": None,
        "generate_subscripts": ("generate_subscripts",),
        "jsonb_path_query": ("jsonb_path_query",),
        "regexp_split_to_table": ("regexp_split_to_table",),
        "regexp_matches": ("regexp_matches",),
        "string_to_table": ("string_to_table",),
    },
    "mysql": {},
    "trino": {},
    "bigquery": {},
    "snowflake": {"split_to_table": ("seq", "index", "value"), "flatten": None},
    "tsql": {"string_split": ("value", "ordinal")},
}
