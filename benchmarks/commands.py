"""What `askwell ask --database` takes, from nothing and when the database is known."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figure, figure
from benchmarks.shop import make_database, rules_question

_AGAIN = 3


def measure() -> list[Figure]:
    """Figures of the command on the file of 20 tables: seconds that pass, and processor seconds with its children."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "bench.sqlite")
        first = _run(folder, 0)
        again = [_run(folder, n) for n in range(1, _AGAIN + 1)]
    group = "askwell ask --database"
    return [
        figure(group, "an unknown database", "20 tables", [first[0]], "s"),
        figure(group, "an unknown database, processor time", "20 tables", [first[1]], "CPU s"),
        figure(group, "a known one", "20 tables", [wall for wall, _ in again], "s"),
        figure(group, "a known one, processor time", "20 tables", [cpu for _, cpu in again], "CPU s"),
    ]


def _run(folder: Path, number: int) -> tuple[float, float]:
    command = ["ask", "--database", str(folder / "bench.sqlite"), rules_question(number), "--quiet"]
    environ = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(folder / "cache")}
    before, started = _children_seconds(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "askwell", *command], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started, _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
