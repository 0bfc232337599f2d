SELECT date_trunc('month', sent_on)::date AS month, carrier, sum(price) AS revenue, count(*) FILTER (WHERE delivered_at IS NULL) AS open FROM shipments GROUP BY 1, 2 ORDER BY 1, 2
SELECT to_char(sent_on, 'IYYY-"W"IW') AS wk, count(DISTINCT sender_id) FROM shipments GROUP BY wk ORDER BY wk
SELECT extract(dow FROM sent_on) AS dow, to_char(sent_on, 'FMDay') AS d, count(*) FROM shipments GROUP BY 1, 2
SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY price) AS q, mode() WITHIN GROUP (ORDER BY carrier) FROM shipments
SELECT carrier, string_agg(DISTINCT id::text, ', ' ORDER BY id::text) AS ids, array_agg(price ORDER BY price DESC) AS prices, (array_agg(id ORDER BY price DESC))[1] AS top FROM shipments GROUP BY carrier
SELECT town, carrier, grouping(town, carrier) AS g, sum(price) FROM shipments s JOIN people p ON p.id = s.sender_id GROUP BY GROUPING SETS ((town, carrier), (town), ())
SELECT town, carrier, sum(price) FROM shipments s JOIN people p ON p.id = s.sender_id GROUP BY ROLLUP (town, carrier) ORDER BY town NULLS LAST, carrier NULLS FIRST
SELECT town, carrier, sum(price) FROM shipments s JOIN people p ON p.id = s.sender_id GROUP BY CUBE (town, carrier)
SELECT d::date AS day, coalesce(count(s.id), 0) AS n FROM generate_series(date '2024-01-01', date '2024-01-31', interval '1 day') AS d LEFT JOIN shipments s ON s.sent_on = d::date GROUP BY d ORDER BY d
SELECT gs.month, sum(s.price) FROM generate_series((SELECT date_trunc('month', min(sent_on)) FROM shipments), (SELECT max(sent_on) FROM shipments), '1 month'::interval) AS gs(month) LEFT JOIN shipments s ON date_trunc('month', s.sent_on) = gs.month GROUP BY 1
SELECT h, count(s.id) FROM generate_series(0, 23) AS h LEFT JOIN shipments s ON extract(hour FROM s.delivered_at) = h GROUP BY h ORDER BY h
SELECT n, n * n FROM generate_series(1, 10) WITH ORDINALITY AS t(n, i)
WITH RECURSIVE chain AS (SELECT id, name, 1 AS lvl, ARRAY[id] AS path FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1, c.path || p.id FROM people p JOIN chain c ON p.boss_id = c.id WHERE c.lvl < 10) SELECT lvl, count(*) FROM chain GROUP BY lvl
SELECT p.name, l.price FROM people p CROSS JOIN LATERAL (SELECT price FROM shipments s WHERE s.sender_id = p.id ORDER BY price DESC LIMIT 2) l
SELECT p.name, l.n FROM people p LEFT JOIN LATERAL (SELECT count(*) AS n FROM shipments s WHERE s.sender_id = p.id) l ON true
SELECT DISTINCT ON (sender_id) sender_id, id, price FROM shipments ORDER BY sender_id, price DESC, id
SELECT details->'box'->>'w' AS w, details #>> '{box,w}' AS w2, (details->'box'->>'w')::numeric * 2 AS dbl, details ? 'box' AS has, details @> '{"box": {"w": 3}}' AS c, jsonb_typeof(details) AS t FROM shipments
SELECT e.key, e.value FROM shipments s, jsonb_each(s.details) AS e
SELECT t.key, count(*) FROM shipments s CROSS JOIN LATERAL jsonb_each_text(s.details) AS t(key, value) GROUP BY t.key
SELECT x.w FROM shipments s, jsonb_to_record(s.details->'box') AS x(w int)
SELECT jsonb_build_object('id', id, 'name', name), json_agg(name ORDER BY name), jsonb_object_agg(name, id), to_jsonb(name), jsonb_path_query_array('[1,2]'::jsonb, '$[*]') FROM people GROUP BY id, name
SELECT unnest(tags) AS tag, count(*) FROM shipments GROUP BY 1
SELECT t.tag, t.ord FROM shipments s, unnest(s.tags) WITH ORDINALITY AS t(tag, ord)
SELECT id FROM shipments WHERE 'a' = ANY(tags) AND NOT tags && ARRAY['z'] AND tags @> ARRAY['a'] AND cardinality(tags) > 0 AND array_length(tags, 1) >= 1
SELECT array_to_string(tags, ','), array_position(tags, 'b'), tags[1], tags[1:2], string_to_array('a,b', ',') FROM shipments
SELECT name FROM people WHERE name ~ '^[A-C]' AND name !~* 'x$' AND town SIMILAR TO '(Ulm|Bonn)%' AND name NOT ILIKE '%zz%'
SELECT regexp_replace(name, '[aeiou]', '', 'gi'), regexp_match(name, '(\w)(\w)'), substring(name FROM '^.'), split_part(town, ' ', 1), (regexp_matches(name, '.'))[1] FROM people
SELECT initcap(lower(name)), left(name, 2), right(name, -1), lpad(id::text, 5, '0'), repeat('*', 3), concat_ws(' ', name, town), overlay(name PLACING 'X' FROM 1 FOR 1), position('d' IN name), trim(BOTH ' ' FROM name), btrim(name), translate(name, 'a', 'b'), md5(name), format('%s (%s)', name, town), reverse(name), char_length(name), strpos(name, 'd') FROM people
SELECT price::numeric(10, 2), round(price::numeric, 1), ceil(price), floor(price), trunc(price::numeric, 1), mod(id, 2), power(price, 2), sqrt(price), ln(price), abs(price), sign(price), id / 2, id % 2, width_bucket(price, 0, 50, 5) FROM shipments
SELECT age(delivered_at, sent_on), delivered_at - sent_on::timestamp AS took, extract(epoch FROM delivered_at - sent_on::timestamp) / 3600 AS hours, sent_on + interval '1 week', sent_on + 7, date_part('year', sent_on), make_date(2024, 1, 1), sent_on - date '2024-01-01' AS days FROM shipments
SELECT delivered_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS local, timezone('UTC', delivered_at), now() AT TIME ZONE 'UTC' > delivered_at FROM shipments
SELECT * FROM shipments WHERE sent_on >= current_date - interval '30 years' AND sent_on < date_trunc('year', now()) + interval '1 year' AND sent_on BETWEEN '2024-01-01' AND '2024-12-31'
SELECT to_date('2024-01-05', 'YYYY-MM-DD'), to_timestamp(1700000000), to_timestamp('2024', 'YYYY'), to_number('12,3', '99G9'), to_char(1234.5, 'FM9,999.00'), to_char(interval '1 day', 'HH24')
SELECT id, price, sum(price) OVER w AS running, avg(price) OVER (ORDER BY sent_on ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS m7, lag(price) OVER w, lead(price, 2, 0) OVER w, first_value(price) OVER w, last_value(price) OVER (ORDER BY sent_on ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), ntile(4) OVER w, percent_rank() OVER w FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY sent_on)
SELECT avg(price) OVER (ORDER BY sent_on RANGE BETWEEN interval '7 days' PRECEDING AND CURRENT ROW), sum(price) OVER (ORDER BY sent_on GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM shipments
SELECT corr(price, weight), regr_slope(price, weight), regr_r2(price, weight), stddev_pop(price), var_samp(price), covar_samp(price, weight), bool_and(price > 0), every(id > 0), bit_or(id) FROM shipments
SELECT rank() OVER (ORDER BY sum(price) DESC) AS r, carrier, sum(price) AS total, round(100 * sum(price) / sum(sum(price)) OVER (), 1) AS pct FROM shipments GROUP BY carrier
SELECT coalesce(town, '?'), nullif(name, ''), greatest(id, 2), least(id, 2), CASE WHEN id > 1 THEN 'a' ELSE 'b' END FROM people
SELECT p.name FROM people p WHERE NOT EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id)
SELECT name FROM people WHERE id = ANY (SELECT sender_id FROM shipments) AND id <> ALL (ARRAY[7, 8])
SELECT * FROM (VALUES (1, 'one'), (2, 'two')) AS t(id, label) JOIN people USING (id)
SELECT id FROM people UNION ALL (SELECT sender_id FROM shipments ORDER BY price LIMIT 1) ORDER BY id FETCH FIRST 3 ROWS ONLY
SELECT id FROM people EXCEPT ALL SELECT sender_id FROM shipments
SELECT p.name AS "Name", "s"."price" FROM public.people AS p INNER JOIN public.shipments AS "s" ON p.id = s.sender_id
SELECT count(*) FROM shipments TABLESAMPLE BERNOULLI (100) REPEATABLE (7)
SELECT 'it''s' AS a, E'line\nbreak' AS b, $$dollar 'quoted'$$ AS c, $t$tagged$t$ AS d
SELECT id, row_number() OVER (PARTITION BY sender_id ORDER BY sent_on DESC, id) AS rn FROM shipments ORDER BY rn, id LIMIT 10 OFFSET 0
WITH s AS MATERIALIZED (SELECT * FROM shipments), p AS NOT MATERIALIZED (SELECT * FROM people) SELECT count(*) FROM s JOIN p ON p.id = s.sender_id
SELECT s.carrier, s.price IS DISTINCT FROM 5, s.weight IS NOT NULL, (s.price > 5) IS TRUE, s.carrier IN ('van', 'bike') FROM shipments s
SELECT date_bin('15 minutes', delivered_at, timestamp '2024-01-01') AS slot, count(*) FROM shipments GROUP BY slot
SELECT justify_days(interval '40 days'), make_interval(days => 3), interval '1 year 2 months', date '2024-02-29' + interval '1 year', (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', date '2024-03-01')
SELECT row_to_json(t) FROM (SELECT id, name FROM people) t
SELECT json_build_object('total', sum(price), 'by', json_object_agg(carrier, price)) FROM shipments
SELECT sum(price) FILTER (WHERE carrier = 'van') AS van, sum(price) FILTER (WHERE carrier = 'bike') AS bike FROM shipments GROUP BY date_trunc('quarter', sent_on)
SELECT name COLLATE "C" FROM people ORDER BY name COLLATE "C" DESC
SELECT encode(sha256(name::bytea), 'hex'), decode('4142', 'hex'), ascii(name), chr(65), to_hex(255), octet_length(name), bit_length(name), quote_literal(name) FROM people
SELECT s.id, s.sent_on, s.sent_on - lag(s.sent_on) OVER (PARTITION BY s.sender_id ORDER BY s.sent_on) AS gap FROM shipments s
SELECT count(*) AS n, 1.0 * count(delivered_at) / nullif(count(*), 0) AS rate, min(sent_on)::text || ' - ' || max(sent_on)::text AS span FROM shipments
SELECT daterange('2024-01-01', '2024-02-01') @> sent_on, lower(daterange('2024-01-01', '2024-02-01')), isempty(int4range(1, 1)) FROM shipments
SELECT to_tsvector('english', name) @@ plainto_tsquery('english', 'ada') FROM people
SELECT random() < 2, gen_random_uuid() IS NOT NULL, clock_timestamp() >= now(), current_timestamp(0) IS NOT NULL, localtimestamp IS NOT NULL
SELECT s.* FROM shipments s JOIN (SELECT carrier, max(price) AS top FROM shipments GROUP BY carrier) m ON m.carrier = s.carrier AND m.top = s.price
SELECT xs.x FROM (SELECT ARRAY(SELECT id FROM people ORDER BY id) AS ids) a, unnest(a.ids) AS xs(x)
SELECT regexp_split_to_table(town, '\s+') AS word, count(*) FROM people GROUP BY 1
SELECT cast(price AS int), price::float8, people.id::bigint, name::varchar(3), '5'::int, true::int, sent_on::timestamptz FROM shipments JOIN people ON people.id = sender_id
SELECT format('FY2024 %s', id), format('%-10s|', name), format('%1$s %1$s', name), to_char(12.5, 'FM990.0%') FROM people
SELECT sum(price)::numeric(12, 2), avg(price)::float, count(*)::int FROM shipments
SELECT date_trunc('week', now()) - interval '1 week', now()::date - 30, current_date - 7, localtime IS NULL, now() - '1 day'::interval > '2020-01-01'
SELECT d::date FROM generate_series(current_date - interval '30 days', current_date, '1 day') d
SELECT d FROM generate_series(date_trunc('month', now()) - interval '11 months', date_trunc('month', now()), interval '1 month') AS d
SELECT generate_series(1, array_length(tags, 1)) FROM shipments
SELECT i, tags[i] FROM shipments, generate_subscripts(tags, 1) AS i
SELECT s.id, e.value->>'x' FROM shipments s, jsonb_array_elements(s.details->'list') WITH ORDINALITY AS e(value, n)
SELECT jsonb_object_keys(details), details->>'a', details #> '{box}', details - 'box', details || '{"x": 1}'::jsonb, jsonb_set(details, '{a}', '1'), details @? '$.box', jsonb_array_length('[1]') FROM shipments
SELECT r.a, r.b FROM jsonb_to_recordset('[{"a": 1, "b": "x"}]') AS r(a int, b text)
SELECT * FROM json_each_text('{"a": "1"}')
SELECT array_agg(DISTINCT carrier), array_remove(array_agg(carrier), NULL), array_length(array_agg(id), 1), ARRAY[1, 2] || 3, array_append(tags, 'x'), array_cat(tags, tags), unnest(tags) FROM shipments GROUP BY tags
SELECT count(*) FILTER (WHERE price BETWEEN 1 AND 5) AS low, count(*) FILTER (WHERE price > 5) AS high FROM shipments
SELECT to_char(date_trunc('month', sent_on), 'Mon YYYY'), to_char(price, '999G990D00'), to_char(delivered_at, 'HH24:MI:SS') FROM shipments
SELECT extract(isodow FROM sent_on), extract(week FROM sent_on), date_part('quarter', sent_on), extract(year FROM age(sent_on)) FROM shipments
SELECT lag(price) OVER (PARTITION BY carrier ORDER BY sent_on NULLS LAST), sum(price) FILTER (WHERE weight > 1) OVER () FROM shipments
SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY price) FILTER (WHERE carrier = 'van'), rank(5) WITHIN GROUP (ORDER BY price) FROM shipments
SELECT name FROM people WHERE name LIKE ANY (ARRAY['A%', 'B%']) AND id = ANY ('{1,2,3}'::int[]) AND town ~~ 'U%'
SELECT CASE WHEN price IS NULL THEN 'none' WHEN price < 5 THEN 'low' ELSE 'high' END, count(*) FROM shipments GROUP BY 1 ORDER BY 2 DESC
SELECT coalesce(nullif(trim(name), ''), 'n/a'), substring(name from 1 for 2), substring(name, '\w+'), position('a' in name), left(name, 1), regexp_replace(name, '\s+', ' ', 'g') FROM people
WITH t AS (SELECT carrier, sum(price) s FROM shipments GROUP BY 1) SELECT carrier, s, s / sum(s) OVER () share, sum(s) OVER (ORDER BY s DESC ROWS UNBOUNDED PRECEDING) run FROM t
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t
WITH RECURSIVE b AS (SELECT id, boss_id, name::text AS path FROM people WHERE boss_id IS NULL UNION SELECT p.id, p.boss_id, b.path || ' > ' || p.name FROM people p JOIN b ON p.boss_id = b.id) SELECT * FROM b
SELECT p.*, s.total FROM people p JOIN LATERAL (SELECT sum(price) total FROM shipments WHERE sender_id = p.id) s ON s.total > 0
SELECT s.sender_id, s.price FROM shipments s WHERE (s.sender_id, s.price) IN (SELECT sender_id, max(price) FROM shipments GROUP BY sender_id)
SELECT p FROM people p
SELECT to_jsonb(p) - 'town' FROM people p
SELECT (date '2024-01-31' + interval '1 month')::date, date '2024-03-01' - date '2024-02-01', interval '90 minutes' / 2, '10:00'::time + interval '1 hour', make_interval(hours => 2)
SELECT 5 / 2, 5 / 2.0, 5 % 2, 2 ^ 10, |/ 16, 7 & 3, 7 | 8, 7 # 2, ~1, 1 << 3
SELECT 'a' || 1, 'x' IS NOT DISTINCT FROM NULL, NOT true, true AND NULL, 1 <> 2, 1 != 2, NULL IS UNKNOWN
SELECT name FROM people ORDER BY joined_on DESC NULLS LAST, name ASC OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY
SELECT ntile(10) OVER (ORDER BY price) AS decile, * FROM shipments
SELECT bool_or(price > 5), every(price > 1), max(carrier) COLLATE "C", min(sent_on), sum(DISTINCT price), variance(price) FROM shipments
SELECT width_bucket(price::numeric, ARRAY[5, 10, 20]::numeric[]), floor(price / 10) * 10, round(price / 5) * 5 FROM shipments
SELECT make_timestamp(2024, 1, 1, 0, 0, 0), to_timestamp('2024-01-01', 'YYYY-MM-DD'), date_trunc('day', timestamptz '2024-01-01 10:00+02'), timestamp '2024-01-01' AT TIME ZONE 'Europe/Berlin'
SELECT md5(name), encode(name::bytea, 'base64'), length(name), upper(name), quote_ident(name), starts_with(name, 'A'), name ^@ 'A', string_to_array(name, ' ') FROM people
SELECT tsrange('2024-01-01', '2024-02-01') && tsrange(delivered_at, NULL), upper(tsrange(delivered_at, NULL)) FROM shipments
SELECT ts_rank(to_tsvector(name), to_tsquery('ada')), websearch_to_tsquery('english', 'a b') @@ to_tsvector(town) FROM people
SELECT q.count, q.town FROM (SELECT town, count(*) FROM people GROUP BY town) q
SELECT q.id, q.max, q.row_number FROM (SELECT id::text, max(weight)::int, row_number() OVER (ORDER BY id) FROM shipments GROUP BY id) q
SELECT t.tag, t.n FROM shipments s CROSS JOIN LATERAL unnest(s.tags) WITH ORDINALITY AS t(tag, n)
SELECT tag.tag, day.day FROM shipments s, unnest(s.tags) AS tag, generate_series(1, 2) AS day
SELECT kv.key, e.value FROM jsonb_each('{"a": 1}') AS kv, jsonb_array_elements('[1]') AS e
SELECT (x.p).name FROM (SELECT p, row_number() OVER (ORDER BY p.id) AS n FROM people p) x WHERE x.n = 1
SELECT p.name FROM people a, people p JOIN shipments s ON s.sender_id = p.id WHERE a.id = p.id
WITH RECURSIVE a AS (SELECT id FROM people), t AS (SELECT a.id FROM a UNION ALL SELECT t.id + 1 FROM t WHERE t.id < 5) SELECT t.id FROM t
SELECT Name FROM People WHERE name ~* '^a'
SELECT to_char(sent_on, 'YYYY-MM'), age(now(), sent_on) FROM shipments WHERE sent_on > now() - interval '1 month'
SELECT g.d, count(s.id) FROM generate_series('2024-01-01'::date, '2024-02-01'::date, interval '1 day') AS g(d) LEFT JOIN shipments s ON s.sent_on = g.d GROUP BY 1
SELECT jsonb_array_elements_text(details->'tags') FROM shipments
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY price), array_agg(name ORDER BY name) FROM shipments, people
SELECT DISTINCT ON (carrier) carrier, price FROM public.shipments ORDER BY carrier, price DESC
