"""Keys and readers in the other places and parts: the model as it is described, the history, tables, SQL, charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.page.conftest import Looked, Service, service_of, until
from tests.page.test_keyboard import (
    CLARIFICATION,
    IS_HIDDEN,
    LISTEN,
    focused,
    heard,
    listen,
    push,
    run,
    scripted,
    tab_to,
)
from tests.support.service import write_config

pytestmark = pytest.mark.deep

Look = Callable[..., Looked]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Service]:
    """A service of the test's own, whose model it changes."""
    with service_of(write_config(tmp_path)) as running:
        yield running


def described(looked: Looked) -> None:
    """A table of the model, as it is being described; what is said from now on is heard."""
    looked.page.get_by_role("button", name="Describe it").press("Enter")
    until(looked.page, "() => document.activeElement.matches('.input')")
    looked.page.evaluate(LISTEN)


# -- the model --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (320, 568), (320, 256)])
def test_what_saves_descriptions_hides_no_field(service: Service, look: Look, width: int, height: int) -> None:
    looked = look(service, "#/default/model/customers", width=width, height=height)
    described(looked)
    looked.page.keyboard.type("x")
    for key in ["Tab"] * 12 + ["Shift+Tab"] * 12:
        looked.page.keyboard.press(key)
        looked.page.wait_for_timeout(30)
        assert not looked.page.evaluate(IS_HIDDEN), (key, focused(looked))


def test_a_prepared_model_leaves_the_focus_where_it_is(own: Service, look: Look) -> None:
    looked = look(own, "#/default/model/customers")
    described(looked)
    looked.page.keyboard.type("Clients")
    looked.page.get_by_role("button", name="Save").press("Enter")
    heard(looked, "The model is prepared.")
    looked.page.get_by_role("heading", name="Clients").wait_for()
    until(looked.page, "() => document.activeElement.matches('h1')")


def test_how_much_is_changed_is_said_when_that_changes(service: Service, look: Look) -> None:
    looked = look(service, "#/default/model/customers")
    described(looked)
    looked.page.keyboard.type("Clients", delay=30)
    heard(looked, "1 change")
    looked.page.keyboard.type(" of ours", delay=120)
    looked.page.wait_for_timeout(800)
    assert looked.page.evaluate("heard") == ["1 change"]


def test_the_list_of_tables_is_skipped_and_its_search_is_said(service: Service, look: Look) -> None:
    looked = look(service, "#/default/model/customers")
    title = looked.page.get_by_role("heading", name="customers")
    title.wait_for()
    assert looked.page.get_by_role("heading").first.evaluate("one => one.localName") == "h1"
    looked.page.evaluate(LISTEN)
    looked.page.get_by_role("searchbox", name="Search the data").focus()
    looked.page.keyboard.type("zzz")
    heard(looked, "0 tables have this")
    for _ in range(3):
        looked.page.keyboard.press("Backspace")
    heard(looked, "2 tables")
    tab_to(looked, "Skip the list", most=1)
    assert not looked.page.evaluate(IS_HIDDEN)
    looked.page.keyboard.press("Enter")
    assert focused(looked) == ("h1", "customers")


# -- the history ------------------------------------------------------------------------------------------------------


def test_that_no_question_fits_is_said(service: Service, look: Look) -> None:
    service.call("POST", "/v1/asks", json={"query": "How many customers are there?", "execute": True})
    looked = look(service, "#/default/history")
    looked.page.locator(".days").wait_for()
    looked.page.evaluate(LISTEN)
    looked.page.get_by_role("searchbox").press_sequentially("zorbs")
    heard(looked, "No question fits.")
    looked.page.get_by_role("searchbox").fill("")
    heard(looked, " question")


# -- tables -----------------------------------------------------------------------------------------------------------


