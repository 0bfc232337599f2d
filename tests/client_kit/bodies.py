"""One good body of every kind, over the deployed shop, as the legacy client sends it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tests.client_kit import client, kinds
from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json, manifest

COUNT_QUESTION = "How many orders are there?"
COUNT_SQL = 'SELECT COUNT(*) AS "order_count" FROM orders'
CITY_QUESTION = "How many customers are there in each city?"
CITY_SQL = (
    "SELECT city, COUNT(*) AS customer_count FROM customers WHERE city IS NOT NULL "
    "GROUP BY city ORDER BY customer_count DESC, city"
)
CITY_DATA: Json = {
    "columns": [{"name": "city", "type": "VARCHAR"}, {"name": "customer_count", "type": "BIGINT"}],
    "data": [["Lyon", 3], ["Madrid", 2], ["Oslo", 2], ["Porto", 2]],
}
DAY_SQL = "SELECT ordered_on, COUNT(*) AS order_count FROM orders GROUP BY ordered_on ORDER BY ordered_on"
JOIN_SQL = (
    "SELECT p.category, SUM(i.amount) AS revenue FROM order_items i JOIN products p ON i.product_id = p.product_id "
    "GROUP BY p.category ORDER BY revenue DESC"
)
CTE_SQL = (
    "WITH spent AS (SELECT order_id, SUM(amount) AS total FROM order_items GROUP BY order_id) "
    "SELECT o.customer_id, SUM(s.total) AS total FROM orders o JOIN spent s ON o.order_id = s.order_id "
    "GROUP BY o.customer_id"
)
TWO_CATEGORIES_SQL = (
    "SELECT o.status, c.city, COUNT(*) AS n FROM orders o JOIN customers c ON o.customer_id = c.customer_id "
    "WHERE c.city IS NOT NULL GROUP BY o.status, c.city ORDER BY o.status, c.city"
)
EMPTY_SQL = "SELECT city, COUNT(*) AS n FROM customers WHERE city = 'Atlantis' GROUP BY city"
WRONG_COLUMN_SQL = "SELECT order_id, shipped_to_moon FROM orders"
REFUSED_SQL = "DROP TABLE customers"
BAR: Json = {
    "title": "Customers by city",
    "mark": {"type": "bar"},
    "encoding": {
        "x": {"field": "city", "type": "nominal", "title": "City"},
        "y": {"field": "customer_count", "type": "quantitative", "title": "Customers"},
        "color": {"field": "city", "type": "nominal"},
    },
}

_numbers = itertools.count(9000)


@dataclass(frozen=True)
class Shop:
    """The deployed shop: its hash, its manifest, and the project that the client names where it names one."""

    hash: str
    model: Json
    project: str | None


def good(kind: Kind, shop: Shop) -> Json:
    """A body that the service should take and, with a working model, answer."""
    match kind.name:
        case "ask":
            return client.ask_body(COUNT_QUESTION, shop.hash)
        case "feedback":
            plan = "1. Take the orders.\n2. Count them by status."
            return client.feedback_body("How many orders of each status?", ["orders"], plan, COUNT_SQL, shop.project)
        case "details":
            return client.details_body("What did each customer spend?", CTE_SQL)
        case "answer":
            return client.answer_body(CITY_QUESTION, CITY_SQL, CITY_DATA)
        case "sql_question":
            return client.sql_questions_body([COUNT_SQL, CITY_SQL, JOIN_SQL], shop.project)
        case "sql_correction":
            return client.sql_correction_body(COUNT_SQL, "the engine was busy")
        case "chart":
            return client.chart_body(CITY_QUESTION, CITY_SQL)
        case "chart_adjustment":
            option: Json = {"chart_type": "pie", "theta": "customer_count", "color": "city"}
            return client.chart_adjustment_body(CITY_QUESTION, CITY_SQL, BAR, option)
        case "question_rec":
            return client.question_recommendation_body(shop.model)
        case "relationship_rec":
            return client.relationship_recommendation_body(manifest(relationships=False))
        case "description":
            return client.description_body(shop.model, ["customers", "orders"], "A small shop that sells to people.")
        case "sql_pair":
            number = next(_numbers)
            return client.sql_pairs_body(
                [(number, f"Kit question {number}: how many orders?", COUNT_SQL)], shop.project
            )
        case "instruction":
            number = next(_numbers)
            return client.instructions_body(
                [(number, "Say status in lower case.", [f"kit {number}"], False)], shop.project
            )
        case "preparation":
            return client.preparation_body(shop.model)
    raise AssertionError(f"no body for {kind.name}")


def succeeds_without_model(kind: Kind) -> bool:
    """Only an edited plan needs a model: there is no other way from its words to SQL."""
    return kind is not kinds.FEEDBACK
