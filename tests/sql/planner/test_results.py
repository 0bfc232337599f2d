"""Planned statements give the rows that hand-written SQL over the database gives, on every kind of database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import sqlglot

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import BoundSql, bind
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import calculated, handle, link, plain, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.sql.planner.databases import DIALECTS, a_database
from tests.support.tables import case_rows, case_table

SAME: list[tuple[str, str, str]] = case_rows(__file__, "same", "what", "sql", "by_hand")


@pytest.mark.parametrize(("sql", "by_hand"), [case[1:] for case in SAME], ids=[case[0] for case in SAME])
def test_the_same_rows_as_by_hand(desk: Desk, sql: str, by_hand: str) -> None:
    expected = desk.direct(desk.quoted(by_hand))
    assert desk.rows(sql) == expected
    assert expected


def test_a_schema_before_the_name(duck: Desk) -> None:
    assert duck.rows("SELECT main.Orders.id FROM main.Orders ORDER BY 1 LIMIT 1") == [(10,)]


def test_a_star_is_the_visible_columns_in_the_models_order(desk: Desk) -> None:
    assert desk.names("SELECT * FROM customers") == [
        "id", "Name", "country", "order_count", "revenue", "mean_order", "double_revenue", "loud_secret", "pieces",
        "large_orders", "pieces_again", "states",
    ]  # fmt: skip


def test_hidden_columns_cannot_be_reached_through_a_star(desk: Desk) -> None:
    """Though the view beside it reads the hidden column of the same model."""
    rows = desk.rows("SELECT c.*, k.amount FROM customers c JOIN known_sales k ON k.name = c.name")
    assert all("s" not in row for row in rows)


def test_a_filter_on_related_rows_is_worked_out_before_the_join(desk: Desk) -> None:
    """A customer without orders has no order without status, though the outer join leaves the status empty."""
    desk.mdl["models"][0]["columns"].append(
        calculated("unknown_states", "count(orders.id) filter (where orders.status is null)", "BIGINT")
    )
    assert desk.rows("SELECT id, unknown_states FROM Customers ORDER BY 1") == [(1, 0), (2, 0), (3, 0)]


def test_expressions_are_not_torn_apart(desk: Desk) -> None:
    desk.mdl["models"][1]["columns"] += [
        calculated("small_or_a", "amount < 15 or status = 'a'", "BOOLEAN"),
        calculated("neither", "not small_or_a", "BOOLEAN"),
        calculated("late", "id - 10"),
        calculated("doubled", "late * 2"),
        plain("half", "DOUBLE", expression="amount / 2 + 1"),
        calculated("quarter", "half / 2"),
    ]
    assert desk.rows("SELECT id, doubled, quarter FROM Orders WHERE neither ORDER BY 1") == [(11, 2, 5.5)]


OWN_AGGREGATES = case_table(__file__, "own_aggregates")


def test_a_function_of_the_databases_own(desk: Desk) -> None:
    """Calculated fields are written in the data source's dialect, not in what wren-core knows."""
    desk.mdl["models"][0]["columns"].append(
        calculated("own", f"coalesce({OWN_AGGREGATES[desk.dialect]}, '?')", "VARCHAR")
    )
    assert desk.rows("SELECT own FROM Customers WHERE id > 1 ORDER BY 1") == [("?",), ("a",)]


