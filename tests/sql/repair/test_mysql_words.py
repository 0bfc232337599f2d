"""`||` and ISNULL of two arguments, which MySQL takes for something else than is mostly meant."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.clinic import checked
from tests.support.tables import case_rows, case_table

JOINED = case_rows(__file__, "joined", "wrong", "right")
REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize(("wrong", "right"), JOINED)
async def test_what_certainly_joins_texts_or_stands_in_for_null_is_written_so(wrong: str, right: str) -> None:
    outcome = await checked(wrong, "mysql")
    assert isinstance(outcome, ValidSql), outcome
    assert right in outcome.sql
    assert len(outcome.repairs) == 1


@pytest.mark.parametrize("sql", REFUSED)
async def test_what_may_mean_either_is_refused_with_what_to_write(sql: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
    assert "CONCAT(a, b)" in outcome.error


async def test_no_other_repair_carries_it_through() -> None:
    assert isinstance(await checked("SELECT TOP 2 city FROM owners WHERE id = 1 || id = 2", "mysql"), RejectedSql)


@pytest.mark.parametrize("pattern", ["Q", "Month YYYY", "999.9", "YYY"])
async def test_a_format_that_mysql_has_no_letters_for_is_not_dropped(pattern: str) -> None:
    outcome = await checked(f"SELECT TO_CHAR(birth_date, '{pattern}') FROM pets", "mysql")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
    assert "DATE_FORMAT" in outcome.error


@pytest.mark.parametrize("sql", ["SELECT '||' FROM owners", "SELECT ISNULL(city) FROM owners"])
async def test_what_mysql_means_by_it_stays(sql: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs == ()
