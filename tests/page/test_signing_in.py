"""Signing in to the page with a key, and out; what a role may not do is not shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import start_blocking_portal

from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, CLIENT_SECRET, FakeIssuer
from tests.page.conftest import Looked, Service, service_of
from tests.support.service import ServiceProcess, client, write_config

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.deep

ADMIN_KEY = "ak_" + "a" * 43


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that wants to know who calls, with the tiny shop's model."""
    config = write_config(tmp_path_factory.mktemp("closed"), sign_in={"keys": True})
    with service_of(config, prepared=False, environ={"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as running:
        running.sign_in(ADMIN_KEY)
        running.prepare()
        yield running


def key_of(service: Service, role: str) -> dict[str, str]:
    status, told = service.call("POST", "/v1/keys", json={"name": f"a {role}", "role": role, "projects": ["default"]})
    assert status == 201
    return {"id": told["id"], "key": told["key"]}


def signed_in(service: Service, look: Callable[..., Looked], key: str, place: str = "") -> Looked:
    looked = look(service, place)
    sign_in(looked.page, key)
    return looked


def sign_in(page: Page, key: str) -> None:
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def test_who_may_only_ask_says_that_an_answer_is_wrong(closed: Service, look: Callable[..., Looked]) -> None:
    looked = signed_in(closed, look, key_of(closed, "ask")["key"])
    looked.ask("How many customers are there?")
    looked.card.get_by_role("button", name="Wrong").click()
    dialog = looked.page.get_by_role("dialog")
    assert dialog.get_by_label("The right SQL").count() == 0
    assert "Those who keep this project in order see the question and the remark." in dialog.inner_text()
    dialog.get_by_label("What was wrong?").fill("Not those that left.")
    dialog.get_by_role("button", name="Send").click()
    dialog.wait_for(state="detached")
    assert looked.card.get_by_role("button", name="Wrong").get_attribute("aria-pressed") == "true"
    looked.page.get_by_role("link", name="History").click()
    assert "Not those that left." in looked.page.locator(".days").inner_text()
    # … which curators see, without being able to open the question, and correct.
    curator = signed_in(closed, look, key_of(closed, "curate")["key"], "#/default/keep/failures").page
    group = curator.locator(".cause", has_text="The answer was wrong")
    reported = group.locator(".list > li", has_text="How many customers are there?")
    reported.get_by_text("Not those that left.").wait_for()
    assert reported.locator("a").count() == 0
    assert "Marked wrong" in curator.locator("dl.numbers").inner_text()
    reported.get_by_role("button", name="Correct: How many customers are there?").click()
    curator.get_by_label("The right SQL").fill("SELECT COUNT(*) AS n FROM customers")
    curator.get_by_role("button", name="Send").click()
    reported.get_by_text("Has a verified answer").wait_for()


def test_the_next_person_at_a_browser_sees_nothing_of_the_one_before(
    closed: Service, look: Callable[..., Looked]
) -> None:
    looked = signed_in(closed, look, key_of(closed, "ask")["key"])
    page, box = looked.page, looked.page.get_by_role("textbox", name="Your question")
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"
    # What the role may not do is not shown.
    assert looked.card.get_by_role("button", name="Right", exact=True).count() == 0
    assert page.get_by_role("link", name="Manage").count() == 0
    page.evaluate("() => { location.hash = '#/default/keep/verified' }")
    page.get_by_text("That place is for those who keep the project in order.").wait_for()
    assert page.get_by_role("button", name="Add a question").count() == 0
    looked.ask("What is the weather like in Paris tomorrow?")
    box.fill("something of mine")
    page.get_by_role("button", name="Sign out").click()
    # Curators are told that a question failed, and not which.
    sign_in(page, key_of(closed, "curate")["key"])
    page.get_by_role("link", name="Manage").wait_for()
    page.locator("article", has_text="is not yours to see").wait_for()
    assert (box.input_value(), "weather" in page.locator("#view").inner_text()) == ("", False)
    page.get_by_role("link", name="History").click()
    page.get_by_text("Nothing was asked here yet.").wait_for()
    page.evaluate("() => { location.hash = '#/default/keep/failures' }")
    page.get_by_text("One question of another person failed; administrators see which.").wait_for()
    assert "weather" not in page.locator("#view").inner_text()
    page.get_by_role("button", name="Sign out").click()
    # Administrators see it, and do not open it.
    sign_in(page, ADMIN_KEY)
    page.get_by_role("link", name="History").click()
    line = page.locator(".days li", has_text="weather")
    line.wait_for()
    assert line.locator("a").count() == 0


def test_a_key_that_ends_while_something_is_typed_loses_nothing(closed: Service, look: Callable[..., Looked]) -> None:
    given = key_of(closed, "ask")
    looked = signed_in(closed, look, given["key"])
    box = looked.page.get_by_role("textbox", name="Your question")
    box.fill("How many customers are there?")
    looked.page.wait_for_load_state("networkidle")  # what the page asks of its own accord would find out first
    assert closed.call("DELETE", f"/v1/keys/{given['id']}")[0] in (200, 204)
    box.press("Enter")
    looked.page.get_by_text("You are no longer signed in.").wait_for()
    looked.page.get_by_text("when you have signed in as the same person").wait_for()
    looked.page.get_by_label("Key").fill(key_of(closed, "ask")["key"])
    looked.page.get_by_role("button", name="Sign in").click()
    box.wait_for()
    assert box.input_value() == "How many customers are there?"


# -- Signing in to the page at an issuer of OpenID Connect, in a real browser, and out.


Signing = tuple[Service, FakeIssuer]


@pytest.fixture(scope="module")
def signing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    """A service whose people sign in at an issuer, with the tiny shop's model, and that issuer."""
    folder = tmp_path_factory.mktemp("single_sign_on")
    environ = {
        "ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY,
        "ASKWELL_SIGN_IN__SESSION_SECRET": "s" * 43,
        "ASKWELL_SIGN_IN__OIDC__CLIENT_SECRET": CLIENT_SECRET,
    }
    process = ServiceProcess(folder / "config.yaml", environ)
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        issuer = stack.enter_context(portal.wrap_async_context_manager(FakeIssuer()))
        oidc = {
            "issuer": issuer.url,
            "audiences": [AUDIENCE],
            "client_id": CLIENT,
            "redirect_url": f"{process.url}/v1/sign-in/callback",
            "role": {"claim": "roles", "roles": {"ask": "ask", "curate": "curate"}},
        }
        write_config(folder, sign_in={"keys": True, "oidc": oidc})
        stack.callback(portal.call, process.kill)
        portal.call(process.start)
        service = Service(stack.enter_context(portal.wrap_async_context_manager(client(process.url))), portal)
        service.sign_in(ADMIN_KEY)
        service.prepare()
        yield service, issuer


def sign_in_of_single_sign_on(signing: Signing, look: Callable[..., Looked], place: str = "") -> Looked:
    service, issuer = signing
    looked = look(service, place, trusted=(issuer.url,))
    looked.page.get_by_role("button", name="Sign in with your organisation").click()
    return looked


def test_who_signs_in_at_the_issuer_comes_back_to_where_they_wanted(
    signing: Signing, look: Callable[..., Looked]
) -> None:
    looked = sign_in_of_single_sign_on(signing, look, "#/default/history")
    looked.page.get_by_role("heading", name="History").wait_for()
    looked.page.get_by_role("link", name="Ask").first.click()
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"
    looked.page.reload()
    looked.card.locator(".figure-value").wait_for()
