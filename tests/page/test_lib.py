"""The page's modules without a browser: `node --test` over `tests/page/lib`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "lib"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed (apt-get install nodejs)")
def test_modules_without_a_browser() -> None:
    done = subprocess.run(["node", "--test", *map(str, FOLDER.glob("*.test.js"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
