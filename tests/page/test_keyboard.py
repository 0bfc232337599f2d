"""The page by keyboard alone, and what screen readers are told: only keys are pressed, and only what has the focus and
what changes in live regions is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, until

pytestmark = pytest.mark.deep

Look = Callable[..., Looked]

# Text that comes into a region which was there before it, as readers speak no other.
LISTEN = """() => {
  window.heard = [];
  const kinds = '[role=status], [role=alert], [aria-live]';
  const known = new Set(document.querySelectorAll(kinds));
  new MutationObserver(changes => {
    for (const {addedNodes, target} of changes)
      for (const node of addedNodes) {
        const region = target.closest?.(kinds);
        const isSpoken = region && known.has(region) && !region.closest('[inert]') && node.textContent.trim();
        if (isSpoken || (node.nodeType === 1 && node.matches('[role=alert]'))) heard.push(node.textContent);
      }
    for (const one of document.querySelectorAll(kinds)) known.add(one);
  }).observe(document.documentElement, {subtree: true, childList: true});
}"""
# The events of the next question come from the test: `push(name, data)`. What is stopped, is stopped.
SCRIPTED = """() => {
  const real = window.fetch;
  const encoder = new TextEncoder();
  let stream;
  window.push = (name, data) => stream.enqueue(encoder.encode(`event: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`));
  window.fetch = async (address, how) => {
    if (String(address).endsWith('/events'))
      return new Response(new ReadableStream({start: given => { stream = given; window.isOpen = true; }}));
    if (how?.method === 'PATCH') { push('done', {status: 'stopped'}); return Response.json({}); }
    return real(address, how);
  };
}"""
FOCUSED = """() => {
  const one = document.activeElement;
  const other = document.getElementById(one.getAttribute('aria-labelledby'));
  const label = one.getAttribute('aria-label') ?? other?.textContent;
  return [one.localName, (label ?? one.textContent).trim()];
}"""
CLARIFICATION = {
    "id": "c1",
    "kind": "choice",
    "question": "Which zorbs?",
    "options": [{"id": "a", "label": "Big"}, {"id": "b", "label": "Small"}],
}
# Whether all that has the focus is hidden by something else.
IS_HIDDEN = """() => {
  const one = document.activeElement;
  const {left, right, top, bottom} = one.getBoundingClientRect();
  for (const part of [0.1, 0.5, 0.9]) {
    const at = document.elementFromPoint(left + (right - left) / 2, top + (bottom - top) * part);
    if (at && (one.contains(at) || at.contains(one))) return false;
  }
  return true;
}"""


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


def scripted(looked: Looked, question: str = "how many consumers are there?") -> None:
    """Ask what the test answers."""
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    looked.page.evaluate(SCRIPTED)
    looked.page.keyboard.type(question)
    looked.page.keyboard.press("Enter")
    until(looked.page, "() => window.isOpen")


def push(looked: Looked, name: str, **data: Any) -> None:
    looked.page.evaluate("([name, data]) => push(name, data)", [name, data])


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


def test_each_stage_is_said_once_and_then_why_it_failed(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    scripted(looked)
    heard(looked, "Understanding")
    for stage, said in (("searching", "Finding tables"), ("generating", "Writing SQL")):
        for _ in range(3):
            push(looked, "state", status=stage)
        heard(looked, said)
    push(
        looked,
        "error",
        status="failed",
        error={"code": "NO_RELEVANT_DATA", "message": "There are no zorbs.", "hint": ""},
    )
    assert heard(looked, "no zorbs") == ["Understanding", "Finding tables", "Writing SQL", "There are no zorbs."]


def test_that_it_is_stopped_is_said_and_the_focus_stays_in_the_card(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    scripted(looked)
    tab_to(looked, "Stop", key="Shift+Tab")
    assert looked.page.evaluate("document.activeElement.closest('article') !== null")
    looked.page.keyboard.press("Enter")
    heard(looked, "Stopped.")
    assert focused(looked) == ("h2", "how many consumers are there?")


def test_of_an_old_thread_only_the_last_answer_is_said(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.ask("How many orders are there?")
    looked.page.add_init_script(f"addEventListener('DOMContentLoaded', {LISTEN})")
    looked.page.reload()
    said = heard(looked, "Answered: 4")
    assert [one for one in said if "Answered" in one] == ["How many orders are there? Answered: 4"]


def test_a_short_word_is_said_in_a_region_that_was_there_and_in_a_dialog_too(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("list all orders")
    tab_to(looked, "Rows", key="Shift+Tab")
    looked.page.keyboard.press("Control+c")
    heard(looked, "Copied.")
    looked.page.evaluate("heard.length = 0")
    looked.page.keyboard.press("Enter")
    tab_to(looked, "Copy")
    looked.page.keyboard.press("Enter")
    heard(looked, "Copied.")
    assert looked.page.locator("dialog .toast").count() == 1
    looked.page.keyboard.press("Escape")
    assert looked.page.locator("body > .toasts .toast", has_text="Copied.").count() >= 1
    assert focused(looked)[1] == "Rows"


def test_order_and_width_of_the_rows_are_said_once(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("list all orders")
    tab_to(looked, "Rows", key="Shift+Tab")
    looked.page.keyboard.press("ArrowUp")
    looked.page.keyboard.press("Enter")
    heard(looked, "Sorted by id, smallest first")
    looked.page.keyboard.press("Enter")
    heard(looked, "Sorted by id, largest first")
    for _ in range(4):
        looked.page.keyboard.press("Alt+ArrowRight")
    assert len([one for one in heard(looked, "Width ") if one.startswith("Width")]) == 1


def test_how_many_rows_are_found_is_said_when_no_more_is_typed(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    run(looked, " UNION ALL ".join(f"SELECT 'word {at}' AS name" for at in range(20)))
    tab_to(looked, "Search in these rows")
    looked.page.keyboard.type("word 1", delay=60)
    assert [one for one in heard(looked, "11 rows have this") if "have this" in one] == ["11 rows have this"]


def test_a_download_is_said_at_its_beginning_and_its_end(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("list all orders")
    tab_to(looked, "Download", key="Shift+Tab")
    looked.page.keyboard.press("Enter")
    assert looked.card.get_by_role("menu", name="Download").count() == 1
    with looked.page.expect_download():
        looked.page.keyboard.press("Enter")
    assert not [one for one in heard(looked, "Your browser was given ") if " MB" in one]
    assert focused(looked) == ("button", "Download")


def test_enter_while_a_question_is_worked_on_says_to_wait_and_keeps_the_text(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    scripted(looked)
    looked.page.keyboard.type("and then?")
    looked.page.keyboard.press("Enter")
    heard(looked, "Wait for the answer, or stop it.")
    assert looked.page.evaluate("document.activeElement.value") == "and then?"


# -- where the focus is -----------------------------------------------------------------------------------------------


def test_who_types_on_is_not_interrupted_by_a_question_back(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    scripted(looked)
    looked.page.keyboard.type("list all")
    push(looked, "state", status="awaiting_correction", clarification=CLARIFICATION)
    heard(looked, "A question back: Which zorbs?")
    looked.page.keyboard.type(" orders")
    assert looked.page.evaluate("document.activeElement.value") == "list all orders"


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


def test_going_elsewhere_and_back_moves_the_focus_there(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    for place in ("History", "Data"):
        tab_to(looked, place, key="Shift+Tab")
        looked.page.keyboard.press("Enter")
        until(looked.page, "name => document.activeElement.ariaLabel === name", arg=place)
        assert focused(looked) == ("main", place)
    looked.page.go_back()
    until(looked.page, "() => document.activeElement.ariaLabel === 'History'")
    looked.page.go_back()
    until(looked.page, "() => document.activeElement.matches('.question')")


def test_the_first_place_leaves_the_focus_where_it_is(service: Service, look: Look) -> None:
    looked = look(service, "#/default/history")
    looked.page.get_by_role("heading", name="History").wait_for()
    assert focused(looked)[0] == "body"


def run(looked: Looked, sql: str) -> None:
    """Run a statement in the place of the last answer's, by keys."""
    looked.card.get_by_role("tab", name="SQL").focus()
    looked.page.keyboard.press("Enter")
    tab_to(looked, "Edit")
    looked.page.keyboard.press("Enter")
    looked.page.keyboard.press("Control+a")
    looked.page.keyboard.insert_text(sql)
    looked.page.keyboard.press("Control+Enter")
    until(looked.page, "() => document.activeElement.matches('.note')")


