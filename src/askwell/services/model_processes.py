"""Models are read, and tried, in processes that can be killed: however large or twisted one is, it costs the service
nothing but its refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cachetools import TTLCache

from askwell.child_process.pool import ChildDied, ChildKind, ChildPool, temporary_folder
from askwell.errors import InvalidModel, ShuttingDown, Unavailable
from askwell.knowledge.models import StoredModel
from askwell.mdl.problems import Problem
from askwell.messages import say
from askwell.services.database import Database, PlanningEngine
from askwell.services.model_reading import ModelReader, ReadModel

# What a model gets, in seconds: a small one takes hundredths, fifty thousand columns (8 MB) fifteen on a busy machine.
SECONDS = 20.0
_SECONDS_PER_MB = 10.0
_MOST_SECONDS = 120.0
# A process has 80 MB of its own, and takes a second to start.
_KIND = ChildKind(
    "askwell.services.model_child",
    "to read models in",
    imports=("sqlglot", "pydantic", "sqlalchemy", "cachetools", "numpy"),
    size=2,
    idle_seconds=60.0,
)
# A process may be killed from outside, or have no memory left from what it read before: once is no verdict.
_ATTEMPTS = 2
# How long what is known of a stored model is remembered. The machine may only have been busy.
_REMEMBERED_SECONDS = 3_600.0
_REMEMBERED = 1_000

_TODO = "Send less: fewer or simpler views, calculated fields and relationships, or several projects."


class ReadsApart(ModelReader):
    """Reads in other processes. Whoever tries a model waits, but giving up the wait does not end the trial:
    what it gives is remembered, for the next caller. `seconds` is what a small model gets."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._pool = ChildPool(_KIND)
        self._known: TTLCache[str, InvalidModel | None] = TTLCache(_REMEMBERED, _REMEMBERED_SECONDS)
        self._trials: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    async def read(self, mdl: str | Mapping[str, Any], database: Database) -> ReadModel:
        """See `ModelReader`."""
        fields, text = await self._asked("read", lambda: mdl if isinstance(mdl, str) else _as_json(mdl), database)
        problems, warnings = (tuple(Problem(*one) for one in fields[name]) for name in ("problems", "warnings"))
        return ReadModel(problems, warnings, fields["digest"], text if fields["digest"] else "")

    async def try_out(self, stored: StoredModel, database: Database) -> None:
        """See `ModelReader`."""
        key = json.dumps([stored.content_hash, _surroundings(database)], sort_keys=True)
        if key not in self._known:
            if key not in self._trials:
                task = asyncio.create_task(self._try(key, stored, database), name="try-model")
                self._trials[key] = task
                task.add_done_callback(lambda _: self._trials.pop(key, None))
            await asyncio.shield(self._trials[key])
        refusal = self._known.get(key)
        if refusal is not None:
            raise InvalidModel(refusal.message, refusal.hint, refusal.problems)

    async def close(self) -> None:
        """Kill what is still read. Safe to call twice."""
        self._closed = True
        for task in self._trials.values():
            task.cancel()
        if self._trials:
            await asyncio.wait([*self._trials.values()])
        await self._pool.close()

    async def _try(self, key: str, stored: StoredModel, database: Database) -> None:
        try:
            await self._asked("try", lambda: stored.manifest, database)
            self._known[key] = None
        except InvalidModel as refusal:
            self._known[key] = refusal

    async def _asked(self, operation: str, mdl: Callable[[], str], database: Database) -> tuple[dict[str, Any], str]:
        """The answer, and the text that it left. Raises `InvalidModel` where there is none, twice."""
        with temporary_folder("askwell-model-") as folder:
            file = Path(folder) / "model.json"
            size = await asyncio.to_thread(lambda: file.write_bytes(mdl().encode("utf-8", "surrogatepass")))
            seconds = min(self._seconds + _SECONDS_PER_MB * size / 1_000_000, _MOST_SECONDS)
            request = {"op": operation, "file": str(file), **_surroundings(database)}
            for _ in range(_ATTEMPTS):
                try:
                    fields = (await self._pool.ask(request, seconds)).fields
                except ChildDied:
                    continue
                except TimeoutError:
                    raise _refused(f"takes more than {seconds:.0f} seconds") from None
                except Unavailable as error:
                    raise (ShuttingDown(error.message, error.hint) if self._closed else error) from None
                if "refusal" in fields:
                    message, hint, problems = fields["refusal"]
                    raise InvalidModel(message, hint, tuple(problems))
                if "out_of_memory" not in fields:
                    read = file.with_suffix(".read").read_text
                    return fields, await asyncio.to_thread(read) if operation == "read" else ""
        raise _refused("needs more memory or processor time than it may use")


def _surroundings(database: Database) -> dict[str, Any]:
    """What of a database decides how a model is read."""
    engine = database.engine
    return {
        "dialect": engine.dialect,
        "data_source": engine.data_source,
        "schema_map": dict(database.schema_map),
        "tables": None if database.tables is None else list(database.tables.patterns),
        "plans_itself": isinstance(engine, PlanningEngine),
    }


def _as_json(mdl: Mapping[str, Any]) -> str:
    """Part by part: of thousands of models one step would be a tenth of a second in which no other thread runs."""
    members = (f"{json.dumps(key)}:{_member(value)}" for key, value in mdl.items())
    return "{" + ",".join(members) + "}"


def _member(value: object) -> str:
    return f"[{','.join(map(json.dumps, value))}]" if isinstance(value, list) else json.dumps(value)


def _refused(what: str) -> InvalidModel:
    return InvalidModel(*say("model.reading_fails", what=what), (f"manifest: reading it {what}. {_TODO}",))
