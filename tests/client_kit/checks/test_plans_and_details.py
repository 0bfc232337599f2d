"""SQL from an edited plan (`/ask-feedbacks`) and an answer's steps (`/ask-details`), CONTRACTS 2."""

from __future__ import annotations

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import CITY_QUESTION, CITY_SQL, COUNT_SQL, CTE_SQL, JOIN_SQL, REFUSED_SQL, Shop
from tests.client_kit.client import LegacyClient, details_body, feedback_body

PLAN = "1. Take the orders.\n2. Count them by status."
QUESTION = "How many orders of each status?"


def test_an_edited_plan_gives_sql(client: LegacyClient, shop: Shop, with_model: None) -> None:
    ended = client.ask_feedback(QUESTION, ["orders"], PLAN, COUNT_SQL)
    response = expect.finished(ended)
    assert isinstance(response, list)
    assert response
    for one in response:
        assert set(one) == {"sql", "type"}, sorted(one)
        assert one["type"] == "llm"
        assert one["sql"].strip()
    assert ended.body.get("invalid_sql") in (None, "")


def test_an_edited_plan_without_a_model_fails_with_a_hint(client: LegacyClient, shop: Shop, no_model: None) -> None:
    error = expect.failed(client.ask_feedback(QUESTION, ["orders"], PLAN, COUNT_SQL), "OTHERS")
    assert error.get("hint")


def test_unknown_tables_are_dropped(client: LegacyClient, shop: Shop, with_model: None) -> None:
    ended = client.ask_feedback(QUESTION, ["orders", "warehouses"], PLAN, COUNT_SQL)
    expect.finished(ended)
    assert any("warehouses" in str(one) for one in ended.body.get("warnings") or []), "the dropped table is not told"


def test_no_tables_means_retrieval(client: LegacyClient, shop: Shop, with_model: None) -> None:
    expect.finished(client.ask_feedback(QUESTION, [], PLAN, COUNT_SQL))


def test_a_plan_over_refused_sql_fails_and_names_the_rule(client: LegacyClient, shop: Shop) -> None:
    error = expect.failed(client.ask_feedback(QUESTION, ["orders"], PLAN, REFUSED_SQL))
    if not error.get("hint"):
        expect.refused_by_rule(error)


def test_feedback_may_carry_no_project(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(kinds.FEEDBACK, feedback_body(QUESTION, ["orders"], PLAN, COUNT_SQL, None))
    assert ended.status in ("finished", "failed")


def _steps(client: LegacyClient, sql: str) -> list[dict[str, str]]:
    response = expect.finished(client.ask_details("What is this?", sql))
    assert set(response) == {"description", "steps"}, sorted(response)
    assert isinstance(response["description"], str)
    assert response["description"].strip()
    steps = response["steps"]
    assert isinstance(steps, list)
    assert steps
    for step in steps:
        assert set(step) == {"sql", "summary", "cte_name"}, sorted(step)
        assert all(isinstance(value, str) for value in step.values()), step
        assert step["summary"].strip()
        assert step["sql"].strip()
    assert steps[-1]["cte_name"] == "", "the last step is the final SELECT"
    return steps


def test_one_select_is_one_step(client: LegacyClient, shop: Shop) -> None:
    for sql in (COUNT_SQL, CITY_SQL, JOIN_SQL):
        assert len(_steps(client, sql)) == 1


def test_each_cte_is_a_step(client: LegacyClient, shop: Shop) -> None:
    steps = _steps(client, CTE_SQL)
    assert [step["cte_name"] for step in steps] == ["spent", ""]


def test_a_derived_table_of_the_outer_from_is_a_step(client: LegacyClient, shop: Shop) -> None:
    sql = (
        "SELECT per_city.city FROM (SELECT city, COUNT(*) AS n FROM customers GROUP BY city) AS per_city "
        "WHERE per_city.n > 1"
    )
    steps = _steps(client, sql)
    assert len(steps) == 2
    assert steps[0]["cte_name"]


def test_each_step_runs_alone(client: LegacyClient, shop: Shop) -> None:
    for step in _steps(client, CTE_SQL):
        expect.finished(client.sql_answer("What is there?", step["sql"]))


def test_details_with_the_hash(client: LegacyClient, shop: Shop, unknown_id: str) -> None:
    expect.finished(client.run(kinds.DETAILS, details_body(CITY_QUESTION, CITY_SQL) | {"mdl_hash": shop.hash}))
    ended = client.run(kinds.DETAILS, details_body(CITY_QUESTION, CITY_SQL) | {"mdl_hash": unknown_id})
    expect.failed(ended)


def test_details_of_refused_sql_name_the_rule(client: LegacyClient, shop: Shop) -> None:
    expect.refused_by_rule(expect.failed(client.ask_details("Remove them", REFUSED_SQL)))


@pytest.mark.parametrize("sql", ["SELECT nothing_there FROM orders", "SELEC 1", "SELECT * FROM warehouses"])
def test_details_of_wrong_sql_fail(client: LegacyClient, shop: Shop, sql: str) -> None:
    expect.failed(client.ask_details("What is there?", sql))
