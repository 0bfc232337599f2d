"""Whatever a database can hold comes back as JSON, exactly, and nothing crashes."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.child_process.wire import pack, read_frame
from askwell.providers.engine.base import QueryTerms
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.worker.values import MAX_EXACT_INTEGER, row_as_json
from tests.providers.engine.conftest import SMALL, rows_of, write_database
from tests.support.examples import examples

DUCKDB_VALUES: list[tuple[str, str, Any]] = [
    ("1.50::DECIMAL(10, 2)", "DECIMAL(10,2)", "1.50"),
    ("0::DECIMAL(20, 12)", "DECIMAL(20,12)", "0.000000000000"),
    ("9007199254740991", "BIGINT", 9007199254740991),
    ("9007199254740993", "BIGINT", "9007199254740993"),
    ("170141183460469231731687303715884105727::HUGEINT", "HUGEINT", "170141183460469231731687303715884105727"),
    ("340282366920938463463374607431768211455::UHUGEINT", "UHUGEINT", "340282366920938463463374607431768211455"),
    ("18446744073709551615::UBIGINT", "UBIGINT", "18446744073709551615"),
    (
        "123456789012345678901234567890123456789012345::BIGNUM",
        "BIGNUM",
        "123456789012345678901234567890123456789012345",
    ),
    ("'nan'::DOUBLE", "DOUBLE", "NaN"),
    ("'-inf'::FLOAT", "FLOAT", "-Infinity"),
    ("true", "BOOLEAN", True),
    ("DATE '2024-02-29'", "DATE", "2024-02-29"),
    ("'290000-01-01'::DATE", "DATE", "290000-01-01"),
    ("'0044-03-15 (BC)'::DATE", "DATE", "0044-03-15 (BC)"),
    ("TIMESTAMP '2024-02-29 12:30:00.25'", "TIMESTAMP", "2024-02-29T12:30:00.250000"),
    ("TIMESTAMPTZ '2024-02-29 12:30:00+02'", "TIMESTAMP WITH TIME ZONE", "2024-02-29T10:30:00+00:00"),
    ("'2024-02-29 12:30:00.123456789'::TIMESTAMP_NS", "TIMESTAMP_NS", "2024-02-29 12:30:00.123456789"),
    ("'2024-02-29 12:30:00'::TIMESTAMP_S", "TIMESTAMP_S", "2024-02-29T12:30:00"),
    ("'290000-01-01'::TIMESTAMP", "TIMESTAMP", "290000-01-01 00:00:00"),
    ("'0044-03-15 (BC) 12:00:00'::TIMESTAMP", "TIMESTAMP", "0044-03-15 (BC) 12:00:00"),
    ("'infinity'::DATE", "DATE", "infinity"),
    ("'-infinity'::DATE", "DATE", "-infinity"),
    ("'9999-12-31'::DATE", "DATE", "9999-12-31"),
    ("'infinity'::TIMESTAMP", "TIMESTAMP", "infinity"),
    ("'9999-12-31 23:59:59.999999'::TIMESTAMP", "TIMESTAMP", "9999-12-31T23:59:59.999999"),
    ("'-infinity'::TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "-infinity"),
    ("'infinity'::TIMESTAMP_MS", "TIMESTAMP_MS", "infinity"),
    ("'infinity'::TIMESTAMP_NS", "TIMESTAMP_NS", "infinity"),
    ("['infinity'::DATE, DATE '2024-01-01']", "DATE[]", ["infinity", "2024-01-01"]),
    ("TIME '12:30:00'", "TIME", "12:30:00"),
    ("TIME '24:00:00'", "TIME", "24:00:00"),
    ("'12:30:00+02'::TIMETZ", "TIME WITH TIME ZONE", "12:30:00+02:00"),
    ("INTERVAL '1 month 2 days'", "INTERVAL", "1 month 2 days"),
    ("'\\xAA\\x00'::BLOB", "BLOB", "qgA="),
    ("'101'::BIT", "BIT", "101"),
    ("UUID '00000000-0000-0000-0000-000000000001'", "UUID", "00000000-0000-0000-0000-000000000001"),
    ("[1, NULL, 3]", "INTEGER[]", [1, None, 3]),
    ("[1, 2]::INTEGER[2]", "INTEGER[2]", [1, 2]),
    ("{'a': 1.5, 'b': [DATE '2024-01-01']}", "STRUCT(a DECIMAL(2,1), b DATE[])", {"a": "1.5", "b": ["2024-01-01"]}),
    ("MAP {1: 'x', 2: 'y'}", "MAP(INTEGER, VARCHAR)", {"1": "x", "2": "y"}),
    ("'{\"a\": 1}'::JSON", "JSON", '{"a": 1}'),
    ("'a'::ENUM ('a', 'b')", "ENUM('a', 'b')", "a"),
    ("union_value(k := 1)", "UNION(k INTEGER)", 1),
    ("MAP {[1]: {'a': NULL}}", 'MAP(INTEGER[], STRUCT(a "NULL"))', {"key": [[1]], "value": [{"a": None}]}),
    ("{'m': INTERVAL '1 month'}", "STRUCT(m INTERVAL)", {"m": "1 month"}),
    ("'a' || chr(0) || 'b'", "VARCHAR", "a\x00b"),
    ("'😀'", "VARCHAR", "😀"),
    ("NULL", "NULL", None),
]

SQLITE_VALUES: list[tuple[str, str, Any]] = [
    ("9223372036854775807", "INTEGER", "9223372036854775807"),
    ("1.25", "REAL", 1.25),
    ("9e999", "REAL", "Infinity"),
    ("x'aa00'", "BLOB", "qgA="),
    ("-9223372036854775807 - 1", "INTEGER", "-9223372036854775808"),
    ("9223372036854775808", "REAL", 9.223372036854775808e18),
    ("9e999 - 9e999", "", None),
    ("-9e999", "REAL", "-Infinity"),
    ("CAST(x'c328' AS TEXT)", "TEXT", "\ufffd("),
    ("'😀' || char(0) || 'b'", "TEXT", "😀\x00b"),
    ("date('2024-02-29')", "TEXT", "2024-02-29"),
    ("NULL", "", None),
]


@pytest.mark.parametrize(
    ("kind", "cases"), [("duckdb", DUCKDB_VALUES), ("sqlite", SQLITE_VALUES)], ids=["duckdb", "sqlite"]
)
async def test_a_value_of_every_type(
    engines: Callable[[str], Any], kind: str, cases: list[tuple[str, str, Any]]
) -> None:
    engine = engines(kind)
    found = []
    for expression, _, _ in cases:
        outcome = await engine.execute(f"SELECT {expression} AS v", row_limit=1, timeout=20)
        json.dumps(outcome.rows, allow_nan=False)
        found.append((expression, outcome.columns[0].type, outcome.rows[0][0]))

    assert found == cases


@pytest.fixture
async def engines(tmp_path: Path) -> Any:
    """One engine of a kind, over a file with one table."""
    made = []

    def build(kind: str) -> Any:
        path = write_database(kind, tmp_path / f"{kind}.db", ("CREATE TABLE t (i INTEGER)",))
        made.append(create_engine(kind, path, SMALL))
        return made[-1]

    yield build
    for engine in made:
        await engine.close()


async def test_intervals_keep_rows_names_and_order(engines: Callable[[str], Any]) -> None:
    sql = "SELECT to_months(range::INTEGER) AS m, range AS m FROM range(3) ORDER BY range DESC -- newest first"

    outcome = await engines("duckdb").execute(sql, row_limit=10, timeout=20)

    assert [column.name for column in outcome.columns] == ["m", "m"]
    assert outcome.rows == (("2 months", 2), ("1 month", 1), ("00:00:00", 0))


async def test_infinity_stands_among_days_in_their_order(engines: Callable[[str], Any]) -> None:
    days = "(VALUES (1, DATE '2024-01-01'), (2, 'infinity'), (3, NULL), (4, DATE '9999-12-31')) AS t(n, day)"
    sql = f"SELECT day, n, day::TIMESTAMPTZ AS at FROM {days} ORDER BY n DESC"
    engine = engines("duckdb")

    for zone, offset in (("UTC", "+00:00"), ("Asia/Tokyo", "+09:00")):
        outcome = await engine.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(timezone=zone))
        assert [row[:2] for row in outcome.rows] == [("9999-12-31", 4), (None, 3), ("infinity", 2), ("2024-01-01", 1)]
        assert [row[2] for row in outcome.rows][1:] == [None, "infinity", f"2024-01-01T00:00:00{offset}"]


async def test_sqlite_columns_get_the_type_their_values_have(tmp_path: Path) -> None:
    path = tmp_path / "mixed.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (whole, mixed, words, empty)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(None, 1, "a", None), (2, 1.5, "b", None)])
    connection.commit()
    connection.close()
    engine = create_engine("sqlite", path, SMALL)

    outcome = await rows_of(engine, "SELECT * FROM t")
    assert [column.type for column in outcome.columns] == ["INTEGER", "REAL", "TEXT", ""]
    await engine.close()


async def test_a_wide_and_long_result_survives_its_frames(engines: Callable[[str], Any]) -> None:
    columns = ", ".join(f"i * {number} AS c{number}" for number in range(1, 101))
    sql = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT {columns} FROM n"

    for kind in ("duckdb", "sqlite"):
        outcome = await rows_of(engines(kind), sql, row_limit=3_000)
        assert len(outcome.rows) == 3_000
        assert outcome.rows[2_999] == tuple(3_000 * number for number in range(1, 101))


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
