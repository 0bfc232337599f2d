"""What is said of a statement that is checked against its question: pasted, proposed or answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.conftest import Looked, Service
from tests.page.test_accessibility import AXE, found_by_axe

pytestmark = pytest.mark.deep

FINDINGS = [{"severity": name, "message": f"A {name}."} for name in ("doubt", "note")]


def test_pasted_sql_is_checked_against_the_question(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.locator(".how > summary").click()
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
