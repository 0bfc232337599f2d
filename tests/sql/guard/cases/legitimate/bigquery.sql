SELECT DATE_TRUNC(sent_on, MONTH) AS m, carrier, SUM(price) AS revenue, COUNT(*) AS n FROM `parcels.shipments` GROUP BY 1, 2 ORDER BY 1
SELECT DATE_TRUNC(sent_on, WEEK(MONDAY)) AS w, COUNT(DISTINCT sender_id) FROM parcels.shipments GROUP BY w
SELECT TIMESTAMP_TRUNC(TIMESTAMP(delivered_at), HOUR, 'Europe/Berlin') AS h, COUNT(*) FROM shipments GROUP BY h
SELECT DATE_DIFF(DATE(delivered_at), sent_on, DAY), TIMESTAMP_DIFF(CURRENT_TIMESTAMP(), TIMESTAMP(delivered_at), HOUR), DATETIME_DIFF(delivered_at, DATETIME(sent_on), MINUTE), DATE_ADD(sent_on, INTERVAL 1 MONTH), DATE_SUB(CURRENT_DATE('Europe/Berlin'), INTERVAL 7 DAY) FROM shipments
SELECT FORMAT_DATE('%Y-%m', sent_on), FORMAT_TIMESTAMP('%F %T', TIMESTAMP(delivered_at), 'UTC'), FORMAT_DATETIME('%H', delivered_at), PARSE_DATE('%Y%m%d', '20240101'), PARSE_TIMESTAMP('%Y', '2024'), EXTRACT(ISOWEEK FROM sent_on), EXTRACT(DAYOFWEEK FROM sent_on), LAST_DAY(sent_on, MONTH), UNIX_SECONDS(TIMESTAMP(delivered_at)), TIMESTAMP_SECONDS(170), DATE(2024, 1, 1), DATE_FROM_UNIX_DATE(10) FROM shipments
SELECT EXTRACT(HOUR FROM TIMESTAMP(delivered_at) AT TIME ZONE 'Europe/Berlin'), EXTRACT(DATE FROM delivered_at), DATE(TIMESTAMP(delivered_at), 'UTC'), CURRENT_DATETIME('UTC'), DATETIME(TIMESTAMP(delivered_at), 'America/New_York') FROM shipments
SELECT d, COUNT(s.id) FROM UNNEST(GENERATE_DATE_ARRAY('2024-01-01', '2024-12-31', INTERVAL 1 MONTH)) AS d LEFT JOIN shipments s ON DATE_TRUNC(s.sent_on, MONTH) = d GROUP BY d
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY(DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY), CURRENT_DATE())) AS d
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY((SELECT MIN(sent_on) FROM shipments), (SELECT MAX(sent_on) FROM shipments), INTERVAL 1 WEEK)) AS d
SELECT ts FROM UNNEST(GENERATE_TIMESTAMP_ARRAY('2024-01-01 00:00:00', '2024-01-02 00:00:00', INTERVAL 1 HOUR)) AS ts
SELECT n FROM UNNEST(GENERATE_ARRAY(1, 10, 2)) AS n
SELECT s.id, tag, off FROM shipments AS s, UNNEST(s.tags) AS tag WITH OFFSET AS off
SELECT s.id, tag FROM shipments AS s LEFT JOIN UNNEST(s.tags) AS tag
SELECT id FROM shipments WHERE 'a' IN UNNEST(tags) AND EXISTS (SELECT 1 FROM UNNEST(tags) AS t WHERE t LIKE 'b%')
SELECT ARRAY_AGG(DISTINCT carrier IGNORE NULLS ORDER BY carrier LIMIT 3), ARRAY_AGG(STRUCT(id, price) ORDER BY price DESC LIMIT 1)[OFFSET(0)].price, STRING_AGG(DISTINCT carrier, ', ' ORDER BY carrier LIMIT 5), ARRAY_LENGTH(ARRAY_AGG(id)) FROM shipments
SELECT ARRAY(SELECT t FROM UNNEST(tags) AS t WHERE t <> 'a' ORDER BY t) AS ts, ARRAY_TO_STRING(tags, ','), tags[SAFE_OFFSET(0)], tags[ORDINAL(1)], ARRAY_CONCAT(tags, ['z']), ARRAY_REVERSE(tags) FROM shipments
SELECT STRUCT(id AS a, carrier AS b).a, STRUCT<x INT64, y STRING>(1, 'a') AS st, AS_S.x FROM (SELECT STRUCT(1 AS x) AS AS_S, id, carrier FROM shipments)
SELECT AS STRUCT id, carrier FROM shipments
SELECT * EXCEPT (details, tags), price * 2 AS dbl FROM shipments
SELECT * REPLACE (price / 100 AS price) FROM shipments
SELECT SAFE_DIVIDE(SUM(price), COUNT(*)), IEEE_DIVIDE(1, 0), IFNULL(carrier, '?'), COALESCE(carrier, ''), NULLIF(carrier, ''), IF(price > 5, 'a', 'b'), SAFE_CAST(carrier AS INT64), CAST(price AS NUMERIC), CAST(id AS STRING), ROUND(price, 2), DIV(id, 2), MOD(id, 2), GREATEST(1, id), SAFE.PARSE_DATE('%Y', 'x') FROM shipments GROUP BY carrier, price, id
SELECT JSON_VALUE(details, '$.box.w'), JSON_QUERY(details, '$.box'), JSON_EXTRACT_SCALAR(details, '$.box.w'), JSON_EXTRACT_ARRAY(details, '$.a'), JSON_VALUE_ARRAY(details, '$.a'), PARSE_JSON('{}'), TO_JSON_STRING(STRUCT(1 AS a)), INT64(PARSE_JSON('1')), LAX_STRING(PARSE_JSON('1')) FROM shipments
SELECT details.box.w, STRING(details.box.w), details['box'] FROM shipments
SELECT REGEXP_CONTAINS(name, r'^A\w+'), REGEXP_EXTRACT(name, r'(\w)'), REGEXP_REPLACE(name, r'[aeiou]', ''), REGEXP_EXTRACT_ALL(name, r'.'), SPLIT(name, ' ')[OFFSET(0)], SUBSTR(name, 1, 2), STRPOS(name, 'd'), INSTR(name, 'd'), CONCAT(name, '-', town), LOWER(name), UPPER(name), INITCAP(name), TRIM(name), LPAD(name, 5, '0'), LENGTH(name), REVERSE(name), STARTS_WITH(name, 'A'), ENDS_WITH(name, 'a'), CONTAINS_SUBSTR(name, 'd'), REPLACE(name, 'a', 'b'), FORMAT('%05d', id), FORMAT("%'d", id), FORMAT('%.2f', 1.5), LEFT(name, 1), SOUNDEX(name), EDIT_DISTANCE(name, 'Ada'), NORMALIZE(name), TRANSLATE(name, 'a', 'b') FROM people
SELECT APPROX_COUNT_DISTINCT(sender_id), APPROX_QUANTILES(price, 4), APPROX_QUANTILES(price, 100)[OFFSET(90)], APPROX_TOP_COUNT(carrier, 3), APPROX_TOP_SUM(carrier, price, 3), COUNTIF(price > 5), ANY_VALUE(carrier), ANY_VALUE(carrier HAVING MAX price), MAX_BY(id, price), MIN_BY(id, price), LOGICAL_OR(price > 5), LOGICAL_AND(price > 5), CORR(price, weight), STDDEV(price), VAR_SAMP(price), COVAR_POP(price, weight), BIT_OR(id) FROM shipments
SELECT id, PERCENTILE_CONT(price, 0.5) OVER (PARTITION BY carrier), ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC), LAG(price) OVER (ORDER BY id), FIRST_VALUE(price IGNORE NULLS) OVER (ORDER BY id), NTILE(4) OVER (ORDER BY price), SUM(price) OVER (ORDER BY UNIX_DATE(sent_on) RANGE BETWEEN 6 PRECEDING AND CURRENT ROW), AVG(price) OVER w FROM shipments WINDOW w AS (PARTITION BY carrier)
SELECT carrier, price FROM shipments WHERE TRUE QUALIFY RANK() OVER (PARTITION BY carrier ORDER BY price DESC) <= 3
SELECT carrier, sender_id, SUM(price), GROUPING(carrier) FROM shipments GROUP BY ROLLUP (carrier, sender_id)
SELECT carrier, sender_id, SUM(price) FROM shipments GROUP BY GROUPING SETS (carrier, (carrier, sender_id), ())
SELECT carrier, sender_id, SUM(price) FROM shipments GROUP BY CUBE (carrier, sender_id)
SELECT carrier, SUM(price) FROM shipments GROUP BY ALL ORDER BY 2 DESC
SELECT * FROM (SELECT carrier, EXTRACT(QUARTER FROM sent_on) AS q, price FROM shipments) PIVOT (SUM(price) AS total FOR q IN (1, 2, 3, 4))
SELECT * FROM (SELECT id, weight, price FROM shipments) UNPIVOT (amount FOR measure IN (weight, price))
WITH RECURSIVE chain AS (SELECT id, name, 0 AS lvl FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1 FROM people p JOIN chain c ON p.boss_id = c.id) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl
SELECT p.name, s.price FROM parcels.people AS p LEFT JOIN `parcels`.`shipments` AS s ON s.sender_id = p.id AND s.price > 1
SELECT name FROM people WHERE id IN (SELECT sender_id FROM shipments) AND name LIKE 'A%' AND NOT name LIKE ANY ('x%', 'y%')
SELECT id FROM people EXCEPT DISTINCT SELECT sender_id FROM shipments
SELECT id FROM people UNION DISTINCT SELECT sender_id FROM shipments
SELECT id FROM people INTERSECT DISTINCT SELECT sender_id FROM shipments
SELECT * FROM shipments TABLESAMPLE SYSTEM (10 PERCENT)
SELECT FARM_FINGERPRINT(name), TO_HEX(MD5(name)), TO_HEX(SHA256(name)), TO_BASE64(CAST(name AS BYTES)), GENERATE_UUID(), RAND() < 2, MOD(ABS(FARM_FINGERPRINT(name)), 10) FROM people
SELECT 'a' AS x, "b" AS y, r'\d' AS z, '''multi''' AS m, b'bytes' AS b, DATE '2024-01-01' AS d, TIMESTAMP '2024-01-01 00:00:00+00' AS t, NUMERIC '1.5' AS n, [1, 2] AS a, INTERVAL 1 DAY AS i
SELECT CASE WHEN price > 20 THEN 'high' ELSE 'low' END AS band, COUNT(*) AS n FROM shipments GROUP BY band HAVING n > 0 ORDER BY n DESC LIMIT 10 OFFSET 0
SELECT TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR), DATETIME_SUB(CURRENT_DATETIME(), INTERVAL 2 DAY), TIME_TRUNC(TIME '10:11:12', HOUR), TIMESTAMP_MILLIS(1700000000000), TIMESTAMP_MICROS(1), DATETIME_TRUNC(CURRENT_DATETIME(), WEEK), GENERATE_UUID() IS NOT NULL
SELECT ST_DISTANCE(ST_GEOGPOINT(1, 2), ST_GEOGPOINT(3, 4)), RANGE_BUCKET(price, [0, 10, 20]), NET.HOST('http://a.b/c'), NET.REG_DOMAIN('http://a.b/c'), TO_JSON(STRUCT(1 AS a)) FROM shipments
SELECT s.*, p.name FROM shipments s JOIN people p ON p.id = s.sender_id WHERE s.sent_on >= DATE_SUB(DATE_TRUNC(CURRENT_DATE(), YEAR), INTERVAL 1 YEAR)
FROM parcels.shipments |> WHERE price > 1 |> AGGREGATE SUM(price) AS total GROUP BY carrier |> ORDER BY total DESC
SELECT FORMAT('%s-%04d', carrier, id), FORMAT('FY2024 %t', sent_on), FORMAT('%.1f%%', 12.5), FORMAT("%'.2f", 1.5) FROM shipments
SELECT COUNT(DISTINCT IF(price > 5, sender_id, NULL)), SUM(IF(carrier = 'van', price, 0)), COUNTIF(price IS NULL) / COUNT(*) FROM shipments
SELECT DATE(delivered_at) AS d, EXTRACT(WEEK(MONDAY) FROM sent_on), EXTRACT(YEAR FROM sent_on), FORMAT_DATE('%A', sent_on), FORMAT_DATE('%b %Y', DATE_TRUNC(sent_on, QUARTER)) FROM shipments
SELECT ARRAY_AGG(carrier ORDER BY price DESC LIMIT 1)[SAFE_OFFSET(0)], (SELECT MAX(t) FROM UNNEST(tags) AS t), (SELECT COUNT(*) FROM UNNEST(tags) t WHERE t = 'a'), ARRAY_LENGTH(tags) FROM shipments GROUP BY tags
SELECT s.id, t.tag FROM parcels.shipments s CROSS JOIN UNNEST(tags) AS tag JOIN (SELECT 'a' AS tag) t USING (tag)
SELECT id, box.w FROM (SELECT id, STRUCT(weight AS w, price AS p) AS box FROM shipments)
SELECT e.key, e.value FROM UNNEST([STRUCT('a' AS key, 1 AS value), ('b', 2)]) AS e
SELECT x, y FROM UNNEST([1, 2, 3]) AS x WITH OFFSET AS y ORDER BY y
SELECT APPROX_QUANTILES(price, 100)[OFFSET(50)] AS median, PERCENTILE_CONT(price, 0.9) OVER () AS p90 FROM shipments GROUP BY price
SELECT LAST_VALUE(carrier IGNORE NULLS) OVER (PARTITION BY sender_id ORDER BY sent_on ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), COUNT(*) OVER (PARTITION BY sender_id), PERCENT_RANK() OVER (ORDER BY price), NTH_VALUE(price, 2) OVER (ORDER BY id) FROM shipments
SELECT TIMESTAMP_DIFF(TIMESTAMP '2024-01-02', TIMESTAMP '2024-01-01', SECOND), DATETIME_DIFF(DATETIME '2024-01-02', DATETIME '2024-01-01', DAY), TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY), DATE_ADD(DATE '2024-01-31', INTERVAL 1 QUARTER), DATE_SUB(CURRENT_DATE, INTERVAL 1 WEEK)
SELECT CAST(id AS STRING), CAST('1' AS INT64), CAST(price AS FLOAT64), SAFE_CAST('x' AS DATE), CAST('2024-01-01' AS DATE), CAST(sent_on AS TIMESTAMP), CAST(price AS NUMERIC), CAST(1 AS BOOL), CAST(sent_on AS STRING FORMAT 'YYYY-MM'), CAST('a' AS BYTES) FROM shipments
SELECT JSON_VALUE(details, '$.box.w') AS w, CAST(JSON_VALUE(details, '$.n') AS INT64), JSON_QUERY_ARRAY(details, '$.items'), JSON_EXTRACT(details, '$.box'), BOOL(details.flag), JSON_TYPE(details), TO_JSON_STRING(t) FROM shipments AS t
SELECT item FROM shipments, UNNEST(JSON_QUERY_ARRAY(details, '$.items')) AS item
SELECT name FROM people WHERE REGEXP_CONTAINS(name, r'(?i)^a.*\d?$') AND LOWER(town) LIKE '%u%' AND town NOT IN ('x') AND (boss_id IS NULL OR boss_id > 1)
SELECT SPLIT('a,b', ',')[SAFE_OFFSET(1)], REGEXP_EXTRACT('a1', r'\d'), REGEXP_REPLACE('a b', r'\s+', '_'), SUBSTR('abc', -2), CONCAT('a', CAST(1 AS STRING)), 'a' || 'b', TRIM(' a '), LTRIM('a'), RTRIM('a'), LPAD('1', 3, '0'), REPEAT('ab', 2), ASCII('a'), CHR(65), CHAR_LENGTH('a'), UNICODE('a'), INITCAP('a b', ' ')
WITH base AS (SELECT * FROM `parcels.shipments` WHERE sent_on >= '2024-01-01'), agg AS (SELECT carrier, SUM(price) s FROM base GROUP BY carrier) SELECT b.*, a.s FROM base b JOIN agg a USING (carrier)
SELECT carrier, SUM(price) AS s, RANK() OVER (ORDER BY SUM(price) DESC) AS r FROM shipments GROUP BY carrier QUALIFY r <= 3
SELECT * FROM UNNEST(GENERATE_ARRAY(0, 23)) AS hour LEFT JOIN (SELECT EXTRACT(HOUR FROM delivered_at) AS hour, COUNT(*) AS n FROM shipments GROUP BY 1) USING (hour)
SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(sender_id)), NET.HOST('http://x.y'), SAFE.SUBSTR('abc', 0, -1), SAFE_DIVIDE(1, 0), IEEE_DIVIDE(1, 0), IS_NAN(1.0), GREATEST(1, 2), BIT_COUNT(3), POW(2, 3), SQRT(4), LN(2), LOG(8, 2), LOG10(100), EXP(1), ROUND(2.5), TRUNC(2.7), CEIL(1.2), FLOOR(1.7), SIGN(-1), ABS(-1) FROM shipments
SELECT p.name, ARRAY(SELECT AS STRUCT id, price FROM shipments s WHERE s.sender_id = p.id ORDER BY price DESC LIMIT 2) AS top FROM people p
SELECT DATE_TRUNC(sent_on, ISOWEEK), DATE_TRUNC(sent_on, YEAR), DATE_DIFF(CURRENT_DATE(), sent_on, WEEK), DATE_DIFF(CURRENT_DATE(), sent_on, ISOWEEK), UNIX_DATE(sent_on), TIMESTAMP_MICROS(1), PARSE_DATETIME('%Y', '2024'), STRING(TIMESTAMP '2024-01-01'), TIME(10, 0, 0), TIME_ADD(TIME '10:00:00', INTERVAL 1 HOUR), DATETIME_ADD(DATETIME '2024-01-01', INTERVAL 1 DAY), DATE_BUCKET(sent_on, INTERVAL 2 DAY) FROM shipments
SELECT COUNT(*) FROM shipments WHERE DATE(TIMESTAMP(delivered_at), 'America/Los_Angeles') = '2024-01-01' AND EXTRACT(DAYOFWEEK FROM sent_on) IN (1, 7)
SELECT STRING_AGG(name, ', ' ORDER BY name), ARRAY_TO_STRING(ARRAY_AGG(DISTINCT town), '|'), STRING_AGG(DISTINCT town LIMIT 3) FROM people
SELECT id FROM people WHERE id IN UNNEST([1, 2, 3]) AND name IN ('Ada') AND EXISTS (SELECT 1 FROM shipments WHERE sender_id = people.id)
SELECT COALESCE(a.town, b.town) FROM people a FULL OUTER JOIN `depot sites` b ON a.town = b.town
SELECT AVG(price) OVER (PARTITION BY carrier ORDER BY UNIX_SECONDS(TIMESTAMP(delivered_at)) RANGE BETWEEN 86400 PRECEDING AND CURRENT ROW) FROM shipments
SELECT PARSE_DATE('%d/%m/%Y', '01/02/2024'), FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E3SZ', CURRENT_TIMESTAMP()), CURRENT_DATE('UTC') - 7, DATE '2024-01-01' + 1, CURRENT_DATETIME() > DATETIME '2020-01-01 00:00:00'
SELECT * FROM (SELECT carrier, price, EXTRACT(MONTH FROM sent_on) AS m FROM shipments) PIVOT (SUM(price) AS s, COUNT(*) AS n FOR m IN (1 AS jan, 2 AS feb))
SELECT * EXCEPT (details) FROM `parcels.shipments`
SELECT t, o FROM parcels.shipments, UNNEST(tags) AS t WITH OFFSET AS o
SELECT ARRAY_AGG(STRUCT(id, price) ORDER BY price DESC LIMIT 3), SAFE_DIVIDE(1, 0) FROM parcels.shipments
SELECT DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY), FORMAT_DATE('%Y', sent_on) FROM parcels.shipments
