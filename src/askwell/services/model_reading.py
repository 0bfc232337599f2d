"""Reading a semantic model that a client sent, or that was stored: on a thread, or in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askwell.heap import many_objects
from askwell.knowledge.models import StoredModel
from askwell.mdl.manifest import canonical_json, hash_of
from askwell.mdl.problems import Problem
from askwell.services.database import Database


@dataclass(frozen=True, slots=True)
class ReadModel:
    """What became of a manifest: `text` is its canonical JSON and `digest` that one's hash, both empty where there are
    problems."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    digest: str = ""
    text: str = ""


class ModelReader:
    """Reads models in the service's own process, for whoever has only itself to wait for. `read` and `try_out` raise
    `InvalidModel` for one that cannot be read within bounds of time and memory, where there are any."""

    async def read(self, mdl: str | Mapping[str, Any], database: Database) -> ReadModel:
        """Everything that can be said of a manifest without its database."""
        return await asyncio.to_thread(read_model, mdl, database)

    async def try_out(self, stored: StoredModel, database: Database) -> None:
        """Returns when it is known that making the model ready for questions, or finding out that it does not pass,
        comes to an end. Here it shows when it is made ready."""

    async def close(self) -> None:
        """Give up what is still going on. Safe to call twice."""


def read_model(mdl: str | Mapping[str, Any], database: Database) -> ReadModel:
    """Read and check a manifest. Takes up to some seconds."""
    with many_objects():
        reading = database.read(mdl if isinstance(mdl, str) else dict(mdl))
        if reading.manifest is None:
            return ReadModel(reading.problems, reading.warnings)
        text = canonical_json(reading.manifest)
        return ReadModel((), reading.warnings, hash_of(text), text)
