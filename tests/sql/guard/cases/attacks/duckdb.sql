SELECT * FROM read_csv_auto(['a.csv', 'b.csv'])
SELECT * FROM READ_PARQUET('x.parquet', hive_partitioning => true)
SELECT * FROM read_ndjson('x')
SELECT * FROM read_json_objects('x')
SELECT * FROM read_ndjson_objects_auto('x')
SELECT * FROM read_xlsx('x.xlsx')
SELECT * FROM st_read('x.shp')
SELECT * FROM ST_ReadOSM('x.pbf')
SELECT * FROM st_drivers()
SELECT * FROM sqlite_scan('x.db', 'orders')
SELECT * FROM postgres_scan('host=x', 'public', 't')
SELECT * FROM postgres_query('db', 'SELECT 1')
SELECT * FROM mysql_query('db', 'SELECT 1')
SELECT * FROM iceberg_scan('s3://x')
SELECT * FROM delta_scan('s3://x')
SELECT * FROM parquet_schema('x.parquet')
SELECT * FROM parquet_file_metadata('x.parquet')
SELECT * FROM parquet_kv_metadata('x')
SELECT * FROM parquet_bloom_probe('x', 'a', 1)
SELECT * FROM read_avro('x')
SELECT * FROM read_duckdb('x.db')
SELECT * FROM duckdb_logs()
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_extensions()
SELECT * FROM duckdb_memory()
SELECT * FROM duckdb_temporary_files()
SELECT * FROM duckdb_views
SELECT * FROM duckdb_constraints()
SELECT * FROM pragma_database_size()
SELECT * FROM pragma_storage_info('payroll')
SELECT * FROM pragma_user_agent()
SELECT * FROM pragma_platform()
SELECT * FROM pragma_show('payroll')
SELECT * FROM show_tables
SELECT * FROM information_schema.tables
SELECT * FROM "information_schema"."columns"
SELECT table_name FROM memory.information_schema.tables
SELECT * FROM pg_tables
SELECT * FROM pg_class
SELECT * FROM pg_settings
SELECT * FROM main.duckdb_tables
SELECT * FROM sqlite_schema
SELECT * FROM main.sqlite_master
SELECT * FROM sqlite_temp_master
SELECT * FROM memory.payroll
SELECT * FROM memory.main.payroll
SELECT * FROM "main"."payroll"
SELECT * FROM MAIN.PAYROLL
SELECT * FROM /* x */ payroll
SELECT * FROM people p, LATERAL (SELECT * FROM payroll WHERE person_id = p.id)
SELECT * FROM people WHERE id = (TABLE payroll)
SELECT * FROM people WHERE EXISTS (FROM payroll)
SELECT ARRAY(SELECT amount FROM payroll)
SELECT list((SELECT amount FROM payroll LIMIT 1))
SELECT [(FROM payroll)]
SELECT {'x': (SELECT amount FROM payroll)}
SELECT MAP {'a': (SELECT amount FROM payroll)}
SELECT CASE WHEN EXISTS (SELECT 1 FROM payroll WHERE amount LIKE 'H%') THEN 1 ELSE 0 END
SELECT [(SELECT max(amount) FROM payroll) FOR x IN [1]]
SELECT list_filter([1], x -> EXISTS (SELECT 1 FROM payroll))
SELECT id FROM people QUALIFY count(*) OVER (ORDER BY (SELECT max(amount) FROM payroll)) > 0
SELECT sum(id) OVER (ROWS (SELECT count(*) FROM payroll) PRECEDING) FROM people
SELECT id FROM people LIMIT (SELECT count(*) FROM payroll) OFFSET (SELECT count(*) FROM payroll)
SELECT id FROM people GROUP BY id, (SELECT 1 FROM payroll)
SELECT id FROM people USING SAMPLE (SELECT count(*) FROM payroll) ROWS
SELECT p.* REPLACE ((SELECT max(amount) FROM payroll) AS name) FROM people p
WITH people AS (SELECT * FROM payroll) SELECT * FROM people
WITH x AS (SELECT 1), y AS (SELECT * FROM payroll) SELECT * FROM x
WITH x AS MATERIALIZED (FROM payroll) FROM x
WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT person_id FROM payroll) FROM x
WITH RECURSIVE x USING KEY (a) AS (SELECT 1 AS a UNION SELECT person_id FROM payroll) FROM x
(SELECT 1) UNION ALL (FROM payroll)
SELECT 1 UNION BY NAME SELECT amount FROM payroll
SELECT * FROM (VALUES ((SELECT amount FROM payroll))) v(a)
PIVOT (SELECT * FROM payroll) ON amount USING count(*)
PIVOT people ON town IN (SELECT amount FROM payroll) USING count(*)
UNPIVOT payroll ON amount INTO NAME a VALUE b
FROM (PIVOT payroll ON amount)
DESCRIBE people
SUMMARIZE people
SHOW ALL TABLES
SHOW people
SELECT * FROM (DESCRIBE payroll)
SELECT * FROM (SUMMARIZE payroll)
SELECT * FROM (SHOW ALL TABLES)
SELECT column_name FROM (DESCRIBE people)
FROM (SHOW DATABASES)
SELECT COLUMNS('margin') FROM shipments
SELECT COLUMNS('mar.*')::TEXT FROM shipments
SELECT COLUMNS(['margin']) FROM shipments
SELECT COLUMNS(c -> c = 'margin') FROM shipments
SELECT max(COLUMNS('m.rgin')) FROM shipments
SELECT * LIKE 'marg%' FROM shipments
SELECT * SIMILAR TO 'marg.*' FROM shipments
SELECT * GLOB 'marg*' FROM shipments
SELECT * RENAME (margin AS id) FROM shipments
SELECT * EXCLUDE (margin) FROM shipments
SELECT shipments.* REPLACE (margin AS id) FROM shipments
SELECT s.margin FROM (FROM shipments) s
SELECT id FROM shipments WHERE margin LIKE 'H%'
SELECT id FROM shipments WHERE "MARGIN" = 'x'
SELECT id FROM shipments WHERE (margin) IS NOT NULL
SELECT id FROM shipments WHERE margin ^@ 'H'
SELECT count(margin) FROM shipments
SELECT count(DISTINCT margin) FROM shipments
SELECT any_value(margin) FROM shipments
SELECT arg_max(margin, id) FROM shipments
SELECT list(margin ORDER BY id) FROM shipments
SELECT first(margin) FILTER (margin <> '') FROM shipments
SELECT sum(id) FILTER (WHERE margin = 'x') FROM shipments
SELECT id FROM shipments GROUP BY margin
SELECT id FROM shipments ORDER BY lower(margin)
SELECT id, row_number() OVER (PARTITION BY margin) FROM shipments
SELECT id FROM shipments s JOIN people p ON p.name = s.margin
SELECT id FROM shipments a JOIN shipments b USING (margin)
SELECT * FROM shipments a, LATERAL (SELECT a.margin)
SELECT x.margin FROM shipments AS x
SELECT (s).margin FROM shipments s
SELECT (s)."margin" FROM shipments s
SELECT s['margin'] FROM shipments s
SELECT struct_extract(s, 'margin') FROM shipments s
SELECT array_extract(s, 'margin') FROM shipments s
SELECT element_at(s, 'margin') FROM shipments s
SELECT getenv('PATH')
SELECT list_aggregate(['HOME'], 'getenv')
SELECT ['HOME'].list_transform(lambda x: getenv(x))
SELECT 'HOME'.getenv()
SELECT "getenv"('HOME')
SELECT "GETENV" ('HOME')
SELECT getenv /**/ ('HOME')
SELECT apply(['HOME'], lambda x: getenv(x))
SELECT current_setting('memory_limit')
SELECT main.current_setting('memory_limit')
SELECT current_schemas(true)
SELECT current_catalog()
SELECT current_schema
SELECT current_role
SELECT session_user
SELECT user
SELECT current_query()
SELECT pg_typeof(1)
SELECT pg_get_viewdef(1)
SELECT pg_size_pretty(1)
SELECT has_table_privilege('payroll', 'select')
SELECT obj_description(1)
SELECT in_search_path('main', 'main')
SELECT txid_current()
SELECT nextval('seq')
SELECT currval('seq')
SELECT setseed(0.1)
SELECT version()
SELECT library_version FROM pragma_version()
SELECT icu_sort_key('a', 'de')
SELECT stats(1)
SELECT vector_type(1)
SELECT json_serialize_sql('SELECT 1')
SELECT json_execute_serialized_sql('x')
SELECT json_deserialize_sql('x')
SELECT * FROM query('SELECT * FROM pay' || 'roll')
SELECT * FROM query_table('pay' || 'roll')
SELECT * FROM sql_auto_complete('FROM ')
SELECT * FROM which_secret('x', 's3')
SELECT * FROM test_vector_types(NULL::INT)
SELECT * FROM icu_calendar_names()
SELECT * FROM pg_timezone_names()
SELECT * FROM storage_info('payroll')
SELECT * FROM index_scan('x')
SELECT * FROM pandas_scan(1)
SELECT * FROM arrow_scan_dumb(1, 2, 3)
SELECT * FROM force_checkpoint()
SELECT * FROM enable_logging()
SELECT * FROM truncate_duckdb_logs()
SELECT * FROM add_parquet_key('k', 'v')
SELECT * FROM dsdgen(sf = 100)
SELECT * FROM dbgen(sf = 100)
SELECT * FROM tpch_queries()
SELECT * FROM load_aws_credentials()
SELECT http_get('http://x')
SELECT * FROM 'https://x/y.csv'
SELECT * FROM "people.csv"
SELECT * FROM '*.parquet'
SELECT * FROM 'data.db'
SELECT * FROM "/etc/passwd"
SELECT * FROM 'file:///etc/passwd'
SELECT * FROM people.csv
SELECT * FROM "x.duckdb".people
SELECT * FROM '\\\\host\\share\\x.csv'
COPY (SELECT * FROM people) TO '/tmp/x' (FORMAT csv)
COPY people TO 's3://x'
COPY people FROM PROGRAM 'id'
EXPORT DATABASE '/tmp/x'
IMPORT DATABASE '/tmp/x'
ATTACH ':memory:' AS m
ATTACH 'postgres:host=x' AS p (TYPE postgres)
DETACH x
INSTALL httpfs
FORCE INSTALL httpfs FROM 'http://x'
LOAD '/tmp/x.duckdb_extension'
SET threads = 1
SET SESSION enable_external_access = true
SET VARIABLE a = 1
RESET threads
PRAGMA show_tables
PRAGMA enable_profiling
CALL pragma_table_info('people')
CREATE SECRET s (TYPE s3)
CREATE MACRO m() AS TABLE FROM payroll
CREATE TYPE e AS ENUM ('a')
CREATE SEQUENCE s
CREATE SCHEMA s
CREATE INDEX i ON people(id)
ALTER TABLE people RENAME TO x
INSERT INTO people SELECT * FROM people
UPDATE people SET id = 1
DELETE FROM people USING shipments
MERGE INTO people USING shipments ON true WHEN MATCHED THEN DELETE
TRUNCATE people
VACUUM
ANALYZE
CHECKPOINT
FORCE CHECKPOINT
BEGIN
COMMIT
EXPLAIN SELECT 1
PREPARE v AS SELECT 1
EXECUTE v
DEALLOCATE v
COMMENT ON TABLE people IS 'x'
USE memory
WITH x AS (INSERT INTO people VALUES (1) RETURNING *) FROM x
WITH x AS (UPDATE people SET id = 1 RETURNING id) SELECT * FROM x
SELECT * FROM (INSERT INTO people VALUES (1))
SELECT 1; SELECT 1
SELECT 1;ATTACH 'x'
;;SELECT 1; DROP TABLE people
SELECT $$;$$; DROP TABLE people
SELECT 1 AS "x"";"; DROP TABLE people
SELECT * FROM people WHERE name = getvariable('x')
SELECT $name
SELECT ?
SELECT $1::INT
SELECT #1 FROM people
SELECT name FROM people ORDER BY #1
SELECT repeat('ab', 2000000000)
SELECT repeat('a', 99999) || repeat('a', 99999)
SELECT repeat(repeat('a', 200), 200)
SELECT repeat('a', id * 1000000) FROM people
SELECT repeat('a', length(repeat('a', 1000)) * 1000)
SELECT repeat([1], 1000000000)
SELECT rpad('a', 1000000000, 'b')
SELECT lpad('a', 10::BIGINT ** 9, 'b')
SELECT lpad('a', pow(10, 9)::INT, 'b')
SELECT lpad('a', 1 << 30, 'b')
SELECT list_resize([0], 1000000000, 0)
SELECT array_resize([0], 1000000000)
SELECT range(0, 10000000000)
SELECT range(10000000000, 0, -1)
SELECT range(-5000000000, 5000000000)
SELECT range(0, 1e10::BIGINT)
SELECT generate_series(1, 10 ** 9)
SELECT unnest(range(1000000000))
SELECT unnest(generate_series(0, (SELECT count(*) FROM people) * 1000000000))
SELECT count(*) FROM range(1000000000000)
SELECT count(*) FROM generate_series(1, 1000000000000)
SELECT count(*) FROM range(1, 99999999999, 2)
SELECT count(*) FROM range(DATE '1900-01-01', DATE '2900-01-01', INTERVAL '1 second')
SELECT count(*) FROM generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2030-01-01', INTERVAL 1 MILLISECOND)
SELECT count(*) FROM range(1000000) a, range(1000000) b
SELECT sum(1) FROM range(100000) a, range(100000) b, range(100000) c
SELECT list_transform(range(1000000), x -> range(1000000))
SELECT list_transform(range(1000000), lambda x: list_sum(range(1000000)))
SELECT [[y FOR y IN range(1000000)] FOR x IN range(1000000)]
SELECT list_sum(list_transform(range(1000000), lambda x : list_sum(list_transform(range(100000), lambda y: x * y))))
SELECT printf('%1000000000d', 1)
SELECT format('{:1000000000}', 1)
SELECT format('{:>1000000000d}', 1)
SELECT format('{:.1000000000f}', 1.0)
SELECT printf('%.*f', 1000000000, 1.0)
SELECT 'a' LIKE repeat('%', 100000)
SELECT regexp_replace(repeat('a', 9999), '', repeat('b', 9999), 'g')
SELECT replace(repeat('a', 9999), 'a', repeat('b', 9999))
SELECT bar(1, 0, 10, 100000000)
SELECT array_to_string(range(1000000), repeat('x', 5000))
SELECT string_agg(repeat('x', 9000), repeat('y', 9000)) FROM range(1000000)
SELECT list_concat(range(1000000), range(1000000), range(1000000)) FROM range(1000000)
SELECT equi_width_bins(0, 1000000000, 1000000000, false)
SELECT histogram_values FROM histogram_values(people, id)
SELECT bitstring('1', 1000000000)
SELECT '1'::BIT(1000000000)
SELECT to_base(1, 2, 1000000000)
SELECT CAST('a' AS VARCHAR USING SAMPLE)
SELECT 'x'::regclass
SELECT 'x'::REGTYPE
SELECT 1::oid
SELECT CAST(1 AS POINTER)
SELECT x'00'::GEOMETRY
SELECT array_agg(x) FROM range(1000000) t(x), range(1000000) u(y) GROUP BY ALL HAVING count(*) > (SELECT count(*) FROM payroll)
SELECT write_log('x', level := 'error')
SELECT error('boom')
SELECT sleep_ms(1)
SELECT * FROM people AT (TIMESTAMP => now())
SELECT * FROM people FOR UPDATE
SELECT * INTO t FROM people
SELECT * FROM people TABLESAMPLE bernoulli(10) REPEATABLE (getenv('x'))
SELECT * FROM people POSITIONAL JOIN (FROM payroll)
SELECT invoke(lambda x: getenv(x), 'HOME')
SELECT list_reduce(['a'], lambda a, b: getenv(a))
SELECT map_from_entries([(getenv('x'), 1)])
FROM duckdb_functions() SELECT *
FROM people, duckdb_settings()
SELECT (SELECT value FROM duckdb_settings() LIMIT 1)
FROM glob('*')
FROM read_text(glob('*'))
SELECT content FROM read_text('/etc/hosts') AS people
SELECT count(*) FROM checkpoint('memory')
SELECT ST_AsText(x) FROM ST_Read('a')
SELECT mode(x) FROM (SELECT unnest(string_split(content, chr(10))) AS x FROM read_text('f'))
SELECT rowid, * FROM people
SELECT people.rowid FROM people
SELECT file_row_number, filename FROM people
SELECT p.filename FROM people p
SELECT nosuch.id FROM people
SELECT other.people.id FROM people
SELECT id FROM people WHERE id = ANY (FROM payroll SELECT person_id)
SELECT remap_struct({'a': 1}, NULL, NULL, NULL)
SELECT finalize(1)
SELECT create_sort_key(name, 'ASC') FROM people
SELECT hive_partition_component('a')
SELECT parse_path('x'), read_text('y')
SELECT 'a' COLLATE "x; DROP TABLE people"
SELECT CAST(1 AS "x; DROP TABLE people")
SELECT name::people FROM people
SELECT TRY_CAST(name AS STRUCT(a payroll)) FROM people
SELECT json_structure(name), read_json_auto(name) FROM people
SELECT from_json_strict('x', 'y'), getenv('a')
SELECT list_aggregate(['a'], 'getenv')
SELECT list_aggr([1], 'pragma_version')
SELECT s.details.margin.x, s.s.margin FROM shipments s
SELECT unnest(s) FROM shipments s WHERE margin = 'x'
SELECT UNNEST(COLUMNS('mar')) FROM shipments
SELECT * ILIKE 'MARG%' FROM shipments
SELECT * NOT LIKE '%' FROM shipments, payroll
SELECT COLUMNS(lambda c: c LIKE 'marg%') FROM shipments
SELECT COLUMNS(shipments.margin) FROM shipments
SELECT struct_pack(margin) FROM shipments
SELECT row(margin) FROM shipments
SELECT id FROM shipments NATURAL JOIN payroll
SELECT id FROM shipments ORDER BY ALL, margin
SELECT id FROM shipments LIMIT margin
SELECT id FROM shipments LIMIT (SELECT max(amount) FROM payroll)
SELECT * FROM shipments TABLESAMPLE (SELECT 10)
SELECT * FROM (FROM payroll SELECT amount) t
SELECT * FROM (TABLE payroll) t
SELECT * FROM (VALUES (1)) t(x) JOIN (FROM payroll) p ON true
FROM people SELECT id WHERE id IN (FROM payroll SELECT person_id)
WITH t AS (FROM people) FROM t, payroll
WITH payroll AS MATERIALIZED (SELECT 1), x AS (FROM main.payroll) FROM x
WITH RECURSIVE payroll AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM payroll WHERE a < (SELECT count(*) FROM main.payroll)) FROM payroll
FROM people AS payroll JOIN payroll USING (id)
SELECT (SELECT amount FROM payroll p WHERE p.person_id = people.id) FROM people
SELECT people.id FROM people, LATERAL (SELECT * FROM payroll) l
SELECT * FROM people WHERE (SELECT true FROM payroll)
SELECT * FROM people JOIN shipments ON (SELECT amount FROM payroll) IS NULL
PIVOT shipments ON (SELECT amount FROM payroll) USING sum(price)
PIVOT shipments ON carrier USING (SELECT max(amount) FROM payroll)
UNPIVOT (FROM payroll) ON COLUMNS(*)
SELECT * FROM people UNPIVOT (v FOR n IN (SELECT amount FROM payroll))
SELECT * FROM duckdb_settings
SELECT * FROM main.pragma_table_info('payroll')
SELECT * FROM temp.information_schema.tables
SELECT * FROM system.main.duckdb_tables
SELECT * FROM "pg_catalog"."pg_tables"
SELECT * FROM pg_catalog.pg_settings
SELECT * FROM memory.pg_catalog.pg_class
SELECT * FROM 'people.parquet', people
SELECT * FROM 'https://x/people'
SELECT * FROM 's3://people'
SELECT * FROM "./people"
SELECT * FROM "people.db".main.people
SELECT * FROM './people.csv' people
SELECT * FROM people, 'x.json'
SELECT * FROM read_csv('people')
SELECT read_text('people')
SELECT * FROM query('select 1') AS people
SELECT * FROM people JOIN read_parquet('x') r ON true
SELECT list(x) FROM read_csv('a') AS x
FROM range(10) t(x), read_text('a')
FROM (SELECT * FROM glob('/*'))
SELECT [x FOR x IN (SELECT list(file) FROM glob('*'))]
SELECT getenv(chr(72) || 'OME')
SELECT list_transform(['A'], getenv)
SELECT COLUMNS(c -> getenv(c) IS NULL) FROM people
SELECT current_setting('x') || 'y'
SELECT 'x'::getenv
SELECT * FROM summary(people)
SELECT nextval('s') FROM people
SELECT write_blob('x', 'y')
SELECT copy_to('x')
SELECT shell('id')
SELECT system('id')
SELECT http_post('x', 'y')
SELECT load_extension('x')
SELECT md5_file('x')
SELECT repeat('x', CAST(pow(10, 10) AS BIGINT))
SELECT repeat('x', (SELECT max(id) * 100000000 FROM people))
SELECT repeat('x', ascii('z') * 100000000)
SELECT repeat(name, length(name) * 10000000) FROM people
SELECT rpad(name, id * 1000000000, 'x') FROM people
SELECT lpad('x', greatest(1, 1000000000), 'x')
SELECT lpad('x', CASE WHEN true THEN 1000000000 ELSE 1 END, 'x')
SELECT lpad('x', coalesce(NULL, 1000000000), 'x')
SELECT lpad('x', abs(-1000000000), 'x')
SELECT lpad('x', -(-1000000000), 'x')
SELECT lpad('x', 100000 * 10000, 'x')
SELECT lpad('x', '1000000000', 'x')
SELECT lpad('x', 0x3B9ACA00, 'x')
SELECT lpad('x', 1e9, 'x')
SELECT lpad('x', 1_000_000_000, 'x')
SELECT lpad('x', 999999999 + id, 'x') FROM people
SELECT range(0x7fffffff)
SELECT range(1_000_000_000)
SELECT range(id * 1000000000) FROM people
SELECT unnest(range(length(name) * 100000000)) FROM people
SELECT range(-1000000000, 0)
SELECT range(0, -1000000000, -1)
SELECT generate_series(1, 1000000000, 100)
SELECT generate_series(1, (SELECT 10000000000))
SELECT generate_series(DATE '1000-01-01', DATE '9000-01-01', INTERVAL 1 HOUR)
SELECT generate_series(DATE '-4000-01-01', DATE '9000-01-01', INTERVAL 1 DAY)
SELECT generate_series(now(), now() + INTERVAL 100000 YEAR, INTERVAL 1 DAY)
SELECT generate_series(now(), now() + INTERVAL '1 year', INTERVAL '1 millisecond')
SELECT count(*) FROM generate_series('-infinity'::DATE, 'infinity'::DATE, INTERVAL 1 DAY)
SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c, range(1000000) d
SELECT count(*) FROM generate_series(1, 100000) a JOIN generate_series(1, 100000) b ON true
SELECT array_agg(x) FROM (SELECT unnest(range(1000000)) x FROM range(1000000))
SELECT [x + y FOR x IN range(100000) FOR y IN range(100000)]
SELECT list_transform(range(100000), x -> list_transform(range(100000), y -> x * y))
SELECT format('{:>999999}', 'x')
SELECT format('{:0999999d}', 1)
SELECT printf('%0999999d', 1)
SELECT printf('%.99999f', 1.0)
SELECT printf('%' || '99999d', 1)
SELECT printf(concat('%', '99999', 'd'), 1)
SELECT format(repeat('{}', 5000), 1)
SELECT 10 ** 100000
SELECT factorial(100000)
SELECT 'x'::ENUM('a', 'b')::people
SELECT x'41'::BLOB::people
SELECT 1 AS a; ; SELECT 2
SELECT 1 \; DROP TABLE people
.shell id
.open x
\! id
:r x
EXECUTE IMMEDIATE 'x'
SET schema 'x'
SHOW
DESCRIBE
FROM people INSERT INTO x SELECT *
INSERT OR REPLACE INTO people BY NAME SELECT 1 AS id
COPY people TO '/dev/stdout'
COPY (FROM people) TO 'x' (FORMAT parquet, ENCRYPTION_CONFIG {x: 1})
CREATE OR REPLACE TEMP VIEW people AS FROM payroll
CREATE PERSISTENT SECRET x (TYPE s3)
DROP SCHEMA main CASCADE
ALTER DATABASE x SET y
ATTACH IF NOT EXISTS 'md:x'
SELECT * FROM people LIMIT ALL; CHECKPOINT
SELECT * FROM (DELETE FROM people RETURNING *)
WITH x AS (COPY people TO 'y') FROM x
SELECT id FROM people WHERE id = $p
SELECT ?1
SELECT @x
SELECT current_localtime(), current_user
SELECT "current_user"()
SELECT current_user FROM people
SELECT 1 ; ; DROP TABLE people
