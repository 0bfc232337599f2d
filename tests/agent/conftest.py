"""One service for all tests of a module that need no configuration of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.agent.talking import Talk, talking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Talk]:
    async with talking(tmp_path_factory.mktemp("shared"), {}) as talk:
        yield talk


@pytest_asyncio.fixture(loop_scope="module")
async def talk(shared: Talk) -> AsyncIterator[Talk]:
    """The shared service, its model without a script; what was streamed is checked at the end."""
    shared.script()
    yield shared
    shared.server.release()
    await shared.check()
