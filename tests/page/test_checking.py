"""What is said of a statement that is checked against its question: pasted, proposed or answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.conftest import Looked, Service
from tests.page.test_accessibility import AXE, found_by_axe

pytestmark = pytest.mark.deep

FINDINGS = [{"severity": name, "message": f"A {name}."} for name in ("doubt", "note")]
ASKED = {"query_id": "q1", "query": "How many are there?", "histories": [], "findings": FINDINGS}
PROPOSED = {"status": "failed", "invalid_sql": "SELECT name FROM customers", "error": {"code": "NO_RELEVANT_SQL"}}
DOUBTED = {"status": "finished", "verdict": "guess", "warnings": ["A doubt."], "data": {"columns": [], "rows": []}}
FOLDS = {"The statement that Askwell wrote": ("Not answered", PROPOSED), "Evidence": ("Guess", DOUBTED)}


def test_pasted_sql_is_checked_against_the_question(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.get_by_role("tab", name="SQL").click()
    looked.card.get_by_role("button", name="Check other SQL").press("Enter")
    dialog = looked.page.get_by_role("dialog")
    for sql, said in (("SELECT name FROM customers", "“how many” asks"), ("DELETE FROM customers", "Only a SELECT")):
        dialog.get_by_role("textbox").fill(sql)
        looked.page.keyboard.press("Control+Enter")
        dialog.get_by_text(said).first.wait_for()
    told = {"verdict": "doubtful", "findings": FINDINGS, "rewritten": "SELECT COUNT(*) FROM customers"}
    looked.page.route("**/v1/sql-checks", lambda route: route.fulfill(json=told))
    dialog.get_by_role("button", name="Check").click()
    dialog.get_by_text("It may answer another question.").wait_for()
    assert "COUNT(*)" in dialog.locator("section", has_text="Corrected SQL").inner_text()
    assert not AXE.exists() or found_by_axe(looked) == []


@pytest.mark.parametrize("fold", FOLDS)
def test_each_finding_is_said_once(service: Service, look: Callable[..., Looked], fold: str) -> None:
    looked, (word, result) = look(service), FOLDS[fold]
    looked.page.route("**/v1/asks/q1", lambda route: route.fulfill(json=ASKED | result))
    looked.page.goto(f"{looked.url}/#/default/ask/q1")
    looked.card.get_by_text(fold, exact=True).click()
    assert word in looked.card.inner_text()
    assert [looked.card.get_by_text(one).count() for one in ("A doubt.", "A note.")] == [1, 1]
    assert not AXE.exists() or found_by_axe(looked) == []
    if result is PROPOSED:
        looked.card.get_by_role("button", name="Run", exact=True).press("Enter")
        looked.card.get_by_text("Ada Lovelace").wait_for()
