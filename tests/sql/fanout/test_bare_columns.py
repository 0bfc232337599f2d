"""Columns beside groups that are neither grouped nor aggregated, and have several values there."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import ValidSql
from tests.sql.repair.clinic import checked

BARE = [
    ("SELECT city, first_name, COUNT(*) FROM owners GROUP BY city", "first_name"),
    ("SELECT first_name, COUNT(*) FROM owners", "first_name"),
    ("SELECT o.city, p.name FROM owners o JOIN pets p ON p.owner_id = o.id GROUP BY o.id", "p.name"),
    ("SELECT city FROM owners GROUP BY city HAVING zip_code > '1'", "zip_code"),
    ("SELECT city FROM owners GROUP BY city ORDER BY zip_code", "zip_code"),
    ("SELECT UPPER(first_name), SUM(id) FROM owners GROUP BY 2 > 1, city", "first_name"),
    ("SELECT x.city FROM (SELECT city, phone_number FROM owners GROUP BY city) x", "phone_number"),
    ("SELECT first_name, MIN(id), MAX(id) FROM owners GROUP BY city", "first_name"),
]
DETERMINED = [
    "SELECT first_name, COUNT(*) FROM owners GROUP BY id",
    "SELECT city, COUNT(*) FROM owners GROUP BY city",
    "SELECT city, COUNT(*) FROM owners GROUP BY (city)",
    "SELECT COUNT(*) FROM owners ORDER BY zip_code",
    "SELECT city c, COUNT(*) FROM owners GROUP BY c",
    "SELECT city, COUNT(*) FROM owners GROUP BY 1 ORDER BY city",
    "SELECT o.city, COUNT(*) FROM owners o JOIN pets p ON p.owner_id = o.id GROUP BY o.id",
    "SELECT o.city, COUNT(*) FROM owners o JOIN pets p ON p.owner_id = o.id GROUP BY p.owner_id",
    "SELECT UPPER(o.city), 'x', COUNT(*) FROM owners o GROUP BY UPPER(city)",
    "SELECT first_name, COUNT(*) FROM owners WHERE id = 5",
    "SELECT first_name, COUNT(*) OVER () FROM owners",
    "SELECT city, (SELECT COUNT(*) FROM pets p WHERE p.owner_id = o.id) FROM owners o",
    "SELECT COUNT(*), SUM(id) FROM owners HAVING COUNT(*) > 1",
]


async def notes(sql: str, dialect: str) -> list[str]:
    outcome = await checked(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    return [note for note in outcome.warnings if "neither grouped nor aggregated" in note]


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize(("sql", "column"), BARE)
async def test_it_is_said_that_one_of_several_values_is_shown(sql: str, column: str, dialect: str) -> None:
    (note,) = await notes(sql, dialect)
    assert note.startswith(f"{column} is neither")


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize("sql", DETERMINED)
async def test_nothing_is_said_of_what_has_one_value(sql: str, dialect: str) -> None:
    assert await notes(sql, dialect) == []


async def test_beside_a_single_extreme_sqlite_shows_its_row_and_mysql_any() -> None:
    sql = "SELECT first_name, MAX(id) FROM owners"
    assert await notes(sql, "sqlite") == []
    assert len(await notes(sql, "mysql")) == 1
