-- What is asked of the catalogue of MySQL and MariaDB.

-- There is no schema: the database is the connection's.
-- name: columns
SELECT NULL, t.table_name, t.table_type LIKE '%VIEW', c.column_name, c.column_type, c.is_nullable = 'NO',
  c.column_comment, CASE WHEN t.table_type LIKE '%VIEW' THEN '' ELSE t.table_comment END
FROM information_schema.tables t
LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE() ORDER BY t.table_name, c.ordinal_position

-- name: keys
SELECT table_name, constraint_name, referenced_table_name, column_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND (constraint_name = 'PRIMARY' OR referenced_table_schema = DATABASE())
ORDER BY table_name, constraint_name, ordinal_position

-- Those that the role may execute, in lower case.
-- name: stored_functions
SELECT DISTINCT lower(routine_name) FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'FUNCTION'

-- name: grants
SHOW GRANTS
