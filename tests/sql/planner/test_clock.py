"""Whatever asks the database for the time gets the ask's own: 2026-03-05 00:30 in Berlin, an hour less in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from askwell.sql.context import QueryContext
from tests.mdl.shop import calculated, plain, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.sql.planner.databases import a_database
from tests.support.tables import case_rows

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


_shown = datetime.fromisoformat
MIDNIGHT = _shown("2026-03-05 00:00")
HALF_PAST = _shown("2026-03-05 00:30")
POSTGRES = [
    ("current_date", date(2026, 3, 5)),
    ("current_date - 1", date(2026, 3, 4)),
    ("CAST(now() AS DATE)", date(2026, 3, 5)),
    ("now()::date", date(2026, 3, 5)),
    ("now()::text", "2026-03-05 00:30:00"),
    ("current_timestamp", HALF_PAST),
    ("CURRENT_TIMESTAMP(0)", HALF_PAST),
    ("localtimestamp", HALF_PAST),
    ("localtimestamp(2)", HALF_PAST),
    ("transaction_timestamp()", HALF_PAST),
    ("statement_timestamp()", HALF_PAST),
    ("clock_timestamp()", HALF_PAST),
    ("localtime::text", "00:30:00"),
    ("current_time::text", "00:30:00"),
    ("timeofday()", "Thu Mar 05 00:30:00.000000 2026 CET"),
    ("date_trunc('day', now())", MIDNIGHT),
    ("date_trunc('month', now() - interval '1 month')", _shown("2026-02-01 00:00")),
    ("extract(day from now())::int", 5),
    ("date_part('hour', now())::int", 0),
    ("to_char(now(), 'YYYY-MM-DD HH24')", "2026-03-05 00"),
    ("age(timestamp '2026-03-04')::text", "1 day"),
    ("age(now(), timestamp '2026-03-05')::text", "00:30:00"),
    ("extract(epoch from now())::bigint", SECONDS),
    ("date_part('epoch', now() - interval '1 minute')::bigint", SECONDS - 60),
    ("now() at time zone 'Asia/Tokyo'", _shown("2026-03-05 08:30")),
    ("timezone('Asia/Tokyo', now())", _shown("2026-03-05 08:30")),
    ("date 'today'", date(2026, 3, 5)),
    ("'yesterday'::date", date(2026, 3, 4)),
    ("'tomorrow'::timestamp", _shown("2026-03-06 00:00")),
    ("timestamp 'now'", HALF_PAST),
    ("extract(epoch from timestamptz 'now')::bigint", SECONDS),
    ("extract(epoch from 'today'::timestamptz)::bigint", SECONDS - 1800),
    ("date('now')", date(2026, 3, 5)),
    ("upper('now')", "NOW"),
]
MYSQL = [
    ("current_date", date(2026, 3, 5)),
    ("curdate()", date(2026, 3, 5)),
    ("now()", HALF_PAST),
    ("NOW(6)", HALF_PAST),
    ("sysdate()", HALF_PAST),
    ("localtime", HALF_PAST),
    ("localtime()", HALF_PAST),
    ("localtimestamp", HALF_PAST),
    ("localtimestamp()", HALF_PAST),
    ("current_timestamp", HALF_PAST),
    ("current_timestamp(3)", HALF_PAST),
    ("CAST(curtime() AS CHAR)", "00:30:00"),
    ("CAST(current_time AS CHAR)", "00:30:00"),
    ("utc_date()", date(2026, 3, 4)),
    ("CAST(utc_time() AS CHAR)", "23:30:00"),
    ("utc_timestamp()", _shown("2026-03-04 23:30")),
    ("unix_timestamp()", SECONDS),
    ("unix_timestamp(now())", SECONDS),
    ("unix_timestamp(now() - interval 1 day)", SECONDS - 86400),
    ("unix_timestamp(date_sub(now(), interval 1 hour))", SECONDS - 3600),
    ("date(now())", date(2026, 3, 5)),
    ("date_sub(curdate(), interval 1 month)", date(2026, 2, 5)),
    ("timestampdiff(day, '2026-03-01', now())", 4),
    ("datediff(now(), '2026-03-01')", 4),
    ("date_format(now(), '%Y-%m-01')", "2026-03-01"),
    ("upper('now')", "NOW"),
]


@pytest.mark.parametrize(
    ("dialect", "expression", "value"),
    [
        pytest.param(dialect, *case, id=f"{dialect}-{case[0]}")
        for dialect, cases in (("duckdb", DUCKDB), ("sqlite", SQLITE), ("postgres", POSTGRES), ("mysql", MYSQL))
        for case in cases
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "+05:00"])
def test_the_time_is_the_asks(dialect: str, expression: str, value: object, zone: str) -> None:
    """Whatever zone the session of the database is in."""
    with a_database(dialect) as database:
        database.in_zone(zone)
        desk = Desk(dialect, shop_mdl(), database)
        assert desk.rows(f"SELECT {expression}") == [(value,)]


BESIDE_MOMENTS = case_rows(__file__, "beside_moments", "condition", "found")


@pytest.mark.parametrize(("condition", "found"), BESIDE_MOMENTS, ids=[case[0] for case in BESIDE_MOMENTS])
@pytest.mark.parametrize("zone", ["UTC", "+05:00"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_beside_columns_with_and_without_a_zone(dialect: str, zone: str, condition: str, found: list[int]) -> None:
    script = """
    create table visits (id int, came timestamptz, seen timestamp, day date);
    insert into visits values (1, '2026-03-04 12:00:00+00', '2026-03-04 12:00:00', '2026-03-04'),
      (2, '2026-03-04 22:45:00+00', '2026-03-05 00:00:00', '2026-03-04'),
      (3, '2026-03-04 23:15:00+00', '2026-03-05 00:15:00', '2026-03-05')
    """
    with a_database(dialect, script) as database:
        database.in_zone(zone)
        columns = [plain("id"), plain("came", "timestamptz"), plain("seen", "timestamp"), plain("day", "date")]
        columns.append(calculated("hit", condition, "BOOLEAN"))
        model = {"name": "visits", "tableReference": {"table": "visits"}, "columns": columns}
        desk = Desk(dialect, {"catalog": "c", "schema": "s", "models": [model]}, database)
        assert desk.rows(f"SELECT id FROM visits WHERE {condition} ORDER BY 1") == [(number,) for number in found]
        assert desk.rows("SELECT id FROM visits WHERE hit ORDER BY 1") == [(number,) for number in found]


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
