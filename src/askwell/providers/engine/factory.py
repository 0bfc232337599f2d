"""From a data source of the configuration to its engine."""

from __future__ import annotations

from pathlib import Path

from askwell.errors import ConfigurationError
from askwell.providers.engine.base import Engine
from askwell.providers.engine.duckdb_engine import DuckDBEngine
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.engine.sqlite_engine import SQLiteEngine

_ENGINES: dict[str, type[DuckDBEngine] | type[SQLiteEngine]] = {"duckdb": DuckDBEngine, "sqlite": SQLiteEngine}


def create_engine(kind: str, path: Path, limits: EngineLimits | None = None) -> Engine:
    """The engine of that kind on that file. Opens nothing. Raises `ConfigurationError` for an unknown kind."""
    if kind not in _ENGINES:
        raise ConfigurationError(f'There is no engine "{kind}".', f"Use one of: {', '.join(_ENGINES)}.")
    return _ENGINES[kind](path, limits)
