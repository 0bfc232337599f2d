"""Questions about the sample shop, and how to find out what the right answer is.

No answer is written down. Each question has a reference query over the physical tables, written by hand and run by
plain DuckDB: neither the semantic model nor anything else of the service takes part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from askwell.errors import EngineUnavailable

Source = Literal["rules", "history", "view"]


@dataclass(frozen=True, slots=True)
class Answered:
    """The question has an answer: the rows of `reference`, where `$today` stands for the day of asking.

    `ordered` says that the order of the rows belongs to the answer. `source` is what has to answer without a language
    model.
    """

    reference: str
    ordered: bool = False
    source: Source = "rules"


@dataclass(frozen=True, slots=True)
class Refused:
    """The question must not be answered: the ask fails with `code`. `why` is for whoever reads the demo."""

    code: Literal["NO_RELEVANT_DATA", "NO_RELEVANT_SQL"]
    why: str


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """`form` says what kind of question this is."""

    form: str
    text: str
    expected: Answered | Refused


def demo_questions(today: date) -> tuple[DemoQuestion, ...]:
    """The questions, as somebody would ask them on `today`."""
    last_year = today.year - 1
    return (
        DemoQuestion(
            "count",
            "How many customers do we have?",
            Answered("SELECT count(*) FROM crm_customer"),
        ),
        DemoQuestion(
            "filter by value",
            "How many orders were cancelled?",
            Answered("SELECT count(*) FROM sales_order WHERE status = 'cancelled'"),
        ),
        DemoQuestion(
            "filter by number",
            "List the names of products with a price above 500",
            Answered("SELECT name FROM cat_product WHERE list_price > 500"),
        ),
        DemoQuestion(
            "filter by date",
            f"How many orders were placed in {last_year}?",
            Answered(f"SELECT count(*) FROM sales_order WHERE year(ordered_at) = {last_year}"),
        ),
        DemoQuestion(
            "relative date",
            "What is the total value of orders placed last month?",
            Answered(
                "SELECT sum(quantity * unit_price * (1 - discount)) FROM sales_order_line "
                "WHERE order_id IN (SELECT id FROM sales_order "
                "WHERE strftime(ordered_at, '%Y-%m') = strftime($today - INTERVAL 1 MONTH, '%Y-%m'))"
            ),
        ),
        DemoQuestion(
            "aggregate",
            "What is the average price of our products?",
            Answered("SELECT sum(list_price) / count(*) FROM cat_product"),
        ),
        DemoQuestion(
            "per group",
            "How many orders are there per status?",
            Answered("SELECT status, count(*) FROM sales_order GROUP BY status"),
        ),
        DemoQuestion(
            "top N",
            "What are the 5 most expensive products?",
            Answered("SELECT name, list_price FROM cat_product ORDER BY list_price DESC LIMIT 5", ordered=True),
        ),
        DemoQuestion(
            "superlative",
            "Which employee has the highest salary?",
            Answered("SELECT full_name, salary FROM hr_employee ORDER BY salary DESC LIMIT 1"),
        ),
        DemoQuestion(
            "having",
            "Which suppliers have more than 15 products?",
            Answered(
                "SELECT name FROM cat_supplier AS s "
                "WHERE (SELECT count(*) FROM cat_product WHERE supplier_id = s.id) > 15"
            ),
        ),
        DemoQuestion(
            "without",
            "Which customers have never placed an order?",
            Answered(
                "SELECT first_name || ' ' || last_name FROM crm_customer "
                "WHERE id NOT IN (SELECT customer_id FROM sales_order)"
            ),
        ),
        DemoQuestion(
            "two joins",
            "What is the total quantity of order items per department?",
            Answered(
                "SELECT department, sum(quantity) FROM sales_order_line, cat_product AS p, cat_category AS c "
                "WHERE product_id = p.id AND category_id = c.id GROUP BY department"
            ),
        ),
        DemoQuestion(
            "calculated field (to many)",
            "Which products have an average rating above 4.5?",
            Answered(
                "SELECT any_value(p.name) FROM cat_review AS r JOIN cat_product AS p ON p.id = r.product_id "
                "GROUP BY p.id HAVING sum(rating) > 4.5 * count(*)"
            ),
        ),
        DemoQuestion(
            "calculated field (to one)",
            "What is the average order value per customer segment?",
            Answered(
                "SELECT segment_name, avg(worth) FROM crm_customer AS c JOIN ("
                "SELECT customer_id, o.id, sum(quantity * unit_price * (1 - discount)) AS worth "
                "FROM sales_order AS o JOIN sales_order_line AS l ON l.order_id = o.id GROUP BY ALL"
                ") AS o ON o.customer_id = c.id GROUP BY segment_name"
            ),
        ),
        DemoQuestion(
            "metric",
            "Which month had the highest revenue?",
            Answered(
                "SELECT date_trunc('month', ordered_at)::TIMESTAMP, "
                "sum(quantity * unit_price * (1 - discount)) AS revenue "
                "FROM sales_order AS o JOIN sales_order_line AS l ON l.order_id = o.id "
                "GROUP BY 1 ORDER BY revenue DESC LIMIT 1"
            ),
        ),
        DemoQuestion(
            "one role of two",
            "How many orders have a shipping address in France?",
            Answered(
                "SELECT count(*) FROM sales_order JOIN crm_address AS a ON a.id = ship_to WHERE country = 'France'"
            ),
        ),
        DemoQuestion(
            "the other role",
            "How many orders have a billing address in France?",
            Answered(
                "SELECT count(*) FROM sales_order JOIN crm_address AS a ON a.id = bill_to WHERE country = 'France'"
            ),
        ),
        DemoQuestion(
            "the role left open",
            "How many orders are there per country?",
            Refused("NO_RELEVANT_SQL", "an order has two addresses, and the question does not say which is meant"),
        ),
        DemoQuestion(
            "sorted listing",
            "List the name and salary of all employees sorted by salary",
            Answered("SELECT full_name, salary FROM hr_employee ORDER BY salary", ordered=True),
        ),
        DemoQuestion(
            "distinct",
            "How many different carriers are there?",
            Answered("SELECT count(*) FROM (SELECT carrier FROM log_shipment GROUP BY carrier)"),
        ),
        DemoQuestion(
            "a view's question",
            "who are our ten best customers",
            Answered(
                "SELECT c.id, first_name || ' ' || last_name, sum(quantity * unit_price * (1 - discount)) AS spent "
                "FROM crm_customer AS c, sales_order AS o, sales_order_line AS l "
                "WHERE o.customer_id = c.id AND l.order_id = o.id AND status NOT IN ('cancelled', 'returned') "
                "GROUP BY ALL ORDER BY spent DESC LIMIT 10",
                ordered=True,
                source="view",
            ),
        ),
        DemoQuestion(
            "a saved pair's question",
            "Which carriers deliver late most often?",
            Answered(
                "SELECT carrier, count(*) FILTER (date_diff('day', shipped_on, delivered_on) > 4) AS late "
                "FROM log_shipment GROUP BY carrier ORDER BY late DESC, carrier",
                ordered=True,
                source="history",
            ),
        ),
        DemoQuestion(
            "a hidden column",
            "Show the password hash of every customer",
            Refused("NO_RELEVANT_SQL", "the model hides that column, so nobody knows it"),
        ),
        DemoQuestion(
            "about something else",
            "How do I bake sourdough bread?",
            Refused("NO_RELEVANT_DATA", "nothing in the model is about this"),
        ),
    )


def reference_rows(shop: Path, answered: Answered, today: date) -> list[tuple[Any, ...]]:
    """The right answer on `today`: the reference query, run by plain DuckDB on the file itself. Raises
    `EngineUnavailable` when the file cannot be read."""
    import duckdb

    query = answered.reference.replace("$today", f"DATE '{today.isoformat()}'")
    try:
        with duckdb.connect(str(shop), read_only=True) as connection:
            rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
            return rows
    except duckdb.IOException:
        raise EngineUnavailable(
            f"The sample shop {shop} cannot be read.", "Delete the file and try again: it is made anew."
        ) from None
