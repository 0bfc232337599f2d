"""Statements in words: what they do, what they ask, and that nothing is claimed that is not in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlglot
from hypothesis import assume, given, settings
from sqlglot import exp

from askwell.mdl.semantic_model import Column
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.wording import describe_sql, describe_step, question_of_sql
from tests.sql.same_rows_queries import LINKS, TABLES, Query, queries
from tests.support.examples import examples
from tests.support.models import semantic_model

GOLDEN = Path(__file__).parent / "golden"

SHOP = semantic_model(
    {
        "customers": ["id", "name", "city", Column("active", "BOOLEAN"), Column("since", "DATE")],
        "orders": [
            "id",
            "customer_id",
            "status",
            Column("total", "DECIMAL(10, 2)", display_name="order value"),
            Column("placed_at", "TIMESTAMP"),
        ],
        "order_items": ["id", "order_id", "product", Column("quantity", "INTEGER")],
        "people": ["id", "name", "boss_id"],
        "flights": ["id", "from_city", "to_city"],
        "cities": ["id", "name"],
    },
    [
        ("orders.customer_id", "customers.id"),
        ("order_items.order_id", "orders.id"),
        ("people.boss_id", "people.id"),
        ("flights.from_city", "cities.id"),
        ("flights.to_city", "cities.id"),
    ],
)

# One file a kind of statement, to be read as a whole.
STATEMENTS = {
    "rows": """
SELECT name, city FROM customers WHERE city = 'Berlin' AND (active OR since >= '2024-01-01')
SELECT * FROM customers
SELECT DISTINCT city FROM customers ORDER BY city
SELECT name FROM customers WHERE name LIKE 'A%' AND NOT city LIKE '%burg%' AND city IS NOT NULL
SELECT name FROM customers WHERE city IN ('Berlin', 'Köln') AND NOT name IN ('A', 'B') AND NOT (active AND city = 'X')
SELECT name FROM customers WHERE lower(city) = lower('berlin') AND since BETWEEN '2024-01-01' AND '2024-12-31'
SELECT id FROM orders ORDER BY total DESC LIMIT 3
SELECT id FROM orders WHERE status = 'paid' ORDER BY placed_at LIMIT 1
SELECT id FROM orders ORDER BY status DESC, total LIMIT 5 OFFSET 10
SELECT id FROM orders ORDER BY total DESC NULLS FIRST LIMIT 3
SELECT id FROM orders LIMIT 5""",
    "totals": """
SELECT count(*) FROM orders
SELECT count(*) FROM orders WHERE status <> 'paid'
SELECT count(DISTINCT city) FROM customers
SELECT sum(total), avg(total), max(placed_at) FROM orders WHERE total > 100
SELECT sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) FROM orders
SELECT count(*) FILTER (WHERE status = 'paid') * 1.0 / nullif(count(*), 0) FROM orders
SELECT count(*) FROM customers JOIN orders ON orders.customer_id = customers.id WHERE city = 'Berlin'
SELECT sum(total) FROM orders WHERE total > (SELECT avg(total) FROM orders WHERE status = 'paid')""",
    "groups": """
SELECT city, count(*) FROM customers GROUP BY city
SELECT status, sum(total) AS revenue FROM orders WHERE placed_at < '2025-01-01' GROUP BY 1 ORDER BY revenue DESC
SELECT city FROM customers GROUP BY city HAVING count(*) > 2
SELECT status FROM orders GROUP BY status ORDER BY sum(total) DESC LIMIT 1
SELECT c.name, count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id, c.name
SELECT date_trunc('month', placed_at) AS month, avg(total) FROM orders GROUP BY month ORDER BY month
SELECT city, active, count(*) FROM customers GROUP BY ROLLUP (city, active)""",
    "joins": """
SELECT c.name, o.total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.status = 'open'
SELECT c.name, o.id FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id AND o.status = 'open'
SELECT i.product FROM order_items i JOIN orders o ON i.order_id = o.id JOIN customers c ON o.customer_id = c.id
SELECT p.name, b.name FROM people AS p JOIN people AS b ON p.boss_id = b.id
SELECT c.name FROM flights AS f JOIN cities AS c ON f.to_city = c.id
SELECT c.name, o.id FROM customers AS c CROSS JOIN orders AS o
SELECT o.id FROM customers AS c FULL JOIN orders AS o ON o.customer_id = c.id
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'open')
SELECT name FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.id)
SELECT p.name FROM people AS p WHERE (SELECT count(*) FROM people AS q WHERE q.boss_id = p.id) > 3""",
    "opposites": """
