"""A model of a small database, sampled and ready."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from askwell.knowledge.models import StoredModel
from askwell.mdl.manifest import canonical_json, content_hash
from askwell.mdl.validation import read_manifest
from askwell.providers.engine.base import EngineLimits
from askwell.providers.engine.factory import create_engine
from askwell.services.database import Database
from askwell.services.projects import ProjectModel, build
from askwell.services.value_sampling import SamplingBounds, sample_values

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)


@asynccontextmanager
async def open_project(path: Path, mdl: dict[str, Any], kind: str = "sqlite") -> AsyncIterator[ProjectModel]:
    """The database file with this model, its values looked at."""
    manifest = read_manifest(mdl, data_source=kind.upper()).manifest
    assert manifest is not None
    engine = create_engine(kind, path, EngineLimits(pool_size=1))
    try:
        stored = StoredModel("default", content_hash(manifest), "m1", canonical_json(manifest), {}, (), NOW)
        project = build(stored, Database(engine))
        found = await sample_values(
            project.model, project.checker, bounds=SamplingBounds(), on_progress=lambda done, of: None
        )
        yield build(replace(stored, values=found.values), Database(engine))
    finally:
        await engine.close()


def table(name: str, columns: dict[str, str], key: str | None = "id", **more: Any) -> dict[str, Any]:
    """A model of a manifest; `more` is by column."""
    return {
        "name": name,
        "tableReference": {"table": name},
        **({"primaryKey": key} if key else {}),
        "columns": [{"name": column, "type": kind, **more.get(column, {})} for column, kind in columns.items()],
    }


def manifest(*models: dict[str, Any], links: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """A manifest of these models; `links` are ("a.b_id", "b.id"), many to one."""
    return {
        "catalog": "c",
        "schema": "s",
        "dataSource": "SQLITE",
        "models": list(models),
        "relationships": [
            {
                "name": left.replace(".", "_"),
                "models": [left.partition(".")[0], right.partition(".")[0]],
                "joinType": "MANY_TO_ONE",
                "condition": f"{left} = {right}",
            }
            for left, right in links
        ],
    }


@pytest.fixture
def database(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a SQLite file with that script run in it."""

    def make(script: str) -> Path:
        path = tmp_path / "data.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
        connection.close()
        return path

    return make
