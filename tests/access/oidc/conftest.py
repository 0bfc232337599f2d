"""The whole service, with sign-in by an issuer that runs beside it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pytest
import uvicorn
from fastapi import FastAPI

from askwell import parts
from askwell.access.audit import AuditLog
from askwell.access.authentication import Access
from askwell.config import Config, load_config
from askwell.container import Container
from askwell.knowledge.record import Record
from askwell.web.app import create_app
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, CLIENT_SECRET, FakeIssuer
from tests.support.service import write_config
from tests.web.fakes import FakeServices

SECRET = "the-first-secret-of-at-least-32-characters"
CALLBACK = "http://localhost:5555/v1/sign-in/callback"


@dataclass
class Clock:
    """The clocks of a service, which a test sets on."""

    ahead: float = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def seconds(self) -> float:
        return time.perf_counter() + self.ahead


@dataclass
class Browser:
    """Cookies, redirects that it does not follow by itself, and the headers that browsers send."""

    url: str
    http: aiohttp.ClientSession
    cookies: dict[str, str] = field(default_factory=dict)
    set_cookies: list[str] = field(default_factory=list)

    async def call(self, method: str, path: str, **more: Any) -> tuple[int, Mapping[str, str], Any]:
        headers = dict(more.pop("headers", {}))
        if self.cookies:
            headers.setdefault("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        where = path if "://" in path else f"{self.url}{path}"
        async with self.http.request(method, where, headers=headers, allow_redirects=False, **more) as answer:
            self.set_cookies = answer.headers.getall("Set-Cookie", [])
            for cookie in self.set_cookies:
                name, _, rest = cookie.partition("=")
                self.cookies[name] = rest.partition(";")[0]
                if re.search(r"Max-Age=0(;|$)", cookie):
                    del self.cookies[name]
            body = await answer.json() if "json" in answer.headers.get("Content-Type", "") else await answer.text()
            return answer.status, answer.headers, body

    async def at_the_issuer(self, return_to: str = "/docs") -> dict[str, str]:
        """Begin to sign in and do what the issuer wants; what it sends back by the address."""
        status, headers, body = await self.call("GET", "/v1/sign-in", params={"return_to": return_to})
        assert status == 303, body
        status, headers, _ = await self.call("GET", headers["Location"], headers={"Cookie": ""})
        assert status == 302
        assert headers["Location"].startswith(f"{CALLBACK}?")
        return dict(parse_qsl(urlsplit(headers["Location"]).query))

    async def back(self, answer: Any) -> tuple[int, Mapping[str, str], Any]:
        """Come back from the issuer."""
        return await self.call("GET", "/v1/sign-in/callback", params=answer)

    async def sign_in(self, return_to: str = "/docs") -> str:
        """Sign in; the token that changes need."""
        status, headers, body = await self.back(await self.at_the_issuer(return_to))
        assert (status, headers.get("Location")) == (303, return_to), body
        status, _, me = await self.call("GET", "/v1/me")
        assert status == 200, me
        return str(me["csrf_token"])


@dataclass
class Service:
    """A running service. Bearer tokens are sent by `bearer`, browsers made by `browser`."""

    url: str
    http: aiohttp.ClientSession

    def browser(self) -> Browser:
        return Browser(self.url, self.http)

    async def bearer(self, token: str, method: str = "GET", path: str = "/v1/me", **more: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {token}".encode("utf-8", "surrogateescape").decode("latin-1")}
        async with self.http.request(method, f"{self.url}{path}", headers=headers, **more) as answer:
            return answer.status, await answer.json() if "json" in answer.headers.get("Content-Type", "") else None


class Services(FakeServices):
    """Fakes, but for who calls. Started where a test starts it."""

    def __init__(self, access: Access) -> None:
        super().__init__()
        self.access = access


class Whoever:
    """The services of the test that has the application now: making one takes as long as many tests."""

    services: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.services, name)


_IDLE: list[tuple[FastAPI, Whoever]] = []
Serving = Callable[..., Any]


@pytest.fixture
async def issuer() -> AsyncIterator[FakeIssuer]:
    async with FakeIssuer() as one:
        yield one


@pytest.fixture
def serving(tmp_path: Path, issuer: FakeIssuer) -> Serving:
    """`async with serving(oidc={…}, sign_in={…}, secret="…", clock=Clock()) as service`: the application over fakes
    and a record; with `whole` over everything that there is."""

    @asynccontextmanager
    async def started(
        oidc: Mapping[str, Any] | None = None,
        sign_in: Mapping[str, Any] | None = None,
        secret: str = SECRET,
        clock: Clock | None = None,
        whole: bool = False,
    ) -> AsyncIterator[Service]:
        who = {"audiences": [AUDIENCE], "client_id": CLIENT, "redirect_url": CALLBACK}
        section = {"issuer": issuer.url, **who, **(oidc or {})}
        limits = {"requests": 0, "asks": 0, "failures": 0}
        path = write_config(tmp_path, sign_in={"limits": limits, **(sign_in or {}), "oidc": section})
        environ = {"ASKWELL_SIGN_IN__SESSION_SECRET": secret, "ASKWELL_SIGN_IN__OIDC__CLIENT_SECRET": CLIENT_SECRET}
        config, clock = load_config(path, environ), clock or Clock()
        over = _whole(config, clock) if whole else _over_fakes(config, clock)
        async with over as app, listening(app, whole) as url:
            async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), max_field_size=2**16) as http:
                yield Service(url, http)

    return started


@asynccontextmanager
async def _whole(config: Config, clock: Clock) -> AsyncIterator[FastAPI]:
    container = Container(config, now=clock.now, clock=clock.seconds)
    yield create_app(container, config.server, sign_in=config.sign_in)


@asynccontextmanager
async def _over_fakes(config: Config, clock: Clock) -> AsyncIterator[FastAPI]:
    record = await Record.open("sqlite", config.home)
    sign_on = parts.single_sign_on(config, record.ended_tokens, clock.now, clock.seconds)
    assert sign_on is not None
    audit = AuditLog(config.sign_in.audit, config.home)
    access = Access.of(config.sign_in, record.api_keys, audit, clock.now, sign_on=sign_on)
    if not _IDLE:
        whoever = Whoever()
        _IDLE.append((create_app(whoever, config.server, sign_in=config.sign_in), whoever))
    app, whoever = _IDLE.pop()
    whoever.services = Services(access)
    try:
        yield app
    finally:
        whoever.services = None
        _IDLE.append((app, whoever))
        await sign_on.close()
        await record.close()


@asynccontextmanager
async def listening(app: FastAPI, whole: bool) -> AsyncIterator[str]:
    lifespan = "on" if whole else "off"
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan=lifespan))
    task = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(60):
            while not server.started:
                assert not task.done(), task
                await asyncio.sleep(0.01)
        yield f"http://localhost:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
