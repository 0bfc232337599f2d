-- What is asked of PostgreSQL's catalogue. `{schemas}` is the condition of that name.

-- Types that this database has of its own, whose arrays are lists of them; not those that every table has for its rows.
-- name: own_types
SELECT t.oid, t.typarray, format_type(t.oid, NULL)
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.oid >= 16384 AND t.typelem = 0 AND t.typarray <> 0 AND t.typtype IN ('b', 'c', 'd', 'e', 'm', 'r')
  AND (c.oid IS NULL OR c.relkind = 'c')
LIMIT 2000

-- The settings a person made say which schemas are meant; by default it is every schema that the role may use.
-- name: schemas
  n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
  AND ((SELECT source FROM pg_settings WHERE name = 'search_path') IN ('default', 'configuration file')
       OR n.nspname = ANY (current_schemas(false)))

-- Without the partitions of a table, and without what an extension brought along for itself. A domain is the type that
-- it is made of, at any depth; an enum is its values, in the spelling of MySQL.
-- name: columns
WITH RECURSIVE domains(oid, base, modifier) AS (
  SELECT oid, typbasetype, typtypmod FROM pg_type WHERE typtype = 'd'
  UNION ALL
  SELECT d.oid, t.typbasetype, t.typtypmod FROM domains d JOIN pg_type t ON t.oid = d.base AND t.typtype = 'd'),
bases AS (
  SELECT d.oid, d.base, d.modifier FROM domains d JOIN pg_type t ON t.oid = d.base AND t.typtype <> 'd'),
enums AS (
  SELECT enumtypid AS oid,
    string_agg('''' || replace(enumlabel, '''', '''''') || '''', ',' ORDER BY enumsortorder) AS labels
  FROM pg_enum GROUP BY enumtypid)
SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), a.attname,
  coalesce('enum(' || e.labels || ')', format_type(coalesce(b.base, a.atttypid), coalesce(b.modifier, a.atttypmod))),
  a.attnotnull, col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN bases b ON b.oid = a.atttypid
LEFT JOIN enums e ON e.oid = coalesce(b.base, a.atttypid)
WHERE {schemas} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY n.nspname, c.relname, a.attnum

-- A key of a partitioned table is declared once more for each partition; those have a parent.
-- name: keys
SELECT con.contype = 'p', n.nspname, c.relname, own.names, tn.nspname, tc.relname, other.names
FROM pg_constraint con
JOIN pg_class c ON c.oid = con.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class tc ON tc.oid = con.confrelid
LEFT JOIN pg_namespace tn ON tn.oid = tc.relnamespace
CROSS JOIN LATERAL (
  SELECT array_agg(a.attname::text ORDER BY k.position) AS names
  FROM unnest(con.conkey) WITH ORDINALITY AS k(number, position)
  JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = k.number) own
CROSS JOIN LATERAL (
  SELECT array_agg(a.attname::text ORDER BY k.position) AS names
  FROM unnest(con.confkey) WITH ORDINALITY AS k(number, position)
  JOIN pg_attribute a ON a.attrelid = con.confrelid AND a.attnum = k.number) other
WHERE {schemas} AND con.contype IN ('p', 'f') AND NOT c.relispartition AND con.conparentid = 0
ORDER BY n.nspname, c.relname, con.conname

-- Functions of the system and of extensions that the role may call, without the input and output of types and other
-- plumbing that no statement can call. Which of them a statement may call is the guard's to say.
-- name: functions
SELECT DISTINCT lower(p.proname)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind IN ('f', 'a', 'w') AND has_function_privilege(p.oid, 'EXECUTE')
  AND NOT EXISTS (
    SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) AS t(oid)
    WHERE t.oid IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype))
  AND (n.nspname = 'pg_catalog' OR EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))

