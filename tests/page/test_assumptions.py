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
