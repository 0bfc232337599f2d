"""Whatever PostgreSQL and MariaDB can hold comes back as JSON, exactly, and nothing crashes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import EngineLimits, QueryRows, QueryTerms
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import Bench, failure_of, rows_of

TYPES = {
    "postgres": (
        "CREATE TYPE mood AS ENUM ('so so', 'fine')",
        "CREATE TYPE pair AS (a integer, b text)",
        "CREATE DOMAIN cents AS numeric(8, 2)",
        "CREATE TYPE floatrange AS RANGE (subtype = float8)",
    ),
    "mariadb": (
        "CREATE TABLE odd (d DATE, m DATETIME, e ENUM('so so', 'fine'), s SET('a', 'b'), y YEAR, b BIT(10), f FLOAT, "
        "t TINYINT UNSIGNED, j JSON, g POINT, bin VARBINARY(10), fix BINARY(3), l TEXT CHARACTER SET latin1)",
    ),
}

POSTGRES: list[tuple[str, str, Any]] = [
    ("1.50::numeric(10, 2)", "numeric(10,2)", "1.50"),
    ("'1e400'::numeric", "numeric", "1" + "0" * 400),
    ("'NaN'::numeric", "numeric", "NaN"),
    ("'-Infinity'::numeric", "numeric", "-Infinity"),
    ("9007199254740991", "int8", 9007199254740991),
    ("9223372036854775807", "int8", "9223372036854775807"),
    ("1::int2", "int2", 1),
    ("1.5::float4", "float4", 1.5),
    ("'NaN'::float8", "float8", "NaN"),
    ("'-Infinity'::float8", "float8", "-Infinity"),
    ("true", "bool", True),
    ("DATE '2024-02-29'", "date", "2024-02-29"),
    ("'infinity'::date", "date", "infinity"),
    ("'0044-03-15 BC'::date", "date", "0044-03-15 BC"),
    ("'294000-01-01'::date", "date", "294000-01-01"),
    ("TIMESTAMP '2024-02-29 12:30:00.25'", "timestamp", "2024-02-29T12:30:00.250000"),
    ("'-infinity'::timestamp", "timestamp", "-infinity"),
    ("TIMESTAMPTZ '2024-02-29 12:30:00+02'", "timestamptz", "2024-02-29T10:30:00+00:00"),
    ("TIMESTAMPTZ '0044-03-15 12:00:00+00 BC'", "timestamptz", "0044-03-15 12:00:00+00 BC"),
    ("TIME '12:30:00'", "time", "12:30:00"),
    ("TIME '24:00:00'", "time", "24:00:00"),
    ("'12:30:00+02'::timetz", "timetz", "12:30:00+02:00"),
    ("INTERVAL '1 month -2 days 04:05:06.7'", "interval", "1 mon -2 days +04:05:06.7"),
    ("'\\xAA00'::bytea", "bytea", "qgA="),
    ("B'101'", "bit", "101"),
    ("'101'::varbit", "varbit", "101"),
    ("'00000000-0000-0000-0000-000000000001'::uuid", "uuid", "00000000-0000-0000-0000-000000000001"),
    ('\'{"a": 1e400, "a": 2}\'::json', "json", '{"a": 1e400, "a": 2}'),
    ("'{\"a\": [1, null]}'::jsonb", "jsonb", '{"a": [1, null]}'),
    ("ARRAY[1, NULL, 3]", "int4[]", [1, None, 3]),
    ("ARRAY[[1, 2], [3, 4]]", "int4[]", [[1, 2], [3, 4]]),
    ("ARRAY['NULL', 'a,\"b\\', NULL]", "text[]", ["NULL", 'a,"b\\', None]),
    ("ARRAY[1.5, 'NaN']::numeric[]", "numeric[]", ["1.5", "NaN"]),
    ("ARRAY[DATE 'infinity']", "date[]", ["infinity"]),
    ("'{}'::int[]", "int4[]", []),
    ("'fine'::mood", "mood", "fine"),
    ("ARRAY['so so', 'fine']::mood[]", "mood[]", ["so so", "fine"]),
    ("'[1,5)'::int4range", "int4range", "[1,5)"),
    ("'{[1,5),[7,9)}'::int4multirange", "int4multirange", "{[1,5),[7,9)}"),
    ("floatrange(1.5, 2.5)", "floatrange", "[1.5,2.5)"),
    ("tstzrange('2024-01-01 00:00+00', NULL)", "tstzrange", '["2024-01-01 00:00:00+00",)'),
    ("ROW(1, 'a b')::pair", "pair", '(1,"a b")'),
    ("ARRAY[ROW(1, 'x')::pair]", "pair[]", ["(1,x)"]),
    ("ROW(1, NULL)", "record", "(1,)"),
    ("1.5::cents", "numeric(8,2)", "1.50"),
    ("'10.0.0.1/8'::inet", "inet", "10.0.0.1/8"),
    ("'10.0.0.0/8'::cidr", "cidr", "10.0.0.0/8"),
    ("'08:00:2b:01:02:03'::macaddr", "macaddr", "08:00:2b:01:02:03"),
    ("'<a>b</a>'::xml", "xml", "<a>b</a>"),
    ("12.5::money", "money", "$12.50"),
    ("point(1, 2)", "point", "(1,2)"),
    ("box '((0,0),(1,1))'", "box", "(1,1),(0,0)"),
    ("ARRAY[box '((0,0),(1,1))', box '((0,0),(2,2))']", "box[]", ["(1,1),(0,0)", "(2,2),(0,0)"]),
    ("to_tsvector('simple', 'a b')", "tsvector", "'a':1 'b':2"),
    ("'customers'::regclass", "regclass", "customers"),
    ("pg_lsn '0/1'", "pg_lsn", "0/1"),
    ("'😀'", "text", "😀"),
    ("'ab'::char(4)", "bpchar(4)", "ab  "),
    ("NULL", "text", None),
]

MARIADB: list[tuple[str, str, Any]] = [
    ("CAST(1.50 AS DECIMAL(10, 2))", "DECIMAL", "1.50"),
    ("9007199254740993", "BIGINT", "9007199254740993"),
    ("CAST(18446744073709551615 AS UNSIGNED)", "BIGINT UNSIGNED", "18446744073709551615"),
    ("1e308", "DOUBLE", 1e308),
    ("true", "INT", 1),
    ("DATE '2024-02-29'", "DATE", "2024-02-29"),
    ("TIMESTAMP '2024-02-29 12:30:00.25'", "DATETIME", "2024-02-29T12:30:00.250000"),
    ("TIME '12:30:00'", "TIME", "12:30:00"),
    ("TIME '-838:59:59'", "TIME", "-838:59:59"),
    ("x'AA00'", "VARBINARY", "qgA="),
    ("'😀'", "VARCHAR", "😀"),
    ("concat('a', char(0), 'b')", "VARBINARY", "YQBi"),
    ("NULL", "NULL", None),
]

ODD_COLUMNS: list[tuple[str, str, Any]] = [
    ("d", "DATE", "0000-00-00"),
    ("m", "DATETIME", "0000-00-00 00:00:00"),
    ("e", "ENUM", "so so"),
    ("s", "SET", "a,b"),
    ("y", "YEAR", 2024),
    ("b", "BIT", "0000000101"),
    ("f", "FLOAT", 1.5),
    ("t", "TINYINT UNSIGNED", 255),
    ("j", "TEXT", '{"a": 1e400}'),
    ("bin", "VARBINARY", "qgA="),
    ("fix", "BINARY", "YQAA"),
    ("l", "TEXT", "Zoë"),
]


@pytest.mark.parametrize(
    ("kind", "cases"), [("postgres", POSTGRES), ("mariadb", MARIADB)], indirect=["kind"], ids=["postgres", "mariadb"]
)
async def test_a_value_of_every_type(make: Callable[..., Bench], kind: str, cases: list[tuple[str, str, Any]]) -> None:
    bench = make(statements=(*TYPES[kind], "CREATE TABLE customers (id INTEGER)"))
    found = []
    for expression, _, _ in cases:
        outcome = await rows_of(bench.engine, f"SELECT {expression} AS v", row_limit=1)
        json.dumps(outcome.rows, allow_nan=False)
        found.append((expression, outcome.columns[0].type, outcome.rows[0][0]))

    assert found == cases


@pytest.mark.parametrize("kind", ["mariadb"], indirect=True)
async def test_columns_of_mariadbs_own_kinds(make: Callable[..., Bench]) -> None:
    insert = (
        "INSERT IGNORE INTO odd VALUES ('0000-00-00', '0000-00-00', 'so so', 'a,b', 2024, b'101', 1.5, 255, "
        "'{\"a\": 1e400}', POINT(1, 2), x'AA00', 'a', 'Zoë')"
    )
    bench = make(statements=(*TYPES["mariadb"], insert))
    names = ", ".join(name for name, _, _ in ODD_COLUMNS)

    outcome = await rows_of(bench.engine, f"SELECT {names}, g FROM odd", row_limit=1)
    *columns, point = zip([column.type for column in outcome.columns], outcome.rows[0], strict=True)
    assert columns == [(type_name, value) for _, type_name, value in ODD_COLUMNS]
    assert point[0] == "GEOMETRY"


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_results_without_columns_and_without_rows(make: Callable[..., Bench]) -> None:
    engine = make().engine

    assert await engine.execute("SELECT FROM customers", row_limit=5, timeout=20) == QueryRows((), ((), (), ()))
    empty = await rows_of(engine, "SELECT 1.5 AS a, 'x'::text AS a WHERE false", row_limit=5)
    assert [(column.name, column.type) for column in empty.columns] == [("a", "numeric"), ("a", "text")]


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_bytes_that_are_not_text_in_a_database_without_an_encoding(make: Callable[..., Bench]) -> None:
    bench = make()
    assert bench.server is not None
    name = bench.server.name + "_ascii"
    bench.server.ask(f"CREATE DATABASE {name} ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    try:
        engine = SQLAlchemyEngine(bench.server.url.replace(bench.server.name, name))
        outcome = await engine.execute("SELECT E'Zo\\xeb' AS latin", row_limit=1, timeout=20)
        await engine.close()
    finally:
        bench.server.ask(f"DROP DATABASE {name} WITH (FORCE)")
    assert isinstance(outcome, QueryRows), outcome
    assert outcome.rows == (("Zo\ufffd",),)


@pytest.mark.parametrize("kind", ["duckdb", "postgres", "mariadb"], indirect=True)
async def test_the_time_zone_of_a_statement_decides_what_a_day_is(make: Callable[..., Bench], kind: str) -> None:
    at_eight = "SELECT TIMESTAMPTZ '2024-01-01 20:00:00+00'::date"
    if kind == "mariadb":
        at_eight = "SELECT DATE(FROM_UNIXTIME(1704139200))"
    engine = make(EngineLimits(pool_size=1)).engine  # so that all of them run in one session
    for zone, day in (("Asia/Tokyo", "02"), ("UTC", "01"), ("Asia/Tokyo", "02"), ("America/Bogota", "01")):
        outcome = await rows_of(engine, at_eight, row_limit=1, terms=QueryTerms(timezone=zone))
        assert outcome.rows == ((f"2024-01-{day}",),)
        assert await engine.dry_run(at_eight, timeout=20, terms=QueryTerms(timezone=zone)) is None
    for _ in range(2):
        with pytest.raises(EngineUnavailable, match=r"does not know the .*time zone"):
            await engine.execute("SELECT 1", row_limit=1, timeout=20, terms=QueryTerms(timezone="Mars/Olympus'; x"))
        await rows_of(engine, "SELECT 1 AS n")


@pytest.mark.parametrize("kind", ["mariadb"], indirect=True)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 4000000000)",
        "SELECT length(group_concat(repeat(a.name, 30000))) FROM customers a, customers b, customers c",
        "SET STATEMENT max_recursive_iterations = 5 FOR SELECT 1",
    ],
)
async def test_a_result_that_the_server_cut_short_is_no_answer(make: Callable[..., Bench], sql: str) -> None:
    await failure_of(make().engine, sql)
