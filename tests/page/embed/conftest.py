"""A site of another origin than the service's, with styles of its own, and somebody who looks at its pages."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.page.conftest import Service, heard, service_of
from tests.page.test_signing_in import ADMIN_KEY
from tests.support.service import write_config

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

# A site whose styles reach for everything, and whose own names are those of the element's sheets.
STYLES = (
    "html{font-size:62.5%}body{margin:8px;font:12px serif;text-transform:uppercase;letter-spacing:3px;text-align:right;"
    "color:red;line-height:3}button,input,textarea,h2,p,td{border:9px solid lime;color:red;font-size:40px}"
    ":root{--text:red;--surface:red;--font:serif}.card,.button,.answer{display:none}"
)


@dataclass
class Site:
    """A site of another origin than the service's."""

    origin: str
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)
    token: Callable[[bool], str] = str
    """What `POST /askwell-token` gives, told whether one was refused."""

    def page(self, name: str, body: str, policy: str = "", *, attributes: str = "", head: str = "") -> str:
        """A page with this in its body, under this policy; its address."""
        head = f"<head><title>A site</title><link rel=stylesheet href=/site.css>{head}</head>"
        document = (
            f"<!doctype html><html lang=en {attributes}>{head}<body><main><h1>A site</h1>{body}</main></body></html>"
        )
        self.pages[f"/{name}"] = (document, policy)
        return f"{self.origin}/{name}"


@contextmanager
def site_on() -> Iterator[Site]:
    site = Site("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = {"/site.css": (STYLES, "")} | site.pages
            text, policy = found.get(self.path, ("", ""))
            self.send_response(200 if text else 404)
            kind = {"css": "text/css", "js": "text/javascript"}.get(self.path.rpartition(".")[2], "text/html")
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self) -> None:
            path, _, said = self.path.partition("?")
            self.send_response(200 if path == "/askwell-token" else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"token": site.token(said == "refused")}).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with site_on() as running:
        yield running


@pytest.fixture(scope="module")
def asked(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that the site may call, with the tiny shop's model; everybody has to say who they are."""
    server = {"host": "127.0.0.1", "port": 0, "allowed_origins": [site.origin]}
    config = write_config(tmp_path_factory.mktemp("embedded"), sign_in={"keys": True}, server=server)
    with service_of(config, prepared=False, environ={"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as running:
        running.sign_in(ADMIN_KEY)
        running.prepare()
        yield running


@dataclass
class Visit:
    """A site's page that somebody looks at, and what went wrong on it."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requested: list[Any] = field(default_factory=list)

    @property
    def element(self) -> Locator:
        return self.page.locator("askwell-ask")

    def ask(self, question: str) -> Locator:
        before = self.element.locator("article").count()
        self.element.get_by_role("textbox", name="Your question").fill(question)
        self.page.keyboard.press("Enter")
        card = self.element.locator("article").nth(before)
        card.locator(".answer, .answer-words, .note, .clarify").first.wait_for()
        return card


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """`visit(address)`: the page there. What goes wrong on it fails the test."""
    opened: list[Visit] = []

    def open_page(address: str, **how: Any) -> Visit:
        context = browser.new_context(viewport={"width": how.pop("width", 1280), "height": 900}, locale="en-US", **how)
        visited = Visit(context.new_page())
        page = visited.page
        page.set_default_timeout(20_000)
        page.on("console", lambda said: heard(visited.problems, said.type, said.text))
        page.on("pageerror", lambda error: visited.problems.append(f"error: {error}"))
        page.on("request", lambda request: visited.requested.append(request))
        page.add_init_script(
            "for (const name of ['answer', 'error', 'asked', 'clarify', 'stopped'])"
            " document.addEventListener(`askwell-${name}`, event =>"
            " (document.told ??= []).push([event.type, event.detail]))"
        )
        page.goto(address)
        opened.append(visited)
        return visited

    yield open_page
    for visited in opened:
        visited.page.context.close()
        assert not visited.problems, visited.problems


def element(service: Service, key: str = "", attributes: str = "") -> str:
    token = f'token="{key}"' if key else ""
    script = f'<script type="module" src="{service.url}/askwell-ask.js"></script>'
    return f'{script}<askwell-ask project="default" {token} {attributes}></askwell-ask>'


def strict(service: Service, more: str = "") -> str:
    theirs = f"script-src {service.url}; connect-src {service.url}; img-src blob:"
    return f"default-src 'none'; style-src 'self'; {theirs}{more}"


def told(visited: Visit, *names: str) -> list[Any]:
    """The events of an answer and of errors, or those of these names: `[name, detail]`."""
    found: list[Any] = visited.page.evaluate("document.told ?? []")
    wanted = [f"askwell-{name}" for name in names or ("answer", "error")]
    return [one for one in found if one[0] in wanted]
