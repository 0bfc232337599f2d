"""Services for all tests of this room that need no other configuration, one without a language model and one with."""

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


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def talk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """With conversations too: tests say by `House.script` what the language model says in them."""
    async with house(tmp_path_factory.mktemp("talk"), script={"conversation": []}) as one:
        await prepared(one, ALPHA)
        yield one
