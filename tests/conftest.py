"""What every test may use: the flag that rewrites golden files, and how long examples may take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are busy: how long an example takes says nothing about what is tested.
settings.register_profile("askwell", deadline=None)
settings.load_profile("askwell")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Rewrite golden files with what the code gives now.")


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
