"""The element as a site's program has it: its methods, properties, attributes, events and parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.page.conftest import Service
from tests.page.embed.conftest import Site, Visit, element, told
from tests.page.test_signing_in import key_of

pytestmark = pytest.mark.deep


def opened(site: Site, asked: Service, visit: Callable[..., Visit], attributes: str = "") -> Visit:
    visited = visit(site.page("program", element(asked, key_of(asked, "ask")["key"], attributes)))
    visited.element.get_by_role("textbox", name="Your question").wait_for()
    return visited


def test_a_program_asks_and_begins_anew(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    assert visited.element.evaluate("one => [one.ask(' '), one.ask('How many customers are there?')]") == [False, True]
    visited.element.locator(".figure-value").wait_for()
    [(_, asking), (_, answer)] = told(visited, "asked", "answer")
    assert asking == {name: answer[name] for name in ("query_id", "question")}
    visited.element.evaluate("one => one.clear()")
    assert visited.element.locator("article").count() == 0
    visited.element.evaluate("one => one.focus()")
    visited.page.keyboard.type("How many orders are there?")
    visited.page.keyboard.press("Enter")
    visited.element.locator(".figure-value").wait_for()
    assert visited.element.locator("article").count() == 1


def test_a_program_asks_before_the_element_is_ready(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("soon", "<p>nothing yet</p>"))
    visited.page.add_script_tag(type="module", url=f"{asked.url}/askwell-ask.js")
    visited.page.evaluate("() => customElements.whenDefined('askwell-ask').then(() => null)")
    visited.page.evaluate(
        "key => { const one = document.createElement('askwell-ask'); one.token = key;"
        " document.querySelector('main').append(one); one.ask('How many customers are there?') }",
        key_of(asked, "ask")["key"],
    )
    visited.element.locator(".figure-value").wait_for()


def test_a_program_stops_what_it_asked(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    visited.page.route("**/v1/asks/*/events", lambda route: None)
    with visited.page.expect_request(lambda request: request.method == "PATCH") as stopped:
        # At once, when the service has not yet said what the question is called.
        second = visited.element.evaluate("one => { one.ask('How many orders are there?'); return one.ask('and?') }")
        visited.element.evaluate("one => one.stop()")
    assert second is False
    assert stopped.value.post_data_json == {"status": "stopped"}


def test_what_is_asked_back_is_told(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    visited.ask("how many consumers are there?")
    [(name, detail)] = told(visited, "clarify", "answer")
    assert (name, detail["question"]) == ("askwell-clarify", "how many consumers are there?")
    assert detail["clarification"]["question"]


def test_the_box_has_a_question_and_a_placeholder(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit, 'question="How many customers?" placeholder="Ask about the shop"')
    box = visited.element.get_by_role("textbox", name="Your question")
    assert (box.input_value(), box.get_attribute("placeholder")) == ("How many customers?", "Ask about the shop")
    box.fill("How many people?")
    visited.element.evaluate("one => { one.placeholder = 'Something else'; one.question = 'other' }")
    # What somebody is about to ask is not overwritten.
    assert (box.input_value(), box.get_attribute("placeholder")) == ("How many people?", "Something else")
    box.fill("")
    visited.element.evaluate("one => { one.question = 'How many orders?'; one.placeholder = null }")
    assert (box.input_value(), box.get_attribute("placeholder")) == (
        "How many orders?",
        "Ask about your data, in your own words",
    )
    assert visited.element.locator("article").count() == 0


def test_sql_is_not_shown_where_a_site_says_so(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit, "no-sql")
    card = visited.ask("How many orders are there per status?")
    assert [one.inner_text().split("\n")[0] for one in card.get_by_role("tab").all()] == ["Table", "Chart"]
    card = visited.ask("How many customers are there?")
    card.locator(".figure-value").wait_for()
    assert card.get_by_role("tab").count() == 0
    visited.element.evaluate("one => (one.noSql = false)")
    assert visited.ask("How many orders are there?").get_by_role("tab", name="SQL").count() == 1


def test_parts_can_be_styled(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    names = ("box", "answer", "table")
    # A sheet of the site's: its policy has nothing against it here.
    rules = "".join(f"askwell-ask::part({name}){{outline:{at + 3}px solid}}" for at, name in enumerate(names))
    visited.page.add_style_tag(content=rules)
    visited.ask("How many orders are there per status?")
    found = [visited.element.locator(f"[part={name}]").first for name in names]
    assert [one.evaluate("one => getComputedStyle(one).outlineWidth") for one in found] == ["3px", "4px", "5px"]


def test_the_documented_interface_is_there(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    text = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text(encoding="utf-8")
    [block] = re.findall(r"interface AskwellAsk extends HTMLElement \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    members = re.findall(r"^  (\w+)[(:?]", block, re.MULTILINE)
    assert {"ask", "stop", "clear", "focus", "token", "tokenProvider", "noSql"} <= set(members)
    visited = opened(site, asked, visit)
    own = "(one, names) => names.filter(name => !Object.hasOwn(Object.getPrototypeOf(one), name))"
    assert visited.element.evaluate(own, members) == []
