"""A database that is ready to be asked: the services of this process, with a model made where there is none yet."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from askwell.ask_container import AskContainer
from askwell.cli.client import PROJECT, Client
from askwell.cli.local.database import GivenDatabase, at_the_command_line
from askwell.cli.local.folders import (
    DatabaseFolder,
    Origin,
    Prepared,
    database_folder,
    is_in_use,
    remove_unused,
    temporary_folder,
)
from askwell.cli.local.requests import to_session
from askwell.config import Config
from askwell.errors import AskwellError, InvalidModel, NotFound, RecordUnavailable
from askwell.knowledge.engines import HomeLock
from askwell.knowledge.record import Record
from askwell.messages import say
from askwell.parts import models_in_use
from askwell.providers.engine.base import PhysicalSchema, TakeRows
from askwell.resources import words_file
from askwell.services.description_changes import with_edits
from askwell.services.model_drafting import draft_model, schema_fingerprint
from askwell.user_folders import user_folder

if TYPE_CHECKING:
    from askwell.cli.progress import Progress
    from askwell.container import Container
    from askwell.mdl.semantic_model import SemanticModel
    from askwell.services.lessons.book import LessonBook
    from askwell.services.projects import ProjectModel

Changed = TypeVar("Changed")
_LOOK_SECONDS = 0.02
# Somebody waits for a file of all rows, however many they are, and can stop it.
_ALL_ROWS_SECONDS = 3_600.0
_KEEP_ASKS = timedelta(days=30)
_IN_USE = "Another command asks this database now; this one works on a copy of what is known."


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """How a database is asked. `model` is MDL JSON to be used in place of what the database says about itself, and
    `digest` its digest; `refresh`: nothing that was learnt before counts; `timezone` is the asker's, an IANA name;
    `asks_only`: nothing but asks and lessons is needed."""

    model: str | None = None
    digest: str = ""
    refresh: bool = False
    timezone: str = "UTC"
    asks_only: bool = False


@dataclass(frozen=True, slots=True)
class LocalSession:
    """A database that is ready to be asked. `name` is what people call it, `label` its model's, `timezone` the
    asker's."""

    container: AskContainer
    name: str
    label: str
    timezone: str
    folder: DatabaseFolder
    config: Config

    @property
    def client(self) -> Client:
        """Asks the database."""
        return Client(to_session(self), self.name, local=self)

    @property
    def whole(self) -> Container:
        """All services, of a session that was not opened for asks only."""
        whole: Any = self.container
        return whole  # type: ignore[no-any-return]

    @property
    def dialect(self) -> str:
        """The SQL that answers are written in, as sqlglot names it."""
        return self.container.database_for(PROJECT).engine.dialect

    async def model(self) -> SemanticModel:
        """What is asked about."""
        return (await self._project()).model

    async def words(self, sql: str) -> str:
        """What a statement over the model does, in sentences."""
        import sqlglot

        from askwell.sql.wording import describe_sql

        return describe_sql(sqlglot.parse_one(sql, dialect=self.dialect), await self.model(), self.dialect)

    async def all_rows(self, sql: str, take: TakeRows) -> None:
        """Run a statement over the model again, and give all its rows to `take`, some at a time. Raises `AskwellError`
        where it does not come to its end; rows that were given are not the whole result then."""
        from askwell.sql.context import QueryContext
        from askwell.sql.outcome import RejectedSql

        project = await self._project()
        context = QueryContext(datetime.now(UTC), self.timezone)
        outcome = await project.checker.stream(sql, take, context=context, timeout=_ALL_ROWS_SECONDS)
        if isinstance(outcome, RejectedSql):
            raise AskwellError(*say("cli.rows_not_read", error=outcome.error))

    async def change_lessons(self, change: Callable[[LessonBook], Awaitable[Changed]]) -> Changed:
        """Change what was learnt. Where another command asks the database, it is changed there too, and that is what
        counts."""
        async with self._lessons_in_use() as in_use:
            if in_use is not None:
                changed = await change(in_use)
                with contextlib.suppress(AskwellError):
                    await change(self.container.lessons)
                return changed
        self.require_kept("taught")
        return await change(self.container.lessons)

    def require_kept(self, what: str) -> None:
        """Raises `AskwellError` where nothing that is changed now outlives this session."""
        if self.folder.note:
            raise AskwellError(*say("cli.nothing_can_be_kept", what=what, note=self.folder.note))

    def result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """A result object without what only operators of a service understand, and with the names of the language
        models as `language_model`, where one was asked."""
        told = dict(result)
        if error := result.get("error"):
            told["error"] = {k: at_the_command_line(v) if isinstance(v, str) else v for k, v in error.items()}
        if result.get("usage", {}).get("llm_calls"):
            names = dict.fromkeys(self.config.llm[name].model for name in models_in_use(self.config))
            told["language_model"] = ", ".join(name for name in names if name)
        return told

    @contextlib.asynccontextmanager
    async def _lessons_in_use(self) -> AsyncIterator[LessonBook | None]:
        """The lessons of the command that asks this database now, of which this session has a copy; None where none
        does. Raises `RecordUnavailable`."""
        from askwell.services.lessons.book import LessonBook

        if self.folder.copied is None:
            yield None
            return
        record = await Record.open("sqlite", self.folder.copied)
        try:
            yield LessonBook(record.saved, self.container.projects)
        finally:
            await record.close()

    async def _project(self) -> ProjectModel:
        project = await self.container.projects.get(PROJECT, self.label)
        if project is None:
            raise AskwellError(*say("cli.model_gone"))
        return project


