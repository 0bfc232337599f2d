"""Planned statements give the rows that hand-written SQL over the database gives, on every kind of database."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind
from tests.mdl.shop import calculated, handle, link, plain
from tests.sql.planner.conftest import Desk

SAME: list[tuple[str, str, str]] = [
    # what, over the model, over the database
    ("a renamed column", "SELECT name FROM customers ORDER BY 1", 'SELECT "full name" FROM cust ORDER BY 1'),
    ("any letter case", "select C.NAME from CUSTOMERS c order by 1", 'SELECT "full name" FROM cust ORDER BY 1'),
    ("nothing but a count", "SELECT count(*) FROM Orders", "SELECT count(*) FROM orders"),
    ("no table at all", "SELECT 1 + 1", "SELECT 1 + 1"),
    (
        "several values counted, none for some",
        "SELECT id, order_count FROM Customers ORDER BY 1",
        "SELECT c.id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) FROM cust c ORDER BY 1",
    ),
    (
        "an expression around an aggregate",
        "SELECT id, revenue, double_revenue FROM Customers ORDER BY 1",
        "SELECT c.id, (SELECT coalesce(sum(amount), 0) FROM orders o WHERE o.customer_id = c.id),"
        " 2 * (SELECT coalesce(sum(amount), 0) FROM orders o WHERE o.customer_id = c.id) FROM cust c ORDER BY 1",
    ),
    (
        "two aggregates in one expression",
        "SELECT id, mean_order FROM Customers ORDER BY 1",
        "SELECT c.id, (SELECT avg(amount) FROM orders o WHERE o.customer_id = c.id) FROM cust c ORDER BY 1",
    ),
    (
        "an aggregate with a condition",
        "SELECT id, large_orders, states FROM Customers ORDER BY 1",
        "SELECT c.id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id AND amount > 15),"
        " (SELECT count(DISTINCT status) FROM orders o WHERE o.customer_id = c.id) FROM cust c ORDER BY 1",
    ),
    (
        "an aggregate over two steps to many",
        "SELECT id, pieces, pieces_again FROM Customers ORDER BY 1",
        "SELECT c.id, s.q, s.q FROM cust c LEFT JOIN (SELECT o.customer_id AS k, sum(i.qty) AS q FROM orders o"
        " JOIN items i ON i.order_id = o.id WHERE i.qty > 0 GROUP BY 1) s ON s.k = c.id ORDER BY 1",
    ),
    (
        "a hidden column inside a calculated field",
        "SELECT loud_secret FROM Customers ORDER BY 1",
        "SELECT upper(secret) FROM cust ORDER BY 1",
    ),
    (
        "a value one step away, over two roles",
        "SELECT id, country, receiver_country FROM Orders ORDER BY 1",
        "SELECT o.id, c.country, r.country FROM orders o LEFT JOIN cust c ON c.id = o.customer_id"
        " LEFT JOIN cust r ON r.id = o.ship_customer_id ORDER BY 1",
    ),
    (
        "a value that comes back to its own model",
        "SELECT id, share FROM Orders ORDER BY 1",
        "SELECT o.id, o.amount / s.total FROM orders o LEFT JOIN (SELECT customer_id AS k, sum(amount) AS total"
        " FROM orders GROUP BY 1) s ON s.k = o.customer_id ORDER BY 1",
    ),
    (
        "a value two steps away, from SQL with its own filter and names",
        "SELECT order_id, line, qty, country FROM Items ORDER BY 1, 2",
        "SELECT i.order_id, i.line, i.qty, c.country FROM items i LEFT JOIN orders o ON o.id = i.order_id"
        " LEFT JOIN cust c ON c.id = o.customer_id WHERE i.qty > 0 ORDER BY 1, 2",
    ),
    (
        "a key of two columns",
        "SELECT order_id, line, tag_count FROM Items ORDER BY 1, 2",
        "SELECT i.order_id, i.line, (SELECT count(*) FROM tags t WHERE t.order_id = i.order_id AND t.line = i.line)"
        " FROM items i WHERE i.qty > 0 ORDER BY 1, 2",
    ),
    (
        "a model joined to itself, once and twice",
        "SELECT name, boss_name, boss_of_boss FROM Staff ORDER BY id",
        "SELECT s.name, b.name, bb.name FROM staff s LEFT JOIN staff b ON b.id = s.boss_id"
        " LEFT JOIN staff bb ON bb.id = b.boss_id ORDER BY s.id",
    ),
    (
        "a self-join written out",
        "SELECT a.name, b.name FROM Staff a JOIN Staff b ON a.boss_id = b.id ORDER BY 1",
        "SELECT a.name, b.name FROM staff a JOIN staff b ON a.boss_id = b.id ORDER BY 1",
    ),
    (
        "a model over a model",
        "SELECT id, value, country FROM Shipments ORDER BY 1",
        "SELECT o.id, o.amount, c.country FROM orders o LEFT JOIN cust c ON c.id = o.customer_id ORDER BY 1",
    ),
    (
        "a metric",
        "SELECT country, revenue FROM revenue_by_country WHERE revenue > 6 ORDER BY 1",
        "SELECT c.country, sum(amount) FROM orders o LEFT JOIN cust c ON c.id = o.customer_id GROUP BY 1"
        " HAVING sum(amount) > 6 ORDER BY 1",
    ),
    ("a cube", "SELECT * FROM order_facts ORDER BY 1", "SELECT status, count(*) FROM orders GROUP BY 1 ORDER BY 1"),
    (
        "a view that reads a hidden column",
        "SELECT * FROM known_sales ORDER BY amount",
        "SELECT c.\"full name\", o.amount FROM orders o JOIN cust c ON o.customer_id = c.id WHERE c.secret <> 'x'"
        " ORDER BY 2",
    ),
    (
        "a view over a view, beside a model that both read",
        "SELECT s.name, s.total, c.country FROM sales_by_name s JOIN customers c ON c.name = s.name",
        "SELECT 'Ann', 30.0, 'DE'",
    ),
    (
        "a CTE that is called like the model it reads",
        "WITH orders AS (SELECT * FROM orders WHERE amount > 15) SELECT count(*) FROM orders",
        "SELECT count(*) FROM orders WHERE amount > 15",
    ),
    (
        "a CTE that is called like a physical table",
        "WITH cust AS (SELECT id, amount FROM orders) SELECT c.name, cust.amount FROM cust JOIN customers c"
        " ON c.id = cust.id - 9 ORDER BY 2",
        'SELECT c."full name", o.amount FROM orders o JOIN cust c ON c.id = o.id - 9 ORDER BY 2',
    ),
    (
        "a CTE of a derived table",
        "SELECT x.c FROM (WITH a AS (SELECT count(*) AS c FROM orders) SELECT c FROM a) x",
        "SELECT count(*) FROM orders",
    ),
    (
        "CTEs of EXISTS, of IN and of a scalar subquery, two levels deep, beside the statement's own",
        "WITH a AS (SELECT id, amount FROM orders WHERE amount > 1) SELECT id,"
        " (WITH b AS (WITH d AS (SELECT amount FROM a) SELECT amount FROM d), e AS (SELECT max(amount) AS m FROM b)"
        " SELECT m FROM e) FROM a WHERE EXISTS (WITH b AS (SELECT id AS k FROM orders) SELECT 1 FROM b WHERE k = a.id)"
        " AND id IN (WITH a AS (SELECT id FROM orders) SELECT id FROM a) ORDER BY 1",
        "SELECT id, (SELECT max(amount) FROM orders) FROM orders WHERE amount > 1 ORDER BY 1",
    ),
    (
        "a recursive CTE of a subquery",
        "SELECT id FROM orders WHERE id IN (WITH RECURSIVE n AS (SELECT min(id) AS i FROM orders UNION ALL"
        " SELECT i + 1 FROM n WHERE i < 12) SELECT i FROM n) ORDER BY 1",
        "SELECT id FROM orders WHERE id <= 12 ORDER BY 1",
    ),
    (
        "a CTE called like a physical table in a recursive WITH",
        "WITH RECURSIVE cust(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM cust WHERE n < 3)"
        " SELECT c.name FROM cust JOIN customers c ON c.id = n ORDER BY 1",
        'SELECT "full name" FROM cust ORDER BY 1',
    ),
    (
        "a subquery that reads what the query around it reads",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) ORDER BY 1",
        'SELECT "full name" FROM cust c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) ORDER BY 1',
    ),
    (
        "a natural join, which is over all columns",
        "SELECT count(*) FROM Items NATURAL JOIN Tags",
        "SELECT count(*) FROM items JOIN tags USING (order_id, line)",
    ),
    (
        "a union of models",
        "SELECT name FROM customers UNION SELECT name FROM staff ORDER BY 1",
        'SELECT "full name" FROM cust UNION SELECT name FROM staff ORDER BY 1',
    ),
    (
        "a window",
        "SELECT id, rank() OVER (ORDER BY revenue DESC) FROM customers ORDER BY 1",
        "SELECT 1, 1 UNION ALL SELECT 2, 1 UNION ALL SELECT 3, 3",
    ),
]


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


OWN_AGGREGATES = {
    "duckdb": "list_sort(list(orders.status))[1]",
    "sqlite": "group_concat(orders.status, '+')",
    "postgres": "string_agg(orders.status, '+')",
    "mysql": "group_concat(orders.status)",
}


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
