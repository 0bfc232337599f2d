SELECT * FROM payroll
SELECT * FROM "payroll"
SELECT * FROM PAYROLL
TABLE payroll
SELECT * FROM public.payroll
SELECT * FROM elsewhere.public.people
SELECT * FROM private.people
SELECT * FROM pg_temp.people
SELECT * FROM pg_catalog.pg_tables
SELECT * FROM pg_roles
SELECT * FROM pg_user
SELECT * FROM pg_stat_activity
SELECT * FROM pg_settings
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_largeobject
SELECT * FROM pg_proc
SELECT * FROM "pg_class"
SELECT * FROM information_schema.columns
SELECT * FROM information_schema . tables
SELECT relname FROM pg_class WHERE relkind = 'r'
SELECT * FROM people, LATERAL (SELECT * FROM payroll) x
SELECT * FROM people NATURAL JOIN payroll
SELECT * FROM people WHERE id IN (TABLE payroll)
SELECT (TABLE payroll LIMIT 1)
SELECT ARRAY(SELECT amount FROM payroll)
SELECT ARRAY(TABLE payroll)
SELECT EXISTS (TABLE payroll)
SELECT id = ANY (SELECT person_id FROM payroll) FROM people
SELECT ROW((SELECT amount FROM payroll))
SELECT json_agg(p) FROM payroll p
SELECT json_agg(payroll) FROM people, payroll
SELECT row_to_json((SELECT x FROM payroll x LIMIT 1))
VALUES ((SELECT amount FROM payroll))
SELECT id FROM people ORDER BY (SELECT amount FROM payroll)
SELECT id FROM people FETCH FIRST (SELECT count(*) FROM payroll) ROWS ONLY
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM payroll)) FROM people
SELECT sum(id) OVER (PARTITION BY (SELECT 1 FROM payroll)) FROM people
WITH people AS (SELECT * FROM payroll) SELECT * FROM people
WITH x AS (TABLE payroll) SELECT 1
WITH x AS NOT MATERIALIZED (SELECT * FROM payroll) SELECT * FROM x
WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT person_id FROM payroll) SELECT * FROM x
SELECT * FROM (SELECT 1) x, ROWS FROM (pg_ls_dir('.')) y
SELECT * FROM ROWS FROM (generate_series(1, 2), pg_ls_dir('.'))
SELECT * FROM ONLY payroll
SELECT * FROM payroll *
WITH d AS (DELETE FROM people) SELECT 1
WITH d AS (UPDATE people SET id = 1 RETURNING *) SELECT * FROM d
WITH d AS (INSERT INTO people VALUES (1) RETURNING *) TABLE d
WITH d AS (MERGE INTO people USING shipments ON true WHEN MATCHED THEN DELETE) SELECT 1
SELECT * INTO TEMP x FROM people
SELECT * INTO UNLOGGED x FROM people
CREATE TABLE x AS SELECT * FROM people
CREATE TEMP TABLE x (a int)
SELECT * FROM people FOR UPDATE
SELECT * FROM people FOR NO KEY UPDATE NOWAIT
SELECT * FROM people FOR SHARE SKIP LOCKED
SELECT * FROM people FOR KEY SHARE OF people
LOCK TABLE people
COPY people TO STDOUT
COPY people FROM PROGRAM 'id'
COPY (SELECT 1) TO '/tmp/x'
DO 'BEGIN END'
CALL p()
EXPLAIN ANALYZE SELECT 1
EXPLAIN (ANALYZE) DELETE FROM people
SET statement_timeout = 0
SET LOCAL role = postgres
SET SESSION AUTHORIZATION postgres
RESET ALL
SHOW ALL
SHOW server_version
BEGIN; DELETE FROM people; COMMIT
ROLLBACK
SAVEPOINT a
PREPARE TRANSACTION 'x'
LISTEN x
UNLISTEN *
NOTIFY x, 'y'
LOAD 'x.so'
VACUUM FULL
ANALYZE
CLUSTER people
REINDEX TABLE people
CHECKPOINT
DISCARD PLANS
DECLARE c CURSOR FOR SELECT 1
FETCH ALL FROM c
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE EXTENSION dblink
ALTER SYSTEM SET x = 1
GRANT SELECT ON people TO public
COMMENT ON TABLE people IS 'x'
SECURITY LABEL ON TABLE people IS 'x'
IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z
REASSIGN OWNED BY a TO b
SELECT pg_sleep(1)
SELECT pg_sleep_until(now())
SELECT "pg_sleep"(1)
SELECT PG_SLEEP(1)
SELECT pg_catalog.pg_sleep(1)
SELECT "pg_catalog"."pg_sleep"(1)
SELECT pg_catalog . pg_sleep (1)
SELECT CASE WHEN true THEN pg_sleep(1) END
SELECT * FROM pg_sleep(1)
SELECT count(pg_sleep(1)) FROM people
SELECT id FROM people WHERE pg_sleep(1) IS NULL
SELECT id FROM people ORDER BY pg_sleep(1)
SELECT x FROM people, LATERAL pg_sleep(1) x
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_file('/etc/passwd', 0, 10, true)
SELECT pg_ls_dir('/')
SELECT * FROM pg_ls_logdir()
SELECT * FROM pg_ls_waldir()
SELECT pg_file_write('a', 'b', false)
SELECT pg_file_unlink('a')
SELECT pg_reload_conf()
SELECT pg_stat_reset()
SELECT pg_promote()
SELECT pg_notify('a', 'b')
SELECT pg_logical_emit_message(false, 'a', 'b')
SELECT pg_export_snapshot()
SELECT pg_advisory_xact_lock(1)
SELECT pg_try_advisory_lock(1)
SELECT pg_backend_pid()
SELECT pg_get_functiondef(1)
SELECT pg_get_viewdef('x')
SELECT pg_relation_size('people')
SELECT pg_total_relation_size('people')
SELECT pg_database_size('test')
SELECT pg_size_pretty(1::bigint)
SELECT pg_typeof(1)
SELECT pg_conf_load_time()
SELECT pg_postmaster_start_time()
SELECT pg_is_in_recovery()
SELECT pg_get_keywords()
SELECT pg_options_to_table('{}')
SELECT pg_input_is_valid('x', 'regclass')
SELECT pg_describe_object(1, 1, 1)
SELECT current_setting('data_directory')
SELECT set_config('statement_timeout', '0', false)
SELECT version()
SELECT current_database()
SELECT current_schema()
SELECT current_schemas(true)
SELECT current_user
SELECT session_user
SELECT user
SELECT current_role
SELECT current_catalog
SELECT getdatabaseencoding()
SELECT inet_client_addr()
SELECT inet_server_port()
SELECT txid_current()
SELECT txid_current_snapshot()
SELECT nextval('s')
SELECT currval('s')
SELECT lastval()
SELECT setval('s', 1)
SELECT lo_create(1)
SELECT lo_from_bytea(0, 'a')
SELECT lo_unlink(1)
SELECT lo_put(1, 0, 'a')
SELECT loread(1, 10)
SELECT lowrite(1, 'a')
SELECT * FROM dblink_connect('x')
SELECT dblink_exec('x', 'y')
SELECT dblink_send_query('a', 'b')
SELECT * FROM dblink('dbname=test', 'SELECT 1') AS t(a int)
SELECT query_to_xml_and_xmlschema('SELECT 1', true, true, '')
SELECT cursor_to_xml('c', 1, true, true, '')
SELECT schema_to_xml('public', true, true, '')
SELECT database_to_xmlschema(true, true, '')
SELECT table_to_xmlschema('people', true, true, '')
SELECT xpath('//a', '<a/>'::xml)
SELECT xpath_exists('//a', '<a/>')
SELECT xmlparse(DOCUMENT '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>')
SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS b text PATH '.')
SELECT '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'::xml
SELECT xml_is_well_formed('<a>')
SELECT ts_stat('SELECT 1')
SELECT * FROM ts_stat('SELECT to_tsvector(amount) FROM payroll')
SELECT ts_rewrite('a'::tsquery, 'SELECT a, b FROM payroll')
SELECT * FROM crosstab('SELECT 1') AS t(a int)
SELECT * FROM connectby('payroll', 'a', 'b', 'c', 0) AS t(a int)
SELECT * FROM normal_rand(1000000000, 0, 1)
SELECT has_database_privilege('x', 'y')
SELECT has_column_privilege('payroll', 'amount', 'select')
SELECT row_security_active('people')
SELECT to_regclass('payroll')
SELECT to_regtype('x')
SELECT to_regproc('x')
SELECT 'payroll'::regclass
SELECT CAST('payroll' AS regclass)
SELECT 'x'::regproc
SELECT 'x'::regrole
SELECT 'x'::regnamespace
SELECT 'x'::pg_catalog.regclass
SELECT regclass 'payroll'
SELECT 1::oid
SELECT name::public.mytype FROM people
SELECT NULL::payroll
SELECT (NULL::payroll).amount
SELECT jsonb_populate_record(NULL::payroll, '{}')
SELECT * FROM jsonb_populate_recordset(NULL::payroll, '[]')
SELECT obj_description(1, 'pg_class')
SELECT col_description(1, 1)
SELECT shobj_description(1, 'x')
SELECT format_type(1, 1)
SELECT query_to_json('SELECT 1')
SELECT 1 OPERATOR(pg_catalog.+) 1
SELECT 1 OPERATOR(public.=) 1
SELECT margin FROM shipments
SELECT s.margin FROM shipments s
SELECT (s).margin FROM shipments s
SELECT ((s)).margin FROM shipments s
SELECT (shipments).margin FROM shipments
SELECT (SELECT s).margin FROM shipments s
SELECT margin(s) FROM shipments s
SELECT shipments.margin FROM shipments
SELECT public.shipments.margin FROM shipments
SELECT "margin" FROM shipments
SELECT id FROM shipments WHERE margin ~ '^H'
SELECT id FROM shipments ORDER BY margin
SELECT count(DISTINCT margin) FROM shipments
SELECT id FROM shipments GROUP BY id, margin
SELECT string_agg(margin, ',') FROM shipments
SELECT string_agg(carrier, margin) FROM shipments
SELECT DISTINCT ON (margin) id FROM shipments
SELECT json_build_object('m', margin) FROM shipments
SELECT id FROM shipments a JOIN shipments b USING (margin)
SELECT to_json(margin) FROM shipments
SELECT ctid FROM people
SELECT xmin FROM people
SELECT tableoid FROM people
SELECT p.xmax, p.cmin FROM people p
SELECT tableoid::regclass FROM people
SELECT repeat('x', 2000000000)
SELECT repeat('x', 1 << 30)
SELECT repeat('x', '1000000000'::int)
SELECT repeat('x', (10 ^ 9)::int)
SELECT repeat('x', id * 100000000) FROM people
SELECT rpad('x', 1000000000)
SELECT lpad('x', (SELECT 1000000000))
SELECT format('%1000000000s', 'x')
SELECT format('%*s', 1000000000, 'x')
SELECT format('%-*s', 1000000000, 'x')
SELECT format(name, 1) FROM people
SELECT array_fill(1, ARRAY[1000000000])
SELECT array_fill(0, ARRAY[100000, 100000])
SELECT generate_series(1, 100000000000)
SELECT generate_series(1, 10 ^ 12)
SELECT count(*) FROM generate_series(1, 1e12::bigint)
SELECT count(*) FROM generate_series(now(), now() + interval '1000 years', interval '1 second')
SELECT count(*) FROM generate_series('-infinity'::timestamp, 'infinity', interval '1 day')
SELECT count(*) FROM generate_series(timestamp '0001-01-01', timestamp '9999-01-01', '1 microsecond')
SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b
SELECT generate_series(1, (SELECT count(*) FROM people) * 10000000000)
SELECT generate_series(1, length(name) * 1000000000) FROM people
SELECT string_agg(repeat('x', 9000), '') FROM generate_series(1, 1000000)
SELECT regexp_replace(repeat('a', 9999), 'a', repeat('b', 9999), 'g')
SELECT replace(repeat('a', 9999), 'a', repeat('b', 9999))
SELECT 2 ^ 100000000
SELECT 10::numeric ^ 100000
SELECT factorial(100000)
SELECT 1e130000::numeric
SELECT power(10::numeric, 100000)
SELECT '1'::bit(2000000000)
SELECT gen_random_bytes(1000000)
SELECT crypt('a', gen_salt('bf', 31))
SELECT pgp_sym_encrypt('a', 'b')
SELECT gen_salt('bf', 31)
SELECT my_function(1)
SELECT public.my_function(1)
SELECT public.upper('x')
SELECT pg_catalog.version()
SELECT * FROM my_function(1)
SELECT plpy_exec('x')
SELECT $1
SELECT :x
SELECT @x
SELECT 1; SELECT 2
SELECT 1;DROP TABLE people
SELECT $$a$$; DROP TABLE people
SELECT 'a\'; DROP TABLE people; --'
SELECT E'a\'; DROP TABLE people; --
SELECT U&"\0070ayroll".amount FROM payroll
SELECT * FROM U&"\0070ayroll"
SELECT * FROM U&"p!0061yroll" UESCAPE '!'
SELECT $a$ $b$ $a$ , (SELECT amount FROM payroll)
SELECT /* /* */ amount FROM payroll */ 1
SELECT 1 /* /* */ */ FROM payroll
SELECT * FROM people TABLESAMPLE system_rows(pg_sleep(1))
SELECT * FROM people TABLESAMPLE my_method(1)
SELECT * FROM people WHERE CURRENT OF c
SELECT name COLLATE "C; DROP" FROM people
SELECT to_tsvector('pg_catalog.simple; x', amount) FROM payroll
SELECT jsonb_path_query('{}', '$.x', (SELECT jsonb_agg(amount) FROM payroll))
SELECT unnest(pg_ls_dir('.'))
SELECT (pg_stat_file('x')).size
SELECT (pg_control_system()).*
SELECT (x).usename FROM pg_stat_get_activity(NULL) x
SELECT * FROM pg_show_all_settings()
SELECT * FROM pg_stat_file('x')
SELECT * FROM pg_lock_status()
SELECT * FROM pg_cursor
SELECT * FROM pg_config()
SELECT * FROM aclexplode('{}')
SELECT suppress_redundant_updates_trigger()
SELECT binary_upgrade_create_empty_extension('a', 'b', true, 'c', '{}', '{}', '{}')
SELECT brin_summarize_new_values('x')
SELECT gin_clean_pending_list('x')
SELECT pg_stat_statements_reset()
SELECT file_fdw_handler()
SELECT plpgsql_call_handler()
SELECT domain_in('a', 1, 1)
SELECT array_in('a', 1, 1)
SELECT regclassin('x')
SELECT currtid('people', '(0,1)')
SELECT uuid_generate_v1mc()
SELECT postgres_fdw_disconnect_all()
SELECT heap_page_items(get_raw_page('people', 0))
SELECT * FROM get_raw_page('people', 0)
SELECT amcheck('x')
SELECT pg_buffercache_evict(1)
SELECT cluster_name
SELECT * FROM unnest(ARRAY(SELECT amount FROM payroll)) x
SELECT xmlelement(name a, amount) FROM payroll
SELECT xmlagg(xmlelement(name a, name)) FROM people
SELECT json_object_agg(amount, 1) FROM payroll
SELECT generate_series(1, 9) , pg_sleep(generate_series(1, 9))
SELECT count(*) FROM generate_series('infinity'::timestamp, '-infinity', '-1 day')
SELECT count(*) FROM generate_series(now(), 'infinity', '1 day')
SELECT count(*) FROM generate_series(now(), now() + interval '200000 years', interval '1 day')
SELECT count(*) FROM generate_series(date '2000-01-01', date '2000-01-01' + 2000000000, interval '1 hour')
SELECT lpad('a', 2147483647)
SELECT repeat('a', length(repeat('a', 9999)) * 100000)
SELECT repeat('a', (random() * 1000000000)::int)
SELECT repeat('a', extract(epoch FROM now())::int)
SELECT repeat(name, id::int * 10000000) FROM people
SELECT format('%s%999999s', 1, 2)
SELECT format('%1$999999s', 1)
SELECT string_agg(repeat('a', 9999), repeat('b', 9999)) FROM generate_series(1, 1000000)
SELECT 'a'::char(10000000)
SELECT 'a'::bit varying(80000000)
SELECT name::char(99999999) FROM people
SELECT (SELECT (s)).margin FROM shipments s
SELECT (s.*).margin FROM shipments s
SELECT row_to_json(p) FROM payroll p
SELECT json_agg(row(amount)) FROM payroll
SELECT (payroll).* FROM payroll
SELECT (SELECT p FROM payroll p LIMIT 1)
SELECT array_agg(p) FROM public.payroll p
SELECT p::text FROM payroll p
SELECT margin FROM people, shipments
SELECT people.margin FROM people
SELECT * FROM shipments s JOIN people p ON s.margin = p.name
SELECT id FROM shipments WHERE shipments.margin IS NOT NULL
SELECT id FROM shipments WHERE row(margin) IS NOT NULL
SELECT id FROM shipments WHERE (id, margin) > (1, 'a')
SELECT max(margin) OVER () FROM shipments
SELECT array_agg(margin ORDER BY id) FROM shipments
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY margin) FROM shipments
SELECT count(*) FILTER (WHERE margin LIKE 'H%') FROM shipments
SELECT coalesce(margin, '') FROM shipments
SELECT substring(margin from 1 for 1) FROM shipments
SELECT overlay(margin placing 'x' from 1) FROM shipments
SELECT extract(year FROM margin::date) FROM shipments
SELECT position('H' in margin) FROM shipments
SELECT trim(both 'x' from margin) FROM shipments
SELECT margin COLLATE "C" FROM shipments
SELECT margin AT TIME ZONE 'UTC' FROM shipments
SELECT tags[length(margin)] FROM shipments
SELECT ARRAY[margin] FROM shipments
SELECT details -> margin FROM shipments
SELECT CASE margin WHEN 'a' THEN 1 END FROM shipments
SELECT id FROM shipments ORDER BY CASE WHEN margin > 'M' THEN 1 ELSE 2 END
SELECT id FROM shipments GROUP BY GROUPING SETS ((id), (margin))
SELECT id FROM shipments GROUP BY ROLLUP (margin)
SELECT id FROM shipments WINDOW w AS (ORDER BY margin)
SELECT generate_series(1, length(margin)) FROM shipments
SELECT x FROM shipments, unnest(ARRAY[margin]) x
SELECT x FROM shipments, LATERAL (SELECT margin AS x) y
SELECT x FROM shipments, LATERAL (VALUES (margin)) v(x)
SELECT x FROM shipments, LATERAL regexp_split_to_table(margin, '') x
SELECT k FROM shipments, LATERAL json_object_keys(json_build_object(margin, 1)) k
SELECT * FROM people WHERE EXISTS (SELECT FROM payroll WHERE person_id = people.id)
SELECT * FROM people WHERE id NOT IN (SELECT person_id FROM payroll)
SELECT * FROM people WHERE id = (SELECT min(person_id) FROM payroll)
SELECT * FROM people, (VALUES ((SELECT max(amount) FROM payroll))) v
SELECT * FROM people LEFT JOIN payroll ON true
SELECT * FROM people FULL JOIN payroll ON true
SELECT * FROM (people CROSS JOIN payroll)
SELECT * FROM (SELECT * FROM payroll) AS people
SELECT 1 UNION (TABLE payroll)
SELECT 1 EXCEPT ALL SELECT person_id FROM payroll
SELECT 1 INTERSECT SELECT person_id FROM payroll
WITH a AS (SELECT 1), b AS (SELECT * FROM a, payroll) SELECT * FROM b
WITH RECURSIVE a AS (SELECT * FROM payroll UNION SELECT * FROM a) SELECT * FROM a
WITH payroll AS (SELECT * FROM public.payroll) SELECT * FROM payroll
WITH a AS (SELECT 1) SELECT * FROM a WHERE EXISTS (WITH b AS (SELECT * FROM payroll) SELECT * FROM b)
SELECT * FROM pg_catalog.pg_class c, people
SELECT * FROM pg_stat_user_tables
SELECT * FROM pg_indexes
SELECT * FROM pg_views
SELECT * FROM pg_matviews
SELECT * FROM pg_sequences
SELECT * FROM pg_trigger
SELECT * FROM pg_database
SELECT * FROM pg_namespace
SELECT * FROM pg_extension
SELECT * FROM pg_available_extensions
SELECT * FROM pg_file_settings
SELECT * FROM pg_config
SELECT * FROM pg_foreign_server
SELECT * FROM pg_user_mappings
SELECT * FROM pg_subscription
SELECT * FROM pg_policies
SELECT * FROM pg_locks
SELECT * FROM pg_prepared_statements
SELECT * FROM pg_stat_statements
SELECT * FROM pg_stat_ssl
SELECT * FROM pg_timezone_names
SELECT * FROM information_schema.role_table_grants
SELECT * FROM information_schema.routines
SELECT * FROM information_schema.sql_features
SELECT pg_ls_tmpdir()
SELECT pg_ls_archive_statusdir()
SELECT pg_ls_dir('.', true, true)
SELECT pg_read_server_files('x')
SELECT pg_stat_get_activity(NULL)
SELECT pg_stat_get_backend_pid(1)
SELECT pg_blocking_pids(1)
SELECT pg_my_temp_schema()
SELECT pg_current_wal_lsn()
SELECT pg_wal_replay_pause()
SELECT pg_start_backup('x')
SELECT pg_backup_start('x')
SELECT pg_create_physical_replication_slot('x')
SELECT pg_drop_replication_slot('x')
SELECT pg_logical_slot_get_changes('x', NULL, NULL)
SELECT pg_replication_origin_create('x')
SELECT pg_import_system_collations('x')
SELECT pg_filenode_relation(0, 0)
SELECT pg_relation_filepath('people')
SELECT pg_tablespace_location(0)
SELECT pg_tablespace_databases(0)
SELECT pg_collation_for('a')
SELECT pg_encoding_to_char(1)
SELECT pg_client_encoding()
SELECT pg_listening_channels()
SELECT pg_notification_queue_usage()
SELECT pg_safe_snapshot_blocking_pids(1)
SELECT pg_table_is_visible(1)
SELECT pg_get_userbyid(10)
SELECT pg_get_constraintdef(1)
SELECT pg_get_indexdef(1)
SELECT pg_get_expr('x', 1)
SELECT pg_get_serial_sequence('a', 'b')
SELECT pg_column_size(name) FROM people
SELECT pg_database_collation_actual_version(1)
SELECT pg_control_checkpoint()
SELECT pg_hba_file_rules()
SELECT pg_mcv_list_items('x')
SELECT pg_event_trigger_ddl_commands()
SELECT txid_status(1)
SELECT lo_open(1, 131072)
SELECT lo_truncate(1, 1)
SELECT lo_close(1)
SELECT lo_tell(1)
SELECT lo_lseek(1, 1, 1)
SELECT xmlforest(name) FROM people
SELECT xmlcomment('a')
SELECT xmlconcat('a', 'b')
SELECT xmlpi(name a)
SELECT xmlroot('a', version '1')
SELECT xmlserialize(content 'a' AS text)
SELECT query_to_xmlschema('SELECT 1', true, true, '')
SELECT schema_to_xmlschema('x', true, true, '')
SELECT xpath_table('a', 'b', 'c', 'd', 'e')
SELECT earth_distance(1, 2)
SELECT tsvector_update_trigger()
SELECT pgstattuple('people')
SELECT bt_page_items('x', 1)
SELECT page_header(get_raw_page('x', 0))
SELECT fsm_page_contents('x')
SELECT adminpack('x')
SELECT pg_logdir_ls()
SELECT pg_file_read('a', 0, 1)
SELECT pg_file_rename('a', 'b')
SELECT pg_execute_server_program('x')
SELECT postgres_fdw_disconnect('x')
SELECT dblink_get_connections()
SELECT dblink_open('a', 'b')
SELECT cron.schedule('x', 'y')
SELECT http_get('http://x')
SELECT net.http_get('x')
SELECT aws_lambda.invoke('x', 'y')
SELECT aws_s3.query_export_to_s3('x', 'y')
SELECT azure_storage.blob_get('x')
SELECT anon.init()
SELECT vault.create_secret('x')
SELECT graphql.resolve('x')
SELECT sys_eval('x')
SELECT plpgsql_check_function('x')
SELECT public.lower('x')
SELECT lower.x('y')
SELECT 1 WHERE pg_catalog.pg_sleep(1) IS NULL
SELECT 'x'::text::regclass
SELECT 'x'::regconfig
SELECT 'x'::pg_lsn
SELECT '{}'::aclitem[]
SELECT '1'::xid
SELECT '1'::cid
SELECT '(0,1)'::tid
SELECT 'x'::refcursor
SELECT 'x'::cstring
SELECT 'x'::pg_node_tree
SELECT ('x'::payroll).amount
SELECT ROW(1, 2)::payroll
SELECT x.amount FROM jsonb_populate_record(NULL::payroll, '{}') x
SELECT * FROM jsonb_to_record('{}') AS x(a payroll)
SELECT * FROM json_to_recordset('[]') AS x(a regclass)
SELECT * FROM unnest(NULL::payroll[])
EXPLAIN VERBOSE SELECT 1
SELECT 1 FOR UPDATE
TABLE people FOR UPDATE
(SELECT * FROM people FOR UPDATE)
SELECT * FROM (SELECT * FROM people FOR SHARE) x
WITH x AS (SELECT * FROM people FOR UPDATE) SELECT * FROM x
WITH x AS (UPDATE people SET id = 1) SELECT 1
SELECT * FROM (UPDATE people SET id = 1 RETURNING *) x
SELECT (DELETE FROM people RETURNING id)
INSERT INTO people SELECT 1 RETURNING *
MERGE INTO people p USING shipments s ON p.id = s.id WHEN MATCHED THEN DO NOTHING
VALUES (pg_sleep(1))
VALUES (1), ((SELECT max(person_id) FROM payroll))
SELECT 1;/**/SELECT 2
SELECT 1 \gexec
\copy people to 'x'
\c other
SELECT * FROM people WHERE name = $1
SELECT * FROM people LIMIT $1
SELECT :'x'
SELECT E'\x27 UNION SELECT amount FROM payroll --
SELECT $x$a$x$; DELETE FROM people; $x$b$x$
SELECT U&'\0027' UNION SELECT amount FROM payroll
SELECT B'1' , X'1F', pg_sleep(1)
SELECT q.peek_any FROM (SELECT 1) q
WITH q AS (SELECT lower('x')) SELECT q.peek_any FROM q
SELECT f.regclass FROM LATERAL unnest(ARRAY(SELECT g FROM generate_series(16384, 20000) g)) f
SELECT peek.peek FROM jsonb_array_elements('[1]') AS peek
SELECT peek.peek FROM unnest(ARRAY[1], ARRAY[2]) AS peek
SELECT q.peek FROM (SELECT * FROM (SELECT 2 AS y, 1 AS peek) l JOIN (SELECT 1 AS peek) r USING (peek)) AS q(x)
SELECT q.peek FROM (SELECT 1 AS "PEEK") q
SELECT (SELECT q.peek FROM (SELECT 1 AS z) q) FROM (SELECT 1 AS peek) "Q"
SELECT (SELECT q.peek FROM (SELECT 1 AS peek) "Q") FROM (SELECT 1 AS z) q
SELECT (SELECT 1 FROM (SELECT 1 AS peek) q, (SELECT 1) a JOIN (SELECT 1) b ON q.peek = 1) FROM (SELECT 1 AS z) q
SELECT (SELECT v.x FROM (SELECT 1 AS peek) q, (VALUES (q.peek)) v(x)) FROM (SELECT 1 AS z) q
SELECT (count).peek FROM (SELECT count(*) FROM people) x, (SELECT 1 AS peek) count
SELECT (SELECT (q).peek FROM (SELECT 1 AS peek) q) FROM (SELECT 5 AS q) x
SELECT (ARRAY[q])[1].peek FROM (SELECT 1 AS peek) q
SELECT (SELECT q).peek FROM (SELECT 1 AS peek) q
SELECT (CASE WHEN true THEN q END).peek FROM (SELECT 1 AS peek) q
WITH q AS (SELECT 1 AS peek) SELECT * FROM (WITH RECURSIVE a AS (SELECT q.peek FROM q), q AS (SELECT 1 AS z) SELECT * FROM a) s
SELECT (SELECT lllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll.peek FROM (SELECT 1 AS z) llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllly) FROM (SELECT 1 AS peek) lllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll
