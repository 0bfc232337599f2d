"""Asking on another site: the element on a page of another origin, with a policy and styles of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.page.conftest import Service
from tests.page.embed.conftest import Site, Visit, element, strict, told
from tests.page.test_accessibility import AXE, axe
from tests.page.test_signing_in import key_of

pytestmark = pytest.mark.deep

THEMES = [('theme="dark"', "rgb(26, 30, 29)"), ('theme="light"', "rgb(255, 255, 255)"), ("", "rgb(255, 255, 255)")]


def test_a_question_is_answered_on_a_site_under_a_strict_policy(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    key = key_of(asked, "ask")["key"]
    visited = visit(site.page("strict", element(asked, key), strict(asked)))
    card = visited.ask("How many orders are there per status?")
    assert card.locator('[role="gridcell"]').count() > 2
    card.get_by_role("tab", name="Chart").click()
    card.locator(".chart-place canvas, .chart-place img, .chart-place .note").first.wait_for(timeout=60_000)
    card.get_by_role("tab", name="SQL").click()
    assert "FROM orders" in card.locator(".sql-text").inner_text()
    card.get_by_role("tab", name="Evidence").click()
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
    text = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"^```\w*\n(.*?)^```$", text.replace("https://askwell.example", asked.url), re.DOTALL | re.MULTILINE
    )
    [page] = [one for one in blocks if one.startswith("<!doctype html>")]
    [script] = [one for one in blocks if one.startswith("// figures.js")]
    [policy] = [one for one in blocks if one.startswith("Content-Security-Policy: ")]
    name, _, said = " ".join(policy.split()).partition(": ")
    site.pages |= {
        "/documented": (page.replace('project="shop"', 'project="default"'), said),
        "/figures.js": (script, ""),
    }
    site.token = lambda refused: key_of(asked, "ask")["key"]
    assert name == "Content-Security-Policy"
    visited = visit(f"{site.origin}/documented")
    card = visited.ask("How many orders are there per status?")
    card.get_by_role("tab", name="Chart").click()
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
    card.get_by_role("tab", name="Chart").click()
    card.locator(".chart-place canvas, .chart-place img, .chart-place .note").first.wait_for(timeout=60_000)
    card.get_by_role("tab", name="Table").click()
    card.locator('[role="gridcell"]').first.dblclick()
    visited.element.get_by_role("dialog").wait_for()
    visited.page.keyboard.press("Escape")
    assert visited.page.evaluate(left) == before
    cookies = [one for one in visited.requested if one.url.startswith(asked.url) and "cookie" in one.all_headers()]
    assert not cookies


def test_nothing_of_the_site_reaches_it(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    key = key_of(asked, "ask")["key"]
    visited = visit(site.page("styles", element(asked, key)))
    card = visited.ask("How many customers are there?")
    figure = card.locator(".figure-value")
    style = figure.evaluate(
        "one => { const s = getComputedStyle(one);"
        " return [s.textTransform, s.letterSpacing, s.color, s.textAlign, s.fontFamily] }"
    )
    assert style[0] == "none"
    assert style[2:4] == ["rgb(22, 32, 29)", "start"]
    assert "serif" not in style[4].replace("sans-serif", "")
    assert card.locator(".button").first.evaluate("one => getComputedStyle(one).fontSize") in ("13px", "15px")
    assert card.locator(".button").first.evaluate("one => getComputedStyle(one).borderTopWidth") == "1px"
    assert card.locator("h2").evaluate("one => getComputedStyle(one).fontSize") == "17px"


@pytest.mark.parametrize(("attributes", "ground"), THEMES)
def test_a_site_says_whether_it_is_light_or_dark(
    site: Site, asked: Service, visit: Callable[..., Visit], attributes: str, ground: str
) -> None:
    key = key_of(asked, "ask")["key"]
    visited = visit(site.page("theme", element(asked, key, attributes)), color_scheme="dark")
    card = visited.ask("How many customers are there?")
    assert card.locator(".answer").evaluate("one => getComputedStyle(one).backgroundColor") == ground


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


def test_a_provider_may_be_set_before_the_element_is_known(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    body = "<askwell-ask></askwell-ask>"
    visited = visit(site.page("early", body))
    visited.page.evaluate(
        "key => { document.querySelector('askwell-ask').tokenProvider = async () => key }", key_of(asked, "ask")["key"]
    )
    visited.page.add_script_tag(type="module", url=f"{asked.url}/askwell-ask.js")
    visited.ask("How many customers are there?").locator(".figure-value").wait_for()


@pytest.mark.parametrize("how", ["none", "wrong", "provider"])
def test_who_may_not_ask_is_told_so_and_so_is_the_site(
    site: Site, asked: Service, visit: Callable[..., Visit], how: str
) -> None:
    visited = visit(site.page("refused", element(asked, "ak_wrong" if how == "wrong" else "")))
    if how == "provider":
        visited.page.evaluate(
            "() => { document.querySelector('askwell-ask').tokenProvider = () => Promise.reject(new Error('no')) }"
        )
    card = visited.ask("How many customers are there?")
    assert card.locator(".note.is-bad").inner_text()
    [(name, detail)] = told(visited)
    assert (name, detail["status"], detail["question"]) == ("askwell-error", 401, "How many customers are there?")
    assert detail["message"]
    # What whoever makes the page has to know.
    said = visited.problems.pop()
    assert said.startswith("error: Error: no") if how == "provider" else "tokenProvider" in said


def test_an_address_that_is_none_is_told_in_its_place(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("address", element(asked, attributes='src="http://["')))
    assert "the attribute src of <askwell-ask> is no address" in visited.element.get_by_role("alert").inner_text()


def test_what_is_asked_back_is_answered_on_a_site(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("clarify", element(asked, key_of(asked, "ask")["key"])))
    card = visited.ask("how many consumers are there?")
    card.locator(".option", has_text="Customers").first.click()
    card.locator(".figure-value").wait_for()
    assert [name for name, _ in told(visited)] == ["askwell-answer"]


def test_another_project_and_a_move_on_the_page(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("moved", element(asked, key_of(asked, "ask")["key"])))
    visited.ask("How many customers are there?").locator(".figure-value").wait_for()
    visited.page.evaluate("() => document.body.append(document.querySelector('askwell-ask'))")
    assert visited.element.locator(".figure-value").count() == 1
    visited.page.evaluate("() => document.querySelector('askwell-ask').setAttribute('project', 'other')")
    visited.element.locator("article").wait_for(state="detached")
    visited.ask("How many customers are there?").locator(".note.is-bad").wait_for()
    visited.page.evaluate("() => document.querySelector('askwell-ask').remove()")


@pytest.mark.parametrize("width", [300, 480])
def test_it_fits_where_a_site_has_little_room(
    site: Site, asked: Service, visit: Callable[..., Visit], width: int
) -> None:
    key = key_of(asked, "ask")["key"]
    visited = visit(site.page("small", f"<div id=room>{element(asked, key)}</div>"))
    visited.page.evaluate(f"document.getElementById('room').style.width = '{width}px'")
    for question in ("How many orders are there per status?", "how many consumers are there?"):
        card = visited.ask(question)
        for tab in card.get_by_role("tab").all():
            tab.click()
            visited.page.wait_for_timeout(150)
            assert visited.element.locator(".embed").evaluate("one => one.scrollWidth") <= width


@axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_it(site: Site, asked: Service, visit: Callable[..., Visit], theme: str) -> None:
    visited = visit(site.page("axe", element(asked, key_of(asked, "ask")["key"], f'theme="{theme}"')))
    visited.page.add_style_tag(
        content=f"main {{ background: {'#121514' if theme == 'dark' else '#fff'} }} h1 {{ display: none }}"
    )
    visited.ask("How many orders are there per status?")
    visited.page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    result = visited.page.evaluate("rules => axe.run('askwell-ask', {runOnly: {type: 'tag', values: rules}})", rules)
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in result["violations"]] == []


def test_readers_are_told_within_the_element_and_not_on_the_site(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = visit(site.page("readers", element(asked, key_of(asked, "ask")["key"])))
    visited.element.get_by_role("textbox", name="Your question").press("ArrowDown")
    region = visited.element.locator("[role=status].voice")
    region.wait_for(state="attached")
    visited.ask("How many customers are there?")
    region.get_by_text("Answered: 3").wait_for(state="attached")
    assert visited.page.locator("body > [role=status]").count() == 0
