"""Every legitimate query passes, and its rendering gives the rows that the original gives."""

from __future__ import annotations

import pytest

from askwell.sql.guard import GuardPass
from tests.sql.guard.legitimate import LEGITIMATE
from tests.sql.guard.parcels import GUARDS, allowed, duckdb_database, sqlite_database


# No server is asked, so the ids are not those of tests for servers.
@pytest.mark.parametrize("dialect", LEGITIMATE, ids="of {}".format)
def test_legitimate_queries_pass(dialect: str) -> None:
    for sql in LEGITIMATE[dialect]:
        outcome = GUARDS[dialect].check(sql, allowed(dialect))
        assert isinstance(outcome, GuardPass), (sql, outcome)


@pytest.mark.deep
@pytest.mark.parametrize("sql", LEGITIMATE["duckdb"], ids=lambda sql: sql[:70])
def test_rendering_gives_the_same_rows_on_duckdb(sql: str) -> None:
    outcome = GUARDS["duckdb"].check(sql, allowed("duckdb"))
    assert isinstance(outcome, GuardPass), outcome
    with duckdb_database() as connection:
        original = connection.execute(sql).fetchall()
        assert sorted(map(repr, connection.execute(outcome.sql).fetchall())) == sorted(map(repr, original))


@pytest.mark.parametrize("sql", LEGITIMATE["sqlite"][:-1], ids=lambda sql: sql[:70])
def test_rendering_gives_the_same_rows_on_sqlite(sql: str) -> None:
    outcome = GUARDS["sqlite"].check(sql, allowed("sqlite"))
    assert isinstance(outcome, GuardPass), outcome
    connection = sqlite_database()
    original = connection.execute(sql).fetchall()
    assert sorted(map(repr, connection.execute(outcome.sql).fetchall())) == sorted(map(repr, original))
    connection.close()
