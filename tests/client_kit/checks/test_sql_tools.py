"""Questions for SQL (`/sql-questions`) and repairs of SQL (`/sql-corrections`), CONTRACTS 2."""

from __future__ import annotations

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import CITY_SQL, COUNT_SQL, CTE_SQL, JOIN_SQL, REFUSED_SQL, WRONG_COLUMN_SQL, Shop
from tests.client_kit.client import LegacyClient, sql_questions_body


def test_each_sql_has_a_question_in_its_place(client: LegacyClient, shop: Shop) -> None:
    sqls = [COUNT_SQL, CITY_SQL, JOIN_SQL, CTE_SQL]
    ended = client.sql_questions(sqls)
    expect.finished(ended)
    questions = ended.body["questions"]
    assert isinstance(questions, list)
    assert len(questions) == len(sqls)
    assert all(isinstance(one, str) for one in questions)
    assert any(one.strip() for one in questions)


def test_questions_are_in_the_order_of_the_sql_without_a_model(
    client: LegacyClient, shop: Shop, no_model: None
) -> None:
    there = client.sql_questions([COUNT_SQL, CITY_SQL]).body["questions"]
    back = client.sql_questions([CITY_SQL, COUNT_SQL]).body["questions"]
    assert there == back[::-1]
    assert all(one.strip() for one in there)
    assert there[0] != there[1]


def test_fifty_are_taken(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_questions([COUNT_SQL] * 50)
    expect.finished(ended)
    assert len(ended.body["questions"]) == 50


def test_sql_that_cannot_be_put_in_words_fails_or_is_empty(client: LegacyClient, shop: Shop) -> None:
    for sql in (REFUSED_SQL, "not sql at all"):
        ended = client.sql_questions([COUNT_SQL, sql])
        if ended.status == "failed":
            expect.failed(ended, "OTHERS")
        else:
            expect.finished(ended)
            assert ended.body["questions"][1] == ""
            assert ended.body.get("warnings"), "an empty question has a warning"


def test_valid_sql_comes_back_unchanged(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_correction(COUNT_SQL, "the engine was busy")
    assert expect.finished(ended) == COUNT_SQL
    assert ended.body["event_id"] == ended.id
    assert ended.body.get("invalid_sql") in (None, "")


@pytest.mark.parametrize("tables", [None, [], ["orders"], ["orders", "warehouses"]], ids=str)
def test_retrieved_tables_may_be_anything(client: LegacyClient, shop: Shop, tables: list[str] | None) -> None:
    assert expect.finished(client.sql_correction(COUNT_SQL, "the engine was busy", tables)) == COUNT_SQL


def test_dry_plan_options_are_taken(client: LegacyClient, shop: Shop) -> None:
    body = {"sql": COUNT_SQL, "error": "none", "retrieved_tables": None}
    for use in (True, False):
        for fallback in (True, False):
            sent = body | {"use_dry_plan": use, "allow_dry_plan_fallback": fallback}
            assert expect.finished(client.run(kinds.SQL_CORRECTION, sent)) == COUNT_SQL


def test_wrong_sql_is_repaired_or_failed_with_the_sql(client: LegacyClient, shop: Shop) -> None:
    ended = client.sql_correction(WRONG_COLUMN_SQL, 'column "shipped_to_moon" does not exist')
    if ended.status == "finished":
        mended = expect.finished(ended)
        assert isinstance(mended, str)
        expect.finished(client.sql_answer("What is there?", mended))
    else:
        expect.failed(ended, "OTHERS")
        assert ended.body.get("invalid_sql"), "the SQL that stayed wrong is told"


def test_a_misspelt_column_is_repaired_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    ended = client.sql_correction("SELECT order_idd FROM orders", 'column "order_idd" does not exist')
    if ended.status == "finished":
        assert "order_idd" not in expect.finished(ended)
    else:
        expect.failed(ended, "OTHERS")
        assert ended.body.get("invalid_sql")


def test_refused_sql_is_not_corrected(client: LegacyClient, shop: Shop) -> None:
    expect.refused_by_rule(expect.failed(client.sql_correction(REFUSED_SQL, "denied"), "OTHERS"))


def test_questions_carry_the_legacy_project(client: LegacyClient, shop: Shop, wren_ui: None) -> None:
    body = sql_questions_body([COUNT_SQL], "1")
    assert body["project_id"] == "1"
    expect.finished(client.run(kinds.SQL_QUESTION, body))
