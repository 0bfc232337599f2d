SELECT * FROM payroll
SELECT * FROM "payroll"
SELECT * FROM lake.parcels.payroll
SELECT * FROM lake.other.people
SELECT * FROM other.parcels.people
SELECT * FROM system.runtime.queries
SELECT * FROM system.metadata.catalogs
SELECT * FROM system.jdbc.tables
SELECT * FROM "system"."runtime"."nodes"
SELECT * FROM lake.information_schema.tables
SELECT * FROM information_schema.columns
SELECT * FROM "people$snapshots"
SELECT * FROM "people$files"
SELECT * FROM lake.parcels."people$partitions"
SELECT "$path", "$file_size" FROM people
SELECT "$row_id" FROM people
SELECT "$partition" FROM people
SELECT * FROM people FOR TIMESTAMP AS OF current_timestamp
SELECT * FROM people FOR VERSION AS OF 12
SELECT * FROM TABLE(system.query(query => 'SELECT 1'))
SELECT * FROM TABLE(postgresql.system.query('SELECT 1'))
SELECT * FROM TABLE(mysql.system.query(query => 'DROP TABLE x'))
SELECT * FROM TABLE(elastic.system.raw_query(schema => 'a', index => 'b', query => 'c'))
SELECT * FROM TABLE(lake.system.table_changes('a', 'b', 1, 2))
SELECT * FROM TABLE(exclude_columns(input => TABLE(payroll), columns => DESCRIPTOR(amount)))
SELECT * FROM TABLE(exclude_columns(input => TABLE(people), columns => DESCRIPTOR(id)))
SELECT * FROM TABLE(sequence(1, 1000000000000))
SELECT * FROM TABLE(sequence(start => 1, stop => 1000000000000, step => 1))
SELECT * FROM TABLE(sheets.system.sheet(id => 'x'))
SELECT * FROM TABLE(bigquery.system.query(query => 'x'))
SELECT * FROM TABLE(my_function(1))
SELECT * FROM TABLE(payroll)
TABLE payroll
SHOW TABLES
SHOW CATALOGS
SHOW SESSION
SHOW FUNCTIONS
SHOW CREATE TABLE people
SHOW STATS FOR people
DESCRIBE people
DESCRIBE INPUT x
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT 1
SET SESSION query_max_run_time = '1d'
SET SESSION lake.x = 1
RESET SESSION x
SET ROLE admin
SET TIME ZONE LOCAL
SET PATH x
USE other.parcels
CALL system.runtime.kill_query('x')
CALL lake.system.rollback_to_snapshot('a', 'b', 1)
START TRANSACTION
COMMIT
GRANT SELECT ON people TO x
CREATE TABLE x AS SELECT 1
CREATE VIEW v AS SELECT * FROM people
CREATE FUNCTION f() RETURNS int RETURN 1
INSERT INTO people VALUES (1)
DELETE FROM people
UPDATE people SET id = 1
MERGE INTO people USING shipments ON true WHEN MATCHED THEN DELETE
TRUNCATE TABLE people
DROP TABLE people
ALTER TABLE people EXECUTE optimize
REFRESH MATERIALIZED VIEW x
COMMENT ON TABLE people IS 'x'
ANALYZE people
PREPARE p FROM SELECT 1
EXECUTE p USING 1
EXECUTE IMMEDIATE 'SELECT 1'
DEALLOCATE PREPARE p
WITH FUNCTION f(x int) RETURNS int RETURN x SELECT f(1)
WITH SESSION x = 1 SELECT 1
WITH people AS (TABLE payroll) SELECT * FROM people
WITH x AS (SELECT * FROM payroll) SELECT 1
SELECT (SELECT amount FROM payroll)
SELECT * FROM people CROSS JOIN payroll
SELECT * FROM people, UNNEST(ARRAY[(SELECT amount FROM payroll)]) t(x)
SELECT transform(ARRAY[1], x -> (SELECT max(amount) FROM payroll))
SELECT EXISTS (SELECT 1 FROM payroll)
SELECT * FROM (VALUES (SELECT amount FROM payroll))
SELECT current_user
SELECT current_catalog
SELECT current_schema
SELECT current_path
SELECT current_role
SELECT current_groups()
SELECT version()
SELECT "version"()
SELECT system.builtin.version()
SELECT my_function(1)
SELECT lake.parcels.my_function(1)
SELECT repeat('a', 1000000000)
SELECT repeat(1, 1000000000)
SELECT rpad('a', 1000000000, 'b')
SELECT lpad('a', 2147483647, 'b')
SELECT sequence(1, 100000000000)
SELECT sequence(0, 10000000000, 2)
SELECT sequence(date '0001-01-01', date '9999-01-01')
SELECT * FROM UNNEST(sequence(1, 10000000000)) t(n)
SELECT ngrams(sequence(1, 1000000), 100000)
SELECT cardinality(transform(sequence(1, 1000000), x -> sequence(1, 1000000)))
SELECT reduce(sequence(1, 1000000), 0, (s, x) -> s + reduce(sequence(1, 1000000), 0, (a, b) -> a + b, a -> a), s -> s)
SELECT format('%1000000000d', 1)
SELECT format('%.1000000000f', 1.0)
SELECT format(name, 1) FROM people
SELECT count(*) FROM UNNEST(sequence(1, 1000000)) a(x), UNNEST(sequence(1, 1000000)) b(y)
SELECT array_join(sequence(1, 1000000), rpad('x', 9999, 'x'))
SELECT fail('x')
SELECT fail(1, 'x')
SELECT margin FROM shipments
SELECT s.margin FROM shipments s
SELECT "margin" FROM shipments
SELECT id FROM shipments ORDER BY margin
SELECT count(DISTINCT margin) FROM shipments
SELECT max_by(margin, id) FROM shipments
SELECT json_format(CAST(ROW(margin) AS json)) FROM shipments
SELECT id FROM shipments a JOIN shipments b USING (margin)
SELECT listagg(margin, ',') WITHIN GROUP (ORDER BY id) FROM shipments
SELECT transform(tags, x -> margin) FROM shipments
SELECT * FROM shipments MATCH_RECOGNIZE (MEASURES A.margin AS m PATTERN (A) DEFINE A AS true)
SELECT 1; SELECT 2
SELECT ?
SELECT 1 /* /* */ , (SELECT amount FROM payroll) -- */
SELECT U&'\0061' FROM payroll
SELECT * FROM U&"payroll"
SELECT CAST(1 AS my_type)
SELECT CAST('x' AS JsonPath)
SELECT CAST('x' AS "x; DROP")
SELECT * FROM people TABLESAMPLE BERNOULLI ((SELECT 1 FROM payroll))
SELECT * FROM people WHERE id IN (SELECT person_id FROM payroll)
SELECT pg_sleep(1)
SELECT sleep(1)
SELECT inference('m', 'x')
SELECT ai_gen('x')
SELECT ai_classify('x', ARRAY['a'])
SELECT learn_classifier(1, features(1))
SELECT hive_bucket(1)
SELECT decimal '1' || (SELECT amount FROM payroll)
SELECT localtime, current_user
SELECT json_table.* FROM JSON_TABLE((SELECT amount FROM payroll), 'lax $' COLUMNS (a varchar PATH 'lax $')) json_table
