"""Whatever asks the database for the time gets the ask's own: 2026-03-05 00:30 in Berlin, an hour less in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from askwell.sql.context import QueryContext
from tests.mdl.shop import calculated, plain, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.sql.planner.databases import DIALECTS, a_database
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("dialect", "expression", "value"),
    [
        pytest.param(dialect, *case, id=f"{dialect}-{case[0]}")
        for dialect in DIALECTS
        for case in case_rows(__file__, dialect, "expression", "value")
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