def test_names_that_are_awkward_everywhere(desk: Desk) -> None:
    physical = ("from", "a.b", "18_49 (%)", "Ö", 'co"l')
    columns = ", ".join(f"{desk.name(name)} int" for name in physical)
    desk.database.execute(f"CREATE TABLE {desk.name('select')} ({columns})")
    desk.database.execute(f"INSERT INTO {desk.name('select')} VALUES (1, 2, 3, 4, 5)")
    desk.mdl["models"].append(
        {
            "name": "group",
            "tableReference": {"schema": "main", "table": "select"},
            "primaryKey": "18_49 (%)",
            "columns": [
                *(plain(name) for name in ("from", "a.b", "18_49 (%)", "Ö")),
                plain("order", expression='"co""l"'),
                {"name": "peers", "type": "group", "relationship": "peers"},
                calculated("peer sum", 'sum(peers."a.b") + sum(peers."Ö")'),
            ],
        }
    )
    desk.mdl["relationships"].append(link("peers", "group", "ONE_TO_MANY", "group", '"group"."from" = "group"."from"'))
    assert desk.rows('SELECT "from", "a.b", "18_49 (%)", "Ö", "order", "peer sum" FROM "group"') == [(1, 2, 3, 4, 5, 6)]
    assert desk.rows('SELECT * FROM "group"') == [(1, 2, 3, 4, 5, 6)]


def test_the_same_column_name_on_both_sides_of_a_relationship(desk: Desk) -> None:
    """Counting `orders.id` must not count `customers.id`: a customer without orders has none, not one."""
    assert desk.rows("SELECT order_count FROM customers WHERE name = 'Cy'") == [(0,)]


def test_a_long_way_is_not_too_deep_for_the_database(desk: Desk) -> None:
    """SQLite's parser has room for few levels."""
    desk.mdl["models"][4]["columns"].append(calculated("far", "boss." * 12 + "name", "VARCHAR"))
    assert desk.rows("SELECT name, far FROM Staff ORDER BY 1") == [("Low", None), ("Mid", None), ("Top", None)]


def test_a_view_may_name_the_models_own_catalog_and_schema(desk: Desk) -> None:
    desk.mdl.update(catalog="virtual", schema="sales")
    statement = desk.quoted('SELECT "virtual"."sales"."Orders"."id" AS number FROM "virtual"."sales"."Orders"')
    desk.mdl["views"].append({"name": "numbers", "statement": statement})
    assert desk.rows("SELECT max(number) FROM numbers") == [(13,)]


def test_what_cannot_be_planned_is_rejected_in_words(desk: Desk) -> None:
    desk.mdl["models"][4]["columns"].append(calculated("deep", ".".join(["boss"] * 20) + ".name", "VARCHAR"))
    outcome = desk.plan("SELECT deep FROM Staff")
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.DRY_PLAN
    assert "calculated fields of Staff lead through more than" in outcome.error
    assert outcome.sql.replace('"', "") == "SELECT deep FROM Staff"


def test_a_statement_is_not_changed_by_planning_it(desk: Desk) -> None:
    bound = desk.bound("WITH cust AS (SELECT 1 AS one) SELECT * FROM cust, customers")
    before = bound.tree.sql()
    desk.plan("WITH cust AS (SELECT 1 AS one) SELECT * FROM cust, customers")
    planner = desk._ready()[1]
    first, second = planner.plan(bound, desk.context), planner.plan(bound, desk.context)
    assert bound.tree.sql() == before
    assert first == second


def test_keys_that_differ_only_in_letter_case_or_spaces(desk: Desk) -> None:
    """A key of several columns is one text where rows are grouped by it; no two keys may become one."""
    exact = " COLLATE utf8mb4_bin" if desk.dialect == "mysql" else ""
    desk.database.script(
        f"""
        create table shelves (a varchar(5){exact}, b varchar(5){exact});
        insert into shelves values ('x', 'y'), ('X', 'y'), ('x', 'Y'), ('xy', ''), ('', 'xy');
        create table books (a varchar(5){exact}, b varchar(5){exact});
        insert into books values ('x', 'y'), ('x', 'y'), ('X', 'y'), ('xy', '');
        """
    )
    columns = [plain("a", "VARCHAR"), plain("b", "VARCHAR")]
    shelves = [*columns, handle("books", "Books", "held"), calculated("size", "count(books.a)", "BIGINT")]
    desk.mdl["models"] += [
        {"name": "Books", "tableReference": {"table": "books"}, "columns": columns},
        {"name": "Shelves", "tableReference": {"table": "shelves"}, "primaryKey": ["a", "b"], "columns": shelves},
    ]
    condition = "Shelves.a = Books.a AND Shelves.b = Books.b"
    desk.mdl["relationships"].append(link("held", "Shelves", "ONE_TO_MANY", "Books", condition))
    rows = {(a, b): size for a, b, size in desk.rows("SELECT a, b, size FROM Shelves")}
    assert rows == {("x", "y"): 2, ("X", "y"): 1, ("x", "Y"): 0, ("xy", ""): 1, ("", "xy"): 0}


