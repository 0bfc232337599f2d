"""What a database would run, but not as it was meant, is refused with what to write; repairs keep the meaning."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.clinic import checked


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT DATE_TRUNC('hour', birth_date) FROM pets", "no function DATE_TRUNC"),
        ("SELECT TRUNC(birth_date) FROM pets", "no function TRUNC"),
        ("SELECT SUM(weight::numeric) FROM pets", "CAST(x AS type)"),
        ('SELECT "name" FROM pets', "write `name`"),
        ("SELECT name FROM pets WHERE \"name\" = 'Rex'", "write `name`"),
        ("SELECT nam, DATE_TRUNC('hour', birth_date) FROM pets", "no function DATE_TRUNC"),
    ],
)
async def test_what_mysql_would_take_for_something_else_is_refused(sql: str, said: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.BIND
    assert said in outcome.error


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT name FROM pets WHERE name = "Rex"',
        "SELECT DATE(birth_date), YEAR(birth_date), IF(weight > 1, 'a', 'b') FROM pets",
        "SELECT GROUP_CONCAT(name SEPARATOR ', '), COUNT(DISTINCT name) FROM pets",
        "WITH heavy (a, b) AS (SELECT id, weight FROM pets) SELECT a FROM heavy",
        "SELECT CAST(weight AS DECIMAL(10, 2)), EXTRACT(YEAR FROM birth_date) FROM pets",
        "SELECT TIMESTAMPDIFF(DAY, birth_date, NOW()), DATE_ADD(birth_date, INTERVAL 1 DAY) FROM pets",
    ],
)
async def test_what_it_understands_is_not(sql: str) -> None:
    assert isinstance(await checked(sql, "mysql"), ValidSql)


async def test_other_databases_keep_their_own_words() -> None:
    assert isinstance(await checked("SELECT DATE_TRUNC('hour', birth_date), \"name\" FROM pets", "postgres"), ValidSql)


# A call that SQLite lacks, and what it gives for a pet by the name of Rex, without an owner, born on 29 February 2024.
_SAME = [
    ("concat_ws('-', name, owner_id, 'x')", "Rex-x"),
    ("concat_ws('-', owner_id, owner_id)", ""),
    ("concat_ws(NULL, name)", None),
    ("concat(name, '-', owner_id)", "Rex-"),
    ("right(name, 2)", "ex"),
    ("right(name, 9)", "Rex"),
    ("right(name, 0)", ""),
    ("right(name, length(name) - 1)", "ex"),
    ("left(name, 2)", "Re"),
    ("datediff('2024-03-01 01:00', '2024-02-29 23:00')", 1),
    ("date_add(birth_date, INTERVAL 1 DAY)", "2024-03-01"),
    ("date_sub('2024-01-01 10:00:00', INTERVAL 5 HOUR)", "2024-01-01 05:00:00"),
    ("to_char(birth_date, 'DD.MM.YYYY')", "29.02.2024"),
    ("locate('x', name, 2)", 3),
]


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
    [
        "trunc(weight, 1)",
        "truncate(weight, 1)",
        "left(name, -1)",
        "date_diff(birth_date, birth_date, MONTH)",
        "date_add(birth_date, id)",
        "date_format(birth_date, '%M %e')",
        "to_char(birth_date, 'Month DD')",
        "to_char(weight, '999.99')",
    ],
)
async def test_what_it_cannot_say_is_left_to_the_model(call: str) -> None:
    outcome = await checked(f"SELECT {call} FROM pets")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
