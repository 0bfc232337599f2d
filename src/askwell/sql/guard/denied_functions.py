"""Functions of an engine's own catalogue that no statement may call, and why. Reviewed by hand, name by name.

What a catalogue has and this list does not is allowed, so the list errs on the long side: it also names functions that
are harmless today but show internals, and whole families by prefix.
"""

from __future__ import annotations

# A function in nobody's analytical query whose family does one of: read or write files, run SQL from text, show or
# change settings and sessions, touch locks, replication or large objects, dereference pointers.
DENIED_PREFIXES: tuple[str, ...] = (
    "__internal",  # DuckDB: unchecked internals
    "pg_",  # PostgreSQL administration, catalogue and files; DuckDB's imitation of it
    "read_",  # files and URLs
    "parquet_",
    "arrow_",  # raw pointers
    "pandas_",
    "python_",
    "duckdb_",  # catalogue, settings, secrets
    "pragma_",  # SQLite and DuckDB settings and catalogue
    "sqlite_",  # version, compile options, log
    "fts",  # full-text internals: fts3_tokenizer takes a pointer
    "rtree",
    "has_",  # privileges (has_table_privilege …)
    "lo_",  # PostgreSQL large objects, and through them files
    "dblink",
    "query_to_",
    "table_to_xml",
    "cursor_to_",
    "schema_to_",
    "database_to_",
    "inet_server_",
    "inet_client_",
    "txid_",
    "current_setting",
    "set_config",
    "sys_",
    "system$",
    "xp_",
    "sp_",
    "fn_",
    "suser_",
    "icu_collate_",
    "collate_",
    "json_execute",
    "json_serialize_",
    "json_deserialize_",
    "st_geomfromwkb",
)

DENIED: frozenset[str] = frozenset(
    """
    getenv getvariable in_search_path version user current_user session_user current_role current_catalog
    current_database current_schema current_schemas current_query current_query_id current_connection_id
    current_transaction_id connection_id database schema system_user host_name app_name
    original_login user_name db_name db_id object_id object_name object_definition schema_name serverproperty
    current_account current_session current_warehouse current_region current_statement last_query_id
    col_description obj_description shobj_description map_to_pg_oid format_pg_type
    get_ddl get_presigned_url get_stage_location get_absolute_path get_relative_path build_scoped_file_url
    build_stage_file_url row_count found_rows last_insert_id last_insert_rowid changes total_changes rows_affected
    stats vector_type index_key create_sort_key hive_partition_component get_block_size cast_to_type
    which_secret secret write_log parse_duckdb_log_message fsdir
    setseed setval nextval currval lastval next_value_for
    error assert_true raise raise_error raiserror
    sleep sleep_ms usleep benchmark get_lock release_lock release_all_locks is_free_lock is_used_lock
    master_pos_wait source_pos_wait wait_for_executed_gtid_set name_const
    query query_table execute eval sql_auto_complete ts_rewrite ts_stat crosstab connectby xpath_table
    external_query openrowset openquery opendatasource
    load_extension load_file readfile writefile edit randomblob zeroblob zipfile sqlar_compress sqlar_uncompress
    optimize matchinfo offsets snippet highlight bm25 match subtype
    bitstring bit_string to_aggregate_state finalize combine invoke combine_aggr
    constant_or_null remap_struct variant_to_parquet_variant variant_bytes_to_variant variant_comparator
    vertex_extract make_type get_type replace_type can_cast_implicitly alias
    loread lowrite encrypt decrypt pgp_sym_encrypt pgp_sym_decrypt aes_encrypt aes_decrypt des_encrypt
    xmlparse xpath updatexml extractvalue
    randstr
    """.split()  # noqa: SIM905 - a reviewed list reads better as words
)

# Reasons, for the message: the first family that holds the name.
_REASONS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset("sleep sleep_ms usleep benchmark get_lock master_pos_wait".split()), "it makes the database wait"),  # noqa: SIM905
    (frozenset("randomblob zeroblob bitstring bit_string".split()), "it makes values of any size"),  # noqa: SIM905
    (frozenset("load_extension load_file readfile writefile edit".split()), "it reaches files"),  # noqa: SIM905
    (frozenset("query query_table eval execute ts_rewrite".split()), "it runs SQL given as text"),  # noqa: SIM905
)


def denied_reason(name: str) -> str | None:
    """Why a function of this lower-case name is not allowed, or None if nothing is held against it."""
    if name in DENIED:
        return next((why for names, why in _REASONS if name in names), "it is on the reviewed list of denied functions")
    if name.startswith(DENIED_PREFIXES):
        return "its family reads files, settings, the catalogue or the server"
    return None
