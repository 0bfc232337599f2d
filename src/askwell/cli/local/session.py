"""Questions to one database, from nothing: a service in this process, a model made when there is none yet."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import sqlglot

from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.request import AskRequest
from askwell.cli.asking_back import correction_in
from askwell.cli.local.cache import (
    CacheFolder,
    Prepared,
    cache_root,
    remove_unused,
    temporary_folder,
    usual_folder,
)
from askwell.cli.local.given_database import GivenDatabase
from askwell.cli.local.wording import at_the_command_line
from askwell.config import Config
from askwell.container import Container
from askwell.errors import AskwellError, Conflict, InvalidModel, InvalidRequest, NotFound, RecordUnavailable
from askwell.knowledge.home_lock import HomeLock
from askwell.knowledge.record import Record
from askwell.mdl.semantic_model import SemanticModel
from askwell.parts import models_in_use
from askwell.pipelines.generation.question import HistoryTurn
from askwell.providers.engine.base import PhysicalSchema, TakeRows
from askwell.services.lessons.book import LessonBook
from askwell.services.model_drafting import draft_model, schema_fingerprint
from askwell.services.projects import ProjectModel
from askwell.services.statements import PersonsStatement
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql
from askwell.sql.wording import describe_sql

_PROJECT = "default"
_LOOK_SECONDS = 0.02
# Somebody waits for a file of all rows, however many they are, and can stop it.
_ALL_ROWS_SECONDS = 3_600.0
_KEEP_ASKS = timedelta(days=30)
_IN_USE = "Another command asks this database now; this one works on a copy of what is known."


class Watcher(Protocol):
    """Is told what happens while somebody waits."""

    def step(self, what: str) -> None:
        """Something is being done now."""
        ...

    def note(self, what: str) -> None:
        """Something that the asker should know."""
        ...

    def event(self, kind: str, data: Mapping[str, Any]) -> None:
        """An event of the ask, as `GET /asks/{id}/events` has them."""
        ...

    async def answer(self, clarification: Mapping[str, Any]) -> str | None:
        """What somebody says who is asked back; None where nobody is there. Only called for who `is_there`."""
        ...

    @property
    def is_there(self) -> bool:
        """Whether somebody can be asked back."""
        ...


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """How a database is asked. `model` is MDL JSON to be used in place of what the database says about itself;
    `refresh`: nothing that was learnt before counts; `timezone` is the asker's, an IANA name."""

    model: str | None = None
    refresh: bool = False
    timezone: str = "UTC"


