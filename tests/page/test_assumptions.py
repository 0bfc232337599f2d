"""What an answer took for granted is a chip; where something else could be meant, the chip asks for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.asks.test_clarification import trader
from tests.page.conftest import Looked, Service, service_of

pytestmark = pytest.mark.deep

TIME = "Time was taken to mean order_date."


@pytest.fixture(scope="module")
def traded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A shop whose sales orders have three dates each."""
    with service_of(*trader(tmp_path_factory.mktemp("trader"))) as running:
        yield running


def test_another_date_is_asked_for_by_its_chip(traded: Service, look: Callable[..., Looked]) -> None:
    """With the keyboard alone; and the answer to that leads back."""
    looked = look(traded)
    looked.ask("how many sales orders in 2025")
    first = looked.card
    assert "How many sales orders are there" in first.locator(".reading").inner_text()
    assert first.locator(".figure-value").inner_text() == "3"
    first.get_by_role("button", name=TIME).focus()
    for key in ("Enter", "Enter"):  # the menu opens with its first option in hand
        looked.page.keyboard.press(key)
    second = looked.page.locator("article").nth(1)
    second.locator(".figure-value").wait_for()
    assert second.locator(".figure-value").inner_text() == "2"
    second.get_by_role("button", name="Time was taken to mean ship_date.").click()
    assert second.get_by_role("menuitem").all_inner_texts() == ["order_date", "due_date"]


def test_what_no_sentence_says_is_a_chip_of_its_own(traded: Service, look: Callable[..., Looked]) -> None:
    looked = look(traded, width=320)
    looked.ask("gross amount of sales orders by month")
    looked.card.get_by_role("button", name="order_date").click()
    looked.card.get_by_role("menuitem", name="due_date").click()
    second = looked.page.locator("article").nth(1)
    second.locator(".answer").wait_for()
    assert "due date" in second.locator(".reading").inner_text().lower()
    assert looked.page.evaluate("document.documentElement.scrollWidth") <= 320


def test_another_period_is_asked_for_in_words(traded: Service, look: Callable[..., Looked]) -> None:
    """The question of the next answer says it, and what was taken for granted stays first."""
    looked = look(traded)
    looked.ask("how many sales orders in 2026")
    first = looked.card
    assert first.locator(".figure-value").inner_text() == "0"
    assert first.locator(".assumptions li").all_inner_texts() == [TIME, "Period: 2026"]
    first.get_by_role("button", name="Period: 2026").click()
    first.get_by_role("menuitem", name="2025").click()
    second = looked.page.locator("article").nth(1)
    second.locator(".figure-value").wait_for()
    assert second.locator(".figure-value").inner_text() == "3"
    assert second.get_by_role("heading", name="how many sales orders in 2025").is_visible()
    assert second.get_by_role("button", name="Period: 2025").is_visible()


def test_an_assumption_without_another_meaning_stays_as_it_is(traded: Service, look: Callable[..., Looked]) -> None:
    looked = look(traded)
    looked.ask("sales orders of Ann")
    told = looked.card.locator(".assumptions")
    assert told.locator("li.chip").count() == 1
    assert told.get_by_role("button").count() == 0
