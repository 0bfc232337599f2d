"""Planned statements give the rows that hand-written SQL over the database gives, on every kind of database."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind
from tests.mdl.shop import calculated, handle, link, plain
from tests.sql.planner.conftest import Desk
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