-- What the role may do besides reading tables: a row for each kind, in words that fit after "the role". The first table
-- found is enough.
-- name: rights
SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
UNION ALL
SELECT 'may change data' WHERE EXISTS (
  SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
    AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
UNION ALL
SELECT 'may make tables and functions in the schema ' || min(nspname) FROM pg_namespace
WHERE nspname NOT LIKE 'pg\_%' AND has_schema_privilege(oid, 'CREATE') HAVING count(*) > 0
UNION ALL
SELECT 'may use files or programs of the server' WHERE EXISTS (
  SELECT FROM pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    AND pg_has_role(oid, 'MEMBER'))

-- Functions that everybody may execute by default and no question needs: they wait, lock, end sessions, run SQL from
-- text or write large objects. deploy/postgresql/revoke.sql revokes them. Those that the role may execute.
-- name: needless_functions
SELECT DISTINCT proname FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege(oid, 'EXECUTE') AND proname IN (
  'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_advisory_lock', 'pg_advisory_lock_shared',
  'pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared', 'pg_try_advisory_lock', 'pg_try_advisory_lock_shared',
  'pg_try_advisory_xact_lock', 'pg_try_advisory_xact_lock_shared', 'pg_cancel_backend', 'pg_terminate_backend',
  'pg_notify', 'pg_export_snapshot', 'pg_logical_emit_message', 'ts_stat', 'ts_rewrite', 'query_to_xml',
  'query_to_xmlschema', 'query_to_xml_and_xmlschema', 'cursor_to_xml', 'cursor_to_xmlschema', 'table_to_xml',
  'table_to_xmlschema', 'table_to_xml_and_xmlschema', 'schema_to_xml', 'schema_to_xmlschema',
  'schema_to_xml_and_xmlschema', 'database_to_xml', 'database_to_xmlschema', 'database_to_xml_and_xmlschema',
  'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_get', 'lo_lseek', 'lo_lseek64', 'lo_open', 'lo_put', 'lo_tell',
  'lo_tell64', 'lo_truncate', 'lo_truncate64', 'lo_unlink', 'loread', 'lowrite')
ORDER BY proname

-- Names (ASCII letters in lower case) of what views and partitioned tables of these names are made of, at any depth.
-- name: behind
WITH RECURSIVE behind(oid) AS (
  SELECT c.oid FROM pg_class c WHERE lower(c.relname COLLATE "C") = ANY (%s)
  UNION
  SELECT part.oid FROM behind CROSS JOIN LATERAL (
    SELECT d.refobjid AS oid FROM pg_rewrite r
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
    WHERE r.ev_class = behind.oid
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = behind.oid) part)
SELECT DISTINCT lower(c.relname COLLATE "C") FROM behind JOIN pg_class c USING (oid)

-- Views of these names, and tables that row-level policies apply to, as SQL writes them: what a plan may call functions
-- for that the statement does not name.
-- name: with_code
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE lower(c.relname COLLATE "C") = ANY (%s) AND (c.relkind = 'v' OR c.relrowsecurity)
  AND has_schema_privilege(n.oid, 'USAGE')
LIMIT 200

-- Visible code that neither came with the server nor belongs to an extension: kind, name (of a cast: its target), its
-- source, whether it applies by itself, and the folded names of the tables that hold the types that somebody made for it
-- (null: it may come up everywhere). Operators and casts over functions that built-in ones have too do nothing new.
-- 16384 is PostgreSQL's FirstNormalObjectId. An overload that the role may not execute does no harm; operators may be
-- tried while planning without that being looked at.
-- name: own_code
WITH RECURSIVE own_casts AS (
  SELECT c.oid, c.castsource, c.casttarget, c.castcontext FROM pg_cast c
  WHERE c.oid >= 16384 AND c.castfunc <> 0
    AND NOT EXISTS (SELECT FROM pg_cast b WHERE b.oid < 16384 AND b.castfunc = c.castfunc)
    AND NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = 'pg_cast'::regclass AND d.objid = c.oid AND d.deptype = 'e')),
reached(conversion, type) AS (
  SELECT c.oid, t.oid FROM own_casts c, unnest(ARRAY[c.castsource, c.casttarget]) AS t(oid) WHERE t.oid >= 16384
  UNION
  SELECT r.conversion, further.oid FROM reached r CROSS JOIN LATERAL (
    SELECT t.oid FROM pg_type t WHERE t.typelem = r.type OR t.typbasetype = r.type
    UNION ALL
    SELECT g.rngtypid FROM pg_range g WHERE g.rngsubtype = r.type
    UNION ALL
    SELECT c.reltype FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.atttypid = r.type AND a.attnum > 0 AND c.reltype <> 0) further)
SELECT DISTINCT 'function', p.proname::text, '', false, NULL::text[] FROM pg_proc p
WHERE p.pronamespace <> 'pg_catalog'::regnamespace AND p.prokind <> 'p' AND pg_function_is_visible(p.oid)
  AND has_function_privilege(p.oid, 'EXECUTE')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT DISTINCT 'operator', o.oprname::text, '', false, NULL::text[] FROM pg_operator o
WHERE o.oprnamespace <> 'pg_catalog'::regnamespace AND pg_operator_is_visible(o.oid)
  AND EXISTS (
    SELECT FROM pg_operator same WHERE same.oid IN (o.oid, o.oprcom, o.oprnegate) AND NOT EXISTS (
      SELECT FROM pg_operator b WHERE b.oprnamespace = 'pg_catalog'::regnamespace AND b.oprcode = same.oprcode))
  AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.deptype = 'e')
UNION ALL
SELECT 'cast', format_type(c.casttarget, NULL), format_type(c.castsource, NULL), c.castcontext = 'i',
  CASE WHEN greatest(c.castsource, c.casttarget) >= 16384 THEN ARRAY(
    SELECT lower(k.relname COLLATE "C") FROM reached r JOIN pg_class k ON k.reltype = r.type WHERE r.conversion = c.oid)
  END::text[]
FROM own_casts c
ORDER BY 1, 2, 3
