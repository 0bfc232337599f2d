-- What is asked of DuckDB's catalogue.

-- name: functions
SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal

-- name: parsed
SELECT json_serialize_sql(?, skip_null := true, skip_empty := true, skip_default := true)

-- name: relations
SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()

-- What views and macros of the file are made of. Macros count, since views may call them.
-- name: written
SELECT view_name, sql FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal

-- name: schemas
SELECT '"' || replace(database_name, '"', '""') || '"."' || replace(schema_name, '"', '""') || '"'
FROM duckdb_schemas() WHERE database_name NOT IN ('system', 'temp') ORDER BY schema_name <> 'main', schema_name

-- name: columns
SELECT c.schema_name, c.table_name, v.view_name IS NOT NULL, c.column_name, c.data_type, NOT c.is_nullable,
  c.comment, coalesce(v.comment, t.comment)
FROM duckdb_columns() c
LEFT JOIN duckdb_tables() t ON t.database_name = c.database_name AND t.schema_name = c.schema_name
  AND t.table_name = c.table_name
LEFT JOIN duckdb_views() v ON v.database_name = c.database_name AND v.schema_name = c.schema_name
  AND v.view_name = c.table_name
WHERE NOT c.internal
ORDER BY c.schema_name, c.table_name, c.column_index

-- name: keys
SELECT constraint_type = 'PRIMARY KEY', schema_name, table_name, constraint_column_names,
  schema_name, referenced_table, referenced_column_names
FROM duckdb_constraints()
WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
ORDER BY schema_name, table_name, constraint_index
