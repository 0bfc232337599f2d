"""Database files: DuckDB and SQLite."""

from __future__ import annotations

import logging
from pathlib import Path

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import DEFAULT_LIMITS, EngineLimits
from askwell.providers.engine.child_engine import ChildEngine
from askwell.resources import words_file

logger = logging.getLogger(__name__)

# The title of each kind, and what its driver has to be able to import: DuckDB's takes pytz to return a timestamp with a
# time zone.
_KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "duckdb": ("DuckDB", ("duckdb", "pytz")),
    "sqlite": ("SQLite", ()),
}


class FileEngine(ChildEngine):
    """A database file that query processes open, each for itself: read-only, and without access to anything outside it.
    Raises `ConfigurationError` for an unknown kind."""

    def __init__(self, kind: str, path: Path, limits: EngineLimits = DEFAULT_LIMITS) -> None:
        if kind not in _KINDS:
            raise ConfigurationError(*say("engine.unknown_file_engine", kind=kind, file_engines=", ".join(_KINDS)))
        self._title, imports = _KINDS[kind]
        self._path = path.absolute()
        settings = {"engine": kind, "path": str(self._path), "uri": self._path.as_uri() + "?mode=ro"}
        super().__init__(settings, imports, limits, dialect=kind, data_source=kind.upper(), name=self._path.name)

    def _unavailable(self, reason: str, detail: str) -> EngineUnavailable:
        logger.warning("a database cannot be used", extra={"file": str(self._path), "reason": reason, "detail": detail})
        said = words_file(__package__, "unusable.yaml")
        message, hint = said["file"][reason]
        words = said["kinds"].get(detail, detail)
        filled = f"{message.format(detail=words, kind=self._title)}."
        return EngineUnavailable(
            f"The database {self._name} cannot be used. {filled}", hint.format(kind=self._title), filled
        )
