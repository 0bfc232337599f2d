"""What axe-core finds on each view, in light and dark; narrow screens; right to left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service

pytestmark = pytest.mark.deep

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PLACES = ("", "#/default/history", "#/default/model", "#/default/keep")
QUESTIONS = ("How many customers are there?", "list all orders", "how many consumers are there?", "what can you do?")
axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (npm ci)")


def found_by_axe(looked: Looked) -> list[str]:
    """What axe finds on the page as it is now, of its rules for WCAG 2.2 AA."""
    looked.page.wait_for_timeout(400)
    if not looked.page.evaluate("'axe' in window"):
        looked.page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    result: dict[str, Any] = looked.page.evaluate(
        "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})", rules
    )
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['failureSummary']}"
        for one in result["violations"]
        for node in one["nodes"]
    ]


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_on_a_place(service: Service, look: Callable[..., Looked], place: str, dark: bool) -> None:
    looked = look(service, place, dark=dark)
    looked.page.wait_for_load_state("networkidle")
    assert found_by_axe(looked) == []


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_axe_finds_nothing_on_an_answer(
    service: Service, look: Callable[..., Looked], question: str, dark: bool
) -> None:
    looked = look(service, dark=dark)
    looked.ask(question)
    assert found_by_axe(looked) == []
    for tab in looked.card.get_by_role("tab").all():
        tab.click()
        looked.page.wait_for_timeout(300)
        assert found_by_axe(looked) == []
    for fold in looked.card.locator(".how > summary").all():
        fold.click()
        assert found_by_axe(looked) == []
