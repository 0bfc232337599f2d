"""What every test may use: the flag that rewrites golden files, how long examples may take, and logs as they were."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.examples import QUICK

settings.load_profile(QUICK)

# As they stand in the ids of tests that run once for each dialect or database.
SERVERS = {"postgres", "postgresql", "mysql", "mariadb", "new_postgresql", "new_mariadb", "PostgreSQL", "MariaDB"}


# Files in memory, and the room that a run needs there.
MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30


def pytest_configure() -> None:
    """Temporary files are in memory, where there is room: services flush each change to the disk, which takes longer
    than all else that a test does.

    What is collected stays until the end, so that looking for garbage meanwhile takes a quarter of the time and finds
    none."""
    gc.disable()
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    # Where no test shared a service, nothing of it is imported.
    if (shared := sys.modules.get("tests.support.shared")) is not None:
        shared.close_shared_services()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs once for each dialect or database runs for SQLite and DuckDB in `make test`, and for servers in
    `make test-deep`: a new user has none, and they take a third of the time."""
    for item in items:
        parameters = item.name.partition("[")[2].rstrip("]").split("-")
        if not SERVERS.isdisjoint(parameters):
            item.add_marker(pytest.mark.deep)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Rewrite golden files with what the code gives now.")


@pytest.fixture(autouse=True)
def _logs_stay_as_they_were() -> Iterator[None]:
    """A command that runs in this process configures logging for all of it, and so for the tests that follow."""
    root, ours, server = logging.getLogger(), logging.getLogger("askwell"), logging.getLogger("uvicorn.error")
    before = [(logger, logger.level) for logger in (root, ours, server)]
    handlers, raises = root.handlers[:], logging.raiseExceptions
    yield
    root.handlers[:] = handlers
    logging.raiseExceptions = raises
    for logger, level in before:
        logger.setLevel(level)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)`: the file holds exactly this text. `pytest --update-golden` rewrites it; read the diff."""
    update = request.config.getoption("--update-golden")

    def check(path: Path, text: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing; pytest --update-golden writes it"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; pytest --update-golden rewrites it"

    return check
