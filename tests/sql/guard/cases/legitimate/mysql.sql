SELECT DATE_FORMAT(sent_on, '%Y-%m') AS ym, carrier, SUM(price) AS revenue, COUNT(*) AS n FROM shipments GROUP BY ym, carrier ORDER BY ym, revenue DESC
SELECT YEAR(sent_on) AS y, MONTH(sent_on) AS m, QUARTER(sent_on), WEEK(sent_on, 3), DAYNAME(sent_on), MONTHNAME(sent_on), DAYOFWEEK(sent_on), WEEKDAY(sent_on), YEARWEEK(sent_on), LAST_DAY(sent_on) FROM shipments
SELECT DATEDIFF(delivered_at, sent_on), TIMESTAMPDIFF(HOUR, sent_on, delivered_at), TIMEDIFF(delivered_at, delivered_at), UNIX_TIMESTAMP(delivered_at), FROM_UNIXTIME(1700000000), FROM_UNIXTIME(1700000000, '%Y') FROM shipments
SELECT * FROM shipments WHERE sent_on >= DATE_SUB(CURDATE(), INTERVAL 30 YEAR) AND sent_on < DATE_ADD(NOW(), INTERVAL 1 DAY) AND sent_on BETWEEN '2024-01-01' AND '2024-12-31'
SELECT sent_on + INTERVAL 1 MONTH, sent_on - INTERVAL 7 DAY, ADDDATE(sent_on, 3), SUBDATE(sent_on, INTERVAL 1 WEEK), STR_TO_DATE('01.02.2024', '%d.%m.%Y'), MAKEDATE(2024, 32), EXTRACT(YEAR_MONTH FROM sent_on), EXTRACT(DAY FROM sent_on), TIMESTAMPADD(HOUR, 1, delivered_at) FROM shipments
SELECT DATE(delivered_at), TIME(delivered_at), HOUR(delivered_at), MINUTE(delivered_at), SECOND(delivered_at), CONVERT_TZ(delivered_at, '+00:00', '+02:00'), UTC_TIMESTAMP() IS NOT NULL, CURRENT_TIMESTAMP IS NOT NULL, CURRENT_DATE() IS NOT NULL FROM shipments
SELECT town, GROUP_CONCAT(DISTINCT name ORDER BY name DESC SEPARATOR ' | ') AS names FROM people GROUP BY town
SELECT carrier, SUM(IF(price > 5, 1, 0)) AS many, SUM(price > 5) AS many2, AVG(price), STDDEV_POP(price), VARIANCE(price), STD(price), VAR_SAMP(price), BIT_OR(id) FROM shipments GROUP BY carrier WITH ROLLUP
SELECT IFNULL(carrier, 'total') AS c, SUM(price) FROM shipments GROUP BY carrier WITH ROLLUP
SELECT CONCAT(name, ' (', town, ')'), CONCAT_WS('-', name, town), SUBSTRING(name, 1, 2), SUBSTRING_INDEX(town, ' ', 1), LEFT(name, 1), RIGHT(name, 1), LPAD(id, 5, '0'), REPEAT('*', 3), REVERSE(name), UPPER(name), LCASE(name), TRIM(LEADING 'A' FROM name), LOCATE('d', name), INSTR(name, 'd'), REPLACE(name, 'A', 'a'), CHAR_LENGTH(name), FIELD(town, 'Ulm', 'Bonn'), ELT(1, 'a', 'b'), FORMAT(1234.5, 2), SPACE(2), STRCMP(name, town), HEX(name), ASCII(name), MID(name, 1, 1), INSERT(name, 1, 1, 'X') FROM people
SELECT name FROM people WHERE name REGEXP '^[A-C]' OR name RLIKE 'x' OR name NOT REGEXP 'z' OR name LIKE BINARY 'A%' OR name LIKE 'A\_%' OR name NOT LIKE '%\%%'
SELECT REGEXP_REPLACE(name, '[aeiou]', '#'), REGEXP_SUBSTR(name, '[A-Z]'), REGEXP_INSTR(name, 'd') FROM people
SELECT JSON_EXTRACT(details, '$.box.w') AS w, JSON_UNQUOTE(JSON_EXTRACT(details, '$.box.w')), JSON_VALUE(details, '$.box.w'), JSON_LENGTH(tags), JSON_CONTAINS(tags, '"a"'), JSON_KEYS(details), JSON_VALID(details), JSON_TYPE(details), JSON_OBJECT('id', id), JSON_ARRAY(1, id) FROM shipments
SELECT details->'$.box.w' AS w, details->>'$.box.w' AS w2 FROM shipments -- MySQL
SELECT s.id, t.tag FROM shipments s, JSON_TABLE(s.tags, '$[*]' COLUMNS (tag VARCHAR(20) PATH '$')) AS t
SELECT s.id, t.ord, t.tag FROM shipments s CROSS JOIN JSON_TABLE(s.tags, '$[*]' COLUMNS (ord FOR ORDINALITY, tag VARCHAR(20) PATH '$')) AS t
SELECT JSON_ARRAYAGG(name), JSON_OBJECTAGG(name, id) FROM people
SELECT id, price, ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC) AS rn, RANK() OVER (ORDER BY price), DENSE_RANK() OVER (ORDER BY price), LAG(price, 1) OVER (ORDER BY id), LEAD(price) OVER (ORDER BY id), NTILE(4) OVER (ORDER BY price), FIRST_VALUE(price) OVER (ORDER BY id), LAST_VALUE(price) OVER (ORDER BY id), NTH_VALUE(price, 2) OVER (ORDER BY id), PERCENT_RANK() OVER (ORDER BY price), CUME_DIST() OVER (ORDER BY price) FROM shipments
SELECT id, SUM(price) OVER (ORDER BY sent_on ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS m7, SUM(price) OVER w AS run FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY sent_on)
WITH RECURSIVE dates AS (SELECT DATE('2024-01-01') AS d UNION ALL SELECT d + INTERVAL 1 DAY FROM dates WHERE d < '2024-01-31') SELECT d, COUNT(s.id) FROM dates LEFT JOIN shipments s ON s.sent_on = d GROUP BY d
WITH RECURSIVE chain AS (SELECT id, name, 0 AS lvl FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1 FROM people p JOIN chain c ON p.boss_id = c.id) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT SUM(i) FROM n
SELECT p.name FROM people p LEFT JOIN shipments s ON s.sender_id = p.id WHERE s.id IS NULL
SELECT name, (SELECT COUNT(*) FROM shipments s WHERE s.sender_id = p.id) AS n FROM people AS p ORDER BY n DESC LIMIT 3
SELECT p.name FROM people p WHERE EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id AND s.price > 5)
SELECT `name`, `p`.`town` FROM `people` AS `p` WHERE `p`.`id` IN (1, 2, 3)
SELECT name FROM people WHERE town = "Ulm"
SELECT CASE WHEN price >= 20 THEN 'high' WHEN price >= 5 THEN 'mid' ELSE 'low' END AS band, COUNT(*) FROM shipments GROUP BY band ORDER BY FIELD(band, 'high', 'mid', 'low')
SELECT IF(delivered_at IS NULL, 'open', 'done') AS state, COUNT(*) FROM shipments GROUP BY state
SELECT COALESCE(delivered_at, sent_on), NULLIF(carrier, ''), GREATEST(1, id), LEAST(1, id), ISNULL(delivered_at), price <=> NULL FROM shipments
SELECT CAST(price AS SIGNED), CAST(price AS UNSIGNED), CAST(price AS CHAR), CAST(price AS DECIMAL(10, 2)), CONVERT(price, CHAR), CONVERT(carrier USING utf8mb4), CAST('2024-01-01' AS DATE), CAST('2024-01-01 10:00:00' AS DATETIME) FROM shipments
SELECT ROUND(price, 1), CEIL(price), CEILING(price), FLOOR(price), TRUNCATE(price, 1), MOD(id, 2), id DIV 2, id % 2, POW(price, 2), SQRT(price), LN(price), LOG10(price), LOG(2, 8), EXP(1), ABS(-1), SIGN(price), PI(), RAND() < 2, CRC32(carrier) FROM shipments
SELECT id & 1, id | 2, id ^ 3, ~id, id << 1, id >> 1, NOT id, id XOR 1, id && 1, id || 0, !id FROM shipments
SELECT carrier, ROUND(100 * SUM(price) / (SELECT SUM(price) FROM shipments), 1) AS pct FROM shipments GROUP BY carrier HAVING pct > 1
SELECT DISTINCT town FROM people ORDER BY town LIMIT 5 OFFSET 0
SELECT id FROM people UNION ALL SELECT sender_id FROM shipments ORDER BY 1 LIMIT 4
(SELECT id FROM people ORDER BY id LIMIT 1) UNION (SELECT sender_id FROM shipments ORDER BY price LIMIT 1)
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT a.id FROM shipments a JOIN shipments b USING (carrier) WHERE a.price > b.price
SELECT COUNT(DISTINCT carrier, sender_id) FROM shipments
SELECT MD5(name), SHA1(name), SHA2(name, 256), TO_BASE64(name), FROM_BASE64('QQ=='), UUID() IS NOT NULL, INET_ATON('1.2.3.4'), BIN(5), OCT(8), CONV('ff', 16, 10) FROM people
SELECT 'it''s', 'it\'s', "double", N'nat', 0x4142, X'4142', b'101', 1e3, .5, TRUE, 'a' 'b'
SELECT MAX(price) - MIN(price) AS spread, AVG(price) AS mean FROM shipments WHERE carrier IN ('van', 'bike') AND weight IS NOT NULL
SELECT s.id FROM shipments s INNER JOIN people p ON p.id = s.sender_id AND p.town <> 'Bonn' WHERE s.price > ALL (SELECT price FROM shipments WHERE carrier = 'bike')
SELECT SEC_TO_TIME(3661), TIME_TO_SEC('01:01:01'), PERIOD_DIFF(202402, 202401), TO_DAYS('2024-01-01'), DAYOFYEAR(sent_on), MICROSECOND(delivered_at), DAY(sent_on), DAYOFMONTH(sent_on) FROM shipments
SELECT name FROM people ORDER BY RAND() LIMIT 1 -- varies
SELECT name COLLATE utf8mb4_bin FROM people ORDER BY name COLLATE utf8mb4_general_ci
SELECT MAX(name), town FROM people GROUP BY town
SELECT sender_id, price FROM (SELECT sender_id, price, ROW_NUMBER() OVER (PARTITION BY sender_id ORDER BY price DESC) AS rn FROM shipments) t WHERE t.rn = 1
SELECT * FROM shipments WHERE MATCH (carrier) AGAINST ('van' IN NATURAL LANGUAGE MODE)
SELECT * FROM shipments WHERE MATCH (carrier) AGAINST ('+van -bike' IN BOOLEAN MODE)
SELECT DATE_ADD(DATE_FORMAT(sent_on, '%Y-%m-01'), INTERVAL 1 MONTH) AS next_month, COUNT(*) FROM shipments GROUP BY next_month
SELECT x.town, x.n FROM (SELECT town, COUNT(*) AS n FROM people GROUP BY town) AS x WHERE x.n > (SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM people GROUP BY town) y) - 1
SELECT SUM(CASE MONTH(sent_on) WHEN 1 THEN price ELSE 0 END) AS jan, SUM(CASE MONTH(sent_on) WHEN 2 THEN price ELSE 0 END) AS feb FROM shipments
SELECT COUNT(*) -- how many\nFROM shipments # in all
SELECT DATE_FORMAT(sent_on, '%W %M %Y'), DATE_FORMAT(delivered_at, '%H:%i:%s'), TIME_FORMAT('10:00:00', '%H'), STR_TO_DATE('2024-01-01 10:00', '%Y-%m-%d %H:%i') FROM shipments
SELECT DATE_SUB(LAST_DAY(sent_on), INTERVAL DAY(LAST_DAY(sent_on)) - 1 DAY), LAST_DAY(sent_on - INTERVAL 1 MONTH) + INTERVAL 1 DAY, MAKEDATE(YEAR(sent_on), 1) FROM shipments
SELECT DAYOFWEEK(sent_on) IN (1, 7) AS weekend, COUNT(*) FROM shipments GROUP BY weekend
SELECT CONCAT(YEAR(sent_on), '-Q', QUARTER(sent_on)) AS q, SUM(price) FROM shipments GROUP BY q ORDER BY MIN(sent_on)
SELECT town, COUNT(*) AS n FROM people GROUP BY town HAVING n > 1 ORDER BY n DESC LIMIT 10
SELECT SUBSTRING_INDEX(SUBSTRING_INDEX(name, ' ', 2), ' ', -1) FROM people
SELECT CAST(JSON_UNQUOTE(JSON_EXTRACT(details, '$.box.w')) AS UNSIGNED) FROM shipments
SELECT JSON_SEARCH(details, 'one', '3'), JSON_CONTAINS_PATH(details, 'one', '$.box'), JSON_SET(details, '$.a', 1), JSON_MERGE_PATCH(details, '{}'), JSON_PRETTY(details) FROM shipments
SELECT CASE WHEN TIMESTAMPDIFF(YEAR, joined_on, CURDATE()) > 3 THEN 'old' ELSE 'new' END, COUNT(*) FROM people GROUP BY 1
SELECT * FROM shipments WHERE YEAR(sent_on) = YEAR(CURDATE()) - 1 OR sent_on >= CURDATE() - INTERVAL 30 YEAR
SELECT AVG(TIMESTAMPDIFF(MINUTE, sent_on, delivered_at)) / 60 AS hours FROM shipments
SELECT ROUND(SUM(price) / COUNT(DISTINCT sender_id), 2) AS arpu FROM shipments
SELECT p.name, COALESCE(SUM(s.price), 0) AS total FROM people p LEFT JOIN shipments s ON s.sender_id = p.id GROUP BY p.id, p.name ORDER BY total DESC
SELECT sent_on, price, SUM(price) OVER (ORDER BY sent_on) AS run, price - LAG(price) OVER (ORDER BY sent_on) AS diff FROM shipments
WITH m AS (SELECT DATE_FORMAT(sent_on, '%Y-%m-01') AS m, SUM(price) AS s FROM shipments GROUP BY 1) SELECT m, s, ROUND(100 * (s / LAG(s) OVER (ORDER BY m) - 1), 1) AS growth FROM m
SELECT name FROM people WHERE name LIKE 'A%' AND name NOT LIKE '%z' AND town IN ('Ulm', 'Bonn') AND id NOT BETWEEN 5 AND 9 AND boss_id IS NULL
SELECT IF(COUNT(*) = 0, NULL, SUM(price) / COUNT(*)) FROM shipments
SELECT NULLIF(TRIM(name), ''), LTRIM(name), RTRIM(name), LOWER(name), UCASE(name), LENGTH(name), CHAR_LENGTH(name), POSITION('d' IN name), LOCATE('d', name, 2) FROM people
SELECT FLOOR(price / 10) * 10 AS bucket, COUNT(*) FROM shipments GROUP BY bucket
SELECT GROUP_CONCAT(CONCAT(name, ':', id) ORDER BY id), GROUP_CONCAT(DISTINCT town) FROM people
SELECT (SELECT MAX(price) FROM shipments) - (SELECT MIN(price) FROM shipments) AS spread
SELECT a.id, b.id FROM shipments a CROSS JOIN shipments b WHERE a.id < b.id
SELECT SQRT(AVG(price * price) - AVG(price) * AVG(price)), STDDEV(price), STDDEV_SAMP(price), VAR_POP(price) FROM shipments
SELECT EXTRACT(YEAR FROM sent_on), EXTRACT(HOUR FROM delivered_at), EXTRACT(QUARTER FROM sent_on), EXTRACT(WEEK FROM sent_on) FROM shipments
SELECT DATE_ADD('2024-01-01', INTERVAL id DAY), '2024-01-01' + INTERVAL id WEEK, DATE_ADD(delivered_at, INTERVAL '1:30' HOUR_MINUTE) FROM shipments
SELECT 1 + 1, 7 DIV 2, 7 MOD 2, 7 / 2, -3, 5 % 3, 2 * (3 + 4), TRUE AND FALSE, NOT 1, 1 XOR 1, 1 <> 2, 1 != 2, NULL IS NULL
SELECT name FROM people ORDER BY FIELD(town, 'Bonn', 'Ulm'), name DESC LIMIT 2 OFFSET 1
SELECT town FROM people UNION SELECT carrier FROM shipments ORDER BY 1
SELECT id, town <=> 'Ulm', IF(town = 'Ulm', 1, 0) + IF(id > 1, 1, 0) AS score FROM people
SELECT HEX('a'), UNHEX('61'), BIN(4), CONV(10, 10, 2), OCT(8), ORD('a'), CHAR(65), CHAR(65 USING utf8mb4), QUOTE('a'), SOUNDEX('a'), FORMAT(1234.567, 2, 'de_DE'), TRUNCATE(1.567, 1), CRC32('a')
SELECT MEDIAN(price) OVER (PARTITION BY carrier), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) OVER (PARTITION BY carrier) FROM shipments
SELECT DATE_FORMAT(sent_on, '%Y-%m') AS ym, SUM(price) FROM shipments GROUP BY ym WITH ROLLUP
SELECT GROUP_CONCAT(name ORDER BY name SEPARATOR ', '), IF(id > 1, 'a', 'b'), IFNULL(town, '') FROM people LIMIT 5, 10
SELECT FORMAT(price, 2), TIMESTAMPDIFF(DAY, sent_on, delivered_at), CONCAT('a\'b', name) FROM shipments, people
