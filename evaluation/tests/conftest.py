"""What the tests of evaluations share: logs as they were, and a folder with questions about a small database."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.tests.marina import make_folder
from tests.conftest import _logs_stay_as_they_were  # noqa: F401 - a fixture that every test uses


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Questions about a small database."""
    return make_folder(tmp_path)
