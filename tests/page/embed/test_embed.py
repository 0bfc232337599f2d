"""Asking on another site: the element on a page of another origin, with a policy and styles of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Service, show
from tests.page.embed.conftest import Site, Visit, element, strict, told
from tests.page.test_signing_in import key_of

pytestmark = pytest.mark.deep

ZORBS = "how many consumers are there?"


def test_a_question_is_answered_on_a_site_under_a_strict_policy(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    key = key_of(asked, "ask")["key"]
    visited = visit(site.page("strict", element(asked, key), strict(asked)))
    card = visited.ask("How many orders are there per status?")
    card.locator(".chart-place canvas, .chart-place img, .chart-place .note").first.wait_for(timeout=60_000)
    show(card, "Table")
    card.locator('[role="gridcell"]').first.wait_for()
    assert card.locator('[role="gridcell"]').count() > 2
    card.locator(".how > summary").click()
    assert "FROM orders" in card.locator(".sql-text").inner_text()
    assert card.locator("dt", has_text="Time").is_visible()
    assert visited.element.locator("a[href]").count() == 0
    assert card.get_by_role("button", name="Right", exact=True).count() == 0
    [(name, detail)] = told(visited)
    assert (name, detail["question"]) == ("askwell-answer", "How many orders are there per status?")
    assert detail["result"]["data"]["row_count"] == 3
    follow_up = visited.ask("and for paid?")
    assert follow_up.locator(".answer, .clarify").count() == 1


def test_the_page_of_the_documentation_works_under_its_policy(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    docs = Path(__file__).parents[3] / "docs"
    names = ("examples/figures.html", "examples/figures.js", "embedding.md")
    page, script, text = (
        (docs / name).read_text(encoding="utf-8").replace("https://askwell.example", asked.url) for name in names
    )
    [policy] = re.findall(r"^```\n(Content-Security-Policy: .*?)^```$", text, re.DOTALL | re.MULTILINE)
    name, _, said = " ".join(policy.split()).partition(": ")
    site.pages |= {
        "/documented": (page.replace('project="shop"', 'project="default"'), said),
        "/figures.js": (script, ""),
    }
    site.token = lambda refused: key_of(asked, "ask")["key"]
    assert name == "Content-Security-Policy"
    visited = visit(f"{site.origin}/documented")
    card = visited.ask("How many orders are there per status?")
    show(card, "Chart")
    card.locator(".chart-place canvas, .chart-place img, .chart-place .note").first.wait_for(timeout=60_000)
    assert [name for name, _ in told(visited)] == ["askwell-answer"]


def test_nothing_of_it_reaches_the_site(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    left = """() => ({
      globals: Object.getOwnPropertyNames(window).sort(),
      storage: [localStorage.length, sessionStorage.length, document.cookie],
      address: [location.href, history.length], title: document.title,
      elements: [...document.querySelectorAll(':not(script)')].map(one => one.localName),
      styles: [document.styleSheets.length, document.adoptedStyleSheets.length],
      registered: ['askwell-table', 'askwell-chart', 'result-table'].filter(name => customElements.get(name)),
      attributes: [...document.documentElement.attributes].map(one => one.name),
      policies: window.trustedTypes?.defaultPolicy ?? null,
    })"""
    key = key_of(asked, "ask")["key"]
    script = f'<script type="module" src="{asked.url}/askwell-ask.js"></script>'
    visited = visit(site.page("left", element(asked, key).replace(script, "<script type=module></script>")))
    before = visited.page.evaluate(left)
    visited.page.add_script_tag(type="module", url=f"{asked.url}/askwell-ask.js")
    card = visited.ask("How many orders are there per status?")
    show(card, "Chart")
    card.locator(".chart-place canvas, .chart-place img, .chart-place .note").first.wait_for(timeout=60_000)
    show(card, "Table")
    card.locator('[role="gridcell"]').first.dblclick()
    visited.element.get_by_role("dialog").wait_for()
    visited.page.keyboard.press("Escape")
    assert visited.page.evaluate(left) == before
    cookies = [one for one in visited.requested if one.url.startswith(asked.url) and "cookie" in one.all_headers()]
    assert not cookies


def test_a_token_is_asked_for_anew_when_one_is_refused(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    first, second = key_of(asked, "ask"), key_of(asked, "ask")
    visited = visit(site.page("provider", element(asked)))
    visited.page.evaluate(
        "keys => { document.asked = []; document.querySelector('askwell-ask').tokenProvider = async isRefused => {"
        " document.asked.push(isRefused); return keys[document.asked.length - 1]; } }",
        [first["key"], second["key"]],
    )
    visited.ask("How many customers are there?").locator(".figure-value").wait_for()
    assert visited.page.evaluate("document.asked") == [False]
    assert asked.call("DELETE", f"/v1/keys/{first['id']}")[0] in (200, 204)
    visited.ask("How many orders are there?").locator(".figure-value").wait_for()
    assert visited.page.evaluate("document.asked") == [False, True]


def test_a_renewed_token_is_the_same_person_and_another_one_sees_nothing_of_them(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    mine, other = key_of(asked, "ask"), key_of(asked, "ask")
    provide = "key => { document.querySelector('askwell-ask').tokenProvider = async () => key }"
    visited = visit(site.page("renewed", element(asked)))
    visited.page.evaluate(provide, mine["key"])
    card = visited.ask(ZORBS)
    status, renewed = asked.call("POST", f"/v1/keys/{mine['id']}/rotate", json={"grace": 0})
    assert (status, renewed["id"], renewed["key"] != mine["key"]) == (200, mine["id"], True)
    visited.page.evaluate(provide, renewed["key"])
    card.locator(".option", has_text="Customers").first.click()
    card.locator(".figure-value").wait_for()
    assert [name for name, _ in told(visited)] == ["askwell-answer"]
    again = visited.ask(ZORBS)
    visited.page.evaluate(provide, other["key"])
    again.locator(".option", has_text="Customers").first.click()
    again.locator(".note", has_text="does not know this question any more").wait_for()
    [_, (name, detail)] = told(visited)
    assert (name, detail["status"], detail["code"]) == ("askwell-error", 404, "NOT_FOUND")
    again.get_by_role("button", name="Ask again").click()
    anew = visited.element.locator("article").nth(2)
    anew.locator(".clarify").wait_for()
    assert anew.locator("h2").inner_text() == ZORBS


def opened(site: Site, asked: Service, visit: Callable[..., Visit], attributes: str = "", **more: Any) -> Visit:
    visited = visit(site.page("program", element(asked, key_of(asked, "ask")["key"], attributes), **more))
    visited.element.get_by_role("textbox", name="Your question").wait_for()
    return visited


def test_a_program_answers_what_is_asked_back(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    answered = "(one, given) => one.answer(given)"
    assert visited.element.evaluate(answered, "customers") is False
    visited.ask(ZORBS)
    [(_, back)] = told(visited, "clarify")
    wrongs: list[Any] = [None, " ", {"option_id": "none such"}, {"values": {}}]
    for wrong in wrongs:
        assert visited.element.evaluate(answered, wrong) is False
    [option] = [one for one in back["clarification"]["options"] if "customers" in one["label"].lower()][:1]
    assert visited.element.evaluate(answered, {"option_id": option["id"]}) is True
    assert visited.element.evaluate(answered, "customers") is False
    visited.element.locator(".figure-value").wait_for()
    assert [detail["query_id"] for _, detail in told(visited)] == [back["query_id"]]


def test_the_documented_interface_is_there(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    text = (Path(__file__).parents[3] / "docs" / "examples" / "askwell-ask.d.ts").read_text(encoding="utf-8")
    [block] = re.findall(r"interface AskwellAsk extends HTMLElement \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    members = re.findall(r"^  (\w+)[(:?]", block, re.MULTILINE)
    assert {"ask", "stop", "clear", "focus", "token", "tokenProvider", "noSql"} <= set(members)
    visited = opened(site, asked, visit)
    own = "(one, names) => names.filter(name => !Object.hasOwn(Object.getPrototypeOf(one), name))"
    assert visited.element.evaluate(own, members) == []
