"""MySQL: what it would run, but not as it was meant, is refused with what to write."""

from __future__ import annotations

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
