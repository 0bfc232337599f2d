"""The application over fakes, reached through HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.support.apps import application
from tests.web.fakes import FakeServices


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


def client_of(app: FastAPI) -> TestClient:
    """A client on this machine that sees what a real one sees: a defect is an answer, never an exception."""
    return TestClient(app, "http://localhost:5555", raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture
def http(services: FakeServices) -> Iterator[TestClient]:
    with application(services) as app, client_of(app) as client:
        yield client


class ManyRequests:
    """A client for thousands of requests: the application runs in this thread, without the hand-overs of
    `TestClient`."""

    def __init__(self, app: Any, runner: asyncio.Runner) -> None:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx2.AsyncClient(transport=transport, base_url="http://localhost:5555")
        self._runner = runner

    def request(self, method: str, url: str, **more: Any) -> httpx2.Response:
        return self._runner.run(self._client.request(method, url, **more))

    def get(self, url: str) -> httpx2.Response:
        return self.request("GET", url)

    def post(self, url: str, **more: Any) -> httpx2.Response:
        return self.request("POST", url, **more)


@pytest.fixture
def many(services: FakeServices) -> Iterator[ManyRequests]:
    with application(services) as app, asyncio.Runner() as runner:
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        yield ManyRequests(app, runner)
        runner.run(lifespan.__aexit__(None, None, None))
