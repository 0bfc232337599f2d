"""Database files: DuckDB and SQLite."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import DEFAULT_LIMITS, EngineLimits
from askwell.providers.engine.child_engine import ChildEngine

logger = logging.getLogger(__name__)

# Reason (as the child reports it) → what happened, what to do next. `{detail}` is the child's, `{kind}` the engine's.
# Clients read these: where the file lies and which process holds it is for the service's own log.
UNUSABLE: dict[str, tuple[str, str]] = {
    "missing": ("The file does not exist", "Check the path of this data source in the configuration."),
    "not_a_file": ("It is {detail}", "The path of this data source has to lead to one {kind} file."),
    "unreadable": ("It cannot be read: {detail}", "Give the user that runs the service permission to read the file."),
    "locked": (
        "Another process has it open for writing",
        "Close it there, then ask again; the service's log says which process it is.",
    ),
    "other_kind": (
        "It is not a {kind} database but {detail}",
        "Check the path and the engine of this data source in the configuration.",
    ),
    "corrupt": ("It is damaged", "Restore the file from a backup, or check it with the database's own tools."),
    "encrypted": ("It is encrypted or damaged", "Decrypt the file, or restore it from a backup."),
    "newer_version": (
        "It was written by a version of {kind} that this service cannot read",
        "Upgrade the service, or export the database with the older version.",
    ),
    "timezone": ("It does not know the time zone of the question", "Ask with another name of that zone, or with UTC."),
    "out_of_memory": ("There is not enough memory to open it", "Raise the memory limit of this data source."),
}
_KIND_WORDS = {
    "unknown": "a file of a kind that Askwell does not know",
    "empty": "an empty file",
    "duckdb": "a DuckDB database",
    "sqlite": "a SQLite database",
}


class FileEngine(ChildEngine):
    """A database file that query processes open, each for itself."""

    def __init__(
        self, path: Path, kind: Literal["duckdb", "sqlite"], modules: tuple[str, ...], limits: EngineLimits
    ) -> None:
        self._path = path.absolute()
        self._kind = "DuckDB" if kind == "duckdb" else "SQLite"
        settings = {"engine": kind, "path": str(self._path), "uri": self._path.as_uri() + "?mode=ro"}
        super().__init__(settings, modules, limits, dialect=kind, data_source=kind.upper(), name=self._path.name)

    def _unavailable(self, reason: str, detail: str) -> EngineUnavailable:
        logger.warning("a database cannot be used", extra={"file": str(self._path), "reason": reason, "detail": detail})
        message, hint = UNUSABLE[reason]
        words = _KIND_WORDS.get(detail, detail)
        filled = f"{message.format(detail=words, kind=self._kind)}."
        return EngineUnavailable(
            f"The database {self._name} cannot be used. {filled}", hint.format(kind=self._kind), filled
        )


class DuckDBEngine(FileEngine):
    """One DuckDB file, read-only, without access to anything outside it."""

    def __init__(self, path: Path, limits: EngineLimits = DEFAULT_LIMITS) -> None:
        # pytz is what the driver needs to return a timestamp with a time zone.
        super().__init__(path, "duckdb", ("duckdb", "pytz"), limits)


class SQLiteEngine(FileEngine):
    """One SQLite file, read-only; statements may do nothing but select."""

    def __init__(self, path: Path, limits: EngineLimits = DEFAULT_LIMITS) -> None:
        super().__init__(path, "sqlite", (), limits)
