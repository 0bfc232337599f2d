"""Databases of ours, asked in this process with a language model. Nothing of it is kept."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.asks.request import AskRequest
from askwell.cli.local.session import link_models
from askwell.config import Config, DataSourceConfig
from askwell.container import Container
from askwell.errors import AskwellError
from askwell.services.model_drafting import draft_model
from askwell.sql.query_result import QueryBroke, QueryResult, run_query

_LABEL = "trial"
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Reply:
    """The result object of an ask, and the seconds that it took. One that asks back has the status
    `awaiting_correction`."""

    result: Mapping[str, Any]
    seconds: float


class Trial:
    """The databases by the names of their projects, ready to be asked."""

    def __init__(self, container: Container) -> None:
        self._container = container

    async def prepare(self, project: str, manifest: Mapping[str, Any] | None = None) -> None:
        """Have a database's model ready: this one, or the one that `askwell ask` would make of it. Raises
        `AskwellError`."""
        if manifest is None:
            engine = self._container.database_for(project).engine
            manifest = (await draft_model(await engine.introspect(), engine)).wire()
        preparation = self._container.preparation
        await preparation.start(project, json.dumps(manifest, ensure_ascii=False), _LABEL)
        status = await preparation.status(project, _LABEL)
        while status["status"] == "indexing":
            await asyncio.sleep(_LOOK_SECONDS)
            status = await preparation.status(project, _LABEL)
        if status["status"] == "failed":
            raise AskwellError(str(status["error"]["message"]))

    async def ask(self, project: str, question: str) -> Reply:
        """What comes of a question of somebody who can be asked back. When this is cancelled, so is the ask."""
        asks, began = self._container.asks, time.perf_counter()
        ask_id = await asks.start(
            AskRequest(question, project, mdl_hash=_LABEL, request_from="api", execute=True, interactive=True)
        )
        result: Mapping[str, Any] = {}
        try:
            async for event in await asks.events(ask_id):
                result = event.data
                if event.kind in ("done", "error"):
                    return Reply(result, time.perf_counter() - began)
                if result.get("status") == "awaiting_correction":
                    break
        finally:
            if result.get("status") not in ("finished", "failed", "stopped"):
                await asks.stop(ask_id)
        return Reply(result, time.perf_counter() - began)

    async def rows(self, project: str, sql: str) -> QueryResult | QueryBroke:
        """What a statement gives on the database itself."""
        return await run_query(self._container.database_for(project).engine, sql)


@contextlib.asynccontextmanager
async def trial(config: Config, files: Mapping[str, Path]) -> AsyncIterator[Trial]:
    """DuckDB files by project, asked as the configuration has it, with a record of their own. Raises
    `AskwellError`."""
    sources = {name: DataSourceConfig(engine="duckdb", path=file) for name, file in files.items()}
    with tempfile.TemporaryDirectory(prefix="askwell-trial-") as home:
        if config.embedder.default.provider == "minilm":
            link_models(Path(home), config.home)
        container = Container(config.apart(Path(home), sources))
        await container.start()
        try:
            yield Trial(container)
        finally:
            await container.stop()
            gc.unfreeze()  # else DuckDB complains on standard error of what is still there at the end
