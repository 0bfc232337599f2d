"""Asking on the page: from the box to an answer that can be checked, corrected and sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, until

pytestmark = pytest.mark.deep


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
