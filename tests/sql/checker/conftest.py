"""One real engine of each kind for all the tests of the checker."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from askwell.providers.engine.base import Engine
from askwell.sql.checker import SqlChecker
from tests.sql.checker.shop import checker_on, open_engine


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(kind: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    opened = open_engine(kind, tmp_path_factory.mktemp(kind))
    yield opened
    await opened.close()


@pytest.fixture(scope="module")
def checker(engine: Engine) -> SqlChecker:
    return checker_on(engine)
