"""A service for all tests of this room that need no other configuration and no clock of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.access.house import ALPHA, BETA, House, house, prepared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """With a model in both projects. Each test has people of its own; their tests run in the session's loop."""
    async with house(tmp_path_factory.mktemp("access")) as one:
        await prepared(one, ALPHA)
        await prepared(one, BETA)
        yield one
