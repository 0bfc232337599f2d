from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluation.marina import make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Questions about a small database."""
    return make_folder(tmp_path)
