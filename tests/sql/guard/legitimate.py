"""Queries that analysts write, which have to pass and to give the same rows after rendering."""

from __future__ import annotations

LEGITIMATE: dict[str, list[str]] = {
    "duckdb": [
        "SELECT * FROM people",
        "FROM people SELECT town, count(*) GROUP BY ALL ORDER BY ALL",
        "SELECT p.name, s.price FROM main.people p JOIN shipments s ON s.sender_id = p.id ORDER BY s.price",
        "SELECT main.people.name FROM main.people",
        'SELECT code, "depot sites".town FROM "depot sites"',
        "SELECT Name, TOWN FROM People",
        "SELECT carrier, count(*) AS n, sum(price) AS total FROM shipments GROUP BY carrier HAVING n > 0 ORDER BY "
        "total DESC",
        "SELECT price * 2 AS twice, twice + 1 AS more FROM shipments WHERE twice > 9",
        "WITH big AS (SELECT * FROM shipments WHERE weight > 1) SELECT p.name, b.weight FROM big b JOIN people p "
        "ON p.id = b.sender_id",
        "WITH people AS (SELECT * FROM people WHERE town = 'Ulm') SELECT name FROM people",
        "WITH a AS (SELECT id FROM people), b AS (SELECT id FROM a) SELECT count(*) FROM b",
        "WITH RECURSIVE h AS (SELECT id, name, 0 AS level FROM people WHERE boss_id IS NULL UNION ALL "
        "SELECT p.id, p.name, h.level + 1 FROM people p JOIN h ON p.boss_id = h.id) SELECT level, count(*) FROM h "
        "GROUP BY level",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n",
        "SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id AND s.price > 5)",
        "SELECT name, (SELECT max(price) FROM shipments WHERE sender_id = people.id) AS top FROM people",
        "SELECT p.name, x.price FROM people p, LATERAL (SELECT price FROM shipments s WHERE s.sender_id = p.id "
        "LIMIT 1) x",
        "SELECT id FROM people UNION ALL SELECT id FROM shipments ORDER BY id LIMIT 3",
        "(SELECT id FROM people ORDER BY id LIMIT 1) UNION (SELECT id FROM shipments ORDER BY id DESC LIMIT 1) "
        "ORDER BY 1",
        "SELECT seq, depot_code FROM stops JOIN shipments ON stops.shipment_id = shipments.id",
        "SELECT id, town FROM people JOIN (VALUES (1, 'x'), (2, 'y')) v(id, label) USING (id)",
        "SELECT id FROM shipments ANTI JOIN people ON shipments.sender_id = people.id",
        "SELECT s.id, p.id FROM shipments s CROSS JOIN people p WHERE s.id = p.id",
        "SELECT * EXCLUDE (details, tags) FROM shipments",
        "SELECT * REPLACE (price * 2 AS price) FROM shipments",
        "SELECT COLUMNS('.*_id') FROM shipments",
        "SELECT max(COLUMNS(*)) FROM people",
        "SELECT DISTINCT ON (carrier) carrier, price FROM shipments ORDER BY carrier, price DESC",
        "SELECT id FROM shipments QUALIFY row_number() OVER (PARTITION BY carrier ORDER BY price DESC) = 1",
        "SELECT id, sum(price) OVER w AS running FROM shipments WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING)",
        "SELECT avg(price) OVER (ORDER BY sent_on RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM "
        "shipments",
        "SELECT carrier, count(*) FROM shipments GROUP BY ROLLUP (carrier) ORDER BY 1 NULLS LAST",
        "SELECT carrier, sender_id, sum(price) FROM shipments GROUP BY GROUPING SETS ((carrier), (sender_id), ())",
        "SELECT * FROM (SELECT carrier, sender_id, price FROM shipments) PIVOT (sum(price) FOR carrier IN ('van', "
        "'bike'))",
        "PIVOT (SELECT carrier, sender_id, price FROM shipments) ON carrier USING sum(price)",
        "SELECT * FROM (SELECT id, weight, price::DOUBLE AS price FROM shipments) UNPIVOT (v FOR k IN (weight, price))",
        "SELECT count(*) FILTER (WHERE carrier = 'van') FROM shipments",
        "SELECT strftime(sent_on, '%Y-%m') AS month, sum(price) FROM shipments GROUP BY month ORDER BY month",
        "SELECT date_trunc('month', sent_on), extract(year FROM sent_on), date_part('dow', sent_on) FROM shipments",
        "SELECT datediff('day', sent_on, delivered_at::DATE), sent_on + INTERVAL 3 DAY FROM shipments",
        "SELECT d::DATE, count(id) FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 DAY) g(d) "
        "LEFT JOIN shipments ON sent_on = d GROUP BY 1 ORDER BY 1",
        "SELECT unnest(generate_series((SELECT min(sent_on) FROM shipments), (SELECT max(sent_on) FROM "
        "shipments), INTERVAL 1 DAY))",
        "SELECT unnest(range(year(min(sent_on)), year(max(sent_on)) + 1)) FROM shipments",
        "SELECT id, t.tag FROM shipments, UNNEST(tags) t(tag)",
        "SELECT list_transform(tags, lambda t : upper(t)), list_filter(tags, lambda t : t <> 'a'), tags[1] FROM "
        "shipments",
        "SELECT [x * 2 FOR x IN [1, 2, 3] IF x > 1]",
        "SELECT details->>'$.box.w', json_extract_string(details, '$.box.w') FROM shipments",
        "SELECT {'a': id, 'b': carrier}.b, struct_pack(k := id) FROM shipments",
        "SELECT p, to_json(p) FROM people p",
        "SELECT quantile_cont(price, 0.5), median(weight), mode(carrier), arg_max(id, price), histogram(carrier) "
        "FROM shipments",
        "SELECT string_agg(name, ', ' ORDER BY name), list(town ORDER BY name) FROM people",
        "SELECT name || ' ' || town, concat_ws('-', name, town), left(name, 1), lpad(name, 6, '.'), upper(name) "
        "FROM people",
        "SELECT repeat('*', 5), bar(price, 0, 50, 10) FROM shipments",
        "SELECT repeat('*', least(id, 20)) FROM shipments",
        "SELECT format('{:.2f}', weight), printf('%05.1f', weight) FROM shipments",
        "SELECT replace(replace(replace(name, '-', ''), ' ', ''), '.', '') FROM people",
        "SELECT regexp_replace(name, '[aeiou]', '#', 'g'), regexp_extract(name, '(.)$', 1) FROM people",
        "SELECT name LIKE 'A%', name ILIKE 'a%', name SIMILAR TO 'A.*', name NOT IN ('x'), id BETWEEN 1 AND 2 "
        "FROM people",
        "SELECT coalesce(boss_id, 0), nullif(town, 'Ulm'), CASE town WHEN 'Ulm' THEN 1 ELSE 0 END, try_cast(name "
        "AS INT) FROM people",
        "SELECT id FROM people WHERE (id, town) IN (SELECT sender_id, 'Ulm' FROM shipments)",
        'SELECT id FROM shipments WHERE price > ALL (SELECT capacity / 10 FROM "depot sites")',
        "SELECT 'DROP TABLE people; --' AS t, 'it''s' AS u, 'back\\slash' AS v, $$dollar$$ AS w",
        "SELECT 1 -- a remark\n /* and another */ + 2 AS three",
        "SELECT e.name, b.name AS boss FROM people e LEFT JOIN people b ON e.boss_id = b.id",
        'SELECT town AS "The Town", count(*) AS "Zahl" FROM people GROUP BY "The Town" ORDER BY "Zahl"',
        "SELECT * FROM people WHERE id IN (" + ", ".join(map(str, range(1000))) + ")",
        "SELECT * FROM people WHERE " + " OR ".join(f"id = {i}" for i in range(300)),
        " UNION ALL ".join(f"SELECT {i} AS n FROM people" for i in range(100)),
        "SELECT name FROM people WHERE name = 'Zoë – Ünïcode' OR town = '東京'",
    ],
    "sqlite": [
        "SELECT strftime('%Y-%m', sent_on) AS month, COUNT(*) FROM shipments GROUP BY month ORDER BY 2 DESC",
        'SELECT [name], `town`, "id" FROM [people]',
        'SELECT name FROM people WHERE town = "Ulm" AND name IN ("Ada", "Cy")',
        "SELECT p.name FROM people AS p JOIN shipments AS s ON p.id = t.shipment_id JOIN stops AS t ON s.id = "
        "t.shipment_id",
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n",
        "SELECT group_concat(name, ','), iif(id > 1, 1, 0), ifnull(boss_id, 0), instr(name, 'd'), hex(name) FROM "
        "people GROUP BY id",
        "SELECT julianday(delivered_at) - julianday(sent_on), date(sent_on, 'start of month', '+1 month') FROM "
        "shipments",
        "SELECT id, row_number() OVER (PARTITION BY carrier ORDER BY price DESC) FROM shipments",
        "SELECT json_extract(details, '$.box.w'), j.value FROM shipments, json_each(tags) j",
        "SELECT json_each.value FROM shipments, json_each(tags)",
        "SELECT printf('%.2f', price), cast(price AS INTEGER), round(price, 1), typeof(price) FROM shipments",
        "SELECT name FROM people WHERE name LIKE 'A\\_%' ESCAPE '\\'",
        "SELECT town, CASE WHEN id > 1 THEN 'x' END AS k FROM people ORDER BY k IS NULL, town COLLATE NOCASE",
        "SELECT max(price), id FROM shipments",
        "SELECT (SELECT count(*) FROM people) * 1.0 / (SELECT count(*) FROM shipments)",
        "SELECT main.people.name FROM main.people",
        "SELECT id FROM people EXCEPT SELECT sender_id FROM shipments",
        "SELECT count(*) FROM shipments WHERE sent_on >= date('2024-03-01', '-30 days') AND total(price) IS NULL"
        " OR sent_on < CURRENT_DATE",
    ],
    "postgres": [
        "SELECT Name FROM People WHERE name ~* '^a'",
        "SELECT to_char(sent_on, 'YYYY-MM'), age(now(), sent_on) FROM shipments WHERE sent_on > now() - interval "
        "'1 month'",
        "SELECT g.d, count(s.id) FROM generate_series('2024-01-01'::date, '2024-02-01'::date, interval '1 day') "
        "AS g(d) "
        "LEFT JOIN shipments s ON s.sent_on = g.d GROUP BY 1",
        "SELECT jsonb_array_elements_text(details->'tags') FROM shipments",
        "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY price), array_agg(name ORDER BY name) FROM shipments, "
        "people",
        "SELECT DISTINCT ON (carrier) carrier, price FROM public.shipments ORDER BY carrier, price DESC",
    ],
    "mysql": [
        "SELECT DATE_FORMAT(sent_on, '%Y-%m') AS ym, SUM(price) FROM shipments GROUP BY ym WITH ROLLUP",
        "SELECT GROUP_CONCAT(name ORDER BY name SEPARATOR ', '), IF(id > 1, 'a', 'b'), IFNULL(town, '') FROM "
        "people LIMIT 5, 10",
        "SELECT FORMAT(price, 2), TIMESTAMPDIFF(DAY, sent_on, delivered_at), CONCAT('a\\'b', name) FROM "
        "shipments, people",
    ],
    "trino": [
        "SELECT transform(tags, x -> upper(x)), filter(tags, x -> x <> 'a'), date_format(sent_on, '%Y') FROM shipments",
        "SELECT t.tag, count(*) FILTER (WHERE price > 1) FROM lake.parcels.shipments CROSS JOIN UNNEST(tags) AS "
        "t(tag) GROUP BY 1",
        "SELECT d FROM UNNEST(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL '1' DAY)) AS g(d)",
    ],
    "bigquery": [
        "SELECT * EXCEPT (details) FROM `parcels.shipments`",
        "SELECT t, o FROM parcels.shipments, UNNEST(tags) AS t WITH OFFSET AS o",
        "SELECT ARRAY_AGG(STRUCT(id, price) ORDER BY price DESC LIMIT 3), SAFE_DIVIDE(1, 0) FROM parcels.shipments",
        "SELECT DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY), FORMAT_DATE('%Y', sent_on) FROM parcels.shipments",
    ],
    "snowflake": [
        "SELECT LISTAGG(name, ',') WITHIN GROUP (ORDER BY name), IFF(id > 1, 'a', 'b') FROM people GROUP BY id",
        "SELECT f.value:name::STRING FROM shipments s, LATERAL FLATTEN(input => s.details) f",
        "SELECT DATEADD(day, -7, CURRENT_DATE()), ZEROIFNULL(price), TO_VARCHAR(sent_on, 'YYYY') FROM shipments",
        "SELECT * FROM shipments PIVOT (SUM(price) FOR carrier IN ('van', 'bike'))",
    ],
    "tsql": [
        "SELECT TOP 10 [name] FROM [dbo].[people] ORDER BY [name]",
        "SELECT p.name, x.price FROM people p CROSS APPLY (SELECT TOP 1 price FROM shipments s WHERE s.sender_id "
        "= p.id) x",
        "SELECT DATEADD(day, -7, GETDATE()), DATEDIFF(day, sent_on, delivered_at), ISNULL(carrier, '') FROM shipments",
    ],
}
