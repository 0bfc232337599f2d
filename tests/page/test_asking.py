"""Asking on the page: from the box to an answer that can be checked, corrected and sent."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from askwell.sample.shop import generate_shop, shop_manifest
from tests.agent.talking import ASK, Answer, Call, Talk, talking
from tests.page.conftest import Looked, Service, service_of, until
from tests.support.service import write_config

pytestmark = pytest.mark.deep


def test_a_question_becomes_an_answer_with_its_evidence(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    card = looked.card
    assert card.locator(".figure-value").inner_text() == "3"
    assert "Clear" in card.locator(".answer-trust").inner_text()
    card.locator(".how > summary").click()
    assert "FROM customers" in card.locator(".sql-text").inner_text()
    assert "By rules" in card.locator(".facts").inner_text()
    assert card.locator("dt", has_text="Time").is_visible()


def test_a_thread_has_an_address_that_shows_it_again(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.ask("and per country?")
    assert looked.card.locator(".grid").inner_text().count("Germany") == 1
    address = looked.page.url
    assert address.count(".") == 4
    other = look(service, address.removeprefix(f"{service.url}/"))
    other.page.locator("article .answer").nth(1).wait_for()
    assert other.page.locator("article h2").all_inner_texts() == ["How many customers are there?", "and per country?"]
    other.page.go_back()
    looked.page.go_back()
    until(looked.page, "document.querySelectorAll('article').length === 1")
    looked.page.go_forward()
    until(looked.page, "document.querySelectorAll('article').length === 2")


def test_what_is_asked_back_is_answered_by_a_choice(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("how many consumers are there?")
    options = looked.card.locator(".option")
    assert options.count() >= 2
    options.filter(has_text="Customers").first.click()
    looked.card.locator(".answer").wait_for()
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_a_wrong_answer_is_corrected_and_the_next_one_is_verified(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = look(service)
    looked.ask("How many orders are there?")
    looked.card.get_by_role("button", name="Wrong").click()
    dialog = looked.page.get_by_role("dialog")
    dialog.get_by_label("The right SQL").fill("SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'")
    dialog.get_by_role("button", name="Send").click()
    looked.page.locator(".toast").wait_for()
    looked.page.get_by_role("link", name="New thread").click()
    looked.card.wait_for(state="detached")
    looked.ask("How many orders are there?")
    assert looked.card.locator(".figure-value").inner_text() == "2"
    assert "Checked" in looked.card.locator(".answer-trust").inner_text()


def test_a_stream_that_is_cut_goes_on(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    cut: list[str] = []

    def cut_twice(route: Any) -> None:
        if len(cut) < 2:
            cut.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    looked.page.route("**/v1/asks/*/events", cut_twice)
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"
    assert len(cut) == 2
    assert looked.page.locator(".away").is_hidden()


def test_an_edited_statement_runs_through_the_same_guard(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.locator(".how > summary").click()
    looked.card.get_by_role("button", name="Edit").click()
    field = looked.card.get_by_role("textbox", name="SQL to run")
    field.fill("DELETE FROM customers")
    field.press("Control+Enter")
    looked.card.locator(".note.is-bad").wait_for()
    field.fill("SELECT name FROM customers ORDER BY name")
    field.press("Control+Enter")
    looked.card.locator(".grid").wait_for()
    assert "Ada Lovelace" in looked.card.locator(".grid").inner_text()
    looked.card.get_by_role("button", name="Back to the answer").click()
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_all_rows_are_downloaded(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("list all orders")
    for label, ending in (("CSV", "csv"), ("Excel", "xlsx"), ("JSON", "json"), ("Parquet", "parquet")):
        looked.card.get_by_role("button", name="Download").click()
        with looked.page.expect_download() as download:
            looked.card.get_by_role("menuitem", name=label).click()
        path = download.value.path()
        assert download.value.suggested_filename.endswith(f".{ending}")
        assert path.stat().st_size > 50


# -- The pictures in the documentation: made by `pytest tests/page/test_pictures.py --update-golden`.


PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "page.png"
SIZE = (1280, 860)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The sample shop of the demo."""
    folder = tmp_path_factory.mktemp("shop")
    generate_shop(folder / "shop.duckdb", datetime.now(UTC).date())
    sources = {"default": {"engine": "duckdb", "path": str(folder / "shop.duckdb"), "shared": True}}
    with service_of(write_config(folder, data_sources=sources), shop_manifest()) as running:
        yield running


def test_the_readme_opens_with_a_picture_of_the_page(
    shop: Service, look: Callable[..., Looked], request: pytest.FixtureRequest
) -> None:
    looked = look(shop, width=SIZE[0], height=SIZE[1])
    looked.ask("revenue per month this year")
    looked.card.locator(".chart-view canvas, .chart-view img").wait_for(timeout=90_000)
    looked.page.wait_for_timeout(500)
    picture = looked.page.screenshot()
    if request.config.getoption("--update-golden"):
        PICTURE.write_bytes(picture)
    assert size_of(picture) == size_of(PICTURE.read_bytes()) == SIZE
    assert "docs/pictures/page.png" in (PICTURE.parents[2] / "README.md").read_text(encoding="utf-8")


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height, as the header has them (https://www.w3.org/TR/png-3/#11IHDR)."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


# -- The conversation with the agent on the page: words, calls with their rows, what is asked back, two tabs.


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
    step.locator(".how > summary").click()
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
