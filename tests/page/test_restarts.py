"""A service that is killed, and started again, while somebody looks at the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from tests.fakes.openai_server import Answer, ChatServer
from tests.page.conftest import Looked, Service
from tests.support.service import ServiceProcess, client, write_config

pytestmark = pytest.mark.deep

COUNTED = Answer(json={"sql": "SELECT COUNT(*) AS n FROM customers"}, delay=1.5)


class Restarted:
    """A service as a process over a slow language model."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._portal = stack.enter_context(start_blocking_portal())
        script = {"sql_generation": [COUNTED] * 20}
        model = stack.enter_context(self._portal.wrap_async_context_manager(ChatServer(script)))
        write_config(folder, api_base=model.api_base, settings={"rules_mode": "off"})
        self._process = ServiceProcess(folder / "config.yaml")
        stack.callback(self._portal.call, self._process.kill)
        self.start()
        one = stack.enter_context(self._portal.wrap_async_context_manager(client(self._process.url)))
        self.service = Service(one, self._portal)
        self.service.prepare()

    def start(self) -> None:
        self._portal.call(self._process.start)

    def kill(self) -> None:
        self._portal.call(self._process.kill)


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[Restarted]:
    with ExitStack() as stack:
        yield Restarted(stack, tmp_path)


def test_a_question_outlives_kill_9_on_the_page(restarted: Restarted, look: Callable[..., Looked]) -> None:
    looked = look(restarted.service)
    page = looked.page
    page.get_by_role("textbox", name="Your question").fill("How many customers are there?")
    with page.expect_response("**/events"):
        page.keyboard.press("Enter")
    restarted.kill()
    page.locator(".away").wait_for()
    page.get_by_role("textbox", name="Your question").fill("what is typed meanwhile")
    restarted.start()
    looked.card.locator(".figure-value").wait_for(timeout=40_000)
    assert looked.card.locator(".figure-value").inner_text() == "3"
    assert page.locator(".away").is_hidden()
    assert page.get_by_role("textbox", name="Your question").input_value() == "what is typed meanwhile"
    assert page.locator("article").count() == 1
