"""What every engine promises, whatever database is behind it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.providers.engine.base import (
    EngineLimits,
    ForeignKey,
    QueryFailure,
    QueryRows,
    QueryTerms,
    StreamEnd,
    StreamingEngine,
)
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.worker.outcomes import Trouble, withheld
from tests.providers.engine.conftest import (
    ENDLESS,
    SMALL,
    Bench,
    failure_of,
    query_processes,
    rows_of,
    write_database,
)
from tests.support.tables import case_table

_TEXT = {"mariadb": "concat('row ', i)"}
_LONG_TEXT = {"sqlite": "printf('%2000s', 'x')"}
_TYPES = case_table(__file__, "types")
_DECLARED = case_table(__file__, "declared")
TABLES = {"customers", "regions", "orders", "big_orders"}
_SCHEMAS = {"duckdb": "main", "postgres": "public"}


def numbers(kind: str, last: int) -> str:
    """The numbers up to `last`, each with a text."""
    text = _TEXT.get(kind, "'row ' || i")
    return (
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {last}) SELECT i, {text} AS t FROM n"
    )


async def test_rows_come_back_with_names_types_and_order(bench: Bench) -> None:
    outcome = await rows_of(bench.engine, "SELECT id, name, country FROM customers ORDER BY id")
    assert [column.name for column in outcome.columns] == ["id", "name", "country"]
    assert [column.type for column in outcome.columns] == _TYPES[bench.kind]
    assert outcome.rows == ((1, "Ada", "PT"), (2, "Grace", "US"), (3, "Zoë", None))
    assert not outcome.truncated


async def test_more_rows_than_the_limit_are_cut_and_said_so(bench: Bench) -> None:
    for row_limit, rows, truncated in [(2, 2, True), (3, 3, False), (4, 3, False)]:
        outcome = await rows_of(bench.engine, "SELECT id FROM customers", row_limit=row_limit)
        assert (len(outcome.rows), outcome.truncated) == (rows, truncated)


async def test_a_million_rows_arrive_as_far_as_the_limit(bench: Bench) -> None:
    outcome = await rows_of(bench.engine, numbers(bench.kind, 1_000_000), row_limit=5_000)
    assert outcome.truncated
    assert outcome.rows[0] == (1, "row 1")
    assert outcome.rows[-1] == (5_000, "row 5000")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"], indirect=True)
async def test_a_few_rows_do_not_wait_for_the_rest(bench: Bench) -> None:
    """DuckDB and MariaDB hand over a buffer of rows at a time, so they have no such test."""
    outcome = await bench.engine.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", row_limit=1, timeout=10
    )

    assert isinstance(outcome, QueryRows), outcome
    assert (outcome.rows, outcome.truncated) == (((1,),), True)


async def test_bytes_are_bounded_like_rows(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, byte_limit=10_000))

    outcome = await rows_of(bench.engine, numbers(bench.kind, 5_000), row_limit=5_000)
    assert outcome.truncated
    assert 100 < len(outcome.rows) < 1_000


async def test_one_row_over_the_byte_limit_is_a_failure_not_an_empty_answer(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, byte_limit=1_000))
    long_text = _LONG_TEXT.get(bench.kind, "repeat('x', 2000)")

    outcome = await failure_of(bench.engine, f"SELECT {long_text}")
    assert outcome.kind == "resources"


async def test_all_rows_are_streamed_whatever_the_byte_limit(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, byte_limit=10_000))
    batches: list[Sequence[Sequence[Any]]] = []

    async def take(rows: Sequence[Sequence[Any]]) -> None:
        batches.append(rows)

    end = await streaming(bench).stream(numbers(bench.kind, 50_000), take, timeout=20)
    assert isinstance(end, StreamEnd)
    assert (len(end.columns), end.truncated) == (2, False)
    assert all(column.type for column in end.columns)
    assert len(batches) > 3
    assert [tuple(row) for batch in batches for row in batch] == [(i, f"row {i}") for i in range(1, 50_001)]


async def test_a_stream_ends_at_its_row_limit_and_says_so(bench: Bench) -> None:
    taken: list[Sequence[Any]] = []

    async def take(rows: Sequence[Sequence[Any]]) -> None:
        taken.extend(rows)

    end = await streaming(bench).stream(numbers(bench.kind, 50_000), take, timeout=20, row_limit=10_000)
    assert isinstance(end, StreamEnd)
    assert (len(taken), end.truncated) == (10_000, True)
    taken.clear()
    end = await streaming(bench).stream(numbers(bench.kind, 10), take, timeout=20, row_limit=10)
    assert isinstance(end, StreamEnd)
    assert (len(taken), end.truncated) == (10, False)


async def test_a_stream_that_cannot_be_read_on_says_why(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, byte_limit=1_000))
    long_text = _LONG_TEXT.get(bench.kind, "repeat('x', 2000)")
    taken: list[Any] = []

    async def take(rows: Sequence[Sequence[Any]]) -> None:
        taken.extend(rows)

    outcome = await streaming(bench).stream(f"SELECT {long_text}", take, timeout=20)
    assert isinstance(outcome, QueryFailure)
    assert (outcome.kind, taken) == ("resources", [])
    outcome = await streaming(bench).stream("SELECT nmae FROM customers", take, timeout=20)
    assert isinstance(outcome, QueryFailure)
    assert (outcome.kind, taken) == ("error", [])


async def test_who_takes_rows_and_fails_ends_the_query(bench: Bench) -> None:
    async def take(_: Sequence[Sequence[Any]]) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        await streaming(bench).stream(numbers(bench.kind, 1_000_000), take, timeout=20)
    assert await bench.value("SELECT count(*) FROM customers") == 3


def streaming(bench: Bench) -> StreamingEngine:
    assert isinstance(bench.engine, StreamingEngine)
    return bench.engine


async def test_no_rows_still_have_columns(bench: Bench) -> None:
    outcome = await rows_of(bench.engine, "SELECT id, total FROM orders WHERE 1 = 0")
    assert [column.name for column in outcome.columns] == ["id", "total"]
    assert outcome.rows == ()


async def test_equal_column_names_stay_two_columns(bench: Bench) -> None:
    outcome = await rows_of(bench.engine, "SELECT 1 AS a, 2 AS a")
    assert [column.name for column in outcome.columns] == ["a", "a"]
    assert outcome.rows == ((1, 2),)


async def test_a_dry_run_binds_names_and_runs_nothing(bench: Bench) -> None:
    assert await bench.engine.dry_run("SELECT name FROM customers", timeout=20) is None
    assert await bench.engine.dry_run(ENDLESS, timeout=20) is None
    rejected = await bench.engine.dry_run("SELECT nmae FROM customers", timeout=20)
    assert isinstance(rejected, QueryFailure)
    assert rejected.kind == "error"
    assert "nmae" in rejected.message


async def test_an_error_has_the_databases_words_and_neither_path_nor_row(bench: Bench) -> None:
    syntax = await bench.engine.execute("SELECT FROM WHERE", row_limit=10, timeout=20)
    table = await bench.engine.execute("SELECT * FROM custmers", row_limit=10, timeout=20)

    assert isinstance(syntax, QueryFailure)
    assert "syntax" in syntax.message
    assert isinstance(table, QueryFailure)
    assert "custmers" in table.message
    column = await bench.engine.dry_run("SELECT nam\nFROM customers", timeout=20)
    assert isinstance(column, QueryFailure)
    assert (syntax.lacks, table.lacks, column.lacks) == ("", "name", "name")
    for one in (syntax, table, column):
        assert bench.file is None or str(bench.file.parent) not in one.message
        # One line, without the planned statement, and without names that were not asked for.
        assert not re.search(r"\n|LINE|customers|country", one.message), one.message


async def test_values_of_rows_do_not_leak_through_errors(bench: Bench) -> None:
    breaks_on_a_value = {
        "duckdb": "SELECT CAST(name AS INTEGER) FROM customers",
        "sqlite": "SELECT abs(-9223372036854775807 - id) FROM customers",
        "postgres": "SELECT CAST(name AS INTEGER) FROM customers",
        "mariadb": "SELECT 9223372036854775807 + id FROM customers",
    }
    outcome = await failure_of(bench.engine, breaks_on_a_value[bench.kind])
    assert outcome.kind == "error"
    assert "Ada" not in outcome.message


# Where the value stands in each one's words: in quotes, behind a colon, behind a number, on a line of its own.
_BROKEN_BY_A_VALUE = case_table(__file__, "broken_by_a_value")


async def test_where_rows_are_hidden_only_the_kind_of_an_error_is_told(bench: Bench) -> None:
    """Not even a value that the statement holds too: whoever guesses one would see that the guess is repeated."""
    for sql in (*_BROKEN_BY_A_VALUE[bench.kind], "SELECT nosuch FROM customers", "SELECT FROM WHERE"):
        outcome = await failure_of(bench.engine, sql, terms=QueryTerms(hides_rows=True))
        assert outcome.kind == "error"
        assert outcome.message in map(withheld, Trouble), outcome.message


async def test_no_words_of_a_row_are_repeated_without_quotes(bench: Bench) -> None:
    for sql in _BROKEN_BY_A_VALUE[bench.kind]:
        outcome = await failure_of(bench.engine, sql.replace("OR 'Ada' = ''", ""))
        assert "Ada" not in outcome.message


async def test_what_a_row_says_of_itself_is_not_taken_for_a_broken_file(tmp_path: Path) -> None:
    engine = create_engine("duckdb", write_database("duckdb", tmp_path / "shop.db"), SMALL)
    try:
        outcome = await engine.execute("SELECT error(name || ' is corrupt') FROM customers", row_limit=10, timeout=20)
    finally:
        await engine.close()

    assert isinstance(outcome, QueryFailure)


async def test_functions_are_the_engines_own_in_lower_case(make: Callable[..., Bench]) -> None:
    bench = make()
    functions = await bench.engine.functions()

    if bench.kind == "mariadb":
        assert functions == frozenset()  # there is no catalogue of them
    else:
        assert {"count", "sum", "lower", "coalesce" if bench.kind == "sqlite" else "date_trunc"} <= functions
    assert functions == {name.lower() for name in functions}
    assert await bench.engine.functions() is functions


async def test_introspection_tells_what_the_database_declares(bench: Bench) -> None:
    schema = await bench.engine.introspect()
    tables = {table.name: table for table in schema.tables}

    assert set(tables) == TABLES
    assert {table.schema for table in schema.tables} == {_SCHEMAS.get(bench.kind)}
    orders = tables["orders"]
    assert [column.name for column in orders.columns] == ["id", "customer_id", "country", "code", "total"]
    assert [column.type for column in orders.columns] == _DECLARED[bench.kind]
    assert [column.not_null for column in orders.columns[1:]] == [True, False, False, False]
    assert orders.primary_key == ("id",)
    assert set(orders.foreign_keys) == {
        ForeignKey(("customer_id",), "customers", ("id",)),
        ForeignKey(("country", "code"), "regions", ("country", "code")),
    }
    assert tables["regions"].primary_key == ("country", "code")
    assert tables["big_orders"].is_view
    assert [column.name for column in tables["big_orders"].columns] == ["id", "total"]
    assert not orders.is_view


_COMMENTED = case_table(__file__, "commented")


async def test_introspection_tells_the_comments_of_tables_and_columns(make: Callable[..., Bench], kind: str) -> None:
    bench = make(statements=tuple(_COMMENTED[kind]))
    (table,) = (await bench.engine.introspect()).tables
    assert table.comment == "all jobs"
    assert [column.comment for column in table.columns] == ["", "Q quoted, X it's off"]


NOT_A_SELECT = case_table(__file__, "not_a_select")


async def test_nothing_but_one_select_runs(bench: Bench) -> None:
    before = hashlib.sha256(bench.path.read_bytes()).digest() if bench.file is not None else b""

    for statement in NOT_A_SELECT:
        outcome = await failure_of(bench.engine, statement)
        assert outcome.kind == "error", statement

    assert await bench.value("SELECT count(*) FROM orders") == 3
    schema = await bench.engine.introspect()
    assert not schema.is_listed or {table.name for table in schema.tables} == TABLES
    await bench.engine.close()
    if bench.file is not None:
        assert hashlib.sha256(bench.path.read_bytes()).digest() == before
        assert list(bench.path.parent.iterdir()) == [bench.path]


LOCKED_DOOR = case_table(__file__, "locked_door")


async def test_the_lock_down_holds_without_the_guard(bench: Bench) -> None:
    for statement in LOCKED_DOOR[bench.kind]:
        assert (await failure_of(bench.engine, statement)).kind == "error", statement
        assert bench.server is None or await bench.engine.dry_run(statement, timeout=20) is not None, statement
    assert await bench.value("SELECT count(*) FROM orders") == 3
    assert [name for name in os.listdir("/tmp") if name.startswith("askwell-must-not-exist")] == []


@pytest.mark.deep
@pytest.mark.parametrize(
    "sql", ["SELECT '\ud800' AS lone_surrogate", "SELECT 1\0", "SELECT 'a\0b'", "\0", "-- nothing"]
)
async def test_text_that_no_driver_takes_is_an_error_and_not_a_crash(bench: Bench, sql: str) -> None:
    executed = await bench.engine.execute(sql, row_limit=10, timeout=20)
    checked = await bench.engine.dry_run(sql, timeout=20)

    if isinstance(executed, QueryFailure):
        assert executed.kind == "error"
        assert isinstance(checked, QueryFailure)
    assert len(query_processes()) == 1
    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_many_questions_at_once_share_the_pool(bench: Bench) -> None:
    answers = asyncio.gather(*(bench.value(f"SELECT {number} + count(*) FROM orders") for number in range(40)))
    most = 0
    while not answers.done():
        most = max(most, len(query_processes()))
        await asyncio.sleep(0.002)

    assert await answers == [number + 3 for number in range(40)]
    assert 1 <= most <= SMALL.pool_size


async def test_a_closed_engine_says_so_and_closes_again(bench: Bench) -> None:
    assert await bench.value("SELECT 1") == 1
    await bench.engine.close()
    await bench.engine.close()

    with pytest.raises(EngineUnavailable):
        await bench.engine.execute("SELECT 1", row_limit=1, timeout=20)


def test_nothing_starts_before_the_first_question(bench: Bench) -> None:
    dialect = "mysql" if bench.kind == "mariadb" else bench.kind
    assert (bench.engine.dialect, bench.engine.data_source) == (dialect, dialect.upper())
    assert query_processes() == []


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(ConfigurationError) as caught:
        create_engine("oracle", Path("shop.db"))

    assert "duckdb" in caught.value.hint
