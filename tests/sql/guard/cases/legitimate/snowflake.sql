SELECT DATE_TRUNC('month', sent_on) AS m, carrier, SUM(price) AS revenue FROM shipments GROUP BY 1, 2 ORDER BY 1
SELECT DATE_TRUNC(WEEK, sent_on), DATEDIFF(day, sent_on, delivered_at), DATEADD(month, -1, CURRENT_DATE), DATEADD('day', 7, sent_on), TO_CHAR(sent_on, 'YYYY-MM'), TO_DATE('2024-01-01'), TO_DATE('01.02.2024', 'DD.MM.YYYY'), TO_TIMESTAMP_NTZ('2024-01-01'), YEAR(sent_on), MONTH(sent_on), DAYNAME(sent_on), MONTHNAME(sent_on), LAST_DAY(sent_on), DAYOFWEEK(sent_on), WEEKOFYEAR(sent_on), QUARTER(sent_on), DATE_PART(epoch_second, delivered_at), EXTRACT(year FROM sent_on), HOUR(delivered_at), TIMESTAMPDIFF(hour, sent_on, delivered_at), ADD_MONTHS(sent_on, 1), MONTHS_BETWEEN(sent_on, sent_on), NEXT_DAY(sent_on, 'fr'), TIME_SLICE(sent_on, 1, 'MONTH'), DATE_FROM_PARTS(2024, 1, 1) FROM shipments
SELECT CONVERT_TIMEZONE('UTC', 'Europe/Berlin', delivered_at), CONVERT_TIMEZONE('Europe/Berlin', delivered_at), delivered_at::TIMESTAMP_TZ, CURRENT_TIMESTAMP(), SYSDATE(), GETDATE(), CURRENT_TIME FROM shipments
SELECT details:box.w::INT AS w, details:box:w::STRING, details['box']['w']::NUMBER(10, 2), GET_PATH(details, 'box.w'), GET(tags, 0)::STRING, TYPEOF(details), IS_ARRAY(tags), TRY_PARSE_JSON('{}'):a, PARSE_JSON('{}'), OBJECT_KEYS(details), ARRAY_SIZE(tags), TO_JSON(details), AS_INTEGER(details:box.w) FROM shipments
SELECT s.id, f.value::STRING AS tag, f.index, f.key, f.path, f.seq FROM shipments s, LATERAL FLATTEN(input => s.tags) f
SELECT s.id, f.value:name::STRING FROM shipments s, LATERAL FLATTEN(input => s.details:items, outer => TRUE) f
SELECT f.key, COUNT(*) FROM shipments, TABLE(FLATTEN(input => details, mode => 'OBJECT')) f GROUP BY f.key
SELECT f.value FROM shipments s CROSS JOIN LATERAL FLATTEN(s.tags, recursive => TRUE) AS f
SELECT t.value FROM people p, LATERAL SPLIT_TO_TABLE(p.name, ' ') t
SELECT t.value FROM people p, TABLE(STRTOK_SPLIT_TO_TABLE(p.name, ' ')) t
SELECT IFF(price > 5, 'a', 'b'), ZEROIFNULL(price), NULLIFZERO(price), NVL(carrier, '?'), NVL2(carrier, 1, 0), IFNULL(carrier, ''), COALESCE(carrier, ''), DECODE(carrier, 'van', 1, 'bike', 2, 0), DIV0(price, 0), DIV0NULL(price, 0), EQUAL_NULL(price, 1), GREATEST(1, id), LEAST(1, id), BOOLOR(id, 1) FROM shipments
SELECT TRY_CAST(carrier AS INT), TRY_TO_NUMBER(carrier), TRY_TO_DATE(carrier), TO_NUMBER('1.5', 10, 2), price::NUMBER(38, 2), price::VARCHAR, CAST(price AS FLOAT), TO_VARCHAR(price, '999.00'), TO_DECIMAL('1', 10, 2), TRY_TO_TIMESTAMP(carrier), TO_BOOLEAN('true'), TO_VARIANT(1), price::INTEGER FROM shipments
SELECT name FROM people WHERE name ILIKE 'a%' AND name RLIKE '^A.*' AND name REGEXP '^A.*' AND name LIKE ANY ('A%', 'B%') AND name ILIKE ANY ('a%') AND CONTAINS(name, 'd') AND STARTSWITH(name, 'A') AND ENDSWITH(name, 'a') AND REGEXP_LIKE(name, 'A.*', 'i')
SELECT REGEXP_SUBSTR(name, '\\w+', 1, 1, 'e'), REGEXP_REPLACE(name, '[aeiou]', ''), REGEXP_COUNT(name, 'a'), REGEXP_INSTR(name, 'd'), SPLIT(name, ' ')[0]::STRING, SPLIT_PART(name, ' ', 1), SUBSTR(name, 1, 2), LEFT(name, 1), RIGHT(name, 1), CHARINDEX('d', name), POSITION('d', name), POSITION('d' IN name), CONCAT(name, '-', town), name || town, CONCAT_WS('-', name, town), UPPER(name), INITCAP(name), TRIM(name), LTRIM(name), LPAD(name, 5, '0'), LEN(name), LENGTH(name), REVERSE(name), REPEAT('*', 3), REPLACE(name, 'a', 'b'), TRANSLATE(name, 'a', 'b'), SOUNDEX(name), EDITDISTANCE(name, 'Ada'), JAROWINKLER_SIMILARITY(name, 'Ada'), STRTOK(name, ' ', 1), INSERT(name, 1, 1, 'X'), ASCII(name), CHR(65), SPACE(2) FROM people
SELECT LISTAGG(DISTINCT name, ', ') WITHIN GROUP (ORDER BY name), ARRAY_AGG(name) WITHIN GROUP (ORDER BY name), OBJECT_AGG(name, id::VARIANT), ARRAY_UNIQUE_AGG(town), MODE(town), ANY_VALUE(town), COUNT_IF(id > 1), HASH_AGG(*) FROM people
SELECT MEDIAN(price), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price), APPROX_PERCENTILE(price, 0.9), APPROX_COUNT_DISTINCT(sender_id), HLL(sender_id), APPROX_TOP_K(carrier, 3), MAX_BY(id, price), MIN_BY(id, price), STDDEV(price), VARIANCE(price), CORR(price, weight), REGR_SLOPE(price, weight), BOOLAND_AGG(price > 1), BITOR_AGG(id), KURTOSIS(price), SKEW(price), VAR_POP(price) FROM shipments
SELECT OBJECT_CONSTRUCT('id', id, 'name', name), ARRAY_CONSTRUCT(1, 2), [1, 2], {'a': 1}, ARRAY_CONTAINS('a'::VARIANT, ARRAY_CONSTRUCT('a')), ARRAY_TO_STRING([1, 2], ','), ARRAY_SLICE([1, 2], 0, 1), ARRAY_CAT([1], [2]), ARRAY_DISTINCT([1]), ARRAYS_OVERLAP([1], [1]), ARRAY_POSITION(1, [1]), OBJECT_INSERT({'a': 1}, 'b', 2), OBJECT_CONSTRUCT(*) FROM people
SELECT carrier, price FROM shipments QUALIFY ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC) = 1
SELECT id, LAG(price) IGNORE NULLS OVER (ORDER BY id), FIRST_VALUE(price) IGNORE NULLS OVER (ORDER BY id), SUM(price) OVER (PARTITION BY carrier ORDER BY sent_on ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), RATIO_TO_REPORT(price) OVER (PARTITION BY carrier), NTILE(4) OVER (ORDER BY price), CONDITIONAL_TRUE_EVENT(price > 5) OVER (ORDER BY id), CONDITIONAL_CHANGE_EVENT(carrier) OVER (ORDER BY id), WIDTH_BUCKET(price, 0, 50, 5), CUME_DIST() OVER (ORDER BY price) FROM shipments
SELECT carrier, sender_id, SUM(price), GROUPING(carrier), GROUPING_ID(carrier, sender_id) FROM shipments GROUP BY GROUPING SETS ((carrier), (sender_id))
SELECT carrier, sender_id, SUM(price) FROM shipments GROUP BY ROLLUP (carrier, sender_id)
SELECT carrier, SUM(price) FROM shipments GROUP BY ALL
SELECT * FROM (SELECT carrier, MONTH(sent_on) AS m, price FROM shipments) PIVOT (SUM(price) FOR m IN (1, 2, 3)) AS p
SELECT * FROM (SELECT id, weight, price FROM shipments) UNPIVOT (amount FOR measure IN (weight, price))
WITH RECURSIVE chain AS (SELECT id, name, 0 AS lvl FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1 FROM people p JOIN chain c ON p.boss_id = c.id) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl
WITH days AS (SELECT DATEADD(day, ROW_NUMBER() OVER (ORDER BY NULL) - 1, '2024-01-01'::DATE) AS d FROM TABLE(GENERATOR(ROWCOUNT => 366))) SELECT d, COUNT(s.id) FROM days LEFT JOIN shipments s ON s.sent_on = d GROUP BY d
SELECT SEQ4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 12))
SELECT * FROM shipments SAMPLE (10)
SELECT * FROM shipments TABLESAMPLE BERNOULLI (5)
SELECT * FROM shipments SAMPLE (10 ROWS)
SELECT TOP 10 id, price FROM shipments ORDER BY price DESC
SELECT * EXCLUDE (details, tags) FROM shipments
SELECT * EXCLUDE details RENAME price AS cost FROM shipments
SELECT p.name, s.price FROM PUBLIC.PEOPLE p LEFT OUTER JOIN public.shipments s ON s.sender_id = p.id
SELECT p.name, s.price FROM people p ASOF JOIN (SELECT sender_id, sent_on, price FROM shipments) s MATCH_CONDITION (p.joined_on >= s.sent_on) ON p.id = s.sender_id
SELECT column1, column2 FROM (VALUES (1, 'a'), (2, 'b'))
SELECT v.a FROM (VALUES (1, 'a')) AS v (a, b)
SELECT id FROM people MINUS SELECT sender_id FROM shipments
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT id FROM people UNION ALL SELECT sender_id FROM shipments LIMIT 5 OFFSET 1
SELECT ROUND(price, 1), CEIL(price), FLOOR(price), TRUNC(price, 1), MOD(id, 2), POWER(price, 2), SQRT(price), LN(price), LOG(10, price), ABS(price), SIGN(price), SQUARE(price), UNIFORM(1, 10, 42), RANDOM(42), BITAND(id, 1), HAVERSINE(1, 2, 3, 4), FACTORIAL(5) FROM shipments
SELECT MD5(name), SHA2(name, 256), HASH(name), BASE64_ENCODE(name), HEX_ENCODE(name), UUID_STRING() FROM people
SELECT TRANSFORM(tags, x -> UPPER(x)), FILTER(tags, x -> x <> 'a'), REDUCE([1, 2], 0, (acc, x) -> acc + x) FROM shipments
SELECT CASE WHEN price > 20 THEN 'high' ELSE 'low' END AS band, COUNT(*) AS n FROM shipments GROUP BY band HAVING n > 0 ORDER BY n DESC NULLS LAST
SELECT 'it''s', 'back\\slash', $$raw 'text'$$, 1.5e3, TRUE, NULL, DATE '2024-01-01', INTERVAL '1 day', sent_on + INTERVAL '1 month, 2 days' FROM shipments
SELECT carrier, price AS p, p * 2 AS dbl FROM shipments WHERE p > 1
SELECT s.carrier, COUNT(DISTINCT s.sender_id), SUM(s.price) / NULLIF(COUNT(*), 0) FROM shipments AS s WHERE s.sent_on BETWEEN '2024-01-01' AND '2024-12-31' AND s.carrier NOT IN ('x') GROUP BY s.carrier
SELECT STRIP_NULL_VALUE(details:a), FLOOR(DATEDIFF('second', sent_on, delivered_at) / 3600), TO_TIME('10:00'), TIMEADD(hour, 1, delivered_at), TIMESTAMP_FROM_PARTS(2024, 1, 1, 0, 0, 0), DATE_PART('dow', sent_on), DAYOFWEEKISO(sent_on), YEAROFWEEKISO(sent_on), TO_TIMESTAMP(1700000000) FROM shipments
SELECT DATE_TRUNC('week', sent_on)::DATE AS wk, COUNT(DISTINCT sender_id), SUM(price)::NUMBER(12, 2) FROM shipments WHERE sent_on >= DATEADD('month', -3, CURRENT_DATE) GROUP BY 1 ORDER BY 1 DESC
SELECT TO_CHAR(sent_on, 'MON YYYY'), TO_VARCHAR(delivered_at, 'HH24:MI'), MONTHNAME(sent_on) || ' ' || YEAR(sent_on), DATE_PART(quarter, sent_on), DATE_PART('week', sent_on), EXTRACT(dow FROM sent_on), LAST_DAY(sent_on, 'quarter'), DATEDIFF('month', sent_on, CURRENT_DATE()), sent_on::TIMESTAMP_NTZ, TO_DATE(delivered_at) FROM shipments
SELECT src:customer.name::STRING, src:items[0].sku::STRING, src['a'][0]['b']::INT, src:"Odd Key"::VARCHAR FROM (SELECT details AS src FROM shipments)
SELECT f.value:sku::STRING AS sku, SUM(f.value:qty::INT) FROM shipments s, LATERAL FLATTEN(input => s.details:items) f GROUP BY 1
SELECT f.index, f.value::STRING FROM shipments, LATERAL FLATTEN(INPUT => SPLIT(carrier, ',')) f
SELECT f.path, f.this, TYPEOF(f.value) FROM shipments, LATERAL FLATTEN(input => details, recursive => true, mode => 'BOTH') f
SELECT ARRAY_SIZE(ARRAY_AGG(DISTINCT carrier)), ARRAY_AGG(OBJECT_CONSTRUCT('id', id, 'p', price)) WITHIN GROUP (ORDER BY price DESC), ARRAY_TO_STRING(ARRAY_AGG(carrier), ', '), OBJECT_AGG(carrier, price::VARIANT) FROM shipments GROUP BY sender_id
SELECT COUNT_IF(price > 5), SUM(IFF(carrier = 'van', price, 0)), AVG(NULLIF(price, 0)), APPROX_PERCENTILE(price, 0.5), PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY price), MIN(price), MAX(sent_on), ANY_VALUE(carrier), STDDEV_SAMP(price), VAR_SAMP(price), HLL(sender_id), BITAND_AGG(id), LISTAGG(carrier, '|') FROM shipments
SELECT id, SUM(price) OVER (PARTITION BY carrier ORDER BY sent_on ROWS BETWEEN 6 PRECEDING AND CURRENT ROW), LAG(price, 1, 0) OVER (ORDER BY id), LEAD(price) IGNORE NULLS OVER (ORDER BY id), LAST_VALUE(price) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), NTH_VALUE(price, 2) OVER (ORDER BY id), PERCENT_RANK() OVER (ORDER BY price) FROM shipments
SELECT * FROM shipments QUALIFY RANK() OVER (PARTITION BY carrier ORDER BY price DESC) <= 3 AND price > 1
SELECT carrier, SUM(price) AS total, RATIO_TO_REPORT(SUM(price)) OVER () AS share FROM shipments GROUP BY carrier HAVING total > 1 ORDER BY total DESC LIMIT 10
SELECT TRY_TO_NUMBER('1.5', 10, 2), TRY_TO_DOUBLE('x'), TRY_TO_DATE('x', 'YYYY'), TRY_CAST('1' AS NUMBER(10, 2)), '1'::INT, 1::VARCHAR(10), TO_NUMBER('1'), TO_DOUBLE('1'), TO_BOOLEAN('t'), '2024-01-01'::DATE + 1, '2024-01-01'::TIMESTAMP_LTZ, TO_TIMESTAMP('2024-01-01', 'YYYY-MM-DD'), TO_TIMESTAMP(1700000000, 0)
SELECT CASE WHEN price BETWEEN 1 AND 5 THEN 'low' ELSE 'high' END AS band, COUNT(*) FROM shipments GROUP BY band
SELECT name FROM people WHERE name ILIKE '%a%' AND name NOT ILIKE 'b%' AND name LIKE ANY ('A%', '%b') AND name RLIKE '.*a' AND REGEXP_LIKE(name, '^a', 'i') AND ARRAY_CONTAINS(name::VARIANT, ARRAY_CONSTRUCT('Ada')) AND town IN ('Ulm') AND CONTAINS(name, 'd')
SELECT a.name, b.name FROM people a LEFT JOIN people b ON b.id = a.boss_id WHERE b.id IS NULL
SELECT d.value::DATE FROM TABLE(FLATTEN(ARRAY_GENERATE_RANGE(0, 30))) d
SELECT DATEADD(day, SEQ4(), '2024-01-01'::DATE) AS d FROM TABLE(GENERATOR(ROWCOUNT => 31))
SELECT DATEADD('day', ROW_NUMBER() OVER (ORDER BY SEQ4()) - 1, DATE '2024-01-01') AS d FROM TABLE(GENERATOR(ROWCOUNT => 365)) v
WITH RECURSIVE d AS (SELECT '2024-01-01'::DATE AS d UNION ALL SELECT DATEADD(day, 1, d) FROM d WHERE d < '2024-01-31') SELECT * FROM d
SELECT * FROM (SELECT carrier, sender_id, price FROM shipments) PIVOT (AVG(price) FOR carrier IN (ANY ORDER BY carrier))
SELECT * FROM (SELECT carrier, sender_id, price FROM shipments) PIVOT (SUM(price) FOR carrier IN ('van', 'bike')) AS p (sender, van, bike)
SELECT $$it's$$ AS q, 'a\tb', 'it''s', '\u00e9' AS e
SELECT SPLIT_PART(name, ' ', -1), SUBSTRING(name, 1, 3), REGEXP_SUBSTR(name, '[A-Z]+'), REGEXP_SUBSTR_ALL(name, 'a'), REGEXP_EXTRACT_ALL(name, 'a'), TRIM(name, ' '), INITCAP(name, ' '), LEFT(name, 2), CONCAT(name, ' ', town), BASE64_ENCODE(name), SHA2(name), MD5(name), LENGTH(name), EDITDISTANCE(name, town), JAROWINKLER_SIMILARITY(name, town), COLLATE(name, 'en-ci'), STRTOK_TO_ARRAY(name, ' '), RPAD(name, 10, '.'), UNICODE(name), PARSE_URL('http://a/b'):host::STRING FROM people
SELECT MAX_BY(id, price), MIN_BY(id, price, 2), ARRAY_UNIQUE_AGG(carrier), KURTOSIS(price), CORR(price, weight), REGR_SLOPE(price, weight), COVAR_POP(price, weight), MODE(carrier), MEDIAN(price), WIDTH_BUCKET(5, 0, 10, 5), BOOLOR_AGG(price > 5) FROM shipments
SELECT GREATEST_IGNORE_NULLS(1, NULL), LEAST(1, 2), ZEROIFNULL(NULL), NVL2(1, 2, 3), DIV0(1, 0), MOD(5, 2), 5 % 2, ROUND(2.567, 2), TRUNCATE(2.567, 1), CEIL(1.2), SQUARE(3), CBRT(27), LOG(2, 8), EXP(1), HAVERSINE(1, 2, 3, 4), BITSHIFTLEFT(1, 2), RANDOM() < 0 OR TRUE, UNIFORM(1, 10, RANDOM()), ABS(-1)
SELECT HOUR(delivered_at), MINUTE(delivered_at), TIMESTAMPADD('hour', 1, delivered_at), TIME_SLICE(delivered_at, 15, 'MINUTE', 'START'), DATE_TRUNC('hour', delivered_at), CONVERT_TIMEZONE('Europe/Berlin', delivered_at::TIMESTAMP_TZ), DATEDIFF(second, sent_on, delivered_at) / 3600.0, delivered_at::TIME, TO_TIME(delivered_at), DAYOFYEAR(sent_on), WEEKISO(sent_on), YEAROFWEEK(sent_on), NEXT_DAY(sent_on, 'monday'), PREVIOUS_DAY(sent_on, 'mo'), MONTHS_BETWEEN(sent_on, '2024-01-01'::DATE) FROM shipments
SELECT LISTAGG(name, ',') WITHIN GROUP (ORDER BY name), IFF(id > 1, 'a', 'b') FROM people GROUP BY id
SELECT f.value:name::STRING FROM shipments s, LATERAL FLATTEN(input => s.details) f
SELECT DATEADD(day, -7, CURRENT_DATE()), ZEROIFNULL(price), TO_VARCHAR(sent_on, 'YYYY') FROM shipments
SELECT * FROM shipments PIVOT (SUM(price) FOR carrier IN ('van', 'bike'))
