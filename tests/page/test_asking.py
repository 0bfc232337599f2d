"""Asking on the page: from the box to an answer that can be checked, corrected and sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, until

pytestmark = pytest.mark.deep


# What the card says after each answer that is none.
SAID = ("Attempt 2 of 3", "Attempt 3 of 3", "consumers")


def test_a_question_becomes_an_answer_with_its_evidence(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    card = looked.card
    assert card.locator(".figure-value").inner_text() == "3"
    assert "By rules" in card.locator(".answer-head").inner_text()
    card.get_by_role("tab", name="SQL").click()
    assert "FROM customers" in card.locator(".sql-text").inner_text()
    card.get_by_role("tab", name="Evidence").click()
    assert card.locator("dt", has_text="Time").is_visible()


def test_the_menu_of_a_small_answer_is_seen_whole(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("top 1 customer by number of orders")
    looked.card.get_by_role("button", name="Download").click()
    at = """one => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height - 3) === one;
    }"""
    assert [one.evaluate(at) for one in looked.card.get_by_role("menuitem").all()] == [True] * 4


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
    assert "Checked" in looked.card.locator(".answer-head").inner_text()


def test_a_failure_says_why_and_what_to_do(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("how many consumers are there?")
    for attempt in range(3):
        words = looked.card.get_by_role("textbox", name="Or say it in your own words")
        words.fill(f"nothing of that kind {attempt}")
        words.press("Enter")
        looked.card.locator(".note, .clarify p.small").filter(has_text=re.compile(SAID[attempt])).wait_for()
    why, hint = looked.card.locator(".note p").all_inner_texts()[:2]
    assert why
    assert hint
    assert looked.card.get_by_role("button", name="Ask again").is_visible()
    assert looked.card.locator(".note.is-bad").count() == 0
    looked.card.get_by_role("link", name="See what there is").wait_for()
    looked.card.locator(".suggestions .chip").first.wait_for()


def test_the_page_waits_for_a_service_that_is_away(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    # What answers are shown with comes after the box.
    looked.page.wait_for_load_state("networkidle")
    looked.page.context.set_offline(True)
    looked.page.get_by_role("textbox", name="Your question").fill("How many customers are there?")
    looked.page.keyboard.press("Enter")
    looked.card.get_by_role("button", name="Try again").wait_for()
    looked.page.context.set_offline(False)
    looked.card.get_by_role("button", name="Try again").click()
    looked.card.locator(".answer").wait_for()
    assert looked.page.locator("article").count() == 1
    looked.problems.clear()  # what the browser says of a request without a network


def test_a_question_may_be_typed_and_answered_by_keyboard_alone(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    page = looked.page
    page.get_by_role("textbox", name="Your question").wait_for()
    page.keyboard.type("list all orders")
    page.keyboard.press("Enter")
    looked.card.locator(".grid").wait_for()
    page.locator(".grid").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator('[role="columnheader"][aria-colindex="2"][aria-sort="ascending"]').wait_for()


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


def test_two_tabs_do_not_disturb_each_other(service: Service, look: Callable[..., Looked]) -> None:
    one = look(service)
    other_page = one.page.context.new_page()
    other_page.goto(f"{service.url}/")
    one.ask("How many customers are there?")
    other_page.get_by_role("textbox", name="Your question").fill("How many orders are there?")
    other_page.keyboard.press("Enter")
    other_page.locator(".figure-value").wait_for()
    assert one.card.locator(".figure-value").inner_text() == "3"
    assert one.page.url != other_page.url


def test_a_pasted_page_of_text_is_asked_as_far_as_it_fits(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    box = looked.page.get_by_role("textbox", name="Your question")
    box.click()
    looked.page.keyboard.insert_text("many words " * 2_000)
    assert len(box.input_value()) == 10_000
    looked.page.keyboard.press("Enter")
    looked.card.locator(".note, .clarify, .answer").first.wait_for()
    assert looked.page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_blocked_clipboard_shows_what_to_copy(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, permissions=[])
    looked.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    looked.ask("How many customers are there?")
    looked.card.get_by_role("button", name="Copy link").click()
    field = looked.page.get_by_role("dialog").get_by_role("textbox")
    assert field.input_value() == f"{looked.page.url}/How%20many%20customers%20are%20there%3F"


def test_an_edited_statement_runs_through_the_same_guard(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.get_by_role("tab", name="SQL").click()
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


def test_right_sql_that_is_not_taken_says_why(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.get_by_role("tab", name="SQL").click()
    looked.card.get_by_role("button", name="Edit").click()
    field = looked.card.get_by_role("textbox", name="SQL to run")
    field.fill("SELECT name FROM customers ORDER BY name")
    field.press("Control+Enter")
    refusal = {"code": "CONFLICT", "message": "Somebody else is saving this.", "hint": ""}
    looked.page.route("**/feedback", lambda route: route.fulfill(status=409, json=refusal))
    looked.card.get_by_role("button", name="This is the right SQL").click()
    looked.page.get_by_text("Somebody else is saving this.").wait_for()


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


def test_what_is_asked_next_is_shown_from_its_beginning(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, height=700)
    for question in ("list all orders", "list all customers", "list all orders"):
        looked.ask(question)
    looked.page.wait_for_timeout(1200)
    top = looked.card.evaluate("card => card.getBoundingClientRect().top")
    assert -1 <= top < 200
    assert looked.card.locator(".grid").evaluate("grid => grid.getBoundingClientRect().top < innerHeight - 200")


def test_the_link_of_an_answer_has_what_it_follows_on(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.ask("How many orders are there?")
    first, second = looked.page.locator("article").all()
    second.get_by_role("button", name="Copy link").click()
    copied = "() => navigator.clipboard.readText()"
    assert looked.page.evaluate(copied) == f"{looked.page.url}/How%20many%20orders%20are%20there%3F"
    first.get_by_role("button", name="Copy link").click()
    alone, _, words = str(looked.page.evaluate(copied)).rpartition("/")
    assert words == "How%20many%20customers%20are%20there%3F"
    assert looked.page.url.startswith(f"{alone}.")


def test_a_link_to_an_answer_that_is_not_there_has_its_question(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, "#/default/ask/gone-1/%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E")
    page = looked.page
    page.get_by_role("heading", name="<img src=x onerror=window.hacked=1>").wait_for()
    assert page.evaluate("window.hacked") is None
    page.goto(f"{service.url}/#/default/ask/gone-2/How%20many%20customers%20are%20there%3F")
    page.get_by_role("heading", name="How many customers are there?").wait_for()
    page.get_by_text("Each person sees their own answers.").wait_for()
    assert page.locator(".answer").count() == 0
    page.get_by_role("button", name="Ask it").click()
    looked.card.locator(".figure-value").wait_for()
    assert page.locator("article").count() == 1
    assert "gone-2" not in page.url
    page.goto(f"{service.url}/#/default/ask/gone-3")
    page.get_by_role("heading", name="A question that is gone").wait_for()
    assert page.get_by_role("button", name="Ask it").count() == 0


def test_a_long_question_is_cut_in_its_link(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("How many customers are there? " + "\U0001f600" * 600)
    router = "import(document.querySelector('script[type=module]').src.replace('main.js', 'lib/router.js'))"
    looked.card.get_by_role("button", name="Copy link").click()
    linked = looked.page.evaluate("() => navigator.clipboard.readText()")
    words = looked.page.evaluate(f"async link => (await {router}).placeOf(new URL(link).hash).rest[1]", linked)
    assert len(words) == 500
    assert words.endswith("\U0001f600…")


def test_an_empty_answer_to_a_question_back_says_what_is_missing(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.ask("how many consumers are there?")
    words = looked.card.get_by_role("textbox")
    looked.card.get_by_role("button", name="Answer", exact=True).click()
    looked.card.get_by_text("Say something here first.").wait_for()
    assert words.evaluate("field => document.activeElement === field && field.getAttribute('aria-invalid')") == "true"
    words.fill("cust")
    assert looked.card.get_by_text("Say something here first.").count() == 0
    looked.page.reload()
    words.wait_for()
    assert words.input_value() == "cust"
    words.fill("customers")
    words.press("Enter")
    looked.card.locator(".figure-value").wait_for()


def test_what_answers_are_shown_with_may_come_late_or_not_at_all(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    page = looked.page
    asked = re.compile("ask-card")
    held: list[Any] = []
    page.route(asked, lambda route: held.append(route))
    page.reload()
    box = page.get_by_role("textbox", name="Your question")
    box.fill("How many customers are there?")
    box.press("Enter")
    page.get_by_role("progressbar").wait_for()
    for route in held:
        route.continue_()
    looked.card.locator(".figure-value").wait_for()

    page.unroute(asked)
    page.route(asked, lambda route: route.abort())
    page.get_by_role("link", name="New thread").click()
    page.reload()
    box.fill("How many customers are there?")
    box.press("Enter")
    page.get_by_text("The service does not answer.").wait_for()
    page.unroute(asked)
    page.get_by_role("button", name="Try again").click()
    until(page, "document.querySelector('textarea')?.value === 'How many customers are there?'")
    box.press("Enter")
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_a_browser_that_keeps_nothing_for_the_page_asks(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    looked.page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })"
    )
    looked.page.reload()
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_what_waits_to_be_answered_holds_no_connection(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    over = lambda request: request.url.endswith("/events")  # noqa: E731
    with looked.page.expect_event("requestfailed", over):
        looked.ask("how many consumers are there?")
    other = look(service, f"#{looked.page.url.partition('#')[2]}")
    other.card.locator(".option", has_text="Customers").first.click()
    other.card.locator(".figure-value").wait_for()
    looked.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    looked.card.locator(".figure-value").wait_for()
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_a_question_that_is_stopped_before_the_service_has_it_is_stopped(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = look(service)
    asked: list[Any] = []
    looked.page.route("**/v1/asks", lambda route: asked.append(route))
    looked.page.get_by_role("textbox", name="Your question").fill("list all orders")
    looked.page.keyboard.press("Enter")
    looked.card.get_by_role("button", name="Stop").first.click()
    with looked.page.expect_request(lambda request: request.method == "PATCH"):
        asked[0].continue_()
