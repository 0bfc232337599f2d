"""One service for all tests of a module that need no configuration of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.mcp_server.shops import trader_service
from tests.support.service import Client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def trader(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    async with trader_service(tmp_path_factory.mktemp("trader")) as service:
        yield service