class LocalSession:
    """A database that is ready to be asked, any number of questions."""

    def __init__(
        self, container: Container, folder: CacheFolder, label: str, config: Config, timezone: str, name: str
    ) -> None:
        """`name` is what people call the database."""
        self.container, self.name = container, name
        self._folder, self._label, self._config, self._timezone = folder, label, config, timezone

    @property
    def not_kept(self) -> str:
        """Why nothing that is changed now outlives this session; empty where it does."""
        return self._folder.note

    @contextlib.asynccontextmanager
    async def lessons_in_use(self) -> AsyncIterator[LessonBook | None]:
        """The lessons of the command that asks this database now, of which this session has a copy; None where none
        does. Raises `RecordUnavailable`."""
        if self._folder.copied is None:
            yield None
            return
        record = await Record.open("sqlite", self._folder.copied)
        try:
            yield LessonBook(record.saved, self.container.projects)
        finally:
            await record.close()

    async def ask(
        self, question: str, watcher: Watcher, *, execute: bool = True, histories: Sequence[HistoryTurn] = ()
    ) -> dict[str, Any]:
        """The result object of API.md. Who is asked back and says nothing gets the ask as it was stopped."""
        request = AskRequest(
            query=question,
            project_id=_PROJECT,
            mdl_hash=self._label,
            request_from="api",
            execute=execute,
            timezone=self._timezone,
            histories=tuple(histories),
            interactive=watcher.is_there,
        )
        with self._folder.asking():
            result = await _answer(self.container, request, watcher)
        return _with_language_model(result, self._config)

    @property
    def timezone(self) -> str:
        """The asker's, an IANA name."""
        return self._timezone

    def asking(self) -> contextlib.AbstractContextManager[None]:
        """For as long as somebody asks `container` itself: what a process that is killed was asking is not asked
        again."""
        return self._folder.asking()

    async def words(self, sql: str) -> str:
        """What a statement over the model does, in sentences."""
        engine = self.container.database_for(_PROJECT).engine
        return describe_sql(sqlglot.parse_one(sql, dialect=engine.dialect), await self.model(), engine.dialect)

    async def all_rows(self, sql: str, take: TakeRows) -> None:
        """Run a statement over the model again, and give all its rows to `take`, some at a time. Raises `AskwellError`
        where it does not come to its end; rows that were given are not the whole result then."""
        project = await self._project()
        context = QueryContext(datetime.now(UTC), self._timezone)
        outcome = await project.checker.stream(sql, take, context=context, timeout=_ALL_ROWS_SECONDS)
        if isinstance(outcome, RejectedSql):
            raise AskwellError(f"Not all rows could be read: {outcome.error}", "Ask for fewer rows, or ask again.")

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        """Let an answer stand for its question from now on, or take that back. Raises `InvalidRequest` for what is no
        answer in SQL."""
        await self.container.feedback.give(ask_id, Feedback(positive))

    async def check(self, question: str, sql: str, dialect: str | None = None) -> dict[str, Any]:
        """See `Statements.check`."""
        statement = PersonsStatement(_PROJECT, sql, self._timezone)
        return await self.container.statements.check(statement, question, dialect, execute=True)

    @property
    def dialect(self) -> str:
        """The SQL that answers are written in, as sqlglot names it."""
        return self.container.database_for(_PROJECT).engine.dialect

    async def save_pair(self, pair: Mapping[str, Any]) -> None:
        """Save a question with its SQL. Raises `InvalidRequest` for what does not pass the check."""
        knowledge = self.container.knowledge
        event_id = await knowledge.save_sql_pairs(_PROJECT, [pair])
        async for event in await knowledge.jobs["sql_pair"].events(event_id):
            if event.data.get("status") == "failed":
                raise InvalidRequest(event.data["error"]["message"], "Ask in other words, and save that.")

    async def delete_pair(self, pair_id: str) -> None:
        """Take a saved question back."""
        await self.container.knowledge.delete_sql_pairs(_PROJECT, [pair_id])

    async def model(self) -> SemanticModel:
        """What is asked about."""
        return (await self._project()).model

    async def _project(self) -> ProjectModel:
        project = await self.container.projects.get(_PROJECT, self._label)
        if project is None:
            raise AskwellError("The model of the database is not there any more.", "Start again.")
        return project


@contextlib.asynccontextmanager
async def local_session(
    given: GivenDatabase,
    schema: PhysicalSchema,
    config: Config,
    environ: Mapping[str, str],
    options: LocalOptions,
    watcher: Watcher,
) -> AsyncIterator[LocalSession]:
    """`schema` is what the database declares now. Raises `AskwellError` where no question can be asked at all."""
    async with contextlib.AsyncExitStack() as closing:
        container, folder = await _started(closing, given, config, environ, watcher)
        if folder.note:
            watcher.note(folder.note)
        label = await _prepare(container, folder, given, schema, options, watcher)
        yield LocalSession(container, folder, label, config, options.timezone, given.name)


# -- the service ----------------------------------------------------------------------------------------------------