@contextlib.asynccontextmanager
async def local_session(
    given: GivenDatabase,
    schema: PhysicalSchema | None,
    config: Config,
    options: LocalOptions,
    watcher: Progress,
) -> AsyncIterator[LocalSession]:
    """`schema` is what the database declares now; None where it is what it was when it was prepared. Raises
    `AskwellError` where no question can be asked at all."""
    async with contextlib.AsyncExitStack() as closing:
        container, folder = await _started(closing, given, schema, config, watcher, _kind_of(options))
        if folder.note:
            watcher.note(folder.note)
        label = await _prepare(container, folder, given, schema, options, watcher)
        with folder.asking():
            yield LocalSession(container, given.name, label, options.timezone, folder, config)


# -- the service ----------------------------------------------------------------------------------------------------


def _kind_of(options: LocalOptions) -> type[AskContainer]:
    if options.asks_only:
        return AskContainer
    from askwell.container import Container  # as much again to import

    return Container


async def _started(
    closing: contextlib.AsyncExitStack,
    given: GivenDatabase,
    schema: PhysicalSchema | None,
    config: Config,
    watcher: Progress,
    kind: type[AskContainer],
) -> tuple[AskContainer, DatabaseFolder]:
    """In the database's folder; in a copy of it where that cannot be used now; else from nothing."""

    async def start(folder: DatabaseFolder) -> tuple[AskContainer, DatabaseFolder]:
        await _put_in_order(folder)
        container = kind(_local_config(config, given, folder, watcher))
        await container.start()
        closing.push_async_callback(container.stop)
        return container, folder

    usual, in_use = None, False
    try:
        origin = Origin.of(given.file, schema) if given.file is not None and schema is not None else None
        folder = database_folder(given.key, origin)
        usual = folder.path
        return await start(folder)
    except RecordUnavailable as error:
        note = error.message
        if usual is not None:
            in_use = is_in_use(usual)
            note = _IN_USE if in_use else f"{note} What is kept in {usual} is not used; delete it."
    for source in (usual, None):
        folder = closing.enter_context(temporary_folder(note, source, in_use=in_use))
        with contextlib.suppress(RecordUnavailable):
            return await start(folder)
    raise AskwellError(*say("cli.no_place_for_model", path=folder.path))


async def _put_in_order(folder: DatabaseFolder) -> None:
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
        await asyncio.to_thread(remove_unused)


def _local_config(config: Config, given: GivenDatabase, folder: DatabaseFolder, watcher: Progress) -> Config:
    """The configuration with this database alone, and a record and an index of its own."""
    embedder = config.embedder
    if embedder.default.provider == "minilm":
        has_files = link_models(folder.path, config.home)
        if config.has_language_model and not has_files:
            watcher.step("making the embedder's files, once")
        if not config.has_language_model:
            # Rules find tables by themselves; without a model, vectors of them would only be loaded.
            embedder = embedder.model_copy(update={"default": embedder.default.model_copy(update={"provider": "none"})})
    return config.apart(folder.path, {PROJECT: given.source}).model_copy(update={"embedder": embedder})


