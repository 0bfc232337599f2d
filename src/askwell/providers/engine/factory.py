"""From a data source of the configuration to its engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askwell.providers.engine.base import DEFAULT_LIMITS, CallableFunctions, Engine, EngineLimits
from askwell.providers.engine.file_engine import FileEngine


def create_engine(kind: str, path: Path, limits: EngineLimits = DEFAULT_LIMITS) -> Engine:
    """The engine of that kind on that file. Opens nothing. Raises `ConfigurationError` for an unknown kind."""
    return FileEngine(kind, path, limits)


def create_server_engine(
    url: str, limits: EngineLimits = DEFAULT_LIMITS, callable_functions: CallableFunctions | None = None
) -> Engine:
    """The engine of a database server, by its SQLAlchemy URL. Connects to nothing. Raises `ConfigurationError` for a
    database that is not known, or whose driver is not installed."""
    # Drivers are only loaded by those who have such a server.
    from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine

    return SQLAlchemyEngine(url, limits, callable_functions)


def create_ibis_engine(
    api_base: str, data_source: str, connection_info: Mapping[str, Any], limits: EngineLimits = DEFAULT_LIMITS
) -> Engine:
    """The engine of a database behind an ibis-server. Connects to nothing. `data_source` is the manifest's name for the
    database, `connection_info` what the server needs to reach it."""
    from askwell.providers.engine.wren_ibis import WrenIbisEngine

    return WrenIbisEngine(api_base, data_source, connection_info, limits)


def create_wren_ui_engine(
    api_base: str, data_source: str, project_id: int | None = None, limits: EngineLimits = DEFAULT_LIMITS
) -> Engine:
    """The engine of a database behind a Wren UI. Connects to nothing. `data_source` is the manifest's name for the
    database, empty where only manifests say it; `project_id` is the UI's, None for its current project."""
    from askwell.providers.engine.wren_ui import WrenUiEngine

    return WrenUiEngine(api_base, data_source, project_id, limits)