# -- Views built on views, each twice as large as the one below.


_CONTEXT = QueryContext(now=datetime(2024, 6, 1, tzinfo=UTC))


def plan(levels: int) -> PlannedSql | RejectedSql:
    views = {f"{side}0": "SELECT id FROM parcels" for side in "ab"}
    for n in range(levels):
        views |= {f"{side}{n + 1}": f"SELECT a.id FROM a{n} a JOIN b{n} b ON a.id = b.id" for side in "ab"}
    manifest = {
        "catalog": "askwell",
        "schema": "public",
        "dataSource": "DUCKDB",
        "models": [
            {
                "name": "parcels",
                "tableReference": {"table": "parcels"},
                "primaryKey": "id",
                "columns": [{"name": "id", "type": "INTEGER"}],
            }
        ],
        "views": [{"name": name, "statement": text} for name, text in views.items()],
    }
    reading = read_manifest(manifest, data_source="DUCKDB")
    assert reading.manifest is not None, reading.problems
    model = authorised_view(reading.manifest, "views")
    bound = bind(sqlglot.parse_one(f"SELECT * FROM a{levels}", dialect="duckdb"), model, "duckdb")
    assert isinstance(bound, BoundSql)
    return Planner(model, reading.manifest, "duckdb").plan(bound, _CONTEXT)


@pytest.mark.parametrize("levels", [1, 5])
def test_some_levels_are_planned(levels: int) -> None:
    assert isinstance(plan(levels), PlannedSql)


def test_too_many_are_refused_before_they_fill_the_memory() -> None:
    outcome = plan(14)
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.DRY_PLAN
    assert "too large" in outcome.error


def test_a_path_into_a_nested_column_is_followed_to_its_end() -> None:
    kind = "STRUCT(place STRUCT(city VARCHAR))"
    script = f"""
    create table people (id int, address {kind}); create table visits (id int, person_id int);
    insert into people values (1, {{'place': {{'city': 'Ulm'}}}}); insert into visits values (7, 1)
    """
    with a_database("duckdb", script) as database:
        own = [plain("id"), plain("address", kind), calculated("city", "address.place.city", "VARCHAR")]
        own += [handle("visits", "visits", "of"), calculated("cities", "count(visits.city)", "BIGINT")]
        theirs = [plain("id"), plain("person_id"), handle("person", "people", "of")]
        theirs.append(calculated("city", "upper(person.address.place.city)", "VARCHAR"))
        people = {"name": "people", "primaryKey": "id", "tableReference": {"table": "people"}, "columns": own}
        visits = {"name": "visits", "primaryKey": "id", "tableReference": {"table": "visits"}, "columns": theirs}
        links = [link("of", "visits", "MANY_TO_ONE", "people", "visits.person_id = people.id")]
        mdl = {"catalog": "c", "schema": "s", "models": [people, visits], "relationships": links}
        desk = Desk("duckdb", mdl, database)
        assert desk.rows("SELECT city, cities FROM people") == [("Ulm", 1)]
        assert desk.rows("SELECT city FROM visits") == [("ULM",)]


# -- Whatever asks the database for the time gets the ask's own: 2026-03-05 00:30 in Berlin, an hour less in UTC.


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
