"""The application over fakes, reached through HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from askwell.web.app import create_app
from tests.web.fakes import FakeServices


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


@pytest.fixture
def http(services: FakeServices) -> Iterator[TestClient]:
    """A client that sees what a real one sees: a defect is an answer, never an exception."""
    with TestClient(create_app(services), raise_server_exceptions=False, follow_redirects=False) as client:
        yield client