def test_the_cells_of_one_row_are_said(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    run(looked, "SELECT 'Michael' AS forename, 849 AS total_wins, NULL AS team")
    heard(looked, "Answered: forename Michael, total wins 849, team no value")


def test_rows_are_called_by_their_names_and_a_selection_is_said(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    run(looked, "SELECT name, id, country FROM customers ORDER BY name")
    tab_to(looked, "Rows")
    assert looked.card.get_by_role("rowheader").count() == 3
    keys = "one => document.getElementById(one.getAttribute('aria-describedby')).textContent"
    assert "Escape ends the selection" in looked.card.get_by_role("grid").evaluate(keys)
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight"):
        looked.page.keyboard.press(key)
    said = heard(looked, "selected")
    assert [one for one in said if "selected" in one] == ["3 rows, 2 columns selected"]
    looked.page.keyboard.press("Escape")
    heard(looked, "Nothing is selected")
    assert looked.card.locator(".is-selected").count() == 0
    assert focused(looked)[1] == "Rows"


def test_figures_are_copied_as_they_are_shown(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    run(looked, "SELECT 27861.894999999997 AS total, 1.0 / 3 AS third")
    tab_to(looked, "Rows")
    looked.page.keyboard.press("Control+a")
    looked.page.keyboard.press("Control+c")
    looked.page.locator(".toast", has_text="Copied.").wait_for()
    copied = looked.page.evaluate("navigator.clipboard.readText()")
    assert copied == "27861.895\t0.3333333333333333"
    looked.page.keyboard.press("Home")
    looked.page.keyboard.press("Enter")
    assert looked.page.get_by_role("dialog").get_by_role("textbox").input_value() == "27861.895"


# -- SQL --------------------------------------------------------------------------------------------------------------


def test_sql_that_is_left_by_escape_is_kept_and_what_happens_is_said(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    tab_to(looked, "Edit", key="Shift+Tab")
    looked.page.keyboard.press("Enter")
    looked.page.keyboard.press("Control+a")
    looked.page.keyboard.insert_text("SELECT 1 AS one")
    tab_to(looked, "Run", most=1)
    looked.page.keyboard.press("Escape")
    heard(looked, "Edit shows again what you changed.")
    assert focused(looked) == ("button", "Edit")
    looked.page.keyboard.press("Enter")
    assert looked.page.evaluate("document.activeElement.value") == "SELECT 1 AS one"
    tab_to(looked, "Cancel", most=2)
    looked.page.keyboard.press("Enter")
    heard(looked, "Cancelled.")
    looked.page.keyboard.press("Enter")
    assert "COUNT" in looked.page.evaluate("document.activeElement.value")
    looked.page.route("**/v1/sql-runs", lambda _: None)
    looked.page.keyboard.press("Control+Enter")
    heard(looked, "The statement runs")


# -- charts -----------------------------------------------------------------------------------------------------------


def test_another_kind_of_chart_is_said_and_so_is_its_picture(service: Service, look: Look) -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts` is not installed")
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    run(looked, "SELECT country, COUNT(*) AS n FROM customers GROUP BY country")
    looked.card.get_by_role("tab", name="Chart").press("Enter")
    kind = looked.card.get_by_label("Kind")
    kind.wait_for(timeout=60_000)
    kind.select_option("pie")
    heard(looked, "Pie: ")
    looked.card.get_by_role("button", name="Picture").press("Enter")
    with looked.page.expect_download():
        looked.page.keyboard.press("Enter")
    heard(looked, "to save")


# -- asking -----------------------------------------------------------------------------------------------------------


def test_no_stage_is_said_after_the_service_did_not_answer(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.page.route("**/v1/asks", lambda route: route.abort())
    looked.ask("How many customers are there?")
    heard(looked, "The service does not answer.")
    looked.page.wait_for_timeout(400)
    # What went on before may have been said, and nothing after that.
    assert looked.page.evaluate("heard")[-1].startswith("The service does not answer.")


def test_a_question_back_is_said_once(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    scripted(looked)
    heard(looked, "Understanding")
    push(looked, "state", status="awaiting_correction", clarification=CLARIFICATION)
    until(looked.page, "() => document.activeElement.matches('.option')")
    looked.page.wait_for_timeout(400)
    assert looked.page.evaluate("heard") == ["Understanding"]
    assert looked.card.get_by_role("group", name="Which zorbs?").count() == 1


# -- small screens ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [640, 256])
def test_the_list_of_places_is_closed_by_its_button_and_by_escape_anywhere(
    service: Service, look: Look, height: int
) -> None:
    looked = look(service, width=320, height=height)
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    places, listed = looked.page.get_by_role("button", name="Places"), looked.page.locator("#places")
    places.click()
    listed.wait_for()
    places.click()
    listed.wait_for(state="hidden")
    places.press("Enter")
    tab_to(looked, "Skip to the page", key="Shift+Tab")
    looked.page.keyboard.press("Escape")
    assert listed.is_hidden()
    assert focused(looked) == ("button", "Places")
