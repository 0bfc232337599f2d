"""The application over fakes, reached through HTTP."""

from __future__ import annotations

from collections.abc import Iterator

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
