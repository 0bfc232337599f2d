"""Tokens on another site: how a site makes them, what becomes of a question when one is over, and who may not ask."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Service
from tests.page.embed.conftest import Site, Visit, element, told
from tests.page.test_signing_in import ADMIN_KEY, key_of

pytestmark = pytest.mark.deep

PROVIDER = """key => {
  const one = document.querySelector('askwell-ask');
  document.key = key;
  one.tokenProvider = async () => document.key;
}"""


def documented(service: Service) -> Callable[..., str]:
    """`token_for` of the documentation, for this service and its project."""
    text = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    code = block.replace("https://askwell.example", service.url).replace('"shop"', '"default"')
    exec(compile(code, "docs/embedding.md", "exec"), names)
    made: Callable[..., str] = names["token_for"]
    return made


def test_a_renewed_token_is_the_same_person(
    site: Site, asked: Service, visit: Callable[..., Visit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKWELL_ADMIN_KEY", ADMIN_KEY)
    token_for = documented(asked)
    visitor: dict[str, Any] = {"id": "ann", "name": "Ann Archer", "region": "EMEA"}
    site.token = lambda refused: token_for(visitor, refused)
    visited = visit(site.page("renewed", element(asked)))
    visited.page.evaluate(
        "() => { document.querySelector('askwell-ask').tokenProvider = async isRefused =>"
        " (await (await fetch(`/askwell-token${isRefused ? '?refused' : ''}`, {method: 'POST'})).json()).token }"
    )
    card = visited.ask("how many consumers are there?")
    key, first = visitor["askwell_key"], visitor["askwell_token"]
    assert token_for(visitor) == first
    # The page's token is over, and the site does not know that it is.
    assert asked.call("POST", f"/v1/keys/{key}/rotate", json={"grace": 0})[0] == 200
    visited.page.wait_for_timeout(2_500)
    card.locator(".option", has_text="Customers").first.click()
    card.locator(".figure-value").wait_for()
    assert (visitor["askwell_key"], visitor["askwell_token"] != first) == (key, True)
    assert [name for name, _ in told(visited)] == ["askwell-answer"]


def test_one_person_has_one_key_until_that_is_revoked(asked: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKWELL_ADMIN_KEY", ADMIN_KEY)
    token_for = documented(asked)
    visitor: dict[str, Any] = {"id": "bob", "name": "Bob Baker", "region": "EMEA"}
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: token_for(visitor), range(8)))) == 1
    first = visitor["askwell_key"]
    time.sleep(2.1)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: token_for(visitor, True), range(8)))) == 1
    assert visitor["askwell_key"] == first
    assert asked.call("DELETE", f"/v1/keys/{first}")[0] in (200, 204)
    time.sleep(2.1)
    assert token_for(visitor, True) == visitor["askwell_token"]
    assert visitor["askwell_key"] != first


def test_what_another_person_asked_can_be_asked_again(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("another", element(asked)))
    visited.page.evaluate(PROVIDER, key_of(asked, "ask")["key"])
    tries: list[str] = []

    def cut(route: Any) -> None:
        tries.append(route.request.url)
        if len(tries) == 1:
            visited.page.evaluate("key => document.querySelector('askwell-ask').tokenProvider = async () => key", other)
            route.abort()
        else:
            route.continue_()

    other = key_of(asked, "ask")["key"]
    visited.page.route("**/v1/asks/*/events", cut)
    visited.element.get_by_role("textbox", name="Your question").fill("How many customers are there?")
    visited.page.keyboard.press("Enter")
    card = visited.element.locator("article").first
    card.locator(".note", has_text="does not know this question any more").wait_for()
    assert not visited.element.get_by_text("The service is away").is_visible()
    [(name, detail)] = told(visited)
    assert (name, detail["status"], detail["code"]) == ("askwell-error", 404, "NOT_FOUND")
    card.get_by_role("button", name="Ask again").click()
    again = visited.element.locator("article").nth(1)
    again.locator(".figure-value").wait_for()
    assert again.locator("h2").inner_text() == "How many customers are there?"


def test_what_was_asked_back_of_another_person_can_be_asked_again(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = visit(site.page("asked-back", element(asked)))
    visited.page.evaluate(PROVIDER, key_of(asked, "ask")["key"])
    card = visited.ask("how many consumers are there?")
    visited.page.evaluate(PROVIDER, key_of(asked, "ask")["key"])
    card.locator(".option", has_text="Customers").first.click()
    card.get_by_role("button", name="Ask again").wait_for()


def test_that_the_service_is_away_is_said_no_longer_than_it_is(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = visit(site.page("away", element(asked, key_of(asked, "ask")["key"])))
    away = visited.element.get_by_text("The service is away")
    visited.page.route("**/v1/asks/*/events", lambda route: route.abort())
    visited.element.get_by_role("textbox", name="Your question").fill("How many customers are there?")
    visited.page.keyboard.press("Enter")
    away.wait_for()
    visited.page.unroute("**/v1/asks/*/events")
    visited.element.locator(".figure-value").wait_for()
    assert not away.is_visible()
    visited.ask("How many orders are there?").locator(".figure-value").wait_for()
    assert not away.is_visible()


def test_people_are_told_that_a_page_is_not_signed_in_and_its_makers_why(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = visit(site.page("unknown", element(asked)))
    for _ in range(2):
        said = visited.ask("How many customers are there?").locator(".note.is-bad").inner_text()
        assert "This page is not signed in to Askwell." in said
        assert "askwell keys" not in said
        assert "header" not in said.lower()
    for _, detail in told(visited):
        assert (detail["status"], detail["code"]) == (401, "UNAUTHORIZED")
        assert "tokenProvider" in detail["message"]
        assert "askwell keys create" in detail["hint"]
    [warned] = [visited.problems.pop() for _ in range(len(visited.problems))]
    assert warned.startswith("warning: ")
    assert "tokenProvider" in warned


def test_a_token_that_is_not_for_the_project_finds_none(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    status, made = asked.call("POST", "/v1/keys", json={"name": "elsewhere", "projects": ["elsewhere"]})
    assert status == 201
    visited = visit(site.page("elsewhere", element(asked, made["key"])))
    assert "There is no project" in visited.ask("How many customers are there?").locator(".note.is-bad").inner_text()
    [(_, detail)] = told(visited)
    assert (detail["status"], detail["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("how", ["token", "tokenProvider"])
def test_properties_that_were_set_before_the_element_was_known(
    site: Site, asked: Service, visit: Callable[..., Visit], how: str
) -> None:
    visited = visit(site.page("upgraded", "<askwell-ask project=other></askwell-ask>"))
    visited.page.evaluate(
        "([how, key]) => { const one = document.querySelector('askwell-ask');"
        " Object.assign(one, {project: 'default', theme: 'dark', question: 'How many', noSql: true,"
        " [how]: how === 'token' ? key : async () => key}) }",
        [how, key_of(asked, "ask")["key"]],
    )
    visited.page.add_script_tag(type="module", url=f"{asked.url}/askwell-ask.js")
    assert visited.element.get_by_role("textbox", name="Your question").input_value() == "How many"
    visited.ask("How many customers are there?").locator(".figure-value").wait_for()
    shown = "one => [one.project, one.theme, one.noSql, one.getAttribute('theme'), one.getAttribute('token')]"
    assert visited.element.evaluate(shown) == ["default", "dark", True, "dark", None]
