SELECT * FROM payroll
SELECT * FROM "PAYROLL"
SELECT * FROM main . payroll
SELECT * FROM 'main'.'payroll'
SELECT * FROM people LEFT JOIN payroll
SELECT * FROM people, (payroll)
SELECT * FROM (people, payroll)
SELECT * FROM ((people) JOIN (payroll))
SELECT id FROM people WHERE id IN main.payroll
SELECT id FROM people WHERE id IN "payroll"
SELECT id FROM people WHERE id NOT IN payroll
SELECT id FROM people WHERE id IN sqlite_master
SELECT id FROM people WHERE id IN json_each('[1]')
SELECT id FROM people WHERE id IN pragma_table_info('x')
SELECT id FROM people WHERE id IN (payroll)
SELECT (SELECT amount FROM payroll)
SELECT EXISTS (SELECT * FROM payroll)
SELECT CASE (SELECT amount FROM payroll) WHEN 'x' THEN 1 END
SELECT id FROM people ORDER BY (SELECT amount FROM payroll)
SELECT id FROM people LIMIT (SELECT count(*) FROM payroll)
SELECT id FROM people LIMIT 1 OFFSET (SELECT count(*) FROM payroll)
VALUES ((SELECT amount FROM payroll))
SELECT * FROM people UNION ALL VALUES (1, (SELECT amount FROM payroll), 1, 1, 1)
SELECT group_concat(amount) FROM payroll
SELECT json_group_array(json_object('a', amount)) FROM payroll
WITH people AS (SELECT * FROM payroll) SELECT * FROM people
WITH a AS (SELECT * FROM payroll), b AS (SELECT 1) SELECT * FROM b
WITH RECURSIVE r AS (SELECT 1 UNION SELECT amount FROM payroll) SELECT * FROM r
WITH sqlite_master AS (SELECT 1) SELECT * FROM main.sqlite_master
SELECT max(id) FILTER (WHERE EXISTS (SELECT 1 FROM payroll)) FROM people
SELECT sum(id) OVER (ORDER BY (SELECT 1 FROM payroll)) FROM people
SELECT * FROM temp.people
SELECT * FROM aux.people
SELECT * FROM sqlite_master
SELECT * FROM Sqlite_Master
SELECT * FROM "sqlite_schema"
SELECT * FROM sqlite_temp_schema
SELECT * FROM sqlite_stat1
SELECT * FROM sqlite_stat4
SELECT * FROM sqlite_sequence
SELECT * FROM sqlite_dbpage
SELECT * FROM dbstat
SELECT * FROM bytecode('SELECT 1')
SELECT * FROM tables_used('SELECT 1')
SELECT * FROM sqlite_stmt
SELECT * FROM completion('x')
SELECT * FROM csv('x')
SELECT * FROM carray(1, 2)
SELECT * FROM generate_series(1, 5) AS s, payroll
SELECT * FROM fts5vocab
SELECT * FROM pragma_table_info
SELECT * FROM pragma_table_list
SELECT * FROM pragma_database_list()
SELECT * FROM pragma_compile_options
SELECT * FROM pragma_module_list
SELECT * FROM pragma_index_list('people')
SELECT * FROM pragma_foreign_key_list('people')
SELECT * FROM pragma_journal_mode
SELECT name FROM pragma_table_xinfo('payroll')
SELECT p.name FROM people, pragma_table_info('payroll') p
SELECT load_extension('a')
SELECT LOAD_EXTENSION('a', 'b')
SELECT "load_extension"('a')
SELECT `load_extension`('a')
SELECT load_extension/**/('a')
SELECT iif(1, load_extension('a'), 0)
SELECT fts3_tokenizer('a')
SELECT fts5(1)
SELECT rtreecheck('x')
SELECT rtreenode(1, x'00')
SELECT sqlite_source_id()
SELECT sqlite_compileoption_used('x')
SELECT sqlite_offset(id) FROM people
SELECT sqlite_rename_table(1, 2, 3, 4, 5, 6, 7)
SELECT total_changes()
SELECT readfile('a')
SELECT writefile('a', 'b')
SELECT * FROM fsdir('.')
SELECT * FROM zipfile('a.zip')
SELECT edit('a', 'vi')
SELECT lsmode(1)
SELECT sha3(1), readfile('x')
SELECT zeroblob(999999999)
SELECT randomblob(999999999)
SELECT hex(randomblob(500000000))
SELECT length(zeroblob(2000000000))
SELECT replace(hex(zeroblob(10000000)), '00', 'aaaaaaaaaaaaaaaaaaaaaaa')
SELECT printf('%1000000000s', 'x')
SELECT printf('%0*d', 1000000000, 1)
SELECT printf('%.1000000000f', 1.0)
SELECT printf('%!.999999999g', 1.0)
SELECT format('%999999999c', 65)
SELECT format('%-1000000000s', 'x')
SELECT printf('%' || '1000000000' || 'd', 1)
SELECT printf(name, 1) FROM people
SELECT printf((SELECT name FROM people), 1)
SELECT substr(printf('%999999999d', 1), 1, 1)
SELECT replace(replace(replace(replace(printf('%500d', 1), ' ', 'aaaaaaaaaa'), 'a', 'bbbbbbbbbb'), 'b', 'cccccccccc'), 'c', 'dddddddddd')
SELECT * FROM generate_series(1, 99999999999)
SELECT value FROM generate_series(0, 1e12)
SELECT margin FROM shipments
SELECT "margin" FROM shipments
SELECT 'a' || margin FROM shipments
SELECT `margin` FROM shipments
SELECT s.[margin] FROM shipments s
SELECT shipments."margin" FROM shipments
SELECT main.shipments.margin FROM shipments
SELECT id FROM shipments WHERE margin > ''
SELECT id FROM shipments WHERE "margin" LIKE 'H%'
SELECT CASE WHEN "margin" > 'A' THEN 1 END FROM shipments
SELECT id FROM shipments ORDER BY margin
SELECT id FROM shipments ORDER BY "margin"
SELECT id FROM shipments GROUP BY margin
SELECT group_concat(margin) FROM shipments
SELECT count(DISTINCT margin) FROM shipments
SELECT json_object('m', margin) FROM shipments
SELECT value FROM shipments, json_each(json_array(margin))
SELECT a.margin FROM (SELECT * FROM shipments) a
SELECT margin FROM (SELECT * FROM shipments)
SELECT id FROM shipments a JOIN shipments b USING (margin)
SELECT row_number() OVER (PARTITION BY margin) FROM shipments
SELECT rowid FROM shipments
SELECT oid FROM shipments
SELECT _rowid_ FROM shipments
SELECT ROWID, name FROM people
SELECT people.rowid FROM people
SELECT name FROM people WHERE rowid = 1
SELECT name FROM people ORDER BY rowid
SELECT name FROM people WHERE people MATCH 'a'
SELECT name FROM people WHERE name MATCH 'a'
SELECT highlight(people, 0, 'a', 'b') FROM people
SELECT * FROM people('a')
SELECT * FROM people INDEXED BY x
SELECT raise(IGNORE)
SELECT raise(ABORT, 'x')
SELECT ?
SELECT ?5
SELECT @x
SELECT $x
SELECT :x
SELECT #1
PRAGMA table_info(payroll)
PRAGMA key = 'x'
PRAGMA writable_schema
ATTACH DATABASE 'x' AS y
DETACH DATABASE main
VACUUM INTO '/tmp/x'
REINDEX
ANALYZE people
EXPLAIN SELECT 1
EXPLAIN QUERY PLAN SELECT 1
BEGIN IMMEDIATE
COMMIT
RELEASE a
INSERT INTO people DEFAULT VALUES
INSERT OR REPLACE INTO people(id) VALUES (1)
UPDATE people SET name = 'x'
UPDATE OR IGNORE people SET name = 'x' RETURNING *
DELETE FROM people WHERE 1
DROP VIEW x
DROP TABLE IF EXISTS people
ALTER TABLE people ADD COLUMN x
CREATE VIEW v AS SELECT * FROM payroll
CREATE VIRTUAL TABLE x USING fts5(a)
CREATE INDEX i ON people(id)
WITH x AS (SELECT 1) UPDATE people SET id = 1
WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x
SELECT 1; SELECT 2
SELECT 1; ATTACH 'x' AS y
SELECT 'a';DROP TABLE people;--'
SELECT 1 /* ; */ ; DROP TABLE people
SELECT * FROM people WHERE name = 'a' OR 1=1; --
SELECT 1 UNION SELECT amount FROM payroll --
SELECT * FROM people /* unterminated
SELECT CAST(load_extension('x') AS TEXT)
SELECT matchinfo(people) FROM people
SELECT snippet(people) FROM people
SELECT optimize(people) FROM people
SELECT geopoly_blob('x')
SELECT dbpage FROM sqlite_dbpage('main')
SELECT unknown_fn(1)
SELECT changes()
SELECT last_insert_rowid()
SELECT name COLLATE "x""; DROP" FROM people
SELECT subtype(1)
SELECT implies_nonnull_row(1, 2)
SELECT affinity(1)
SELECT sqlar_uncompress(1, 2)
SELECT ieee754(2.0), readfile('a')
SELECT sqlite_drop_column(1, 2, 3)
SELECT * FROM people AS sqlite_master, sqlite_master
SELECT * FROM people NATURAL JOIN sqlite_master
SELECT 1 WHERE EXISTS (SELECT 1 FROM sqlite_master WHERE sql LIKE '%payroll%')
SELECT unicode(substr((SELECT amount FROM payroll), 1, 1))
SELECT abs(-9223372036854775808) FROM sqlite_schema
SELECT json_extract((SELECT json_group_array(sql) FROM sqlite_master), '$[0]')
