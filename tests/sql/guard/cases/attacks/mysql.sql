SELECT * FROM payroll
SELECT * FROM `payroll`
SELECT * FROM elsewhere.payroll
SELECT * FROM parcels.payroll
SELECT * FROM other.people
SELECT * FROM mysql.user
SELECT * FROM `mysql`.`user`
SELECT * FROM information_schema.columns
SELECT * FROM performance_schema.global_variables
SELECT * FROM sys.session
SELECT * FROM INFORMATION_SCHEMA.PROCESSLIST
SELECT table_name FROM information_schema.tables WHERE table_schema = 'x'
TABLE payroll
SELECT * FROM people, payroll
SELECT * FROM people STRAIGHT_JOIN payroll
SELECT * FROM (people, payroll)
SELECT * FROM people NATURAL JOIN payroll
SELECT (SELECT amount FROM payroll LIMIT 1)
SELECT id FROM people WHERE id IN (TABLE payroll)
SELECT EXISTS (SELECT 1 FROM payroll)
SELECT GROUP_CONCAT(amount) FROM payroll
WITH people AS (SELECT * FROM payroll) SELECT * FROM people
WITH x AS (SELECT 1) SELECT * FROM X, payroll
SELECT * FROM people UNION SELECT person_id, amount, 1, 1, 1 FROM payroll
SELECT * FROM people PROCEDURE ANALYSE()
SELECT * FROM people PARTITION (p0)
SELECT * FROM people USE INDEX (a)
SELECT * FROM people FORCE INDEX (a)
SELECT * FROM people IGNORE INDEX FOR JOIN (a)
SELECT * FROM people FOR UPDATE
SELECT * FROM people FOR SHARE
SELECT * FROM people FOR UPDATE SKIP LOCKED
SELECT * FROM people LOCK IN SHARE MODE
SELECT HIGH_PRIORITY * FROM people
SELECT SQL_NO_CACHE * FROM people
SELECT SQL_BUFFER_RESULT * FROM people
SELECT SQL_CALC_FOUND_ROWS id FROM people
SELECT id INTO OUTFILE '/tmp/x' FROM people
SELECT id FROM people INTO OUTFILE '/tmp/x' FIELDS TERMINATED BY ','
SELECT id FROM people INTO DUMPFILE '/tmp/x'
SELECT id FROM people INTO @a
SELECT id INTO @a FROM people
SELECT id INTO a FROM people
SELECT @a
SELECT @a := id FROM people
SELECT (@a := @a + 1) FROM people, (SELECT @a := 0) x
SELECT id FROM people WHERE (@x := id) > 0
SELECT @@version
SELECT @@global.secure_file_priv
SELECT @@session.sql_mode
SELECT @@datadir, @@basedir
SELECT @`a`
SELECT @'a'
SELECT user()
SELECT USER()
SELECT current_user
SELECT current_user()
SELECT session_user()
SELECT system_user()
SELECT current_role()
SELECT database()
SELECT schema()
SELECT version()
SELECT connection_id()
SELECT found_rows()
SELECT row_count()
SELECT last_insert_id()
SELECT last_insert_id(5)
SELECT sleep(1)
SELECT SLEEP (1)
SELECT `sleep`(1)
SELECT sleep/**/(1)
SELECT IF(1=1, sleep(1), 0)
SELECT id FROM people WHERE sleep(1)
SELECT id FROM people ORDER BY sleep(1)
SELECT benchmark(100000000, sha1('a'))
SELECT benchmark(1e9, (SELECT 1))
SELECT get_lock('a', 10)
SELECT release_lock('a')
SELECT release_all_locks()
SELECT is_free_lock('a')
SELECT is_used_lock('a')
SELECT master_pos_wait('a', 1)
SELECT source_pos_wait('a', 1)
SELECT master_gtid_wait('x')
SELECT wait_for_executed_gtid_set('a')
SELECT wait_until_sql_thread_after_gtids('a')
SELECT load_file('/etc/passwd')
SELECT LOAD_FILE(0x2F6574632F706173737764)
SELECT hex(load_file('/etc/passwd'))
SELECT extractvalue(1, concat(0x7e, version()))
SELECT extractvalue('<a/>', '/a')
SELECT updatexml(1, concat(0x7e, 1), 1)
SELECT name_const('a', 1)
SELECT encrypt('a')
SELECT des_encrypt('a')
SELECT aes_encrypt('a', 'b')
SELECT aes_decrypt('a', 'b')
SELECT encode('a', 'b')
SELECT compress(repeat('a', 100))
SELECT uncompress('x')
SELECT random_bytes(100)
SELECT sys_eval('id')
SELECT sys_exec('id')
SELECT sys_get('x')
SELECT lib_mysqludf_sys_info()
SELECT http_get('x')
SELECT my_function(1)
SELECT parcels.my_function(1)
SELECT sys.version_major()
SELECT sys.ps_thread_id(1)
SELECT ps_current_thread_id()
SELECT statement_digest('SELECT 1')
SELECT statement_digest_text('SELECT 1')
SELECT gtid_subset('a', 'b')
SELECT roles_graphml()
SELECT icu_version()
SELECT can_access_table('a', 'b')
SELECT internal_table_rows('a')
SELECT values(id) FROM people
SELECT default(id) FROM people
SELECT uuid_short(), setval(s, 1)
SELECT nextval(s)
SELECT NEXT VALUE FOR s
SELECT PREVIOUS VALUE FOR s
SELECT lastval(s)
SELECT kdf('a', 'b', 1000000000)
SELECT repeat('a', 1000000000)
SELECT repeat('a', 100000 * 100000)
SELECT repeat('a', 0x3B9ACA00)
SELECT repeat('a', 1 << 30)
SELECT repeat('a', CONV('3B9ACA00', 16, 10))
SELECT repeat(repeat('a', 9000), 9000)
SELECT space(1000000000)
SELECT rpad('a', 1000000000, 'b')
SELECT lpad('a', 1e9, 'b')
SELECT insert(repeat('a', 9999), 1, 1, repeat('a', 9999)), space(99999999)
SELECT replace(repeat('a', 9999), 'a', repeat('b', 9999))
SELECT regexp_replace(repeat('a', 9999), 'a', repeat('b', 9999))
SELECT export_set(5, repeat('a', 9999), repeat('b', 9999), repeat('c', 9999), 64)
SELECT make_set(1, 'a'), @x
SELECT elt(1, sleep(1))
SELECT margin FROM shipments
SELECT `margin` FROM shipments
SELECT s.margin FROM shipments s
SELECT "x" FROM shipments WHERE margin LIKE 'H%'
SELECT id FROM shipments ORDER BY margin
SELECT id FROM shipments GROUP BY margin
SELECT GROUP_CONCAT(margin) FROM shipments
SELECT GROUP_CONCAT(id ORDER BY margin) FROM shipments
SELECT COUNT(DISTINCT margin) FROM shipments
SELECT id FROM shipments a JOIN shipments b USING (margin)
SELECT MATCH (margin) AGAINST ('x') FROM shipments
SELECT JSON_OBJECT('m', margin) FROM shipments
SELECT jt.a FROM shipments, JSON_TABLE(margin, '$' COLUMNS (a TEXT PATH '$')) jt
SELECT jt.a FROM JSON_TABLE((SELECT JSON_ARRAYAGG(amount) FROM payroll), '$[*]' COLUMNS (a TEXT PATH '$')) jt
SELECT elsewhere.shipments.margin FROM shipments
SELECT _rowid FROM people
SELECT 1 /*! UNION SELECT amount FROM payroll */
SELECT 1 /*!50000UNION SELECT amount FROM payroll*/
SELECT 1 /*M! UNION SELECT amount FROM payroll */
SELECT 1 /*!*/ UNION SELECT amount FROM payroll
SELECT /*+ MAX_EXECUTION_TIME(1000000) */ 1
SELECT 1 --1 UNION SELECT amount FROM payroll
SELECT 1 FROM people --x, payroll
SELECT 1 -- \n UNION SELECT amount FROM payroll
SELECT 'a\'' UNION SELECT amount FROM payroll -- '
SELECT "a\"" UNION SELECT amount FROM payroll -- "
SELECT '\'; DROP TABLE people; -- '; DROP TABLE people
SELECT 1 /* /* */ UNION SELECT amount FROM payroll -- */
SELECT 1; SELECT 2
SELECT 1; DROP TABLE people
SELECT 1;DELIMITER //
DO SLEEP(1)
DO RELEASE_ALL_LOCKS()
SET @a = 1
SET GLOBAL general_log_file = '/tmp/x'
SET PASSWORD = 'x'
SHOW DATABASES
SHOW GRANTS
SHOW VARIABLES
SHOW PROCESSLIST
DESCRIBE people
DESC payroll
EXPLAIN people
EXPLAIN ANALYZE SELECT 1
USE mysql
LOAD DATA INFILE '/etc/passwd' INTO TABLE people
LOAD DATA LOCAL INFILE 'x' INTO TABLE people
LOAD XML INFILE 'x' INTO TABLE people
HANDLER people OPEN
HANDLER people READ FIRST
LOCK TABLES people WRITE
UNLOCK TABLES
FLUSH PRIVILEGES
KILL 1
RESET MASTER
PURGE BINARY LOGS
CHANGE MASTER TO MASTER_HOST = 'x'
INSTALL PLUGIN x SONAME 'y'
CREATE FUNCTION f RETURNS STRING SONAME 'x.so'
CREATE PROCEDURE p() SELECT 1
CALL p()
PREPARE s FROM 'SELECT 1'
EXECUTE s
EXECUTE IMMEDIATE 'DROP TABLE people'
BEGIN NOT ATOMIC SELECT 1; END
IF 1 THEN SELECT 1; END IF
START TRANSACTION
XA START 'x'
INSERT INTO people VALUES (1)
INSERT INTO people SELECT * FROM people
REPLACE INTO people VALUES (1)
UPDATE people SET id = 1
DELETE FROM people
DELETE p FROM people p JOIN shipments s
TRUNCATE TABLE people
DROP DATABASE parcels
RENAME TABLE people TO x
ALTER TABLE people ADD x INT
CREATE TABLE x SELECT * FROM people
CREATE TEMPORARY TABLE x (a INT)
CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM people
CREATE USER x
GRANT ALL ON *.* TO x
OPTIMIZE TABLE people
CHECK TABLE people
CHECKSUM TABLE people
BACKUP STAGE START
WITH x AS (SELECT 1) UPDATE people SET id = 1
WITH x AS (DELETE FROM people) SELECT 1
SELECT * FROM people WHERE id = ?
SELECT :a
SELECT x'4142' INTO OUTFILE '/tmp/x'
SELECT _utf8mb4'a' COLLATE x_y_z; DROP TABLE people
SELECT CONVERT('a' USING `utf8; x`)
SELECT 1 LIMIT 1 PROCEDURE x()
SELECT * FROM people FOR SYSTEM_TIME ALL
SELECT * FROM people FOR SYSTEM_TIME AS OF TIMESTAMP '2020-01-01'
SELECT * FROM seq_1_to_1000000000
SELECT COUNT(*) FROM seq_1_to_100000000 a, seq_1_to_100000000 b
SELECT column_json(name), column_get(name, 'a' AS CHAR), sys_eval('x') FROM people
SELECT ROW(1, (SELECT amount FROM payroll)) = ROW(1, 2)
SELECT id FROM people HAVING (SELECT amount FROM payroll) > ''
SELECT * FROM LATERAL (SELECT * FROM payroll) x
VALUES ROW((SELECT amount FROM payroll))
SELECT json_extract((SELECT json_arrayagg(amount) FROM payroll), '$[0]')
SELECT st_geomfromtext(amount) FROM payroll
SELECT charset(user())
SELECT coercibility(name), current_role() FROM people
SELECT decode_histogram('x', 'y')
SELECT wsrep_last_seen_gtid()
SELECT binlog_gtid_pos('a', 1)
SELECT format_path('/x'), load_file('x')
SELECT mbrcontains(1, 2), spider_direct_sql('a', 'b', 'c')
SELECT spider_bg_direct_sql('SELECT 1', '', 'x')
SELECT json_detailed(version())
SELECT CAST('a' AS BINARY(1000000000))
SELECT CAST('a' AS CHAR(100000000))
SELECT WEIGHT_STRING('a' AS BINARY(1000000000))
SELECT CONVERT('a', BINARY(1000000000))
SELECT rpad('a', 0xFFFFFFF, 'b')
SELECT repeat('a', ~0)
SELECT repeat('a', 1 << 40)
SELECT repeat('a', pow(10, 9))
SELECT repeat('a', unix_timestamp())
SELECT repeat('a', conv('ffffff', 16, 10))
SELECT repeat(name, id * 10000000) FROM people
SELECT json_array_append(repeat('a', 9999), '$', repeat('b', 99999999))
SELECT * FROM people WHERE id = 1 OR sleep(5) = 0
SELECT * FROM people WHERE id IN (sleep(5))
SELECT (SELECT sleep(5))
SELECT CASE WHEN 1 THEN benchmark(1e9, 1) END
SELECT GROUP_CONCAT(sleep(1)) FROM people
SELECT json_array(load_file('x'))
SELECT concat(user(), '@', version())
SELECT hex(current_user())
SELECT ifnull(database(), 'x')
SELECT `version`()
SELECT VERSION ( )
SELECT @@GLOBAL.version
SELECT @@local.x
SELECT @@x.y
SELECT @a:=@b:=1
SELECT id FROM people LIMIT @x
SELECT id FROM people WHERE id = @id
SELECT * FROM mysql.`user`
SELECT * FROM `information_schema`.`tables`
SELECT * FROM Information_Schema.Tables
SELECT * FROM information_schema.innodb_trx
SELECT * FROM performance_schema.events_statements_history
SELECT * FROM sys.schema_table_statistics
SELECT * FROM dual, payroll
SELECT * FROM people AS payroll, payroll AS people
SELECT p.* FROM payroll p
SELECT payroll.amount FROM people
SELECT * FROM people p JOIN (SELECT * FROM payroll) x
SELECT * FROM people WHERE (SELECT COUNT(*) FROM payroll) > 0
SELECT * FROM people ORDER BY (SELECT amount FROM payroll LIMIT 1)
SELECT * FROM people GROUP BY (SELECT amount FROM payroll LIMIT 1)
SELECT id, (SELECT amount FROM payroll WHERE person_id = id) FROM people
(SELECT * FROM people) UNION ALL (SELECT person_id, amount, 1, 1, 1 FROM payroll)
SELECT * FROM people INTERSECT SELECT * FROM payroll
SELECT * FROM people EXCEPT SELECT * FROM payroll
WITH x AS (SELECT * FROM payroll) SELECT 1 FROM x
WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT person_id FROM payroll) SELECT * FROM x
SELECT amount FROM (SELECT * FROM payroll) p
SELECT DISTINCT margin FROM shipments
SELECT CONCAT(margin, '') FROM shipments
SELECT IF(margin > 'a', 1, 0) FROM shipments
SELECT IFNULL(margin, 0) FROM shipments
SELECT id FROM shipments WHERE margin REGEXP '^H'
SELECT id FROM shipments WHERE margin IN ('a')
SELECT id FROM shipments WHERE LEFT(margin, 1) = 'H'
SELECT id FROM shipments WHERE ASCII(SUBSTRING(margin, 1, 1)) > 64
SELECT ROW_NUMBER() OVER (ORDER BY margin) FROM shipments
SELECT SUM(price) OVER (PARTITION BY margin) FROM shipments
SELECT JSON_OBJECTAGG(id, margin) FROM shipments
SELECT MAX(s.margin) FROM shipments AS s GROUP BY s.id
SELECT `shipments`.`margin` FROM `shipments`
SELECT parcels.shipments.margin FROM parcels.shipments
SELECT id FROM shipments HAVING margin > ''
SELECT id AS margin2 FROM shipments ORDER BY margin DESC
SELECT * FROM people INTO OUTFILE '/tmp/a'
SELECT * FROM people UNION SELECT 1, 2, 3, 4, 5 INTO OUTFILE '/tmp/a'
(SELECT * FROM people) INTO OUTFILE '/tmp/a'
SELECT 1 INTO DUMPFILE 'x'
SELECT 1 INTO @a, @b
SELECT /*!50000 sleep(5) */
SELECT 1 /*! , sleep(5) */
SELECT 1 /*!00000 , sleep(5) */
SELECT 1 /*M!, sleep(5) */
SELECT/*!*/1
/*! DROP TABLE people */
SELECT 1 /*+ BKA(t1) */
SELECT /*+ NO_INDEX_MERGE(t) */ id FROM people
SELECT 1 # x */ UNION SELECT amount FROM payroll /* \n
SELECT '\\' UNION SELECT amount FROM payroll -- '
SELECT 'a' 'b' UNION SELECT amount FROM payroll
SELECT N'a' UNION SELECT amount FROM payroll
SELECT _latin1'a' UNION SELECT amount FROM payroll
SELECT 0x61 UNION SELECT amount FROM payroll
SELECT 1 UNION SELECT * FROM (SELECT amount FROM payroll) x
SELECT 1;\nSELECT 2
DELIMITER ;;
HELP 'x'
SELECT SCHEMA_NAME FROM information_schema.schemata
SHOW TABLES FROM mysql
SHOW CREATE TABLE people
SHOW FULL COLUMNS FROM payroll
SHOW MASTER STATUS
SHOW ENGINE INNODB STATUS
EXPLAIN FORMAT=JSON SELECT * FROM payroll
ANALYZE TABLE people
ANALYZE SELECT 1
REPAIR TABLE people
CACHE INDEX people IN x
RESET QUERY CACHE
SHUTDOWN
RESTART
CLONE LOCAL DATA DIRECTORY 'x'
INSTALL COMPONENT 'x'
CREATE SERVER x FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x')
IMPORT TABLE FROM 'x'
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
SET NAMES latin1
SET SESSION sql_mode = 'ANSI_QUOTES'
SET ROLE ALL
SIGNAL SQLSTATE '45000'
GET DIAGNOSTICS @x = ROW_COUNT
VALUES ROW(1, sleep(1))
TABLE people INTO OUTFILE 'x'
INSERT INTO people TABLE payroll
INSERT INTO people VALUES (1) ON DUPLICATE KEY UPDATE id = 2
UPDATE people p JOIN shipments s ON true SET p.id = 1
DELETE FROM people WHERE id IN (SELECT 1)
SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$')) t, payroll
SELECT nextval(parcels.s)
SELECT my_udf(name) FROM people
SELECT f()
SELECT uuid_short(sleep(1))
SELECT name_const('x', 1)
SELECT ST_GeomFromText((SELECT amount FROM payroll))
SELECT master_gtid_wait('0-1-1', 100)
SELECT old_password('x')
SELECT password('x')
SELECT random_bytes(1024)
SELECT sys_guid(), sleep(1)
SELECT wsrep_sync_wait_upto_gtid('x')
SELECT decode('a', 'b')
SELECT asymmetric_sign('x', 'a', 'b', 'c')
SELECT audit_log_read()
SELECT mysql_firewall_flush_status()
SELECT version_tokens_set('x')
SELECT keyring_key_fetch('x')
SELECT group_replication_set_as_primary('x')
SELECT ps_thread_id(1)
SELECT current_database()
