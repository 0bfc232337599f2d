SELECT date_trunc('month', sent_on) AS m, carrier, sum(price) AS revenue, count(*) AS n FROM shipments GROUP BY 1, 2 ORDER BY 1
SELECT approx_distinct(sender_id), approx_percentile(price, 0.5), approx_percentile(price, ARRAY[0.25, 0.75]), approx_percentile(price, weight, 0.9), count_if(price > 5), max_by(id, price), min_by(id, price, 3), arbitrary(carrier), histogram(carrier), geometric_mean(price), checksum(carrier), approx_most_frequent(3, carrier, 10) FROM shipments
SELECT try_cast(carrier AS integer), try(1 / 0), cast(price AS decimal(10, 2)), cast(id AS varchar), typeof(price), format('%.2f', price), format_number(1000000) FROM shipments
SELECT transform(tags, x -> upper(x)), filter(tags, x -> x <> 'a'), reduce(ARRAY[1, 2], 0, (s, x) -> s + x, s -> s), any_match(tags, x -> x = 'a'), all_match(tags, x -> x = 'a'), none_match(tags, x -> x = 'z'), zip_with(ARRAY[1], ARRAY[2], (x, y) -> x + y) FROM shipments
SELECT cardinality(tags), contains(tags, 'a'), element_at(tags, 1), tags[1], array_join(tags, ','), array_distinct(tags), array_sort(tags), array_max(tags), array_union(tags, ARRAY['z']), arrays_overlap(tags, ARRAY['a']), slice(tags, 1, 2), flatten(ARRAY[tags]), array_position(tags, 'a'), tags || ARRAY['q'], array_remove(tags, 'a') FROM shipments
SELECT s.id, t.tag, t.ord FROM shipments s CROSS JOIN UNNEST(s.tags) WITH ORDINALITY AS t(tag, ord)
SELECT k, v FROM UNNEST(map(ARRAY['a', 'b'], ARRAY[1, 2])) AS t(k, v)
SELECT s.id, t.tag FROM shipments s LEFT JOIN UNNEST(s.tags) AS t(tag) ON TRUE
SELECT json_extract_scalar(details, '$.box.w'), json_extract(details, '$.box'), json_parse('{}'), json_format(json_parse('{}')), json_array_length(details), json_value(details, 'lax $.box.w' RETURNING integer), json_query(details, 'lax $.box'), json_exists(details, 'lax $.box'), json_size(details, '$.box') FROM shipments
SELECT CAST(json_parse(details) AS map(varchar, json)), map_keys(map(ARRAY[1], ARRAY[2])), map_filter(map(ARRAY[1], ARRAY[2]), (k, v) -> v > 1), transform_values(map(ARRAY[1], ARRAY[2]), (k, v) -> v + 1), map_agg(id, carrier), multimap_agg(carrier, id) FROM shipments GROUP BY details
SELECT date_diff('day', sent_on, current_date), date_add('month', 1, sent_on), date_format(sent_on, '%Y-%m'), date_parse('2024', '%Y'), format_datetime(delivered_at, 'yyyy'), from_unixtime(1700000000), to_unixtime(delivered_at), year(sent_on), month(sent_on), day_of_week(sent_on), week(sent_on), quarter(sent_on), extract(hour FROM delivered_at), last_day_of_month(sent_on), from_iso8601_timestamp('2024-01-01T00:00:00Z'), to_iso8601(sent_on), date(delivered_at), hour(delivered_at) FROM shipments
SELECT delivered_at AT TIME ZONE 'Europe/Berlin', with_timezone(delivered_at, 'UTC'), at_timezone(current_timestamp, 'UTC'), interval '1' day, sent_on + interval '3' month, current_date - interval '7' day, timestamp '2024-01-01 00:00:00 UTC', localtimestamp, now() FROM shipments
SELECT d, count(s.id) FROM UNNEST(sequence(date '2024-01-01', date '2024-12-31', interval '1' month)) AS t(d) LEFT JOIN shipments s ON date_trunc('month', s.sent_on) = d GROUP BY d
SELECT n FROM UNNEST(sequence(1, 24)) AS t(n)
SELECT n FROM TABLE(sequence(1, 12)) AS t(n)
WITH RECURSIVE chain(id, name, lvl) AS (SELECT id, name, 0 FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1 FROM people p JOIN chain c ON p.boss_id = c.id WHERE c.lvl < 9) SELECT lvl, count(*) FROM chain GROUP BY lvl
SELECT regexp_like(name, '^A'), regexp_extract(name, '(\w)', 1), regexp_replace(name, '[aeiou]', ''), regexp_split(town, '\s+'), regexp_extract_all(name, '.'), split(name, ' '), split_part(name, ' ', 1), strpos(name, 'd'), substr(name, 1, 2), reverse(name), lpad(name, 10, ' '), concat(name, '-', town), length(name), trim(name), replace(name, 'a', 'b'), lower(name), translate(name, 'a', 'b'), levenshtein_distance(name, 'Ada'), url_extract_host('http://x'), starts_with(name, 'A'), concat_ws(',', name, town) FROM people
SELECT listagg(name, ', ') WITHIN GROUP (ORDER BY name), array_agg(name ORDER BY name), array_agg(DISTINCT town), listagg(name, ',' ON OVERFLOW TRUNCATE '...' WITH COUNT) WITHIN GROUP (ORDER BY name) FROM people
SELECT carrier, sum(price) FILTER (WHERE weight > 1), grouping(carrier), count(DISTINCT sender_id) FROM shipments GROUP BY GROUPING SETS ((carrier), ())
SELECT carrier, sender_id, sum(price) FROM shipments GROUP BY ROLLUP (carrier, sender_id)
SELECT carrier, sender_id, sum(price) FROM shipments GROUP BY CUBE (carrier, sender_id)
SELECT id, row_number() OVER (PARTITION BY carrier ORDER BY price DESC) AS rn, lag(price, 1) IGNORE NULLS OVER (ORDER BY id), first_value(price) OVER (PARTITION BY carrier ORDER BY id), ntile(4) OVER (ORDER BY price), sum(price) OVER (ORDER BY sent_on RANGE BETWEEN INTERVAL '7' DAY PRECEDING AND CURRENT ROW) FROM shipments
SELECT sum(price) OVER w FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY sent_on)
SELECT corr(price, weight), regr_slope(price, weight), stddev(price), var_pop(price), skewness(price), kurtosis(price), bool_and(price > 0), bool_or(price > 0), every(price > 0), covar_pop(price, weight), max(price, 3) FROM shipments
SELECT coalesce(town, '?'), nullif(name, ''), if(id > 1, 'a', 'b'), greatest(1, id), least(1, id), CASE WHEN id > 1 THEN 1 END FROM people
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, label) JOIN people USING (id)
SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id)
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT id FROM people INTERSECT SELECT sender_id FROM shipments ORDER BY 1 LIMIT 10
SELECT id FROM people ORDER BY id OFFSET 1 ROWS FETCH NEXT 3 ROWS ONLY
SELECT id FROM people ORDER BY id OFFSET 1 LIMIT 3
SELECT * FROM shipments TABLESAMPLE BERNOULLI (10)
SELECT * FROM shipments TABLESAMPLE SYSTEM (10)
SELECT p.name, l.price FROM people p CROSS JOIN LATERAL (SELECT price FROM shipments s WHERE s.sender_id = p.id ORDER BY price DESC LIMIT 1) l
SELECT round(price, 1), ceiling(price), floor(price), truncate(price), mod(id, 2), power(price, 2), sqrt(price), ln(price), log10(price), abs(price), sign(price), width_bucket(price, 0, 50, 5), random() < 2, pi(), e(), is_nan(price), infinity() FROM shipments
SELECT to_hex(md5(to_utf8(name))), from_utf8(to_utf8(name)), to_base64(to_utf8(name)), xxhash64(to_utf8(name)), sha256(to_utf8(name)), chr(65), codepoint('a') FROM people
SELECT ROW(1, 'a'), CAST(ROW(1, 2.0) AS ROW(x BIGINT, y DOUBLE)).x, r.x FROM (SELECT CAST(ROW(1, 2) AS ROW(x int, y int)) AS r) t
SELECT "name", "p"."town" FROM "lake"."parcels"."people" AS "p"
SELECT count(*) * 100.0 / sum(count(*)) OVER () AS pct, carrier FROM shipments GROUP BY carrier
WITH m AS (SELECT date_trunc('month', sent_on) AS mon, sum(price) AS s FROM shipments GROUP BY 1) SELECT mon, s, s - lag(s) OVER (ORDER BY mon) AS diff FROM m
SELECT approx_set(id), cardinality(approx_set(id)), merge(approx_set(id)), tdigest_agg(price), value_at_quantile(tdigest_agg(price), 0.5), numeric_histogram(10, price) FROM shipments
SELECT name FROM people WHERE name LIKE 'A!_%' ESCAPE '!' AND town IN ('Ulm') AND id BETWEEN 1 AND 5 AND name IS DISTINCT FROM 'x' AND joined_on > date '2020-01-01'
SELECT human_readable_seconds(96), parse_duration('3m'), date_diff('hour', timestamp '2024-01-01 00:00:00', timestamp '2024-01-02 00:00:00'), timestamp '2024-01-01 00:00:00' - interval '2' hour
SELECT date_trunc('week', sent_on), date_diff('day', sent_on, CAST(delivered_at AS date)), date_add('day', -7, current_date), date_format(delivered_at, '%Y-%m-%d %H:%i'), day_of_week(sent_on), format_datetime(delivered_at, 'EEEE') FROM shipments
SELECT sent_on >= date_add('month', -3, date_trunc('month', current_date)), sent_on BETWEEN DATE '2024-01-01' AND DATE '2024-12-31' FROM shipments
SELECT CAST(json_extract(details, '$.items') AS ARRAY(JSON)), CAST(json_extract_scalar(details, '$.box.w') AS DOUBLE), json_extract_scalar(details, '$["box"]["w"]') FROM shipments
SELECT s.id, json_extract_scalar(i, '$.sku') FROM shipments s CROSS JOIN UNNEST(CAST(json_extract(details, '$.items') AS ARRAY(JSON))) AS t(i)
SELECT carrier, count(*) FILTER (WHERE price > 5), sum(price) FILTER (WHERE weight > 1), approx_percentile(price, 0.95) FROM shipments GROUP BY 1 HAVING count(*) > 1
SELECT array_agg(carrier ORDER BY price DESC)[1], slice(array_agg(id ORDER BY price DESC), 1, 3), map_agg(carrier, price), array_join(array_agg(DISTINCT carrier), ', '), reduce_agg(price, 0, (a, b) -> a + b, (a, b) -> a + b) FROM shipments
SELECT element_at(map_agg(carrier, price), 'van'), cardinality(array_distinct(array_agg(sender_id))), max_by(carrier, price) FROM shipments
SELECT id, lag(price) OVER w, lead(price, 1, 0.0) OVER w, last_value(price) OVER (PARTITION BY carrier ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY id)
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY carrier ORDER BY price DESC) rn FROM shipments) WHERE rn <= 3
SELECT coalesce(try_cast(carrier AS bigint), 0), try(id / 0), nullif(id, 0), if(price > 5, 'a'), CASE carrier WHEN 'van' THEN 1 END FROM shipments
SELECT regexp_extract(name, '([A-Z])(\w+)', 2), regexp_replace(name, '\s', ''), regexp_count(name, 'a'), name LIKE 'A%', split(name, ' ')[1], upper(substr(name, 1, 1)) || lower(substr(name, 2)), lpad(CAST(id AS varchar), 5, '0'), concat_ws('-', name, town) FROM people
SELECT date_trunc('month', d) AS m, count(*) FROM UNNEST(sequence(CAST('2024-01-01' AS date), CAST('2024-12-31' AS date), INTERVAL '1' DAY)) t(d) GROUP BY 1
SELECT x FROM UNNEST(ARRAY[1, 2, 3]) AS t(x)
SELECT n, c FROM UNNEST(ARRAY[1, 2], ARRAY['a', 'b']) AS t(n, c)
SELECT from_unixtime(1700000000, 'Europe/Berlin'), to_unixtime(now()), from_iso8601_date('2024-01-01'), date_parse('2024-01', '%Y-%m'), parse_datetime('2024', 'yyyy'), CAST('2024-01-01 00:00:00' AS timestamp(3)), timestamp '2024-01-01 10:00:00' AT TIME ZONE 'UTC', current_timestamp(3)
SELECT carrier, avg(price), stddev_samp(price), var_samp(price), approx_distinct(sender_id, 0.01), min(price), max(sent_on), sum(DISTINCT price), bool_or(price > 5), arbitrary(carrier) FROM shipments GROUP BY carrier
SELECT p.name, s.price FROM people p LEFT JOIN shipments s ON s.sender_id = p.id AND s.sent_on >= DATE '2024-01-01' WHERE s.id IS NOT NULL OR p.town IS NULL
WITH RECURSIVE t(n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT sum(n) FROM t
SELECT carrier, sender_id, grouping(carrier, sender_id), sum(price) FROM shipments GROUP BY GROUPING SETS ((carrier, sender_id), (carrier), ())
SELECT URL_EXTRACT_PARAMETER('http://a?b=1', 'b'), url_extract_path('http://a/b'), to_hex(sha256(to_utf8('a'))), hamming_distance('a', 'b'), normalize('a'), reverse('a'), word_stem('running'), soundex('a'), luhn_check('1')
SELECT sum(price) OVER (ORDER BY sent_on ROWS BETWEEN 6 PRECEDING AND CURRENT ROW), sum(sum(price)) OVER () FROM shipments GROUP BY price, sent_on
SELECT zip(ARRAY[1], ARRAY['a']), array_sort(tags, (a, b) -> if(a < b, -1, 1)), filter(tags, t -> t IS NOT NULL), map_entries(map(ARRAY['a'], ARRAY[1])), map_concat(map(ARRAY[1], ARRAY[2]), map(ARRAY[3], ARRAY[4])), ngrams(tags, 2), repeat('a', 3), shuffle(tags), array_except(tags, ARRAY['a']), sequence(1, 3) FROM shipments
SELECT transform(tags, x -> upper(x)), filter(tags, x -> x <> 'a'), date_format(sent_on, '%Y') FROM shipments
SELECT t.tag, count(*) FILTER (WHERE price > 1) FROM lake.parcels.shipments CROSS JOIN UNNEST(tags) AS t(tag) GROUP BY 1
SELECT d FROM UNNEST(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL '1' DAY)) AS g(d)