async def _started(
    closing: contextlib.AsyncExitStack,
    given: GivenDatabase,
    config: Config,
    environ: Mapping[str, str],
    watcher: Watcher,
) -> tuple[Container, CacheFolder]:
    """In the database's folder of the cache; in a copy of it where that cannot be used now; else from nothing."""
    usual, in_use = None, False
    try:
        folder = usual_folder(given.key, environ)
        usual = folder.path
        await _put_in_order(folder, environ)
        return await _start(closing, folder, given, config, environ, watcher), folder
    except RecordUnavailable as error:
        note = error.message
        if usual is not None:
            in_use = HomeLock.holder(usual) is not None
            note = _IN_USE if in_use else f"{note} What is kept in {usual} is not used; delete it."
    for source in (usual, None):
        folder = closing.enter_context(temporary_folder(note, source, in_use=in_use))
        with contextlib.suppress(RecordUnavailable):
            await _put_in_order(folder, environ)
            return await _start(closing, folder, given, config, environ, watcher), folder
    raise AskwellError(
        f"Nothing can be kept in {folder.path}, which is needed for a moment.", "Free some space, or set TMPDIR."
    )


async def _start(
    closing: contextlib.AsyncExitStack,
    folder: CacheFolder,
    given: GivenDatabase,
    config: Config,
    environ: Mapping[str, str],
    watcher: Watcher,
) -> Container:
    container = Container.build(_local_config(config, given, folder, environ, watcher))
    await container.start()
    closing.push_async_callback(container.stop)
    return container


async def _put_in_order(folder: CacheFolder, environ: Mapping[str, str]) -> None:
    """Nobody waits for what a command was asking when it was killed: it must not be asked, and paid for, again. Once a
    day, what nobody will look at any more is removed."""
    lock = HomeLock.take(folder.path)
    try:
        to_be_tidied = folder.is_to_be_tidied()
        if not folder.was_interrupted and not to_be_tidied:
            return
        record = await Record.open("sqlite", folder.path)
        try:
            for ask in await record.jobs.unfinished("ask"):
                await record.jobs.end(ask.id, "stopped", {"result": {"status": "stopped"}, "text": ""})
            await record.jobs.forget(datetime.now(UTC) - _KEEP_ASKS, ["ask"])
        finally:
            await record.close()
        folder.forget_interruption()
    finally:
        lock.release()
    if to_be_tidied:
        await asyncio.to_thread(remove_unused, environ)


def _local_config(
    config: Config, given: GivenDatabase, folder: CacheFolder, environ: Mapping[str, str], watcher: Watcher
) -> Config:
    """The configuration with this database alone, and a record and an index of its own."""
    embedder = config.embedder
    if embedder.default.provider == "minilm":
        if config.has_language_model:
            _link_models(folder.path, config.home, environ, watcher)
        else:
            # Rules find tables by themselves; without a model, vectors would only be loaded.
            embedder = embedder.model_copy(update={"default": embedder.default.model_copy(update={"provider": "none"})})
    return config.apart(folder.path, {_PROJECT: given.source}).model_copy(update={"embedder": embedder})


def _link_models(home: Path, configured: Path, environ: Mapping[str, str], watcher: Watcher) -> None:
    """The embedder's files are some 23 MB and the same for all databases: those of the configured home, or of the
    cache."""
    here = home / "models"
    shared = cache_root(environ) / "models"
    there = configured / "models"
    target = there if any(there.glob("*.onnx")) else shared
    with contextlib.suppress(OSError):
        target.mkdir(parents=True, exist_ok=True)
        if here.is_symlink() and here.readlink() != target:
            here.unlink()
        if not here.exists():
            here.symlink_to(target)
    if not any(here.glob("*.onnx")):
        watcher.step("making the embedder's files, once")


# -- the model ------------------------------------------------------------------------------------------------------