def link_models(home: Path, configured: Path) -> bool:
    """Whether there are the embedder's files, which are some 23 MB and the same for all databases: those of the
    configured home, or of the cache."""
    here = home / "models"
    shared = user_folder("cache") / "models"
    there = configured / "models"
    target = there if any(there.glob("*.onnx")) else shared
    with contextlib.suppress(OSError):
        target.mkdir(parents=True, exist_ok=True)
        if here.is_symlink() and here.readlink() != target:
            here.unlink()
        if not here.exists():
            here.symlink_to(target)
    return any(here.glob("*.onnx"))


# -- the model ------------------------------------------------------------------------------------------------------


async def _prepare(
    container: AskContainer,
    folder: DatabaseFolder,
    given: GivenDatabase,
    schema: PhysicalSchema | None,
    options: LocalOptions,
    watcher: Progress,
) -> str:
    """The label of the model that is asked about; prepared only when there is something new."""
    known, version = folder.prepared(), given.version()
    if schema is None:
        if known is not None and known.is_of(version, options.digest) and await _is_prepared(container, known.label):
            return await _current(container, known.label)
        schema = await given.schema()
    engine = container.database_for(PROJECT).engine
    label = schema_fingerprint(schema, engine.data_source)
    if options.model is not None:
        label = hashlib.sha256((label + options.model).encode()).hexdigest()
    is_current = known is not None and known.label == label and known.is_current(version)
    if is_current and not options.refresh and await _is_prepared(container, label):
        return await _current(container, label)
    edits = await _edits(container, known.label) if known is not None and known.model == options.digest else None
    began = time.monotonic()
    if options.model is None:
        watcher.step("making a model of it")
        text = json.dumps((await draft_model(schema, engine)).wire(), ensure_ascii=False)
    else:
        text = options.model
    # What was seen of the database before goes with the old model.
    await container.preparation.delete(PROJECT)
    await container.preparation.start(PROJECT, text, label)
    await _until_prepared(container, label, watcher)
    if edits is not None:
        await _until_prepared(container, await container.preparation.start(PROJECT, with_edits(text, *edits)), watcher)
    folder.keep(Prepared(label, options.digest, version, time.monotonic() - began, time.time()))
    return await _current(container, label)


async def _current(container: AskContainer, label: str) -> str:
    """The label of the current model: another one than was prepared where somebody changed it on the page."""
    found = await container.projects.record.models.resolve(PROJECT, None)
    return found[1] if found is not None else label


async def _edits(container: AskContainer, label: str) -> tuple[str, str] | None:
    """The model that was prepared under this label, and what people made of it; None where they changed nothing."""
    models = container.projects.record.models
    before, after = await models.resolve(PROJECT, label), await models.resolve(PROJECT, None)
    if before is None or after is None or before[0] == after[0]:
        return None
    found = [await models.find(PROJECT, content) for content, _ in (before, after)]
    first, last = (one.manifest if one is not None else "{}" for one in found)
    return first, last


async def _is_prepared(container: AskContainer, label: str) -> bool:
    try:
        return bool((await container.preparation.status(PROJECT, label))["status"] == "finished")
    except NotFound:
        return False  # the record is a new one


async def _until_prepared(container: AskContainer, label: str, watcher: Progress) -> None:
    while (status := await container.preparation.status(PROJECT, label))["status"] == "indexing":
        watcher.step(_step(status.get("progress", {})))
        await asyncio.sleep(_LOOK_SECONDS)
    if status["status"] == "failed":
        raise InvalidModel(status["error"]["message"], "Correct them all; `askwell model check` lists them too.")
    for warning in status.get("warnings", ()):
        watcher.note(warning)


def _step(progress: Mapping[str, Any]) -> str:
    steps = words_file("askwell.cli", "words.yaml")["preparation"]
    step = steps.get(progress.get("stage", ""), "preparing the model")
    return f"{step} ({progress['done']} of {progress['total']})" if progress.get("total") else step
