SELECT TOP 10 name, town FROM people ORDER BY joined_on DESC
SELECT TOP (5) WITH TIES id, price FROM dbo.shipments ORDER BY price DESC
SELECT TOP 10 PERCENT id FROM shipments ORDER BY price
SELECT YEAR(sent_on) AS y, MONTH(sent_on) AS m, SUM(price) AS revenue, COUNT(*) AS n FROM shipments GROUP BY YEAR(sent_on), MONTH(sent_on) ORDER BY y, m
SELECT DATEDIFF(day, sent_on, delivered_at), DATEADD(month, 1, sent_on), DATEPART(weekday, sent_on), DATENAME(month, sent_on), EOMONTH(sent_on), EOMONTH(sent_on, -1), DATEFROMPARTS(2024, 1, 1), DATETRUNC(month, sent_on), GETDATE(), SYSDATETIME(), GETUTCDATE(), CAST(GETDATE() AS DATE), DAY(sent_on), ISDATE('x'), SWITCHOFFSET(SYSDATETIMEOFFSET(), '+02:00'), DATEDIFF_BIG(second, sent_on, delivered_at), DATE_BUCKET(week, 1, sent_on) FROM shipments
SELECT DATEADD(month, DATEDIFF(month, 0, sent_on), 0) AS month_start, SUM(price) FROM shipments GROUP BY DATEADD(month, DATEDIFF(month, 0, sent_on), 0)
SELECT FORMAT(sent_on, 'yyyy-MM'), FORMAT(price, 'N2'), FORMAT(price, 'C', 'de-DE'), CONVERT(varchar(10), sent_on, 120), CONVERT(date, '2024-01-01'), CAST(price AS decimal(10, 2)), TRY_CAST(carrier AS int), TRY_CONVERT(int, carrier), PARSE('1' AS int), STR(price, 10, 2) FROM shipments
SELECT delivered_at AT TIME ZONE 'UTC' AT TIME ZONE 'Central European Standard Time' FROM shipments
SELECT ISNULL(carrier, '?'), COALESCE(carrier, ''), NULLIF(carrier, ''), IIF(price > 5, 'a', 'b'), CHOOSE(1, 'a', 'b'), GREATEST(1, id), LEAST(1, id), CASE WHEN price > 5 THEN 1 ELSE 0 END FROM shipments
SELECT LEFT(name, 1), RIGHT(name, 1), SUBSTRING(name, 1, 2), LEN(name), DATALENGTH(name), UPPER(name), LOWER(name), LTRIM(RTRIM(name)), TRIM(name), REPLACE(name, 'a', 'b'), CHARINDEX('d', name), PATINDEX('%d%', name), CONCAT(name, '-', town), CONCAT_WS('-', name, town), name + ' ' + town, STUFF(name, 1, 1, 'X'), REVERSE(name), REPLICATE('*', 3), SPACE(2), TRANSLATE(name, 'a', 'b'), ASCII(name), CHAR(65), UNICODE(name), SOUNDEX(name), DIFFERENCE(name, 'Ada'), QUOTENAME(name), STRING_ESCAPE(name, 'json') FROM people
SELECT STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name) AS names, town FROM people GROUP BY town
SELECT s.value, COUNT(*) FROM people CROSS APPLY STRING_SPLIT(name, ' ') AS s GROUP BY s.value
SELECT value, ordinal FROM STRING_SPLIT('a,b', ',', 1)
SELECT j.[key], j.value FROM shipments CROSS APPLY OPENJSON(details) AS j
SELECT j.w FROM shipments CROSS APPLY OPENJSON(details, '$.box') WITH (w INT '$.w') AS j
SELECT JSON_VALUE(details, '$.box.w'), JSON_QUERY(details, '$.box'), ISJSON(details), JSON_MODIFY(details, '$.a', 1) FROM shipments
SELECT p.name, x.price FROM people p OUTER APPLY (SELECT TOP 2 price FROM shipments s WHERE s.sender_id = p.id ORDER BY price DESC) AS x
SELECT id, ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC) AS rn, RANK() OVER (ORDER BY price), LAG(price, 1, 0) OVER (ORDER BY id), LEAD(price) OVER (ORDER BY id), FIRST_VALUE(price) OVER (ORDER BY id), LAST_VALUE(price) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), NTILE(4) OVER (ORDER BY price), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) OVER (PARTITION BY carrier), SUM(price) OVER (ORDER BY sent_on ROWS BETWEEN 6 PRECEDING AND CURRENT ROW), CUME_DIST() OVER (ORDER BY price), PERCENT_RANK() OVER (ORDER BY price) FROM shipments
WITH chain AS (SELECT id, name, 0 AS lvl FROM people WHERE boss_id IS NULL UNION ALL SELECT p.id, p.name, c.lvl + 1 FROM people p JOIN chain c ON p.boss_id = c.id) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl
WITH d AS (SELECT CAST('2024-01-01' AS date) AS d UNION ALL SELECT DATEADD(day, 1, d) FROM d WHERE d < '2024-01-31') SELECT d.d, COUNT(s.id) FROM d LEFT JOIN shipments s ON s.sent_on = d.d GROUP BY d.d
SELECT value FROM GENERATE_SERIES(1, 10)
SELECT carrier, sender_id, SUM(price), GROUPING(carrier), GROUPING_ID(carrier, sender_id) FROM shipments GROUP BY GROUPING SETS ((carrier), (sender_id), ())
SELECT carrier, sender_id, SUM(price) FROM shipments GROUP BY ROLLUP (carrier, sender_id)
SELECT carrier, sender_id, SUM(price) FROM shipments GROUP BY CUBE (carrier, sender_id)
SELECT * FROM (SELECT carrier, MONTH(sent_on) AS m, price FROM shipments) AS s PIVOT (SUM(price) FOR m IN ([1], [2], [3])) AS p
SELECT id, measure, amount FROM (SELECT id, weight, price FROM shipments) s UNPIVOT (amount FOR measure IN (weight, price)) AS u
SELECT id FROM people ORDER BY id OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY
SELECT [name] AS [Full Name], p.[town] FROM [dbo].[people] AS p WHERE p.[id] IN (1, 2)
SELECT "name" FROM "people"
SELECT name FROM people WHERE name LIKE 'A[a-z]%' AND name NOT LIKE '%[0-9]%' AND name LIKE '50!%' ESCAPE '!'
SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM shipments s WHERE s.sender_id = p.id) AND p.id NOT IN (SELECT shipment_id FROM stops)
SELECT id FROM people EXCEPT SELECT sender_id FROM shipments
SELECT id FROM people INTERSECT SELECT sender_id FROM shipments
SELECT id, name FROM people UNION ALL SELECT id, carrier FROM shipments ORDER BY id
SELECT ROUND(price, 1), CEILING(price), FLOOR(price), ABS(price), POWER(price, 2), SQRT(price), SQUARE(price), LOG(price), LOG10(price), EXP(1), SIGN(price), id % 2, PI(), RAND() FROM shipments
SELECT STDEV(price), STDEVP(price), VAR(price), VARP(price), COUNT_BIG(*), APPROX_COUNT_DISTINCT(sender_id), CHECKSUM_AGG(id), MIN(price), MAX(price), AVG(price) FROM shipments
SELECT carrier, SUM(CASE WHEN MONTH(sent_on) = 1 THEN price ELSE 0 END) AS jan, 100.0 * SUM(price) / SUM(SUM(price)) OVER () AS pct FROM shipments GROUP BY carrier HAVING SUM(price) > 1
SELECT v.id, v.label FROM (VALUES (1, 'a'), (2, 'b')) AS v(id, label)
SELECT name COLLATE Latin1_General_CI_AS FROM people ORDER BY name COLLATE Latin1_General_CS_AS
SELECT total = SUM(price), carrier FROM shipments GROUP BY carrier
SELECT s.id, p.name FROM shipments AS s INNER JOIN people AS p ON p.id = s.sender_id LEFT JOIN stops AS t ON t.shipment_id = s.id WHERE s.sent_on >= DATEADD(day, -30, CAST(GETDATE() AS date)) AND s.carrier <> N'van'
SELECT DISTINCT town FROM people WHERE joined_on BETWEEN '2020-01-01' AND '2024-12-31' AND town IS NOT NULL
SELECT HASHBYTES('SHA2_256', name), CHECKSUM(name), NEWID(), CAST(name AS varbinary(100)), ISNUMERIC(name) FROM people
SELECT APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) FROM shipments
SELECT COUNT(*) FROM shipments TABLESAMPLE (10 PERCENT)
SELECT CONVERT(varchar, sent_on, 23), CONVERT(char(7), sent_on, 126), DATEPART(iso_week, sent_on), DATEPART(quarter, sent_on), TIMEFROMPARTS(1, 2, 3, 0, 0), DATETIMEFROMPARTS(2024, 1, 1, 0, 0, 0, 0) FROM shipments
SELECT FORMAT(sent_on, 'MMM yyyy'), FORMAT(price, '#,##0.00'), FORMAT(0.5, 'P1'), FORMAT(sent_on, 'dd/MM/yyyy', 'en-GB'), FORMAT(id, '00000') FROM shipments
SELECT DATEPART(year, sent_on), DATEPART(qq, sent_on), DATEPART(dw, sent_on), DATENAME(weekday, sent_on), DATENAME(month, sent_on) + ' ' + CAST(YEAR(sent_on) AS varchar(4)), CONVERT(varchar(7), sent_on, 126), DATEADD(wk, DATEDIFF(wk, 0, sent_on), 0), DATEADD(qq, DATEDIFF(qq, 0, sent_on), 0), DATEDIFF(hour, sent_on, delivered_at) / 24.0, EOMONTH(GETDATE(), -1), CAST(delivered_at AS date), CAST(delivered_at AS time), DATEFROMPARTS(YEAR(sent_on), 1, 1), ISDATE('2024-01-01') FROM shipments
SELECT carrier, SUM(price) AS total, RANK() OVER (ORDER BY SUM(price) DESC) AS r, SUM(price) * 100.0 / SUM(SUM(price)) OVER () AS pct FROM shipments GROUP BY carrier HAVING COUNT(*) > 1
SELECT TOP 3 WITH TIES carrier, COUNT(*) AS n FROM shipments GROUP BY carrier ORDER BY n DESC
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY carrier ORDER BY price DESC) AS rn FROM shipments) AS x WHERE x.rn <= 3
SELECT p.name, COALESCE(SUM(s.price), 0) AS total FROM dbo.people AS p LEFT JOIN dbo.shipments AS s ON s.sender_id = p.id AND s.sent_on >= '20240101' GROUP BY p.name ORDER BY total DESC OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 31) SELECT DATEADD(day, i - 1, '2024-01-01') AS d FROM n
WITH a AS (SELECT sender_id, MIN(sent_on) AS first_on FROM shipments GROUP BY sender_id), b AS (SELECT YEAR(first_on) AS y, COUNT(*) AS n FROM a GROUP BY YEAR(first_on)) SELECT * FROM b
SELECT STRING_AGG(CAST(name AS nvarchar(max)), N', ') WITHIN GROUP (ORDER BY name DESC) FROM people
SELECT STRING_AGG(town, ', ') FROM (SELECT DISTINCT town FROM people) AS t
SELECT id, CASE WHEN price > 20 THEN 'high' WHEN price > 5 THEN 'mid' ELSE 'low' END AS band, IIF(carrier = 'van', 1, 0), ISNULL(delivered_at, sent_on), NULLIF(price, 0), TRY_CAST(carrier AS int), TRY_CONVERT(date, '2024-01-01'), CONVERT(int, price), CAST(price AS numeric(10, 2)), CAST(id AS nvarchar(10)), CONVERT(char(8), sent_on, 112) FROM shipments
SELECT JSON_VALUE(details, '$.box.w'), JSON_QUERY(details, '$.box'), ISJSON(details) FROM shipments WHERE JSON_VALUE(details, '$.box.w') > 1
SELECT s.id, j.[key], j.value, j.type FROM shipments AS s CROSS APPLY OPENJSON(s.details, '$.box') AS j
SELECT s.id, j.sku, j.qty FROM shipments AS s CROSS APPLY OPENJSON(s.details, '$.items') WITH (sku varchar(20) '$.sku', qty int '$.qty', raw nvarchar(max) '$' AS JSON) AS j
SELECT s.id, t.value AS tag FROM shipments AS s CROSS APPLY STRING_SPLIT(s.tags, ',') AS t WHERE t.value <> ''
SELECT p.name, x.n FROM people AS p CROSS APPLY (SELECT COUNT(*) AS n FROM shipments AS s WHERE s.sender_id = p.id) AS x WHERE x.n > 0
SELECT x.y FROM shipments CROSS APPLY (VALUES (YEAR(sent_on))) AS x(y)
SELECT v.measure, v.amount FROM shipments AS s CROSS APPLY (VALUES ('weight', s.weight), ('price', s.price)) AS v(measure, amount)
SELECT LEN(name), LEFT(name, CHARINDEX(' ', name + ' ') - 1), SUBSTRING(name, 2, LEN(name)), REPLACE(name, ' ', ''), STUFF(name, 1, 1, UPPER(LEFT(name, 1))), CONCAT(name, ' ', town), REVERSE(name), LTRIM(RTRIM(name)), TRIM(name), PATINDEX('%[0-9]%', name), QUOTENAME(name), TRANSLATE(name, 'ab', 'cd'), RIGHT('00000' + CAST(id AS varchar(5)), 5), REPLICATE('0', 3), STR(id, 5), CHAR(10), NCHAR(233), UNICODE(name) FROM people
SELECT AVG(CAST(price AS float)), SUM(CAST(id AS bigint)), COUNT_BIG(*), STDEV(price), VAR(price), MIN(price), MAX(price), COUNT(DISTINCT carrier), CHECKSUM_AGG(id), AVG(price) OVER (PARTITION BY carrier), LAG(price) OVER (PARTITION BY carrier ORDER BY sent_on), PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY price) OVER (PARTITION BY carrier) FROM shipments GROUP BY price, carrier, sent_on
SELECT [Order Count] = COUNT(*), [Town] = town FROM people GROUP BY town
SELECT name AS 'Full Name', town "Town" FROM people
SELECT a.id FROM shipments AS a WHERE a.price > ALL (SELECT price FROM shipments WHERE carrier = 'bike') AND a.price >= ANY (SELECT price FROM shipments) AND a.id <> 5
SELECT id FROM shipments WHERE sent_on BETWEEN DATEADD(month, -3, GETDATE()) AND GETDATE() AND carrier LIKE N'%va[nm]%' AND carrier COLLATE Latin1_General_CI_AI = 'VAN'
SELECT SUM(price) AS s, GROUPING(carrier) AS g FROM shipments GROUP BY ROLLUP (carrier)
SELECT YEAR(sent_on) AS y, [1] AS jan, [2] AS feb FROM (SELECT sent_on, MONTH(sent_on) AS m, price FROM shipments) AS src PIVOT (SUM(price) FOR m IN ([1], [2])) AS p
SELECT value FROM GENERATE_SERIES(1, 100, 5)
SELECT LEAST(1, 2), GREATEST(1, 2), POWER(2, 3), SQUARE(2), ROUND(1.55, 1), CEILING(1.2), 7 % 3, 7 / 2, 1 & 1, 1 | 2, 1 ^ 1, ~1, ABS(-1), SIGN(-1), LOG(10), LOG(8, 2), EXP(1), PI(), RAND(), NEWID(), CHECKSUM(NEWID()), ISNUMERIC('1'), DATALENGTH('a'), HASHBYTES('MD5', 'a'), CHOOSE(2, 'a', 'b')
SELECT SYSDATETIMEOFFSET() AT TIME ZONE 'W. Europe Standard Time', SWITCHOFFSET(SYSDATETIMEOFFSET(), '-05:00'), TODATETIMEOFFSET(GETDATE(), '+01:00'), SYSUTCDATETIME(), CURRENT_TIMESTAMP, DATETRUNC(week, GETDATE()), DATEDIFF_BIG(ms, '2024-01-01', GETDATE()), DATETIME2FROMPARTS(2024, 1, 1, 0, 0, 0, 0, 0)
SELECT p.name FROM people p INNER JOIN shipments s ON s.sender_id = p.id INNER JOIN stops t ON t.shipment_id = s.id FULL OUTER JOIN [depot sites] d ON d.code = t.depot_code CROSS JOIN (SELECT 1 AS one) o
SELECT TOP 10 [name] FROM [dbo].[people] ORDER BY [name]
SELECT p.name, x.price FROM people p CROSS APPLY (SELECT TOP 1 price FROM shipments s WHERE s.sender_id = p.id) x
SELECT DATEADD(day, -7, GETDATE()), DATEDIFF(day, sent_on, delivered_at), ISNULL(carrier, '') FROM shipments
