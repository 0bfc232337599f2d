"""One service without a language model and one with a scripted one, for all tests of this directory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fakes.openai_server import ChatServer
from tests.support.job_calls import Jobs
from tests.support.service import running_service, write_config


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def plain(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Jobs]:
    """Without a language model."""
    async with running_service(write_config(tmp_path_factory.mktemp("plain"))) as service:
        assert (await service.prepare())["status"] == "finished"
        yield Jobs(service)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _written(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Jobs]:
    async with ChatServer() as model:
        config = write_config(tmp_path_factory.mktemp("written"), api_base=model.api_base)
        async with running_service(config) as service:
            assert (await service.prepare())["status"] == "finished"
            yield Jobs(service, model)


@pytest.fixture
def written(_written: Jobs) -> Jobs:
    """With a language model that gives the default answers until a test scripts it."""
    _written.script()
    return _written


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/job_kinds/" in item.path.as_posix() and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