async def _prepare(
    container: Container,
    folder: CacheFolder,
    given: GivenDatabase,
    schema: PhysicalSchema,
    options: LocalOptions,
    watcher: Watcher,
) -> str:
    """The label of the model that is asked about; prepared only when there is something new."""
    engine = container.database_for(_PROJECT).engine
    fingerprint = schema_fingerprint(schema, engine.data_source)
    label = fingerprint if options.model is None else hashlib.sha256((fingerprint + options.model).encode()).hexdigest()
    known, version = folder.prepared(), given.version()
    if known is not None and known.label == label and known.is_current(version) and not options.refresh:
        try:
            if (await container.preparation.status(_PROJECT, label))["status"] == "finished":
                return label
        except NotFound:
            pass  # the record is a new one
    began = time.monotonic()
    if options.model is None:
        watcher.step("making a model of it")
        text = json.dumps((await draft_model(schema, engine)).wire(), ensure_ascii=False)
    else:
        text = options.model
    # What was learnt from the database before goes with the old model.
    await container.preparation.delete(_PROJECT)
    await container.preparation.start(_PROJECT, text, label)
    await _until_prepared(container, label, watcher)
    folder.keep(Prepared(label, version, time.monotonic() - began, time.time()))
    return label


async def _until_prepared(container: Container, label: str, watcher: Watcher) -> None:
    while (status := await container.preparation.status(_PROJECT, label))["status"] == "indexing":
        watcher.step(_step(status.get("progress", {})))
        await asyncio.sleep(_LOOK_SECONDS)
    if status["status"] == "failed":
        raise InvalidModel(status["error"]["message"], "Correct them all; `askwell model check` lists them too.")
    for warning in status.get("warnings", ()):
        watcher.note(warning)


def _step(progress: Mapping[str, Any]) -> str:
    step = _STAGES.get(progress.get("stage", ""), "preparing the model")
    return f"{step} ({progress['done']} of {progress['total']})" if progress.get("total") else step


_STAGES = {
    "checking": "checking the model against the database",
    "sampling": "looking at values",
    "indexing": "indexing the model",
}


# -- the question ---------------------------------------------------------------------------------------------------


async def _answer(container: Container, request: AskRequest, watcher: Watcher) -> dict[str, Any]:
    asks = container.asks
    ask_id = await asks.start(request)
    result: dict[str, Any] = {}
    try:
        async for event in await asks.events(ask_id):
            watcher.event(event.kind, event.data)
            if event.data.get("status") == "awaiting_correction":
                await _ask_back(container, ask_id, event.data["clarification"], watcher)
            if event.kind in ("done", "error"):
                result = _at_the_command_line(dict(event.data))
    except asyncio.CancelledError:
        await asks.stop(ask_id)
        raise
    if not result:
        raise AskwellError("The ask ended without a result.", "Ask again.")
    return result


async def _ask_back(container: Container, ask_id: str, asked: Mapping[str, Any], watcher: Watcher) -> None:
    """Hand on what somebody says. Where nobody says anything the ask is stopped."""
    while (said := await watcher.answer(asked)) is not None:
        try:
            typed = correction_in(said)
            answer = Correction("text", typed["text"], clarification_id=asked["id"], remember="remember" in typed)
            await container.corrections.give(ask_id, answer)
        except InvalidRequest as error:
            watcher.note(f"{error.message} {error.hint}".strip())
        except Conflict:
            return  # it has expired; the event that says so follows
        else:
            return
    await container.asks.stop(ask_id)


def _at_the_command_line(result: dict[str, Any]) -> dict[str, Any]:
    error = result.get("error")
    return result | {"error": {key: _reworded(said) for key, said in error.items()}} if error else result


def _reworded(said: Any) -> Any:
    return at_the_command_line(said) if isinstance(said, str) else said


def _with_language_model(result: dict[str, Any], config: Config) -> dict[str, Any]:
    """With the names of the language models as `language_model`, where one was asked."""
    if not result.get("usage", {}).get("llm_calls"):
        return result
    names = dict.fromkeys(config.llm[name].model for name in models_in_use(config))
    return result | {"language_model": ", ".join(name for name in names if name)}
