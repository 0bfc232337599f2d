"""The page by keyboard alone, and what screen readers are told: only keys are pressed, and only what has the focus and
what changes in live regions is looked at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.conftest import Looked, Service, until
from tests.support.tables import case_table

pytestmark = pytest.mark.deep

Look = Callable[..., Looked]

# Text that comes into a region which was there before it, as readers speak no other.
LISTEN = case_table(__file__, "listen")
FOCUSED = case_table(__file__, "focused")
# Whether all that has the focus is hidden by something else.
IS_HIDDEN = case_table(__file__, "is_hidden")


def listen(looked: Looked) -> None:
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    looked.page.evaluate(LISTEN)


def heard(looked: Looked, text: str) -> list[str]:
    """All that was said, once this was."""
    until(looked.page, "text => heard.some(one => one.includes(text))", arg=text)
    said: list[str] = looked.page.evaluate("heard")
    return said


def focused(looked: Looked) -> tuple[str, str]:
    """What has the focus: its element, and its name or text."""
    name, text = looked.page.evaluate(FOCUSED)
    return name, text


def tab_to(looked: Looked, name: str, *, most: int = 60, key: str = "Tab") -> None:
    """Press Tab until something of this name has the focus."""
    for _ in range(most):
        looked.page.keyboard.press(key)
        if focused(looked)[1].startswith(name):
            return
    raise AssertionError(f"{name} is not reached; the last one is {focused(looked)}")


# -- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many customers are there?", "Answered: 3"),
        ("list all orders", "Answered: 4 rows"),
        ("what can you do?", "Answered: "),
    ],
)
def test_what_became_of_a_question_is_said(service: Service, look: Look, question: str, said: str) -> None:
    looked = look(service)
    listen(looked)
    looked.ask(question)
    assert len([one for one in heard(looked, said) if one.startswith(said)]) == 1


# -- where the focus is -----------------------------------------------------------------------------------------------


def test_a_question_back_is_a_group_whose_numbers_choose(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("how many consumers are there?")
    until(looked.page, "() => document.activeElement.matches('.option')")
    question = looked.card.locator(".clarify-question").inner_text()
    assert looked.card.get_by_role("group", name=question).locator(".option").count() >= 2
    tab_to(looked, "Or say it in your own words")
    looked.page.keyboard.type("2")
    assert looked.page.evaluate("document.activeElement.value") == "2"
    looked.page.keyboard.press("Backspace")
    looked.page.keyboard.press("Shift+Tab")
    options = looked.card.locator(".option").all_inner_texts()
    number = next(at for at, text in enumerate(options) if "ustomers" in text)
    looked.page.keyboard.press(str(number + 1))
    looked.card.locator(".answer").wait_for()
    assert focused(looked) == ("h2", "how many consumers are there?")


@pytest.mark.parametrize(("width", "height"), [(1280, 620), (320, 568), (320, 256)])
def test_nothing_hides_what_has_the_focus(service: Service, look: Look, width: int, height: int) -> None:
    looked = look(service, width=width, height=height)
    looked.ask("How many customers are there?")
    looked.ask("list all orders")
    looked.page.wait_for_timeout(800)
    looked.page.get_by_role("textbox", name="Your question").focus()
    for key in ["Shift+Tab"] * 14 + ["Tab"] * 14:
        looked.page.keyboard.press(key)
        looked.page.wait_for_timeout(30)
        assert not looked.page.evaluate(IS_HIDDEN), (key, focused(looked))
