"""DuckDB files."""

from __future__ import annotations

from pathlib import Path

from askwell.providers.engine.file_engine import FileEngine
from askwell.providers.engine.limits import EngineLimits


class DuckDBEngine(FileEngine):
    """One DuckDB file, read-only, without access to anything outside it."""

    def __init__(self, path: Path, limits: EngineLimits | None = None) -> None:
        # pytz is what the driver needs to return a timestamp with a time zone.
        super().__init__(path, "duckdb", ("duckdb", "pytz"), limits or EngineLimits())
