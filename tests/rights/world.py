"""A database of two people's rows, each full of words that nothing else holds, and a model whose rules part them."""

from __future__ import annotations

import asyncio
import copy
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from askwell.asks.request import AskRequest
from askwell.config import load_config
from askwell.container import Container
from askwell.knowledge.saved import SqlPair
from askwell.principal import Person
from askwell.tools.base import Caller, ToolFailure
from tests.fakes.openai_server import ChatServer
from tests.support.servers import new_mariadb, new_postgresql
from tests.support.service import write_config
from tests.support.tables import case_table

NOW = datetime(2026, 11, 25, tzinfo=UTC)

ANN = Person("ann", {"region": "'EMEA'"})
BOB = Person("bob", {"region": "'APAC'", "level": "3"})
# Signed in, and nothing is known of them.
NIL = Person("nil")

# Of Ann's rows, of Bob's, and of a column that only Bob may read.
OWN = ("Alderkanari", "Alphonkanari", "Amberkanari")
BOBS = case_table(__file__, "bobs")
RULED = ("badge4kanari", "badge6kanari")
HIDDEN = ("inner3kanari", "inner8kanari")
# Numbers of Bob's rows and of the column, which stand nowhere else.
NUMBERS = ("7731901", "7731902", "7731903", "8842901", "8842902", "9953907")
# Of a column that is called sensitive: people may read it, no language model is shown it.
SENSITIVE = ("iban2kanari",)
FORBIDDEN = (*BOBS, *RULED, *HIDDEN, *NUMBERS)

_TABLES = case_table(__file__, "tables")
_ROWS = case_table(__file__, "rows")


def manifest(data_source: str, schema: str | None = None) -> dict[str, Any]:
    """Row rules, column rules, hidden and sensitive columns, and calculated fields, metrics, views and relationships
    over all of these."""
    made = copy.deepcopy(case_table(__file__, "manifest")) | {"dataSource": data_source}
    for model in made["models"] if schema else ():
        if "tableReference" in model:
            model["tableReference"]["schema"] = schema
    return made


@dataclass(frozen=True)
class Source:
    """An entry of `data_sources`, with what the manifest says of its database."""

    entry: Mapping[str, Any]
    data_source: str
    schema: str | None = None


@contextmanager
def database(kind: str, folder: Path) -> Iterator[Source]:
    """The rows on `sqlite`, `duckdb`, `postgres` or `mariadb`; skipped, saying so, without such a server."""
    script = (*_TABLES, *_ROWS)
    if kind in ("postgres", "mariadb"):
        server = new_postgresql() if kind == "postgres" else new_mariadb()
        try:
            for statement in script:
                server.ask(statement)
            entry = {"engine": "sqlalchemy", "url": server.url, "shared": True}
            yield Source(entry, "POSTGRES" if kind == "postgres" else "MYSQL")
        finally:
            server.drop()
        return
    path = folder / f"world.{kind}"
    if kind == "sqlite":
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(";\n".join(script))
    else:
        with duckdb.connect(str(path)) as connection:
            for statement in script:
                connection.execute(statement)
    yield Source({"engine": kind, "path": str(path), "shared": True}, kind.upper())


