"""The conversation with the agent on the page: words, calls with their rows, what is asked back, two tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from tests.agent.talking import ASK, Answer, Call, Talk, talking
from tests.page.conftest import Looked, Service

pytestmark = pytest.mark.deep

CHAT = "#/default/chat"
THREE = Answer(text="There are **3** customers.")
OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])


@dataclass
class Model:
    """A service whose language model says what a test scripts."""

    talk: Talk
    service: Service

    def says(self, *said: Answer | str) -> None:
        self.service.portal.call(lambda: self.talk.script(conversation=list(said)))

    def go_on(self) -> None:
        self.service.portal.call(self.talk.server.release)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    folder = tmp_path_factory.mktemp("chat")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(talking(folder, {})) as talk:
        yield Model(talk, Service(talk.service, portal))


def say(looked: Looked, message: str) -> Any:
    """Send a message; its turn, which may go on."""
    before = looked.page.locator("article").count()
    looked.page.get_by_role("textbox", name="Your message").fill(message)
    looked.page.keyboard.press("Enter")
    return looked.page.locator("article").nth(before)


def ended(turn: Any) -> Any:
    turn.and_(turn.page.locator('[aria-busy="false"]')).wait_for()
    return turn


def test_an_answer_has_its_calls_and_their_rows(model: Model, look: Callable[..., Looked]) -> None:
    model.says(ASK, THREE)
    looked = look(model.service, CHAT)
    turn = ended(say(looked, "How many customers are there?"))
    assert turn.locator(".turn-words strong").inner_text() == "3"
    step = turn.locator(".step")
    assert "Asked the data" in step.inner_text()
    step.locator("summary").click()
    assert step.locator(".figure-value").inner_text() == "3"
    step.get_by_role("tab", name="SQL").click()
    assert "SELECT" in step.locator(".sql-text").inner_text()
    assert turn.locator(".chip", has_text="How many are paid?").count() == 1
    looked.page.reload()
    looked.card.locator(".chip", has_text="How many are paid?").wait_for()


@pytest.mark.parametrize("how", ["choice", "box"])
def test_what_is_asked_back_is_answered(model: Model, look: Callable[..., Looked], how: str) -> None:
    model.says(OPEN, "Done.")
    looked = look(model.service, CHAT)
    turn = say(looked, "How many orders are open?")
    turn.locator(".option").first.wait_for()
    if how == "choice":
        turn.locator(".option", has_text="sales_orders").click()
    else:
        looked.page.get_by_role("textbox", name="Your message").fill("sales orders")
        looked.page.keyboard.press("Enter")
    turn.get_by_text("Done.").wait_for()
    assert turn.locator(".option").count() == 0
    turn.locator(".step summary").click()
    assert turn.locator(".figure-value").inner_text() == "3"


def test_a_run_is_stopped_and_what_was_said_stays(model: Model, look: Callable[..., Looked]) -> None:
    model.says(Answer(text="One is here. " * 60, chunk_delay=0.2))
    looked = look(model.service, CHAT)
    turn = say(looked, "Hello?")
    turn.locator(".turn-words").wait_for()
    looked.page.get_by_role("button", name="Stop").click()
    turn.get_by_text("Stopped.").wait_for()
    assert "One is here." in turn.locator(".turn-words").inner_text()
    looked.page.reload()
    looked.card.get_by_text("Stopped.").wait_for()
    assert "One is here." in looked.card.locator(".turn-words").inner_text()


# -- Markdown -------------------------------------------------------------------------------------------------------
