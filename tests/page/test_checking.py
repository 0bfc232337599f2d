"""What is said of a statement that is checked against its question: pasted, proposed or answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.page.conftest import Looked, Service
from tests.page.test_accessibility import AXE, found_by_axe

pytestmark = pytest.mark.deep

COUNT, ORDER = "“how many” asks for a count, and nothing is counted.", "No word asks for country."
FINDINGS = [{"severity": "wrong", "message": COUNT}, {"severity": "note", "message": ORDER}]
ASKED = {"query_id": "q1", "query": "How many are there?", "histories": [], "created_at": "2026-11-26T12:00:00Z"}
PROPOSED = {"status": "failed", "invalid_sql": "SELECT name FROM customers", "error": {"code": "NO_RELEVANT_SQL"}}
DOUBT = {"severity": "doubt", "message": "Only 2 rows are given."}
DOUBTED = {"status": "finished", "verdict": "guess", "sql_source": "llm", "warnings": [DOUBT["message"]]}


def shown(looked: Looked, **result: Any) -> Any:
    """The card of an ask that ended so."""
    looked.page.route("**/v1/asks/q1", lambda route: route.fulfill(json=ASKED | result))
    looked.page.goto(f"{looked.url}/#/default/ask/q1")
    return looked.card


def test_pasted_sql_is_checked_against_the_question(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.get_by_role("tab", name="SQL").click()
    looked.card.get_by_role("button", name="Check other SQL").press("Enter")
    dialog = looked.page.get_by_role("dialog")
    for sql, said in (("SELECT name FROM customers", COUNT), ("DELETE FROM customers", "Only a SELECT may run")):
        looked.page.keyboard.insert_text(sql)
        looked.page.keyboard.press("Control+Enter")
        dialog.get_by_text(said).first.wait_for()
        looked.page.keyboard.press("Control+a")
    told = {"verdict": "doubtful", "findings": [DOUBT], "rewritten": "SELECT COUNT(*) FROM customers"}
    looked.page.route("**/v1/sql-checks", lambda route: route.fulfill(json=told))
    dialog.get_by_role("button", name="Check").click()
    dialog.get_by_text("It may answer another question.").wait_for()
    assert "COUNT(*)" in dialog.locator("section", has_text="Corrected SQL").inner_text()
    assert not AXE.exists() or found_by_axe(looked) == []


def test_a_statement_that_is_no_answer_can_be_run(service: Service, look: Callable[..., Looked]) -> None:
    card = shown(looked := look(service), **PROPOSED, findings=FINDINGS)
    card.get_by_text("The statement that Askwell wrote").click()
    assert card.locator(".note li").all_inner_texts() == [COUNT, ORDER]
    assert "Not answered" in card.locator(".note").inner_text()
    assert not AXE.exists() or found_by_axe(looked) == []
    card.get_by_role("button", name="Run", exact=True).press("Enter")
    card.get_by_text("Ada Lovelace").wait_for()


def test_each_sentence_of_an_answer_is_shown_once(service: Service, look: Callable[..., Looked]) -> None:
    data = {"columns": [{"name": "name", "type": "TEXT"}], "rows": [["Ada"]], "truncated": False}
    card = shown(look(service), **DOUBTED, data=data, findings=[DOUBT, FINDINGS[1]])
    card.get_by_role("tab", name="Evidence").click()
    assert "Guess" in card.locator(".answer-head").inner_text()
    assert [card.get_by_text(one).count() for one in (DOUBT["message"], ORDER)] == [1, 1]
