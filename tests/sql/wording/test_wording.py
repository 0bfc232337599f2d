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
from tests.support.tables import case_rows, case_table

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
        "flights": [
            *("id", "from_city", "to_city"),
            Column("st", "VARCHAR", values=("X", "D"), value_names={"X": "cancelled", "D": "done"}),
        ],
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
STATEMENTS = case_table(__file__, "statements")


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
    case_table(__file__, "what_has_no_honest_question_gets_none"),
)
def test_what_has_no_honest_question_gets_none(sql: str) -> None:
    assert _asked(sql) == ""
    assert _described(sql)


@pytest.mark.parametrize(
    ("sql", "asked"),
    case_rows(__file__, "a_question_names_groups_as_people_do", "sql", "asked"),
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


_CONDITIONS = case_table(__file__, "conditions")


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


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("st = 'X'", "st is “X” (cancelled)"),
        ("'X' <> st", "“X” (cancelled)"),
        ("st IN ('D', 'Z')", "st is “D” (done) or “Z”"),
        ("from_city = 'X'", "from_city is “X”."),
    ],
)
def test_what_a_code_means_is_said(condition: str, said: str) -> None:
    words = _described(f"SELECT id FROM flights WHERE {condition}").replace("from city", "from_city")
    assert said in words


def test_is_not_null_of_postgres_is_not_said_to_be_its_opposite() -> None:
    tree = sqlglot.parse_one("SELECT name FROM customers WHERE city IS NOT NULL", read="postgres")
    assert "city has a value" in describe_sql(tree, SHOP, "postgres")


@pytest.mark.parametrize(
    ("dialect", "sql", "quoted"),
    case_rows(__file__, "what_the_words_do_not_account_for_is_quoted", "dialect", "sql", "quoted"),
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
    assert describe_step(tree, SHOP, "", name="", described={"paid", "big"}) == own
    after_paid = describe_step(tree, SHOP, "", name="", described={"paid"})
    assert after_paid.startswith("“big”: Reads “paid”.")
    assert after_paid.endswith(f"That is “big”. {own}")
    first = sqlglot.parse_one("WITH paid AS (SELECT id FROM orders) SELECT * FROM paid")
    assert describe_step(first, SHOP, "", name="paid", described=()) == "Reads orders. Shows the id."


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
