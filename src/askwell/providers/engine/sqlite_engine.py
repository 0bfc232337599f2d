"""SQLite files."""

from __future__ import annotations

from pathlib import Path

from askwell.providers.engine.file_engine import FileEngine
from askwell.providers.engine.limits import EngineLimits


class SQLiteEngine(FileEngine):
    """One SQLite file, read-only; statements may do nothing but select."""

    def __init__(self, path: Path, limits: EngineLimits | None = None) -> None:
        super().__init__(path, "sqlite", (), limits or EngineLimits())
