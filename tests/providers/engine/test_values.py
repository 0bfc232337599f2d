"""Whatever a database can hold comes back as JSON, exactly, and nothing crashes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.child_process.wire import pack, read_frame
from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import EngineLimits, QueryRows, QueryTerms
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.providers.engine.worker.values import MAX_EXACT_INTEGER, row_as_json
from tests.providers.engine.conftest import FILE_KINDS, Bench, failure_of, rows_of
from tests.support.examples import examples
from tests.support.tables import case_table


async def test_a_value_of_every_type(make: Callable[..., Bench], kind: str) -> None:
    cases = case_table(__file__, kind)
    types = case_table(__file__, "types")[kind]
    engine = make(statements=(*types, "CREATE TABLE customers (id INTEGER)")).engine
    found = []
    for expression, _, _ in cases:
        outcome = await rows_of(engine, f"SELECT {expression} AS v", row_limit=1)
        json.dumps(outcome.rows, allow_nan=False)
        found.append([expression, outcome.columns[0].type, outcome.rows[0][0]])
    assert found == cases


@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
async def test_intervals_keep_rows_names_and_order(bench: Bench) -> None:
    sql = "SELECT to_months(range::INTEGER) AS m, range AS m FROM range(3) ORDER BY range DESC -- newest first"

    outcome = await rows_of(bench.engine, sql)

    assert [column.name for column in outcome.columns] == ["m", "m"]
    assert outcome.rows == (("2 months", 2), ("1 month", 1), ("00:00:00", 0))


@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
async def test_infinity_stands_among_days_in_their_order(bench: Bench) -> None:
    days = "(VALUES (1, DATE '2024-01-01'), (2, 'infinity'), (3, NULL), (4, DATE '9999-12-31')) AS t(n, day)"
    sql = f"SELECT day, n, day::TIMESTAMPTZ AS at FROM {days} ORDER BY n DESC"

    for zone, offset in (("UTC", "+00:00"), ("Asia/Tokyo", "+09:00")):
        outcome = await rows_of(bench.engine, sql, terms=QueryTerms(timezone=zone))
        assert [row[:2] for row in outcome.rows] == [("9999-12-31", 4), (None, 3), ("infinity", 2), ("2024-01-01", 1)]
        assert [row[2] for row in outcome.rows][1:] == [None, "infinity", f"2024-01-01T00:00:00{offset}"]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
async def test_sqlite_columns_get_the_type_their_values_have(make: Callable[..., Bench]) -> None:
    rows = "INSERT INTO t VALUES (NULL, 1, 'a', NULL), (2, 1.5, 'b', NULL)"
    outcome = await rows_of(
        make(statements=("CREATE TABLE t (whole, mixed, words, empty)", rows)).engine, "SELECT * FROM t"
    )
    assert [column.type for column in outcome.columns] == ["INTEGER", "REAL", "TEXT", ""]


@pytest.mark.parametrize("kind", FILE_KINDS, indirect=True)
async def test_a_wide_and_long_result_survives_its_frames(bench: Bench) -> None:
    columns = ", ".join(f"i * {number} AS c{number}" for number in range(1, 101))
    sql = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT {columns} FROM n"
    outcome = await rows_of(bench.engine, sql, row_limit=3_000)
    assert len(outcome.rows) == 3_000
    assert outcome.rows[2_999] == tuple(3_000 * number for number in range(1, 101))


@pytest.mark.parametrize("kind", ["mariadb"], indirect=True)
async def test_columns_of_mariadbs_own_kinds(make: Callable[..., Bench]) -> None:
    insert = (
        "INSERT IGNORE INTO odd VALUES ('0000-00-00', '0000-00-00', 'so so', 'a,b', 2024, b'101', 1.5, 255, "
        "'{\"a\": 1e400}', POINT(1, 2), x'AA00', 'a', 'Zoë')"
    )
    bench = make(statements=(*case_table(__file__, "types")["mariadb"], insert))
    odd = case_table(__file__, "odd_columns")
    names = ", ".join(name for name, _, _ in odd)

    outcome = await rows_of(bench.engine, f"SELECT {names}, g FROM odd", row_limit=1)
    *columns, point = zip([column.type for column in outcome.columns], outcome.rows[0], strict=True)
    assert columns == [(type_name, value) for _, type_name, value in odd]
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


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
    | st.uuids(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers() | st.dates(), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(60))
@given(st.lists(json_values, max_size=5))
def test_any_row_becomes_strict_json_and_integers_stay_exact(row: list[Any]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    decoded = json.loads(row_as_json(row), parse_constant=refuse)

    assert len(decoded) == len(row)
    for value, got in zip(row, decoded, strict=True):
        if isinstance(value, int) and not isinstance(value, bool):
            assert int(got) == value
            assert isinstance(got, int) == (abs(value) <= MAX_EXACT_INTEGER)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()), max_size=5))
def test_a_frame_reads_back_as_it_was_packed(message: dict[str, Any]) -> None:
    assert read_frame(io.BytesIO(pack(message))) == message


@given(st.integers(min_value=0, max_value=30))
def test_a_frame_cut_short_is_an_end_not_an_error(size: int) -> None:
    frame = pack({"sql": "SELECT 1 AS one"})

    assert read_frame(io.BytesIO(frame[: min(size, len(frame) - 1)])) is None
