SELECT date_trunc('quarter', sent_on) AS q, carrier, sum(price) AS revenue, count(*) AS n, avg(price) AS mean FROM shipments GROUP BY ALL ORDER BY q DESC, revenue DESC
SELECT strftime(sent_on, '%Y-W%V') AS wk, count(DISTINCT sender_id) AS senders FROM shipments GROUP BY wk ORDER BY wk
SELECT extract('isodow' FROM sent_on) AS dow, dayname(sent_on) AS d, count(*) FROM shipments GROUP BY 1, 2 ORDER BY 1
SELECT carrier, price, price - lag(price, 1, 0) OVER (PARTITION BY carrier ORDER BY sent_on) AS delta FROM shipments
SELECT carrier, first_value(price IGNORE NULLS) OVER w AS f, last_value(price) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM shipments WINDOW w AS (PARTITION BY carrier ORDER BY sent_on)
SELECT carrier, quantile_cont(price, [0.25, 0.5, 0.75]) AS qs, approx_quantile(price, 0.9) AS p90, approx_count_distinct(sender_id) AS d FROM shipments GROUP BY carrier
SELECT carrier, round(100.0 * count(*) FILTER (WHERE delivered_at IS NULL) / count(*), 1) AS open_pct FROM shipments GROUP BY carrier
SELECT carrier, sum(CASE WHEN weight < 1 THEN 1 ELSE 0 END) AS light, sum(CASE WHEN weight >= 1 THEN 1 ELSE 0 END) AS heavy FROM shipments GROUP BY carrier
SELECT town, carrier, grouping(town) AS g, sum(price) FROM shipments s JOIN people p ON s.sender_id = p.id GROUP BY CUBE (town, carrier) ORDER BY ALL
SELECT coalesce(town, 'all') AS town, coalesce(carrier, 'all') AS carrier, sum(price) FROM shipments s JOIN people p ON s.sender_id = p.id GROUP BY ROLLUP (town, carrier)
WITH months AS (SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-12-01', INTERVAL 1 MONTH))::DATE AS m) SELECT m, coalesce(sum(price), 0) AS revenue FROM months LEFT JOIN shipments ON date_trunc('month', sent_on) = m GROUP BY m ORDER BY m
WITH RECURSIVE chain AS (SELECT id, name, boss_id, [name] AS path FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, p.boss_id, list_append(c.path, p.name) FROM people p JOIN chain c ON p.boss_id = c.id) SELECT name, len(path) AS depth, array_to_string(path, ' > ') AS path FROM chain ORDER BY path
WITH RECURSIVE cal(d) AS (SELECT DATE '2024-01-01' UNION ALL SELECT d + 1 FROM cal WHERE d < DATE '2024-01-31') SELECT d, dayofweek(d) FROM cal
SELECT id, unnest(tags) AS tag FROM shipments
SELECT tag, count(*) AS n FROM (SELECT unnest(tags) AS tag FROM shipments) GROUP BY tag HAVING count(*) > 1 ORDER BY n DESC
SELECT t.tag, count(*) FROM shipments s CROSS JOIN UNNEST(s.tags) AS t(tag) GROUP BY t.tag
SELECT id, list_contains(tags, 'a') AS has_a, len(tags) AS n, list_sort(tags) AS sorted, list_distinct(tags) AS uniq, list_aggregate(tags, 'string_agg', ',') AS joined FROM shipments
SELECT id, list_filter(tags, x -> x LIKE 'a%'), list_reduce([1, 2, 3], (a, b) -> a + b) FROM shipments
SELECT id, details->'box'->>'w' AS w, (details->>'$.box.w')::INT + 1 AS w1, json_keys(details) AS k, json_array_length(details, '$.items') AS n FROM shipments
SELECT j.key, count(*) FROM shipments, json_each(details) AS j GROUP BY j.key
SELECT regexp_extract(name, '^(\w+)', 1) AS word, regexp_matches(name, '^[A-Z]') AS cap, regexp_split_to_array(town, '\s+') AS parts, regexp_extract_all(name, '[aeiou]') AS vowels FROM people
SELECT lower(trim(name)) AS n, substr(town, 1, 3) AS t3, town[1:3] AS t3b, reverse(town), length(town), strip_accents(town), town ^@ 'U' AS u FROM people
SELECT upper(left(name, 1)) || lower(substring(name FROM 2)) AS nice FROM people
SELECT name, levenshtein(name, 'Ada') AS dist, jaccard(name, 'Adam') AS j, damerau_levenshtein(name, 'Aad') FROM people ORDER BY dist
SELECT arg_max(name, joined_on) AS newest, arg_min(name, joined_on) AS oldest, any_value(town) AS some FROM people
SELECT max(price, 2) AS top2, arg_max(id, price, 2) AS ids, min_by(id, price) AS cheapest FROM shipments
SELECT corr(price, weight), covar_pop(price, weight), regr_slope(price, weight), regr_intercept(price, weight), regr_r2(price, weight), skewness(price), kurtosis(price), mad(price), entropy(carrier), stddev_samp(price), var_pop(price) FROM shipments
SELECT sum(price) FILTER (carrier = 'van') AS van, sum(price) FILTER (carrier = 'bike') AS bike FROM shipments
SELECT histogram(carrier) AS h, map_keys(histogram(carrier)) AS k, cardinality(histogram(carrier)) AS c FROM shipments
SELECT sent_on, delivered_at, age(delivered_at, sent_on::TIMESTAMP) AS took, date_diff('hour', sent_on::TIMESTAMP, delivered_at) AS hours, epoch(delivered_at) AS e, delivered_at - INTERVAL '2 hours 30 minutes' AS earlier FROM shipments
SELECT delivered_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS local, timezone('Europe/Berlin', delivered_at) FROM shipments
SELECT strptime('2024-03-01', '%Y-%m-%d') AS d, make_timestamp(2024, 3, 1, 12, 0, 0.0) AS t, to_days(3) AS i, epoch_ms(1700000000000) AS e, date_part('week', DATE '2024-03-01') AS w
SELECT year(sent_on) AS y, month(sent_on) AS m, day(sent_on), week(sent_on), quarter(sent_on), yearweek(sent_on), isodow(sent_on), dayofyear(sent_on) FROM shipments
SELECT * FROM shipments WHERE sent_on BETWEEN DATE '2024-01-01' AND DATE '2024-01-01' + INTERVAL 1 YEAR - INTERVAL 1 DAY
SELECT id, price, sum(price) OVER (ORDER BY sent_on ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS r3, avg(price) OVER (ORDER BY sent_on RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND CURRENT ROW) AS a30, sum(price) OVER (ORDER BY sent_on GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS near FROM shipments
SELECT id, ntile(4) OVER (ORDER BY price) AS quartile, percent_rank() OVER (ORDER BY price), cume_dist() OVER (ORDER BY price), dense_rank() OVER (ORDER BY carrier), rank() OVER (ORDER BY price DESC NULLS LAST), nth_value(price, 2) OVER (ORDER BY id) FROM shipments
SELECT carrier, price FROM shipments QUALIFY rank() OVER (PARTITION BY carrier ORDER BY price DESC) <= 3 ORDER BY carrier
SELECT p.name, s.price FROM people p LEFT JOIN LATERAL (SELECT price FROM shipments s WHERE s.sender_id = p.id ORDER BY price DESC LIMIT 2) s ON true
SELECT s.id, p.name FROM shipments s ASOF JOIN people p ON s.sender_id = p.id AND s.sent_on >= p.joined_on
SELECT * FROM people SEMI JOIN shipments ON people.id = shipments.sender_id
SELECT * FROM shipments USING SAMPLE 10% -- varies
SELECT * FROM shipments USING SAMPLE reservoir(2 ROWS) REPEATABLE (42) -- varies
SELECT * FROM (SELECT carrier, month(sent_on) AS m, price FROM shipments) PIVOT (sum(price) AS total, count(*) AS n FOR m IN (1, 2) GROUP BY carrier)
PIVOT (SELECT carrier, year(sent_on) AS y, price FROM shipments) ON y USING sum(price) GROUP BY carrier ORDER BY carrier
UNPIVOT (SELECT id, weight, price::DOUBLE AS price FROM shipments) ON weight, price INTO NAME measure VALUE amount
SELECT id, {'carrier': carrier, 'price': price} AS s, row(id, carrier) AS r, map(['a'], [1]) AS m, struct_extract({'a': id}, 'a') AS a FROM shipments
SELECT s.id, s.box.w FROM (SELECT id, {'w': weight} AS box FROM shipments) s
SELECT list(DISTINCT carrier ORDER BY carrier) AS carriers, array_agg(price ORDER BY price DESC)[1:2] AS top, list_sum(list(price)) FROM shipments GROUP BY sender_id
SELECT sender_id, list(DISTINCT carrier ORDER BY carrier) AS carriers, array_agg(price ORDER BY price DESC)[1:2] AS top FROM shipments GROUP BY sender_id
SELECT name, town FROM people WHERE (name, town) IN (('Ada', 'Ulm'), ('Bo', 'Bonn'))
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT id, name FROM people UNION ALL BY NAME SELECT id, carrier AS name FROM shipments
SELECT try_cast(carrier AS INTEGER) AS i, carrier::VARCHAR(10), price::DECIMAL(18, 4), weight::FLOAT, '2024-01-01'::DATE, CAST(id AS HUGEINT) FROM shipments
SELECT price // 2, price % 3, 2 ** 3, weight ^ 2, @(-5), 7 & 3, 7 | 8, ~7, xor(1, 2), 1 << 3 FROM shipments
SELECT ifnull(town, '?'), nullif(name, ''), greatest(1, 2, id), least(1, id), if(id > 1, 'x', 'y') FROM people
SELECT format('{:,.2f} EUR', price::DOUBLE), printf('%08.3f', weight), format('{} from {}', name, town), lpad(p.id::VARCHAR, 5, '0') FROM shipments s JOIN people p ON p.id = s.sender_id
SELECT bar(weight, 0, 10, 20) AS chart FROM shipments
SELECT equi_width_bins(0, 10, 5, true) FROM shipments
SELECT floor(price / 10) * 10 AS bucket, count(*) AS n FROM shipments GROUP BY bucket ORDER BY bucket
SELECT min(COLUMNS(* EXCLUDE (tags, details))) FROM shipments
SELECT * EXCLUDE (details) RENAME (price AS cost) FROM shipments
SELECT s.* EXCLUDE (tags), p.name FROM shipments s JOIN people p ON p.id = s.sender_id
SELECT TRUE AND NOT FALSE, id IS NOT NULL, name IS NOT DISTINCT FROM 'x', id != 1, name NOT LIKE '%x%', name NOT ILIKE 'b%', town SIMILAR TO '(Ulm|Bonn)' FROM people
SELECT md5(name), sha256(name), hash(name), base64(encode(name)), hex(name), unhex('4142'), ascii('a'), chr(65), unicode('a') FROM people
SELECT encode('a'), decode(encode('a')), bit_count(7), translate(name, 'abc', 'xyz'), starts_with(name, 'A'), contains(name, 'd'), position('d' IN name), instr(name, 'd'), strpos(name, 'd'), split_part(name, ' ', 1), string_split(name, ' ') FROM people
SELECT sum(price) OVER () AS total, price / sum(price) OVER () AS share, ratio FROM (SELECT price, price / max(price) OVER () AS ratio FROM shipments)
SELECT carrier, bool_and(price > 1), bool_or(price > 20), bit_or(id), product(weight), favg(weight), fsum(weight), geomean(weight), first(id ORDER BY price), last(id ORDER BY price) FROM shipments GROUP BY carrier
SELECT isnan(weight), isinf(weight), round(weight, 1), ceil(weight), sign(weight), sqrt(weight), ln(weight + 1), log(weight + 1), exp(weight), pi(), even(weight), trunc(weight), gcd(4, 6), lcm(4, 6) FROM shipments
SELECT random() < 2, current_date >= DATE '2020-01-01', now() > TIMESTAMP '2020-01-01', today() > DATE '2020-01-01', current_timestamp > TIMESTAMP '2020-01-01'
SELECT carrier, string_agg(DISTINCT name, ' | ' ORDER BY name) FROM shipments JOIN people ON sender_id = people.id GROUP BY carrier
SELECT * FROM (VALUES ('Ulm', 'south'), ('Bonn', 'west')) AS region(town, region) JOIN people USING (town)
FROM shipments SELECT id, price WHERE price > (SELECT avg(price) FROM shipments) ORDER BY price DESC LIMIT 5 OFFSET 0
SELECT count(*) AS n, count(DISTINCT (carrier, sender_id)) AS combos FROM shipments
WITH first_month AS (SELECT sender_id, min(date_trunc('month', sent_on)) AS cohort FROM shipments GROUP BY 1), activity AS (SELECT s.sender_id, f.cohort, date_diff('month', f.cohort, date_trunc('month', s.sent_on)) AS k FROM shipments s JOIN first_month f USING (sender_id)) SELECT cohort, k, count(DISTINCT sender_id) AS active FROM activity GROUP BY cohort, k ORDER BY 1, 2
WITH g AS (SELECT *, row_number() OVER (PARTITION BY sender_id ORDER BY sent_on) - dense_rank() OVER (ORDER BY sent_on) AS island FROM shipments) SELECT sender_id, island, min(sent_on), max(sent_on), count(*) FROM g GROUP BY ALL
SELECT time_bucket(INTERVAL '15 minutes', delivered_at) AS slot, count(*) FROM shipments WHERE delivered_at IS NOT NULL GROUP BY slot
SELECT list_zip(tags, list_transform(tags, x -> length(x))), flatten([[1], [2, 3]]), list_slice(tags, 1, 2), array_length(tags), list_position(tags, 'b'), list_concat(tags, ['z']), tags || ['q'], list_has_any(tags, ['a']) FROM shipments
SELECT x, x * x AS square FROM range(1, 11) AS r(x)
SELECT range AS hour, count(s.id) FROM range(24) LEFT JOIN shipments s ON hour(s.delivered_at) = range GROUP BY range ORDER BY range
SELECT i FROM generate_series(1, 12) AS m(i)
SELECT row_number() OVER () AS rn, * FROM people LIMIT 10% 
SELECT name FROM people ORDER BY name COLLATE NOCASE
SELECT name AS "Person's name", town AS "Stadt (Ort)" FROM people ORDER BY "Person's name"
SELECT date_trunc('week', sent_on)::DATE AS week_start, sum(price) AS total, sum(sum(price)) OVER (ORDER BY any_value(sent_on)) AS running FROM shipments GROUP BY 1 ORDER BY 1
SELECT coalesce(sum(price), 0)::DOUBLE / nullif(count(*), 0) AS aov FROM shipments WHERE carrier IN (SELECT DISTINCT carrier FROM shipments WHERE weight > 1)
SELECT p.town, max(s.price) AS top FROM people p JOIN shipments s ON s.sender_id = p.id WHERE s.sent_on >= date_trunc('year', DATE '2024-06-01') AND s.sent_on < date_trunc('year', DATE '2024-06-01') + INTERVAL '1 year' GROUP BY p.town HAVING max(s.price) > 1
SELECT json_object('id', id, 'name', name) AS j, to_json({'a': 1}), json_array(1, 2), json_extract(to_json(people), '$.name'), json_type('{"a":1}'), json_valid('x'), json_group_array(name) FROM people GROUP BY ALL
SELECT 'a' || NULL, concat('a', NULL, 'b'), 'O''Brien' AS irish, 'a;b' AS semi, 'x--y' AS dashes, '/* no */' AS c, E'tab\tnew' AS esc
SELECT CASE WHEN price >= 20 THEN 'high' WHEN price >= 5 THEN 'mid' ELSE 'low' END AS band, count(*) AS n, round(avg(weight), 2) AS w FROM shipments GROUP BY band ORDER BY CASE band WHEN 'high' THEN 1 WHEN 'mid' THEN 2 ELSE 3 END
SELECT format('FY2024 {}', id), printf('in 2024: %d%%', id), printf('%5.1f%%', 12.5) FROM people
SELECT town, count(*) AS "n people", round(100 * count(*) / sum(count(*)) OVER (), 2) AS pct FROM people GROUP BY town
SELECT strftime(sent_on, '%A, %d. %B %Y') FROM shipments
SELECT sent_on::TIMESTAMP::DATE = DATE '2024-01-10', sent_on - 7, sent_on + 1, sent_on - DATE '2024-01-01' FROM shipments
SELECT * FROM generate_series(1, 5) t(n), generate_series(1, 5) u(m) WHERE n < m
SELECT list_aggregate([1, 2, 3], 'sum'), list_aggr([1, 2], 'avg'), array_aggregate([1], 'max'), list_sum([1, 2])
SELECT carrier, list(struct_pack(id := id, price := price) ORDER BY price DESC)[1].price AS top FROM shipments GROUP BY carrier
SELECT s.carrier, s.price FROM shipments AS s WHERE s.price = (SELECT max(price) FROM shipments WHERE carrier = s.carrier)
SELECT (SELECT count(*) FROM people) AS people, (SELECT count(*) FROM shipments) AS shipments
SELECT json_extract_string(details, ['$.box.w', '$.x']) FROM shipments
SELECT unnest([1, 2, 3]) AS n, unnest(['a', 'b', 'c']) AS l
SELECT unnest({'a': 1, 'b': 2})
SELECT id, map {'a': id}['a'], map_extract(map(['k'], [id]), 'k') FROM people
SELECT id FROM people WHERE id IN (SELECT unnest([1, 2]))
SELECT DISTINCT carrier FROM shipments ORDER BY carrier DESC NULLS FIRST LIMIT 3 OFFSET 0
SELECT count() FROM people
SELECT sum(price)::INT AS total, avg(price)::FLOAT FROM shipments HAVING sum(price) > 1
SELECT town FROM people GROUP BY 1 HAVING count(*) > 1 ORDER BY 1
SELECT CAST(strptime('01/02/2024', '%d/%m/%Y') AS DATE), try_strptime('x', '%Y'), epoch_ms(sent_on::TIMESTAMP) FROM shipments
SELECT regexp_replace(name, '(\w+)', '<\1>', 'g') FROM people
SELECT array_slice([1, 2, 3], 1, 2), [1, 2, 3][-1], 'hello'[1], 'hello'[2:3]
SELECT 1e3, 0xFF, 1_000_000, .5 FROM people
SELECT interval '1' month, interval 3 day, INTERVAL '1 year 2 months', to_months(3), date_add(DATE '2024-01-01', INTERVAL 5 DAY)
SELECT name FROM people WHERE joined_on > now()::DATE - INTERVAL 20 YEAR
WITH a AS (SELECT 1 AS x UNION ALL SELECT 2), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a CROSS JOIN b ORDER BY ALL
WITH RECURSIVE t(n, f) AS (SELECT 1, 1::HUGEINT UNION ALL SELECT n + 1, f * (n + 1) FROM t WHERE n < 20) SELECT * FROM t
SELECT carrier, count(*) FROM shipments GROUP BY carrier ORDER BY count(*) DESC, carrier LIMIT 1
SELECT * FROM (SELECT id, row_number() OVER (ORDER BY price DESC) AS rn FROM shipments) WHERE rn <= 3
SELECT p.id FROM people p WHERE NOT EXISTS (FROM shipments s WHERE s.sender_id = p.id)
SELECT lower(name) || '@' || lower(replace(town, ' ', '-')) || '.example' AS mail FROM people
SELECT max(sent_on) FILTER (WHERE carrier = 'van') - min(sent_on) AS span FROM shipments
SELECT date_trunc('hour', delivered_at), hour(delivered_at), minute(delivered_at), date_part(['year', 'month'], delivered_at) FROM shipments
SELECT coalesce(try_cast(carrier AS INT), 0) + 1 FROM shipments
SELECT id, lead(sent_on) OVER w - sent_on AS gap FROM shipments WINDOW w AS (ORDER BY sent_on)
SELECT s.*, p.* FROM shipments s JOIN people p ON p.id = s.sender_id LIMIT 10
SELECT COLUMNS(* EXCLUDE (id)) FROM people
SELECT s: carrier FROM shipments
SELECT x: id, y: name FROM people
SELECT any_value(name ORDER BY id), count(*) FILTER (WHERE name LIKE 'A%') FROM people
SELECT greatest(sent_on, DATE '2024-02-01'), least(price, 5) FROM shipments
SELECT stddev(price), variance(price), stddev_pop(price), quantile_disc(price, 0.5), median(price), mode(carrier), approx_top_k(carrier, 2) FROM shipments
SELECT year(d) AS y, month(d) AS m FROM (SELECT unnest(generate_series(DATE '2023-11-01', DATE '2024-02-01', INTERVAL '1 month')) AS d)
SELECT lpad(month(sent_on)::TEXT, 2, '0') || '-' || year(sent_on) FROM shipments
SELECT id % 2 = 0 AS even, id // 2, id / 2, -id, abs(-id) FROM people
SELECT hash(name) % 10 AS bucket, count(*) FROM people GROUP BY bucket
SELECT * FROM people
FROM people SELECT town, count(*) GROUP BY ALL ORDER BY ALL
SELECT p.name, s.price FROM main.people p JOIN shipments s ON s.sender_id = p.id ORDER BY s.price
SELECT main.people.name FROM main.people
SELECT code, "depot sites".town FROM "depot sites"
SELECT Name, TOWN FROM People
SELECT carrier, count(*) AS n, sum(price) AS total FROM shipments GROUP BY carrier HAVING n > 0 ORDER BY total DESC
SELECT price * 2 AS twice, twice + 1 AS more FROM shipments WHERE twice > 9
WITH big AS (SELECT * FROM shipments WHERE weight > 1) SELECT p.name, b.weight FROM big b JOIN people p ON p.id = b.sender_id
WITH people AS (SELECT * FROM people WHERE town = 'Ulm') SELECT name FROM people
WITH a AS (SELECT id FROM people), b AS (SELECT id FROM a) SELECT count(*) FROM b
WITH RECURSIVE h AS (SELECT id, name, 0 AS level FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, h.level + 1 FROM people p JOIN h ON p.boss_id = h.id) SELECT level, count(*) FROM h GROUP BY level
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n
SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id AND s.price > 5)
SELECT name, (SELECT max(price) FROM shipments WHERE sender_id = people.id) AS top FROM people
SELECT p.name, x.price FROM people p, LATERAL (SELECT price FROM shipments s WHERE s.sender_id = p.id LIMIT 1) x
SELECT id FROM people UNION ALL SELECT id FROM shipments ORDER BY id LIMIT 3
(SELECT id FROM people ORDER BY id LIMIT 1) UNION (SELECT id FROM shipments ORDER BY id DESC LIMIT 1) ORDER BY 1
SELECT seq, depot_code FROM stops JOIN shipments ON stops.shipment_id = shipments.id
SELECT id, town FROM people JOIN (VALUES (1, 'x'), (2, 'y')) v(id, label) USING (id)
SELECT id FROM shipments ANTI JOIN people ON shipments.sender_id = people.id
SELECT s.id, p.id FROM shipments s CROSS JOIN people p WHERE s.id = p.id
SELECT * EXCLUDE (details, tags) FROM shipments
SELECT * REPLACE (price * 2 AS price) FROM shipments
SELECT max(COLUMNS(*)) FROM people
SELECT DISTINCT ON (carrier) carrier, price FROM shipments ORDER BY carrier, price DESC
SELECT id FROM shipments QUALIFY row_number() OVER (PARTITION BY carrier ORDER BY price DESC) = 1
SELECT id, sum(price) OVER w AS running FROM shipments WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING)
SELECT avg(price) OVER (ORDER BY sent_on RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM shipments
SELECT carrier, count(*) FROM shipments GROUP BY ROLLUP (carrier) ORDER BY 1 NULLS LAST
SELECT carrier, sender_id, sum(price) FROM shipments GROUP BY GROUPING SETS ((carrier), (sender_id), ())
SELECT * FROM (SELECT carrier, sender_id, price FROM shipments) PIVOT (sum(price) FOR carrier IN ('van', 'bike'))
PIVOT (SELECT carrier, sender_id, price FROM shipments) ON carrier USING sum(price)
SELECT * FROM (SELECT id, weight, price::DOUBLE AS price FROM shipments) UNPIVOT (v FOR k IN (weight, price))
SELECT count(*) FILTER (WHERE carrier = 'van') FROM shipments
SELECT strftime(sent_on, '%Y-%m') AS month, sum(price) FROM shipments GROUP BY month ORDER BY month
SELECT date_trunc('month', sent_on), extract(year FROM sent_on), date_part('dow', sent_on) FROM shipments
SELECT datediff('day', sent_on, delivered_at::DATE), sent_on + INTERVAL 3 DAY FROM shipments
SELECT d::DATE, count(id) FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 DAY) g(d) LEFT JOIN shipments ON sent_on = d GROUP BY 1 ORDER BY 1
SELECT unnest(generate_series((SELECT min(sent_on) FROM shipments), (SELECT max(sent_on) FROM shipments), INTERVAL 1 DAY))
SELECT unnest(range(year(min(sent_on)), year(max(sent_on)) + 1)) FROM shipments
SELECT id, t.tag FROM shipments, UNNEST(tags) t(tag)
SELECT list_transform(tags, lambda t : upper(t)), list_filter(tags, lambda t : t <> 'a'), tags[1] FROM shipments
SELECT [x * 2 FOR x IN [1, 2, 3] IF x > 1]
SELECT details->>'$.box.w', json_extract_string(details, '$.box.w') FROM shipments
SELECT {'a': id, 'b': carrier}.b, struct_pack(k := id) FROM shipments
SELECT p, to_json(p) FROM people p
SELECT quantile_cont(price, 0.5), median(weight), mode(carrier), arg_max(id, price), histogram(carrier) FROM shipments
SELECT string_agg(name, ', ' ORDER BY name), list(town ORDER BY name) FROM people
SELECT name || ' ' || town, concat_ws('-', name, town), left(name, 1), lpad(name, 6, '.'), upper(name) FROM people
SELECT repeat('*', 5), bar(price, 0, 50, 10) FROM shipments
SELECT repeat('*', least(id, 20)) FROM shipments
SELECT format('{:.2f}', weight), printf('%05.1f', weight) FROM shipments
SELECT replace(replace(replace(name, '-', ''), ' ', ''), '.', '') FROM people
SELECT regexp_replace(name, '[aeiou]', '#', 'g'), regexp_extract(name, '(.)$', 1) FROM people
SELECT name LIKE 'A%', name ILIKE 'a%', name SIMILAR TO 'A.*', name NOT IN ('x'), id BETWEEN 1 AND 2 FROM people
SELECT coalesce(boss_id, 0), nullif(town, 'Ulm'), CASE town WHEN 'Ulm' THEN 1 ELSE 0 END, try_cast(name AS INT) FROM people
SELECT id FROM people WHERE (id, town) IN (SELECT sender_id, 'Ulm' FROM shipments)
SELECT id FROM shipments WHERE price > ALL (SELECT capacity / 10 FROM "depot sites")
SELECT 'DROP TABLE people; --' AS t, 'it''s' AS u, 'back\slash' AS v, $$dollar$$ AS w
SELECT 1 -- a remark\n /* and another */ + 2 AS three
SELECT e.name, b.name AS boss FROM people e LEFT JOIN people b ON e.boss_id = b.id
SELECT town AS "The Town", count(*) AS "Zahl" FROM people GROUP BY "The Town" ORDER BY "Zahl"
SELECT name FROM people WHERE name = 'Zoë – Ünïcode' OR town = '東京'
