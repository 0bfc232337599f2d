"""Whatever asks the database for the time gets the ask's own: 2026-03-05 00:30 in Berlin, an hour less in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from askwell.sql.context import QueryContext
from tests.mdl.shop import calculated
from tests.sql.planner.conftest import CONTEXT, Desk

SECONDS = int(CONTEXT.now.timestamp())
DUCKDB = [
    ("current_date", date(2026, 3, 5)),
    ("today()", date(2026, 3, 5)),
    ("CAST(now() AS DATE)", date(2026, 3, 5)),
    ("CAST(now() AS TEXT)", "2026-03-05 00:30:00"),
    ("CAST(current_timestamp AS TEXT)", "2026-03-05 00:30:00"),
    ("CAST(get_current_timestamp() AS TEXT)", "2026-03-05 00:30:00"),
    ("CAST(date_trunc('day', now() - INTERVAL 1 HOUR) AS TEXT)", "2026-03-04 00:00:00"),
    ("CAST(localtimestamp AS TEXT)", "2026-03-05 00:30:00"),
    ("CAST(current_time AS TEXT)", "00:30:00"),
    ("CAST(current_date - INTERVAL 1 DAY AS TEXT)", "2026-03-04 00:00:00"),
    ("CAST(age(TIMESTAMP '2026-03-04') AS TEXT)", "1 day"),
    ("epoch(now())", SECONDS),
    ("epoch_ms(now() - INTERVAL 1 SECOND)", (SECONDS - 1) * 1000),
    ("extract(epoch FROM now())", SECONDS),
    ("date_part('epoch', current_timestamp)", SECONDS),
    ("CAST(now() AT TIME ZONE 'Asia/Tokyo' AS TEXT)", "2026-03-05 08:30:00"),
]
SQLITE = [
    ("current_date", "2026-03-05"),
    ("current_timestamp", "2026-03-05 00:30:00"),
    ("current_time", "00:30:00"),
    ("date('now')", "2026-03-05"),
    ("date()", "2026-03-05"),
    ("datetime()", "2026-03-05 00:30:00"),
    ("date('now', '-1 day')", "2026-03-04"),
    ("date('NOW', 'localtime', 'start of month')", "2026-03-01"),
    ("datetime('now', 'localtime')", "2026-03-05 00:30:00"),
    ("strftime('%Y-%H', 'now')", "2026-00"),
    ("strftime('%Y', 'now', '+1 year')", "2027"),
    ("julianday('now') - julianday('2026-03-04')", pytest.approx(1.0208, abs=0.001)),
    ("CAST(strftime('%s', 'now') AS INT)", SECONDS),
    ("CAST(strftime('%s', 'now', '-1 minute') AS INT)", SECONDS - 60),
    ("unixepoch('now')", SECONDS),
    ("unixepoch()", SECONDS),
    ("date('2020-01-02')", "2020-01-02"),
    ("upper('now')", "NOW"),
]


@pytest.mark.parametrize(("expression", "value"), DUCKDB, ids=[case[0] for case in DUCKDB])
def test_duckdb(duck: Desk, expression: str, value: object) -> None:
    duck.direct("SET TimeZone = 'UTC'")
    assert duck.rows(f"SELECT {expression}") == [(value,)]


@pytest.mark.parametrize(("expression", "value"), SQLITE, ids=[case[0] for case in SQLITE])
def test_sqlite(desk: Desk, expression: str, value: object) -> None:
    if desk.dialect == "sqlite":
        assert desk.rows(f"SELECT {expression}") == [(value,)]


def test_the_time_is_the_asks_and_not_kept(desk: Desk) -> None:
    """Bodies are written once; the time in them is each ask's own."""
    desk.mdl["models"][1]["columns"].append(calculated("asked_on", "current_date", "DATE"))
    first = desk.rows("SELECT asked_on FROM Orders WHERE id = 10")
    desk.context = QueryContext(datetime(2030, 1, 1, tzinfo=UTC), "UTC")
    second = desk.rows("SELECT asked_on FROM Orders WHERE id = 10")
    assert [str(rows[0][0]) for rows in (first, second)] == ["2026-03-05", "2030-01-01"]


def test_the_statement_for_people_keeps_its_words(duck: Desk) -> None:
    bound = duck.bound("SELECT current_date FROM orders")
    duck.plan("SELECT current_date FROM orders")
    assert bound.tree.sql(dialect="duckdb") == "SELECT CURRENT_DATE FROM Orders"
    assert CONTEXT.now.year == 2026
