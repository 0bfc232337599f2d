"""`askwell eval repair`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class RepairReport:
    """Figures."""

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {}

    def as_table(self) -> str:
        """Lines for people."""
        return ""


def run_repair(
    cases: Path, databases: Path, *, limit: int | None, seed: int, progress: Callable[[str], None]
) -> RepairReport:
    """Being written."""
    raise NotImplementedError