SELECT name FROM customers WHERE name NOT LIKE '%a%' AND NOT name NOT LIKE '%b%' AND name NOT ILIKE 'c%'
SELECT count(*) FILTER (WHERE name NOT LIKE '%a%') FROM customers
SELECT count(CASE WHEN name NOT LIKE '%a' THEN 1 END) FROM customers
SELECT city FROM customers GROUP BY city HAVING min(name) NOT LIKE 'A%'
SELECT name FROM customers WHERE NOT EXISTS (SELECT 1 FROM orders WHERE customer_id = customers.id AND status NOT LIKE 'p%')
SELECT name FROM customers WHERE NOT id = ANY (SELECT customer_id FROM orders)
SELECT id, ntile(4) OVER (ORDER BY total) FROM orders
SELECT id, first_value(total) OVER (ORDER BY placed_at) FROM orders""",  # noqa: E501 - a statement a line
    "several-steps": """
WITH paid AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY customer_id) SELECT avg(spent) FROM paid
SELECT n, count(*) FROM (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) AS per_customer GROUP BY n
SELECT name FROM customers UNION SELECT name FROM people ORDER BY name LIMIT 10
SELECT name FROM customers INTERSECT SELECT name FROM people
SELECT city FROM customers WHERE active EXCEPT SELECT name FROM cities
SELECT id, rank() OVER (PARTITION BY status ORDER BY total DESC) AS place FROM orders
SELECT id, sum(total) OVER (ORDER BY placed_at) FROM orders
SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY placed_at DESC) = 1
WITH RECURSIVE up AS (SELECT id, boss_id FROM people UNION ALL SELECT p.id, p.boss_id FROM people p JOIN up ON p.id = up.boss_id) SELECT count(*) FROM up
SELECT list_sort(list(total)) FROM orders""",  # noqa: E501 - a statement a line
}


def _bound(sql: str, dialect: str = "duckdb") -> BoundSql:
    bound = bind(sqlglot.parse_one(sql, read=dialect), SHOP, dialect)
    assert isinstance(bound, BoundSql), bound
    return bound


def _described(sql: str) -> str:
    return describe_sql(_bound(sql).tree, SHOP, "duckdb")


def _asked(sql: str) -> str:
    return question_of_sql(_bound(sql).tree, SHOP, "duckdb")


@pytest.mark.parametrize("kind", STATEMENTS)
def test_statements_read_as_in_their_golden_file(kind: str, golden: Callable[[Path, str], None]) -> None:
    parts = [
        f"```sql\n{sql}\n```\n\n{_described(sql)}\n\n> {_asked(sql) or '(no question)'}\n"
        for sql in STATEMENTS[kind].strip().splitlines()
    ]
    golden(GOLDEN / f"{kind}.md", "\n".join(parts))


def test_a_count_over_a_join_counts_the_rows_that_stand_once() -> None:
    sql = "SELECT count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"
    assert _asked(sql) == "How many orders with customers are there?"
    twice = f"{sql} JOIN order_items AS i ON i.product = c.name"
    assert _asked(twice).startswith("How many rows of ")


def test_no_highest_is_asked_for_where_missing_values_come_first() -> None:
    assert "highest" in _asked("SELECT id FROM orders ORDER BY total DESC LIMIT 3")
    assert "with missing values first" in _asked("SELECT id FROM orders ORDER BY total DESC NULLS FIRST LIMIT 3")


@pytest.mark.parametrize(
    "sql",
    [
        "WITH paid AS (SELECT id FROM orders) SELECT id FROM paid",
        "SELECT n FROM (SELECT count(*) AS n FROM orders) AS t",
        "SELECT list_sort(list(total)) FROM orders",
        "SELECT 1",
        "SELECT DISTINCT count(*) FROM orders GROUP BY status",
        "SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY total) = 1",
    ],
)
def test_what_has_no_honest_question_gets_none(sql: str) -> None:
    assert _asked(sql) == ""
    assert _described(sql)


@pytest.mark.parametrize(
    ("sql", "asked"),
    [
        (
            "SELECT date_trunc('year', placed_at), sum(total) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
            "the 3 years of placed at with the highest total order value",
        ),
        (
            "SELECT placed_at, sum(total) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
            "the 3 values of placed at with",
        ),
        (
            "SELECT c.name, date_trunc('year', o.placed_at), count(*) FROM customers AS c JOIN orders AS o "
            "ON o.customer_id = c.id GROUP BY c.id, c.name, date_trunc('year', o.placed_at)",
            "for each customer and year of placed at",
        ),
        ("SELECT sum(total) / nullif(count(*), 0) FROM orders", "divided by number of orders"),
    ],
)
def test_a_question_names_groups_as_people_do(sql: str, asked: str) -> None:
    assert asked in _asked(sql)


def test_unknown_names_get_no_question() -> None:
    tree = sqlglot.parse_one("SELECT nothing FROM nowhere")
    assert question_of_sql(tree, SHOP) == ""
    assert describe_sql(tree, SHOP)


def test_a_statement_that_is_nested_too_deeply_is_said_to_be() -> None:
    sql = f"SELECT {'+'.join(['total'] * 600)} FROM orders"
    assert _described(sql) == "This statement is nested too deeply to be put in words."
    assert _asked(sql) == ""


def test_special_ways_of_keeping_rows_are_not_said_to_be_the_usual_ones() -> None:
    ties = _described("SELECT id FROM orders FETCH FIRST 3 ROWS WITH TIES")
    assert ties == "Reads orders. Shows the id. Also says `FETCH FIRST 3 ROWS WITH TIES`."
    assert _described("SELECT DISTINCT ON (status) id FROM orders") == (
        "Reads orders. Shows the id. Also says `DISTINCT ON (status)`."
    )


def test_what_has_no_words_is_quoted() -> None:
    assert "`ALL (SELECT total FROM orders)`" in _described(
        "SELECT id FROM orders WHERE total > ALL (SELECT total FROM orders)"
    )
    assert "`LIST_SORT(ARRAY_AGG(total))`" in _described("SELECT list_sort(list(total)) FROM orders")
    assert "`TABLESAMPLE RESERVOIR" in _described("SELECT id FROM orders USING SAMPLE 10 ROWS")


_CONDITIONS = (
    "name LIKE '%a%'",
    "name ILIKE 'a%'",
    "name LIKE 'a_c'",
    "name LIKE '%a!%' ESCAPE '!'",
    "name LIKE ANY ('a', 'b')",
    "name SIMILAR TO 'a'",
    "name RLIKE 'a'",
    "name GLOB 'a*'",
    "id IN (1)",
    "id IN (1, 2)",
    "id IN (SELECT customer_id FROM orders)",
    "id BETWEEN 1 AND 2",
    "id IS NULL",
    "active IS TRUE",
    "id = ANY (SELECT customer_id FROM orders)",
    "id < ALL (SELECT customer_id FROM orders)",
    "id = 1",
    "id <> 1",
    "id > 1",
    "id >= 1",
    "id IS DISTINCT FROM 1",
    "active",
    "(id = 1 OR active)",
    "EXISTS (SELECT 1 FROM orders)",
    "EXISTS (SELECT count(*) FROM orders)",
)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql", "tsql", "bigquery", "trino"])
@pytest.mark.parametrize("condition", _CONDITIONS)
def test_no_condition_reads_like_its_opposite(condition: str, dialect: str) -> None:
    def said(condition: str) -> str:
        return describe_sql(
            sqlglot.parse_one(f"SELECT name FROM customers WHERE {condition}", read=dialect), SHOP, dialect
        )

    same, opposites = {said(condition)}, {said(f"NOT {condition}")}
    inside = re.sub(r"(?<=name )(?=[LISRG])|(?<=^id )(?=IN|BETWEEN)|(?<=IS )", "NOT ", condition, count=1)
    if inside != condition:
        opposites.add(said(inside))
        same.add(said(f"NOT {inside}"))
    assert not same & opposites


def test_is_not_null_of_postgres_is_not_said_to_be_its_opposite() -> None:
    tree = sqlglot.parse_one("SELECT name FROM customers WHERE city IS NOT NULL", read="postgres")
    assert "city has a value" in describe_sql(tree, SHOP, "postgres")


@pytest.mark.parametrize(
    ("dialect", "sql", "quoted"),
    [
        ("duckdb", "SELECT * EXCLUDE (city) FROM customers", "EXCLUDE"),
        ("duckdb", "SELECT customers.* EXCLUDE (city) FROM customers", "EXCLUDE"),
        ("postgres", "SELECT name FROM customers WHERE id BETWEEN SYMMETRIC 2 AND 1", "SYMMETRIC"),
        ("postgres", "SELECT date_trunc('day', placed_at, 'Asia/Tokyo') FROM orders", "Tokyo"),
        ("tsql", "SELECT ROUND(total, 1, 1) FROM orders", "`ROUND("),
        ("tsql", "SELECT name FROM customers WHERE name LIKE '[a-c]%'", "matches the pattern “[a-c]%”"),
        ("duckdb", "SELECT sum(total) OVER (ORDER BY id ROWS 2 PRECEDING) FROM orders", "PRECEDING"),
        ("duckdb", "SELECT name FROM customers UNION BY NAME SELECT name FROM people", "BY NAME"),
    ],
)
def test_what_the_words_do_not_account_for_is_quoted(dialect: str, sql: str, quoted: str) -> None:
    assert quoted in describe_sql(sqlglot.parse_one(sql, read=dialect), SHOP, dialect)


def test_a_step_tells_its_own_part_and_what_nobody_told_before() -> None:
    sql = (
        "WITH paid AS (SELECT id, total FROM orders WHERE status = 'paid'), "
        "big AS (SELECT id FROM paid WHERE total > 5) SELECT count(*) FROM big"
    )
    tree = sqlglot.parse_one(sql)
    own = "Reads “big”. Shows the number of rows."
    assert describe_step(tree, SHOP, "", name="", told={"paid", "big"}) == own
    after_paid = describe_step(tree, SHOP, "", name="", told={"paid"})
    assert after_paid.startswith("“big”: Reads “paid”.")
    assert after_paid.endswith(f"That is “big”. {own}")
    first = sqlglot.parse_one("WITH paid AS (SELECT id FROM orders) SELECT * FROM paid")
    assert describe_step(first, SHOP, "", name="paid", told=()) == "Reads orders. Shows the id."


# Over random statements

LIBRARY = semantic_model(
    {
        name: [Column(column, "INTEGER" if kind == "int" else "VARCHAR") for column, kind in columns.items()]
        for name, columns in TABLES.items()
    },
    [(f"{many}.{there}", f"{one}.{here}") for (one, many), (here, there) in LINKS.items()],
)


@given(query=queries())
@settings(max_examples=examples(600))
def test_a_description_leaves_nothing_out_and_adds_nothing(query: Query) -> None:
    tree = _tree(query)
    words = describe_sql(tree, LIBRARY, "sqlite")
    assume("…`" not in words)  # SQL that is quoted is cut where it is long
    for value in _values(tree):
        assert value.strip("%") in words.replace("''", "'")
    texts = {literal.this for literal in tree.find_all(exp.Literal) if literal.is_string}
    names = {alias.name for alias in tree.find_all(exp.TableAlias)} | {one.alias for one in tree.find_all(exp.Alias)}
    quoted = set(re.findall(r"“([^”]*)”", words))
    assert quoted <= names | texts | {text.strip("%") for text in texts}


@given(query=queries())
@settings(max_examples=examples(600))
def test_a_question_leaves_no_value_out(query: Query) -> None:
    tree = _tree(query)
    words = question_of_sql(tree, LIBRARY, "sqlite")
    assert not words or words.endswith("?")
    for value in _values(tree) if words else ():
        assert value.strip("%") in words


def _tree(query: Query) -> exp.Expr:
    bound = bind(sqlglot.parse_one(query.sql, read="sqlite"), LIBRARY, "sqlite")
    assume(isinstance(bound, BoundSql))  # two CTEs of one name
    assert isinstance(bound, BoundSql)
    return bound.tree


def _values(tree: exp.Expr) -> Iterator[str]:
    """The values that a statement names, but for what EXISTS selects, which does not matter."""
    for literal in tree.find_all(exp.Literal):
        if not isinstance(literal.parent, exp.Select) or not isinstance(literal.parent.parent, exp.Exists):
            yield literal.this
