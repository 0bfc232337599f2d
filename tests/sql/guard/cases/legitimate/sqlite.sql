SELECT strftime('%Y', sent_on) AS y, strftime('%m', sent_on) AS m, SUM(price) AS revenue FROM shipments GROUP BY y, m ORDER BY y, m
SELECT strftime('%w', sent_on) AS dow, COUNT(*) FROM shipments GROUP BY 1
SELECT date(sent_on, 'weekday 0', '-6 days') AS week_start, SUM(price) FROM shipments GROUP BY week_start
SELECT CAST(strftime('%s', delivered_at) AS INTEGER) - CAST(strftime('%s', sent_on) AS INTEGER) AS seconds FROM shipments
SELECT ROUND((julianday(delivered_at) - julianday(sent_on)) * 24, 1) AS hours FROM shipments WHERE delivered_at IS NOT NULL
SELECT unixepoch(sent_on), datetime(1700000000, 'unixepoch', 'localtime'), time('12:00'), date('now', 'start of year') < date('now', '+1 day') FROM shipments
WITH RECURSIVE dates(d) AS (VALUES ('2024-01-01') UNION ALL SELECT date(d, '+1 day') FROM dates WHERE d < '2024-01-31') SELECT d, COUNT(s.id) FROM dates LEFT JOIN shipments s ON s.sent_on = d GROUP BY d
WITH RECURSIVE chain(id, name, lvl, path) AS (SELECT id, name, 0, name FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1, c.path || '/' || p.name FROM people p JOIN chain c ON p.boss_id = c.id) SELECT * FROM chain ORDER BY path
WITH RECURSIVE cnt(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM cnt LIMIT 100) SELECT sum(x) FROM cnt
SELECT carrier, COUNT(*) FILTER (WHERE price > 5) AS many, SUM(price) AS s, AVG(price), MIN(price), MAX(price), TOTAL(weight) FROM shipments GROUP BY carrier HAVING COUNT(*) >= 1
SELECT GROUP_CONCAT(DISTINCT carrier), GROUP_CONCAT(name, ' | ') FROM shipments JOIN people ON sender_id = people.id
SELECT name, SUBSTR(name, 1, 1) || '.' AS initial, UPPER(name), LOWER(town), LENGTH(name), TRIM(name), REPLACE(town, 'U', 'u'), INSTR(town, 'l') FROM people
SELECT COALESCE(delivered_at, 'open') AS state, IFNULL(delivered_at, '-'), NULLIF(carrier, ''), IIF(price > 5, 'high', 'low') FROM shipments
SELECT json_extract(details, '$.box.w') AS w, details -> 'box' AS box, details ->> '$.box.w' AS w2, json_type(details), json_array_length(tags), json_valid(details) FROM shipments
SELECT s.id, t.value AS tag FROM shipments AS s JOIN json_each(s.tags) AS t
SELECT t.value AS tag, COUNT(*) AS n FROM shipments, json_each(shipments.tags) AS t GROUP BY t.value ORDER BY n DESC
SELECT t.fullkey, t.atom FROM shipments, json_tree(shipments.details) AS t WHERE t.atom IS NOT NULL
SELECT json_object('id', id, 'name', name) AS j, json_group_array(name), json_group_object(name, id) FROM people
SELECT json_array(1, 2), json_set('{}', '$.a', 1), json_patch('{}', '{"b":1}'), json_remove('{"a":1}', '$.a'), json_quote('x'), json('{"a" : 1}')
SELECT id, price, SUM(price) OVER (ORDER BY sent_on ROWS UNBOUNDED PRECEDING) AS running, AVG(price) OVER (ORDER BY sent_on ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS m3 FROM shipments
SELECT carrier, price, RANK() OVER w AS r, DENSE_RANK() OVER w, LAG(price) OVER w, LEAD(price, 1, 0) OVER w, FIRST_VALUE(price) OVER w, NTH_VALUE(price, 2) OVER w, NTILE(2) OVER w, PERCENT_RANK() OVER w, CUME_DIST() OVER w FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY price DESC)
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC) AS rn FROM shipments) WHERE rn = 1
SELECT carrier, SUM(CASE WHEN strftime('%m', sent_on) = '01' THEN price ELSE 0 END) AS jan, SUM(CASE WHEN strftime('%m', sent_on) = '02' THEN price ELSE 0 END) AS feb FROM shipments GROUP BY carrier
SELECT 100.0 * COUNT(delivered_at) / COUNT(*) AS pct, ROUND(AVG(price), 2) || ' EUR' AS label FROM shipments
SELECT name FROM people WHERE town LIKE 'u%' OR name GLOB 'A*' OR name NOT LIKE '%x%' ESCAPE '!'
SELECT p.name FROM people p LEFT JOIN shipments s ON s.sender_id = p.id WHERE s.id IS NULL
SELECT p.name, (SELECT COUNT(*) FROM shipments s WHERE s.sender_id = p.id) AS n FROM people p ORDER BY n DESC, p.name LIMIT 10 OFFSET 0
SELECT DISTINCT town FROM people WHERE id IN (SELECT sender_id FROM shipments WHERE price > (SELECT AVG(price) FROM shipments))
SELECT * FROM people WHERE (town, id) IN (VALUES ('Ulm', 1), ('Bonn', 2))
SELECT MAX(a.price - b.price) FROM shipments a, shipments b WHERE a.carrier = b.carrier
SELECT id, CAST(price AS INTEGER) AS i, CAST(id AS TEXT), price * 1.0 / 3, id % 2, id & 1, id | 2, ~id, id << 1, -price, +price, abs(-3), round(2.567, 1), price IS NOT NULL, id <> 1, id == 1 FROM shipments
SELECT town, COUNT(*) FROM people GROUP BY town ORDER BY COUNT(*) DESC, town COLLATE NOCASE ASC NULLS LAST
SELECT carrier FROM shipments INTERSECT SELECT carrier FROM shipments WHERE price > 5
SELECT name FROM people UNION SELECT town FROM people ORDER BY 1
SELECT printf('%.2f', price), printf('%05d', id), printf('%,d', 12345), printf('%s-%s', carrier, id), format('%d%%', 50) FROM shipments
SELECT hex(name), quote(name), unicode(name), char(65, 66), typeof(price), likelihood(price > 1, 0.5), ltrim(name, 'A'), rtrim(name, 'a') FROM people, shipments
SELECT sqrt(price), power(price, 2), ln(price), exp(1), ceil(price), floor(price), pi(), sign(-1), trunc(2.5), log10(100), log(2, 8), radians(180), sin(0) FROM shipments
SELECT min(id, 2), max(id, 2), coalesce(boss_id, id, 0), likely(id = 1), unlikely(id = 2) FROM people
SELECT "name", [town], `id` FROM people AS "P" WHERE "P"."id" > 0
SELECT name AS 'Full Name', town AS "Town" FROM people
SELECT sender_id, AVG(price) FROM (SELECT sender_id, price, ROW_NUMBER() OVER (PARTITION BY sender_id ORDER BY price) AS rn, COUNT(*) OVER (PARTITION BY sender_id) AS c FROM shipments) WHERE rn IN ((c + 1) / 2, (c + 2) / 2) GROUP BY sender_id
SELECT CASE carrier WHEN 'van' THEN 'road' WHEN 'bike' THEN 'cycle' ELSE 'other' END AS mode, COUNT(*) FROM shipments GROUP BY mode
SELECT EXISTS (SELECT 1 FROM shipments WHERE price > 100) AS any_big, NOT EXISTS (SELECT 1 FROM people WHERE town = 'Rome')
SELECT T1.name FROM people AS T1 INNER JOIN shipments AS T2 ON T1.id = T2.sender_id GROUP BY T1.id ORDER BY SUM(T2.price) DESC LIMIT 1
SELECT name FROM people WHERE joined_on >= date('now', '-10 years') AND joined_on < datetime('now') AND joined_on BETWEEN '2020-01-01' AND '2030-12-31'
SELECT CAST(SUM(CASE WHEN carrier = 'van' THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM shipments
SELECT id, LAG(sent_on) OVER (PARTITION BY sender_id ORDER BY sent_on) AS prev, julianday(sent_on) - julianday(LAG(sent_on) OVER (PARTITION BY sender_id ORDER BY sent_on)) AS gap FROM shipments
SELECT SUM(price) AS "total price", COUNT(*) n FROM shipments WHERE carrier != 'van' AND weight IS NOT NULL
WITH t AS MATERIALIZED (SELECT carrier, AVG(price) AS a FROM shipments GROUP BY carrier) SELECT s.id, s.price - t.a FROM shipments s JOIN t USING (carrier)
SELECT 1 AS one, 'it''s' AS q, x'4142' AS blob, 1e3 AS e, .5 AS half, NULL AS none, 0x1F AS hexa, TRUE AS t
SELECT p.town, ROUND(SUM(s.price), 2) FROM people p NATURAL JOIN (SELECT sender_id AS id, price FROM shipments) s GROUP BY p.town
SELECT people.name, COUNT(*) FROM people CROSS JOIN "depot sites" d WHERE people.town = d.town GROUP BY people.name
SELECT s.id FROM shipments s RIGHT JOIN people p ON p.id = s.sender_id
SELECT CASE CAST(strftime('%w', sent_on) AS INTEGER) WHEN 0 THEN 'Sun' WHEN 1 THEN 'Mon' ELSE 'other' END AS day, COUNT(*) FROM shipments GROUP BY day
SELECT printf('%.1f%%', 100.0 * COUNT(*) / (SELECT COUNT(*) FROM shipments)) FROM shipments WHERE carrier = 'van'
SELECT printf('FY2024-%02d', id), printf('%s %s', name, town), printf('%10s|%-10s', name, town) FROM people
SELECT date(sent_on, 'start of month'), date(sent_on, 'start of month', '+1 month', '-1 day'), strftime('%Y-Q', sent_on) || ((CAST(strftime('%m', sent_on) AS INTEGER) + 2) / 3) FROM shipments
SELECT t1.name, t2.name FROM people t1 JOIN people t2 ON t1.boss_id = t2.id
SELECT name FROM people WHERE id = (SELECT sender_id FROM shipments GROUP BY sender_id ORDER BY COUNT(*) DESC LIMIT 1)
SELECT name, town FROM people WHERE town = 'Ulm' INTERSECT SELECT name, town FROM people WHERE id > 0
SELECT COUNT(*), town FROM people GROUP BY town HAVING COUNT(*) >= 2
SELECT substr(sent_on, 1, 7) AS ym, SUM(price) OVER (PARTITION BY substr(sent_on, 1, 4) ORDER BY sent_on) FROM shipments
SELECT DISTINCT p.town, s.carrier FROM people p, shipments s WHERE p.id = s.sender_id
SELECT AVG(julianday(delivered_at) - julianday(sent_on)) FROM shipments WHERE delivered_at NOT NULL
SELECT name FROM people WHERE town IS NOT 'Ulm' AND boss_id ISNULL
SELECT MAX(price) FROM shipments WHERE price < (SELECT MAX(price) FROM shipments)
SELECT id, price, price > (SELECT AVG(price) FROM shipments) AS above FROM shipments
SELECT upper(substr(name, 1, 1)) || lower(substr(name, 2)) FROM people
SELECT COALESCE(SUM(price), 0.0) FROM shipments WHERE carrier LIKE '%train%'
SELECT json_group_array(DISTINCT carrier), json_group_array(json_object('id', id)) FROM shipments
SELECT value, key FROM json_each('{"a": 1}')
SELECT a.id, b.id FROM shipments a LEFT JOIN shipments b ON a.id + 1 = b.id AND a.carrier = b.carrier
WITH x(a, b) AS (SELECT 1, 2) SELECT a + b FROM x
SELECT * FROM (VALUES (1, 'a'), (2, 'b'))
SELECT column1 FROM (VALUES (1), (2))
SELECT sent_on, lag(price, 1, 0) OVER (ORDER BY sent_on) FROM shipments ORDER BY sent_on DESC LIMIT 2, 1
SELECT TOTAL(price) / COUNT(*) AS mean, SUM(price * weight) / SUM(weight) AS weighted FROM shipments
SELECT length(tags) - length(replace(tags, ',', '')) + 1 AS n FROM shipments
SELECT name FROM people WHERE name LIKE '%' || 'd' || '%' AND lower(town) IN ('ulm', 'bonn')
SELECT strftime('%H:%M', delivered_at), datetime(delivered_at, '+1 hour'), date('2024-01-01', '+' || id || ' days') FROM shipments
SELECT "id" + 1 AS "next id" FROM "people" ORDER BY "next id"
SELECT CAST(price * 100 AS INT) % 100 AS cents FROM shipments
SELECT p.name, IFNULL(x.n, 0) FROM people p LEFT JOIN (SELECT sender_id, COUNT(*) n FROM shipments GROUP BY sender_id) x ON x.sender_id = p.id
SELECT strftime('%Y-%m', sent_on) AS month, COUNT(*) FROM shipments GROUP BY month ORDER BY 2 DESC
SELECT [name], `town`, "id" FROM [people]
SELECT name FROM people WHERE town = "Ulm" AND name IN ("Ada", "Cy")
SELECT p.name FROM people AS p JOIN shipments AS s ON p.id = t.shipment_id JOIN stops AS t ON s.id = t.shipment_id
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n
SELECT group_concat(name, ','), iif(id > 1, 1, 0), ifnull(boss_id, 0), instr(name, 'd'), hex(name) FROM people GROUP BY id
SELECT julianday(delivered_at) - julianday(sent_on), date(sent_on, 'start of month', '+1 month') FROM shipments
SELECT id, row_number() OVER (PARTITION BY carrier ORDER BY price DESC) FROM shipments
SELECT json_extract(details, '$.box.w'), j.value FROM shipments, json_each(tags) j
SELECT json_each.value FROM shipments, json_each(tags)
SELECT printf('%.2f', price), cast(price AS INTEGER), round(price, 1), typeof(price) FROM shipments
SELECT name FROM people WHERE name LIKE 'A\_%' ESCAPE '\'
SELECT town, CASE WHEN id > 1 THEN 'x' END AS k FROM people ORDER BY k IS NULL, town COLLATE NOCASE
SELECT max(price), id FROM shipments
SELECT (SELECT count(*) FROM people) * 1.0 / (SELECT count(*) FROM shipments)
SELECT main.people.name FROM main.people
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT count(*) FROM shipments WHERE sent_on >= date('2024-03-01', '-30 days') AND price IS NULL OR sent_on < CURRENT_DATE -- varies
