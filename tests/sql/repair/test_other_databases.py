"""What a database would run, but not as it was meant, is refused with what to write; repairs keep the meaning."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.clinic import checked
from tests.support.tables import case_rows, case_table


@pytest.mark.parametrize(
    ("sql", "said"),
    case_rows(__file__, "what_mysql_would_take_for_something_else_is_refused", "sql", "said"),
)
async def test_what_mysql_would_take_for_something_else_is_refused(sql: str, said: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.BIND
    assert said in outcome.error


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "what_it_understands_is_not"),
)
async def test_what_it_understands_is_not(sql: str) -> None:
    assert isinstance(await checked(sql, "mysql"), ValidSql)


async def test_other_databases_keep_their_own_words() -> None:
    assert isinstance(await checked("SELECT DATE_TRUNC('hour', birth_date), \"name\" FROM pets", "postgres"), ValidSql)


# A call that SQLite lacks, and what it gives for a pet by the name of Rex, without an owner, born on 29 February 2024.
_SAME = case_rows(__file__, "same", "call", "value")


@pytest.mark.parametrize(("call", "value"), _SAME)
async def test_what_sqlite_lacks_is_said_with_the_same_meaning(call: str, value: object) -> None:
    outcome = await checked(f"SELECT {call} AS v FROM pets")
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE pets AS SELECT 'Rex' AS name, NULL AS owner_id, '2024-02-29' AS birth_date")
        assert database.execute(outcome.sql).fetchone() == (value,)


@pytest.mark.parametrize(
    "call",
    case_table(__file__, "what_it_cannot_say_is_left_to_the_model"),
)
async def test_what_it_cannot_say_is_left_to_the_model(call: str) -> None:
    outcome = await checked(f"SELECT {call} FROM pets")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