def test_changed_sql_keeps_the_focus_in_the_answer(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many customers are there?")
    run(looked, "SELECT name FROM customers ORDER BY name")
    assert focused(looked)[1].startswith("These are the rows of SQL that you changed.")
    heard(looked, "Answered: 3 rows")
    tab_to(looked, "Back to the answer")
    looked.page.keyboard.press("Enter")
    assert looked.page.evaluate("document.activeElement.role") == "tab"
    for leave in ("Escape", "Cancel"):
        tab_to(looked, "Edit")
        looked.page.keyboard.press("Enter")
        if leave == "Cancel":
            tab_to(looked, "Cancel")
        looked.page.keyboard.press("Enter" if leave == "Cancel" else leave)
        assert focused(looked) == ("button", "Edit")
        looked.page.keyboard.press("Shift+Tab")


def test_the_run_button_keeps_the_focus_when_the_statement_is_refused(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    tab_to(looked, "SQL", key="Shift+Tab")
    tab_to(looked, "Edit")
    looked.page.keyboard.press("Enter")
    looked.page.keyboard.press("Control+a")
    looked.page.keyboard.insert_text("DELETE FROM customers")
    tab_to(looked, "Run")
    looked.page.keyboard.press("Enter")
    looked.card.locator(".note.is-bad").wait_for()
    assert focused(looked) == ("button", "Run")


def test_feedback_keeps_the_focus_on_its_button(service: Service, look: Look) -> None:
    looked = look(service)
    listen(looked)
    looked.ask("How many orders are there?")
    tab_to(looked, "Right", key="Shift+Tab")
    looked.page.keyboard.press("Enter")
    heard(looked, "Thank you.")
    assert focused(looked) == ("button", "Right")
    assert looked.page.evaluate("document.activeElement.ariaPressed") == "true"
    tab_to(looked, "Wrong")
    looked.page.keyboard.press("Enter")
    dialog = looked.page.get_by_role("dialog")
    said = looked.page.evaluate("document.querySelector('dialog').getAttribute('aria-describedby').split(' ').length")
    assert said == dialog.locator("p[id]").count() == 2
    tab_to(looked, "Send")
    looked.page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    until(looked.page, "() => document.activeElement.ariaPressed === 'true'")
    assert focused(looked) == ("button", "Wrong")
    assert looked.page.locator("body > .toasts .toast").count() >= 1


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


def test_the_active_cell_is_not_behind_the_box(service: Service, look: Look) -> None:
    looked = look(service, height=620)
    looked.ask("How many customers are there?")
    run(looked, " UNION ALL ".join(f"SELECT 'word {at}' AS name" for at in range(20)))
    tab_to(looked, "Rows")
    looked.page.evaluate("scrollTo(0, 0)")
    for _ in range(19):
        looked.page.keyboard.press("ArrowDown")
    looked.page.wait_for_timeout(200)
    box = looked.page.locator(".asking").evaluate("one => one.getBoundingClientRect().top")
    cell = looked.card.locator(".is-active").evaluate("one => one.getBoundingClientRect().bottom")
    assert cell <= box + 1


@pytest.mark.parametrize(("height", "position"), [(256, "static"), (640, "sticky")])
def test_a_short_window_is_left_to_the_answer(service: Service, look: Look, height: int, position: str) -> None:
    looked = look(service, width=320, height=height)
    looked.ask("list all orders")
    places = "['.top', '.asking'].map(one => getComputedStyle(document.querySelector(one)).position)"
    assert looked.page.evaluate(places) == [position, position]
    assert looked.page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_menu_of_places_is_left_by_escape_and_holds_the_focus(service: Service, look: Look) -> None:
    looked = look(service, width=320, height=640)
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    tab_to(looked, "Places", key="Shift+Tab")
    looked.page.keyboard.press("Enter")
    assert looked.page.locator("#view").evaluate("one => one.inert")
    tab_to(looked, "History")
    looked.page.keyboard.press("Escape")
    assert focused(looked) == ("button", "Places")
    assert not looked.page.locator("#view").evaluate("one => one.inert")
    assert looked.page.locator("#places").is_hidden()
    looked.page.keyboard.press("Enter")
    tab_to(looked, "History")
    looked.page.keyboard.press("Enter")
    until(looked.page, "() => document.activeElement.ariaLabel === 'History'")
    assert looked.page.locator("#places").is_hidden()


def test_another_project_is_gone_to_when_it_is_asked_for(service: Service, look: Look) -> None:
    made = service.portal.call(lambda: service.client.prepare(mdl_hash="second", project_id="second"))
    assert made["status"] == "finished"
    looked = look(service)
    looked.page.get_by_role("combobox", name="Project").wait_for()
    tab_to(looked, "Project", key="Shift+Tab")
    looked.page.keyboard.press("ArrowDown")
    looked.page.wait_for_timeout(300)
    assert "#/second" not in looked.page.url
    tab_to(looked, "Go to second", most=1)
    looked.page.keyboard.press("Enter")
    looked.page.wait_for_url("**/#/second/ask")


# -- parts ------------------------------------------------------------------------------------------------------------


def test_tabs_and_menus_have_the_keys_that_readers_expect(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("list all orders")
    looked.card.get_by_role("tab", name="Table").focus()
    looked.page.keyboard.press("End")
    assert focused(looked) == ("button", "Evidence")
    looked.page.keyboard.press("Home")
    assert focused(looked)[1].startswith("Table")
    tab_to(looked, "Download")
    looked.page.keyboard.press("Enter")
    for key, item in (("p", "Parquet"), ("e", "Excel"), ("x", "Excel"), ("Home", "CSV")):
        looked.page.keyboard.press(key)
        assert focused(looked) == ("button", item)


def test_answers_of_a_thread_are_named_and_numbered(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.ask("How many orders are there?")
    assert looked.page.get_by_role("article", name="How many customers are there?").count() == 1
    places = "[...document.querySelectorAll('article')].map(one => `${one.ariaPosInSet}/${one.ariaSetSize}`)"
    assert looked.page.evaluate(places) == ["1/2", "2/2"]


def test_what_a_badge_means_is_read_with_the_evidence(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.get_by_role("tab", name="Evidence").focus()
    looked.page.keyboard.press("Enter")
    assert "Read by the grammar, without a language model." in looked.card.locator(".facts").inner_text()


def test_the_colours_are_named_as_what_they_are(service: Service, look: Look) -> None:
    looked = look(service)
    looked.page.get_by_role("button", name="Colours: as the system").press("Enter")
    assert focused(looked) == ("button", "Colours: light")


def test_stages_that_wait_can_be_read(service: Service, look: Look) -> None:
    looked = look(service)
    scripted(looked)
    assert looked.card.locator(".stage.is-later").first.evaluate("one => getComputedStyle(one).opacity") == "1"


def test_what_is_selected_has_an_edge(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("list all orders")
    tab_to(looked, "Rows", key="Shift+Tab")
    for key in ("Shift+ArrowDown", "Shift+ArrowRight"):
        looked.page.keyboard.press(key)
    looked.card.locator(".is-active.is-last.is-end").wait_for()
    first = looked.card.locator(".is-selected.is-first.is-start")
    assert "rgb(15, 107, 92) 0px 2px 0px 0px inset" in first.evaluate("one => getComputedStyle(one).boxShadow")


def test_forced_colours_show_what_is_chosen(service: Service, look: Look) -> None:
    looked = look(service, forced_colors="active")
    looked.ask("list all orders")
    tabs = "[...document.querySelectorAll('.tab')].map(one => getComputedStyle(one).borderBottomColor)"
    chosen, *others = looked.page.evaluate(tabs)
    assert chosen not in others
    assert looked.page.locator(".asking").evaluate("one => getComputedStyle(one).backgroundImage") == "none"
    tab_to(looked, "Rows", key="Shift+Tab")
    looked.page.keyboard.press("Shift+ArrowDown")
    cell = looked.card.locator(".is-selected").first
    cell.wait_for()
    plain = looked.card.locator(".grid-cell:not(.is-selected)").last
    ground = "one => getComputedStyle(one).backgroundColor"
    assert cell.evaluate(ground) != plain.evaluate(ground)
    assert looked.card.locator(".is-active").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


def test_more_contrast_is_given_where_it_is_wanted(service: Service, look: Look) -> None:
    plain, strong = look(service), look(service, contrast="more")
    colour = "getComputedStyle(document.documentElement).getPropertyValue('--line')"
    assert plain.page.evaluate(colour) != strong.page.evaluate(colour)


def test_keys_follow_the_direction_of_the_page(service: Service, look: Look) -> None:
    looked = look(service)
    looked.page.evaluate("document.documentElement.dir = 'rtl'")
    looked.ask("list all orders")
    assert looked.page.locator(".question-box .icon").evaluate("one => getComputedStyle(one).scale") == "-1 1"
    tab_to(looked, "Rows", key="Shift+Tab")
    looked.page.keyboard.press("ArrowUp")
    heading = looked.card.locator('[role="columnheader"][aria-colindex="1"]')
    width = "one => one.offsetWidth"
    heading.and_(looked.page.locator(".is-active")).wait_for()
    before = heading.evaluate(width)
    looked.page.keyboard.press("Alt+ArrowLeft")
    looked.page.wait_for_timeout(200)
    assert heading.evaluate(width) == before + 16


def test_a_dialog_is_closed_beside_its_title(service: Service, look: Look) -> None:
    looked = look(service, width=320, height=640)
    looked.ask("How many orders are there?")
    looked.card.get_by_role("button", name="Wrong").press("Enter")
    dialog = looked.page.get_by_role("dialog")
    top = "one => one.getBoundingClientRect().top"
    title, close = dialog.locator("h2").evaluate(top), dialog.get_by_role("button", name="Close").evaluate(top)
    assert abs(title - close) < 20
