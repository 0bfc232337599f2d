"""Columns beside groups that are neither grouped nor aggregated, and have several values there."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import ValidSql
from tests.sql.repair.clinic import checked
from tests.support.tables import case_rows, case_table

BARE = case_rows(__file__, "bare", "sql", "column")
DETERMINED = case_table(__file__, "determined")


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
