"""`x.name` on PostgreSQL: a call of the function `name` (or a cast to the type) where x has no such column.

Sources of rows, ways to name something of theirs, and places for that: all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

OWN_FUNCTIONS = (
    "CREATE FUNCTION peek_any(anyelement) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT max(amount) FROM payroll';"
    "CREATE FUNCTION peek_rows(record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS "
    "'BEGIN RETURN (SELECT max(amount) FROM payroll); END';"
)
# What the answers of these would hold: names of the catalogue.
CATALOGUE_NAMES = ("payroll", "t_people", "pg_class", "pg_catalog", "postgres", "secrets")
NAMES = ("peek_any", "peek_rows", "regclass", "regrole", "regnamespace", "text", "upper", '"peek_any"')

# `{a}` is the alias. None has a column of a name above, except where that is what misleads: `{n}`.
SOURCES = (
    "(SELECT 1) {a}",
    "(SELECT 2200, 1259) AS {a}",
    "(SELECT 1 AS z) {a}",
    "(SELECT lower('x')) {a}",
    "(SELECT count(*) FROM people) {a}",
    "(SELECT max(id), town FROM people GROUP BY town) {a}",
    "(SELECT CASE WHEN id > 1 THEN 2 END FROM people) {a}",
    "(SELECT id::text FROM people) {a}",
    "(SELECT 1 UNION SELECT 2) {a}",
    "(SELECT * FROM (SELECT 10) AS inner_one) {a}",
    "(SELECT q FROM (SELECT 1) q) {a}",
    "(VALUES (1259)) {a}",
    "(VALUES (1259)) {a}(z)",
    "unnest(ARRAY[1259]) {a}",
    "unnest(ARRAY[1259]) AS {a}(z)",
    "unnest(ARRAY[1259], ARRAY[2]) {a}",
    "unnest(ARRAY[1259]) WITH ORDINALITY {a}",
    "unnest(ARRAY[1259]) WITH ORDINALITY AS {a}(z, m)",
    "LATERAL unnest(ARRAY(SELECT g FROM generate_series(16384, 16999) g)) {a}",
    "LATERAL (SELECT 2200) {a}",
    "generate_series(1255, 1260) {a}",
    "generate_series(1255, 1260) AS {a}(z)",
    "jsonb_each('{{\"a\": 1}}') {a}",
    "jsonb_array_elements('[1]') {a}",
    "jsonb_object_keys('{{\"a\": 1}}') {a}",
    "json_to_recordset('[{{\"z\": 1259}}]') AS {a}(z int)",
    "regexp_split_to_table('a b', ' ') {a}",
    "people {a}",
    "people AS {a}(z)",
    "(people JOIN shipments ON true) {a}",
    "(SELECT 1 AS {u}) {a}",
    "(SELECT * FROM (SELECT 2 AS y, 1 AS {n}) l JOIN (SELECT 1 AS {n}) r USING ({n})) AS {a}(x)",
    "(SELECT * FROM (SELECT 2 AS y, 1 AS {n}) l NATURAL JOIN (SELECT 1 AS {n}) r) AS {a}(x)",
)
REFERENCES = (
    "{a}.{n}",
    '"{a}".{n}',
    "{A}.{n}",
    "({a}).{n}",
    "({a}.*).{n}",
    "(ARRAY[{a}])[1].{n}",
    "(SELECT {a}).{n}",
    "(coalesce({a}, {a})).{n}",
    "(ROW({a}.*)).{n}",
    "(array_agg({a}))[1].{n}",
)
PLACES = (
    "SELECT {r} FROM {s}",
    "SELECT DISTINCT ON ({r}) {r} AS found FROM {s}",
    "SELECT max(({r})::text) FROM {s}",
    "SELECT string_agg(({r})::text, ',' ORDER BY {r}) FILTER (WHERE {r} IS NOT NULL) FROM {s}",
    "SELECT row_number() OVER w, first_value({r}) OVER w FROM {s} WINDOW w AS (PARTITION BY {r} ORDER BY {r})",
    "SELECT ARRAY[{r}], ROW({r}), CASE WHEN {r} IS NULL THEN '' ELSE ({r})::text END FROM {s}",
    "SELECT jsonb_build_object('a', {r}) ->> 'a' FROM {s}",
    "SELECT f.found FROM (SELECT {r} AS found FROM {s}) f",
    "WITH f AS (SELECT {r} AS found FROM {s}) SELECT found FROM f",
    "SELECT (SELECT {r}) FROM {s}",
    "SELECT f.found FROM {s}, LATERAL (SELECT {r}) AS f(found)",
    "SELECT f.found FROM {s} CROSS JOIN LATERAL (VALUES ({r})) AS f(found)",
    "SELECT f.found FROM {s}, unnest(ARRAY[{r}]) AS f(found)",
    "SELECT 'a' UNION ALL SELECT ({r})::text FROM {s}",
    "WITH RECURSIVE f(found) AS (SELECT ({r})::text FROM {s} UNION SELECT found FROM f) SELECT found FROM f",
    "SELECT ({r})::text, count(*) FROM {s} GROUP BY ({r})::text HAVING min(({r})::text) > '' ORDER BY ({r})::text",
    "SELECT p.id FROM people p JOIN {s} ON ({r})::text > 'zq7canary 9'",
)
# Statements whose names PostgreSQL takes for something else than they seem to say.
MISLEADING = (
    "SELECT {n}.{n} FROM jsonb_array_elements('[1]') AS {n}",
    "SELECT {n}.{n} FROM unnest(ARRAY[1259], ARRAY[2]) AS {n}",
    "SELECT {n}.{n} FROM people p, unnest(ARRAY[p]) AS {n}",
    "SELECT {n}.{n} FROM (SELECT array_agg(p) AS a FROM people p) l, unnest(l.a) AS {n}",
    "SELECT q.{n} FROM (SELECT 1 AS {u}) q",
    'SELECT (SELECT q.{n} FROM (SELECT 1 AS z) q) FROM (SELECT 1 AS {n}) "Q"',
    'SELECT (SELECT q.{n} FROM (SELECT 1 AS {n}) "Q") FROM (SELECT 1259 AS z) q',
    'WITH q AS (SELECT 1259 AS b), "Q" AS (SELECT 1 AS {n}) SELECT q.{n} FROM q',
    "SELECT (SELECT \u212a.{n} FROM (SELECT 1 AS z) k) FROM (SELECT 1 AS {n}) \u212a",
    "SELECT (SELECT k.{n} FROM (SELECT 1259 AS z) \u212a) FROM (SELECT 1 AS {n}) k",
    "SELECT (SELECT (SELECT 1 FROM (SELECT 1 AS {n}) q, (SELECT 1) a JOIN (SELECT 1) b "
    "ON q.{n}::text = 'zq7canary 996')) FROM (SELECT 1259 AS z) q",
    "SELECT (SELECT r.f FROM (SELECT 1 AS {n}) q, (SELECT 1) a JOIN LATERAL (SELECT 1) b "
    "ON (SELECT q.{n}) IS NOT NULL CROSS JOIN (SELECT 1 AS f) r) FROM (SELECT 1259 AS z) q",
    "SELECT (SELECT v.x FROM (SELECT 1 AS {n}) q, (VALUES (q.{n})) v(x)) FROM (SELECT 1259 AS z) q",
    "SELECT (count).{n} FROM (SELECT count(*) FROM people) x, (SELECT 1 AS {n}) count",
    "SELECT (SELECT (count).{n} FROM (SELECT 1 AS {n}) count) FROM (SELECT count(*) FROM people) x",
    "SELECT (SELECT (q).{n} FROM (SELECT 1 AS {n}) q) FROM (SELECT 1259 AS q) x",
    "SELECT (SELECT (ARRAY[q])[1].{n} FROM (SELECT 1 AS {n}) q) FROM (SELECT 1259 AS q) x",
    "SELECT (ARRAY[q])[1].{n} FROM (SELECT 1 AS {n}) q",
    "SELECT (SELECT q).{n} FROM (SELECT 1 AS {n}) q",
    "SELECT (CASE WHEN true THEN q END).{n} FROM (SELECT 1 AS {n}) q",
    "SELECT (coalesce(q, q)).{n} FROM (SELECT 1 AS {n}) q",
    "SELECT (array_agg(q))[1].{n} FROM (SELECT 1 AS {n}) q",
    "SELECT (x.r[1]).{n} FROM (SELECT ARRAY[q] AS r FROM (SELECT 1 AS {n}) q) x",
    "SELECT (first_value(q) OVER ()).{n} FROM (SELECT 1 AS {n}) q",
    "WITH q AS (SELECT 1 AS {n}) SELECT * FROM (WITH RECURSIVE a AS (SELECT q.{n} FROM q), "
    "q AS (SELECT 1259 AS z) SELECT * FROM a) s",
    "SELECT (SELECT {l}x.{n} FROM (SELECT 1259 AS z) {l}y) FROM (SELECT 1 AS {n}) {l}x",
    "SELECT (SELECT {l}.{n} FROM (SELECT 1259 AS z) {l}y) FROM (SELECT 1 AS {n}) {l}",
    "WITH {l}x AS (SELECT 1 AS {n}) SELECT (WITH {l}y AS (SELECT 1259 AS z) SELECT {l}x.{n} FROM {l}x)",
    "SELECT (x.e).{n} FROM (SELECT jsonb_each('{{\"a\": 1}}') AS e) x",
    "SELECT lower(q.{n} => 'x') FROM (SELECT 1) q",
    "SELECT q.{n} AS a FROM people p LEFT JOIN (SELECT 1259) q ON true ORDER BY q.{n}",
    "SELECT 1 ORDER BY (SELECT q.{n} FROM (SELECT 1259) q)",
    "SELECT q.public.{n} FROM (SELECT 1259) q",
    "SELECT (q.{n}).{n} FROM (SELECT 1259) q",
    "SELECT q.{n}[1] FROM (SELECT 1259) q",
    "SELECT q.*::{n} FROM (SELECT 1259) q",
    "SELECT q::{n} FROM (SELECT 1259) q",
    "SELECT 1259::{n}",
)


def dotted_attacks() -> Iterator[str]:
    """Some thousands of statements, none of which may give back what a function or a cast of that name would."""
    for statement, name in product(MISLEADING, NAMES):
        yield _filled(statement, name, "")
    for number, (source, reference, name) in enumerate(product(SOURCES, REFERENCES, NAMES)):
        yield _filled(PLACES[0], name, reference, source)
        yield _filled(PLACES[number % len(PLACES)], name, reference, source)
    for place, source in product(PLACES, SOURCES):
        yield _filled(place, NAMES[0], REFERENCES[0], source)


def _filled(statement: str, name: str, reference: str, source: str = "") -> str:
    upper = f'"{name.strip(chr(34)).upper()}"'
    return statement.format(
        n=name, u=upper, l="l" * 63, r=reference.format(a="q", A="Q", n=name), s=source.format(a="q", n=name, u=upper)
    )