@dataclass
class World:
    """A service over it. What somebody receives is kept in `received`, by their id, as text."""

    container: Container
    model: ChatServer | None = None
    received: dict[str, list[str]] = field(default_factory=dict)

    def keep(self, person: Person, *told: Any) -> None:
        """Note what this person received."""
        texts = (one if isinstance(one, str) else json.dumps(one, default=str, ensure_ascii=False) for one in told)
        self.received.setdefault(person.id, []).extend(texts)

    async def ended(self, jobs: Any, job_id: str, person: Person) -> Any:
        """The end of a job; all that can be received of it is kept: results on the way, events, text, the end."""
        result: Any = {}
        events = [f"{event}" async for event in await jobs.events(job_id)] if hasattr(jobs, "events") else []
        async with asyncio.timeout(60):
            while True:
                result = json.loads(await jobs.result_json(job_id, 1))
                if result["status"] in ("finished", "succeeded", "failed", "stopped", "awaiting_correction"):
                    break
        text = "".join([piece async for piece in await jobs.stream(job_id)])
        self.keep(person, events, result, text)
        return result

    async def ask(self, person: Person, query: str, **more: Any) -> Any:
        """The result of a question."""
        request = AskRequest(query, **{"execute": True, **more})
        job_id = await self.container.asks.start(request, person=person)
        if request.interactive:
            result: Any = {}
            async with asyncio.timeout(60):
                while result.get("status") not in ("finished", "failed", "awaiting_correction"):
                    result = json.loads(await self.container.asks.result_json(job_id, 1))
            self.keep(person, result)
            return {**result, "ask_id": job_id}
        result = await self.ended(self.container.asks, job_id, person)
        return {**result, "ask_id": job_id}

    async def job(self, person: Person, kind: str, **body: Any) -> Any:
        """The result of a job of another kind."""
        jobs = self.container.jobs[kind]
        request = jobs.kind.request.model_validate({"project_id": "default", **body})
        return await self.ended(jobs, await jobs.start(request, person=person), person)

    async def tool(self, person: Person, name: str, **given: Any) -> Any:
        """What a tool gives, or how it fails."""
        caller = Caller("default", NOW, person=person, interactive=False)
        progress: list[str] = []
        try:
            output = await self.container.tools.call(name, caller, given, progress.append)
        except ToolFailure as failure:
            self.keep(person, failure.to_json(), progress)
            return failure.to_json()
        told = output.result.to_json()
        self.keep(person, told, output.rows, output.chart, progress)
        return told

    def leaks(self, person: Person, forbidden: tuple[str, ...] = FORBIDDEN) -> list[str]:
        """What this person received of what is not theirs: the words, each with what stands around it."""
        return _found(self.received.get(person.id, ()), forbidden)

    def prompt_leaks(self, forbidden: tuple[str, ...] = FORBIDDEN) -> list[str]:
        """The same, of everything that the language model was sent."""
        if self.model is None:
            return []
        sent = [json.dumps(one.body, ensure_ascii=False) for one in self.model.requests]
        return _found(sent, forbidden)


def _found(texts: Any, forbidden: tuple[str, ...]) -> list[str]:
    found = []
    for text in texts:
        lowered = text.lower()
        for word in forbidden:
            if (place := lowered.find(word.lower())) >= 0:
                found.append(f"{word}: …{text[max(0, place - 120) : place + 60]}…")  # noqa: PERF401 - reads better
    return found


@asynccontextmanager
async def world(
    kind: str,
    folder: Path,
    *,
    model: ChatServer | None = None,
    settings: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
) -> AsyncIterator[World]:
    """The service with the model prepared, and what people saved by now."""
    with database(kind, folder) as there:
        config = write_config(
            folder,
            api_base=model.api_base if model is not None else None,
            settings={"history_match": "similar", **(settings or {})},
            data_sources={"default": {**there.entry, **(source or {})}},
        )
        container = Container(load_config(config, {}))
        await container.start()
        try:
            one = World(container, model)
            await prepare(one, manifest(there.data_source, there.schema))
            yield one
        finally:
            await container.stop()


async def prepare(one: World, mdl: Mapping[str, Any], label: str = "m1") -> Mapping[str, Any]:
    """Send a model, and wait until it is in use."""
    await one.container.preparation.start("default", json.dumps(mdl), label)
    async with asyncio.timeout(30):
        while (status := await one.container.preparation.status("default", label))["status"] == "indexing":
            await asyncio.sleep(0.02)
    assert status["status"] == "finished", status
    return status


async def save_pairs(one: World, pairs: list[dict[str, Any]]) -> Mapping[str, Any]:
    """Save questions as a curator does."""
    event = await one.container.knowledge.save_sql_pairs("default", [*map(SqlPair.of, pairs)])
    async with asyncio.timeout(20):
        while (told := await one.container.knowledge.event(event, "sql_pair"))["status"] == "indexing":
            await asyncio.sleep(0.02)
    assert told["status"] == "finished", told
    return told
