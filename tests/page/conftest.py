"""The page in a real Chromium, over a service that answers over real HTTP.

Without Chromium or Playwright these tests are skipped, and say so. In every test nothing may go wrong unseen: an error
in the console, a request to another host, and what the page's policy refuses all fail it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.support.service import Client, running_service, write_config

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
# The browser is offline but for this machine.
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
# Answers that are refusals are said so in the console by the browser itself.
BY_THE_BROWSER = "Failed to load resource"
OPENED = pytest.StashKey[list["Looked"]]()


@dataclass
class Looked:
    """A page that is looked at, and what went wrong on it."""

    page: Page
    url: str
    problems: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)
    trusted: tuple[str, ...] = ()

    def ask(self, question: str) -> None:
        """Type a question, and wait for what comes of it."""
        before = self.page.locator("article").count()
        self.page.get_by_role("textbox", name="Your question").fill(question)
        self.page.keyboard.press("Enter")
        card = self.page.locator("article").nth(before)
        card.locator(".answer, .answer-words, .note, .refusal, .clarify").first.wait_for()

    @property
    def card(self) -> Any:
        """The last question and its answer."""
        return self.page.locator("article").last


def show(card: Any, name: str) -> None:
    """See an answer as a chart or a table, by its tab, where there is no room for both."""
    for tab in card.get_by_role("tab", name=name).all():
        tab.click()


def until(page: Page, expression: str, arg: Any = None) -> None:
    """Wait until an expression of JavaScript is true. Playwright's own way evaluates text in the page, which its policy
    forbids."""
    for _ in range(400):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within 20 seconds: {expression}")


@dataclass
class Service:
    """A running service, and a way to call what is asynchronous about it."""

    client: Client
    portal: BlockingPortal

    @property
    def url(self) -> str:
        return self.client.url

    def call(self, method: str, path: str, **said: Any) -> tuple[int, Any]:
        async def called() -> tuple[int, Any]:
            return await self.client.call(method, path, **said)

        return self.portal.call(called)

    def sign_in(self, key: str) -> None:
        """Call with this key from now on."""
        self.client.session.headers["Authorization"] = f"Bearer {key}"

    def prepare(self, mdl: Any = None) -> None:
        """The tiny shop's model, or `mdl`."""

        async def prepared() -> dict[str, Any]:
            return await self.client.prepare(mdl)

        assert self.portal.call(prepared)["status"] == "finished"


@contextmanager
def service_of(
    config: Path, mdl: Any = None, *, prepared: bool = True, environ: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """A service of this configuration, with the tiny shop's model or `mdl`."""
    running = running_service(config, dict(environ or {}))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running) as client:
        service = Service(client, portal)
        if prepared:
            service.prepare(mdl)
        yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The tiny shop, without a language model and without a sign-in."""
    with service_of(write_config(tmp_path_factory.mktemp("page"))) as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests here: while Playwright runs, so does its event loop, beside which no asynchronous test
    of another package can run."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here (apt-get install chromium)")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", OFFLINE])
        yield started
        started.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a test that fails, what stood on its pages is told."""
    report = yield
    if report.when == "call" and report.failed:
        for looked in item.stash.get(OPENED, []):
            said = "It is closed, or broken."
            with suppress(Exception):
                said = looked.page.locator("body").inner_text(timeout=2_000)
            report.sections.append((looked.page.url, said))
    return report


@pytest.fixture
def look(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Looked]]:
    """`look(service, "#/default/history", dark=…, width=…)`: the page there. What goes wrong on it fails the test, and
    so does a request to a host that is not among `trusted=(…)`."""
    opened = request.node.stash[OPENED] = list[Looked]()

    def open_page(service: Service, place: str = "", **how: Any) -> Looked:
        trusted = how.pop("trusted", ())
        context = browser.new_context(
            viewport={"width": how.pop("width", 1280), "height": how.pop("height", 800)},
            color_scheme="dark" if how.pop("dark", False) else "light",
            permissions=how.pop("permissions", ["clipboard-read", "clipboard-write"]),
            locale=how.pop("locale", "en-US"),
            **how,
        )
        looked = Looked(context.new_page(), service.url, trusted=trusted)
        page = looked.page
        page.set_default_timeout(20_000)
        page.on("console", lambda said: heard(looked.problems, said.type, said.text))
        page.on("pageerror", lambda error: looked.problems.append(f"error: {error}"))
        page.on("request", lambda request: looked.requested.append(request.url))
        page.goto(f"{service.url}/{place}")
        opened.append(looked)
        return looked

    yield open_page
    for looked in opened:
        own = (looked.url, "blob:", "data:", *looked.trusted)
        foreign = [url for url in looked.requested if not url.startswith(own)]
        looked.page.context.close()
        assert not foreign, foreign
        assert not looked.problems, looked.problems


def heard(problems: list[str], kind: str, text: str) -> None:
    """Note what the console says that went wrong."""
    if kind in ("error", "warning") and not text.startswith(BY_THE_BROWSER):
        problems.append(f"{kind}: {text}")
