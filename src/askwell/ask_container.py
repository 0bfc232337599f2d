"""What answers questions, wired together: all that a command needs which asks, and the base of the whole service."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from askwell import parts
from askwell.access.audit import AuditLog
from askwell.asks.ask import AskTools
from askwell.asks.corrections import AskCorrections
from askwell.asks.feedback import AskFeedback
from askwell.asks.kind import AskKind
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.config import IN_HOME, Config, LlmConfig, record_setting
from askwell.errors import InvalidRequest
from askwell.jobs.engine import Draining, JobEngine
from askwell.jobs.kind import JobState
from askwell.jobs.runner import JobRunner
from askwell.jobs.service import JobService
from askwell.jobs.status_store import MemoryStatusStore
from askwell.knowledge.engines import HomeLock
from askwell.knowledge.record import Record
from askwell.messages import say
from askwell.observability.metrics import Metrics
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.passages.search import PassageSearch
from askwell.pipelines.retrieval.retrieval import Retrieval, Window
from askwell.pipelines.retrieval.saved import thresholds_of
from askwell.providers.llm.base import LanguageModel
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.database import Database
from askwell.services.housekeeping import Housekeeping
from askwell.services.knowledge import Knowledge
from askwell.services.lessons.book import LessonBook
from askwell.services.model_reading import ModelReader
from askwell.services.preparation_kind import PreparationEnd
from askwell.services.private_values import PrivateValues
from askwell.services.projects import ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.sharing import Sharing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter


class _Closed(Protocol):
    async def close(self) -> None: ...


OwnedT = TypeVar("OwnedT", bound=_Closed)

logger = logging.getLogger(__name__)

# Preparations and index updates: few at once, so that asks are not slowed; waiting ones are in the record.
_HOUSEWORK_AT_ONCE = 2
_HOUSEWORK_QUEUE = 1_000
# How long a start waits for a record on a server: one that starts at the same time, or a service that is still ending.
_RECORD_SECONDS = 30.0
# What the last traces get to be sent after that.
TRACES_SECONDS = 3.0


class AskContainer:
    """Asks, their models, and what was saved and learnt. Making one connects to nothing; `start` opens, `stop`
    closes."""

    asks: JobService[AskRequest, AskState]
    corrections: AskCorrections
    feedback: AskFeedback
    preparation: SemanticsPreparation
    knowledge: Knowledge
    lessons: LessonBook
    jobs: Mapping[str, JobService[Any, JobState]] = {}
    """Those of other kinds, of which there are none here."""
    shared_secret: bytes
    """Random bytes of this service, the same in all its processes."""

    def __init__(
        self,
        config: Config,
        *,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        exporter: SpanExporter | None = None,
        watch_model: parts.WatchModel | None = None,
    ) -> None:
        """Wire what needs no connection. `clock` (seconds) times the stages of an ask, `now` is the wall clock
        (timezone-aware), which may jump; `exporter` takes the spans in place of Langfuse's server; `watch_model` gives
        what each pipeline calls in place of its language model. Raises `ConfigurationError`."""
        self._config = config
        self._audit = AuditLog(config.sign_in.audit, config.home)
        self._clock = clock
        self._now = now
        self.metrics = Metrics()
        self.tracing = parts.tracing(config, exporter)
        self._spans = parts.spans(self.tracing)
        self._models = parts.language_models(config)
        self._generation = parts.generation(config, self._models, self.metrics, self._spans, watch_model)
        self._used = [self._models[name] for name in parts.models_in_use(config)]
        for name in parts.models_in_use(config):
            self.metrics.watch_model(name, partial(_is_away, self._models[name]))
        self._engines = parts.engines(config, self.metrics)
        self._projects: ProjectModels | None = None
        self._closing = contextlib.AsyncExitStack()
        self._draining: Draining | None = None
        self.ending = asyncio.Event()

    async def start(self) -> None:
        """Open the record, load the embedder, and take up what was accepted before a restart. Raises
        `RecordUnavailable` when another service has the same home or record."""
        try:
            await self._open()
            engines = self._make()
            self._draining = self._own(Draining(engines, self._housework, self.ending, self._sharing.put_down))
            runners = [engine.runner for engine in engines]
            self._share()
            taken_up = await self._take_up()
            housekeeping = Housekeeping(
                self._record,
                self._config.settings.ask_ttl,
                # They may come with megabytes of rows, and nobody asks for them again.
                forgotten=tuple(self.jobs),
                idle=lambda: not any(runner.depth for runner in (*runners, self._housework)),
                now=self._now,
            )
            self._closing.push_async_callback(housekeeping.stop)
            housekeeping.start()
            self._sharing.start()
            self._begin()
        except BaseException:
            await self.stop()
            raise
        if taken_up:
            logger.info("took up unfinished work", extra={"jobs": taken_up})

    async def _open(self) -> None:
        """Open what everything else stands on."""
        config = self._config
        record_url = config.knowledge.url.get_secret_value()
        if record_url == IN_HOME:
            # First, so that it is let go last: until then nobody else takes up what is unfinished here.
            self._closing.callback(HomeLock.take(config.home).release)
        self._closing.push_async_callback(self.tracing.close, TRACES_SECONDS)
        opened = await Record.open(
            record_url,
            config.home,
            patience=_RECORD_SECONDS,
            setting=record_setting(config.knowledge),
            shared=config.jobs.redis is not None,
        )
        record = self._record = self._own(opened)
        sharing = self._sharing = await self._join(record)
        self._now, self.shared_secret = sharing.now, sharing.shared_secret
        self._reader = self._own(self._make_reader())
        await parts.private_words(config)
        embedder = self._embedder = self._own(await parts.embedder(config, self.metrics))
        measured = self._measured = await parts.measured_embedder(config)
        if measured is not None:
            self._own(measured)
        compares = thresholds_of((measured if measured and embedder.dimension else embedder).identity)
        if config.settings.history_match == "similar" and compares.same is None:
            logger.warning("settings.history_match: %s", say("health.history_exact").message)
        self._store = self._own(parts.document_store(config))
        for database in self._engines.values():
            self._own(database)
        for model in self._models.values():
            self._own(model)

    def _make(self) -> Sequence[JobEngine]:
        """Make the services; the engines of their jobs, in the order in which they are to end."""
        config, settings, record, sharing = self._config, self._config.settings, self._record, self._sharing
        indexing = self._indexing = self._own(
            Indexing(
                self._store,
                self._embedder,
                record.embeddings,
                column_indexing_batch_size=settings.column_indexing_batch_size,
                adapters=self._spans,
            )
        )
        self._housework = JobRunner(concurrency=_HOUSEWORK_AT_ONCE, queue_size=_HOUSEWORK_QUEUE)
        projects = self._projects = ProjectModels(
            record,
            self.database_for,
            reader=self._reader,
            with_values=settings.value_sampling.enabled,
            shows_values=lambda project_id: config.privacy_of(project_id) == "full",
            applies_lessons=settings.apply_lessons,
        )
        sharing.share_memory(record)
        runner = self._runner = JobRunner(
            concurrency=settings.concurrency, queue_size=settings.queue_size, setting="settings.queue_size"
        )
        sharing.count_waiting(self.metrics, runner)
        self._vault_for = PrivateValues(projects, config.privacy_of).vault_for
        engine = JobEngine(
            record=record,
            store=MemoryStatusStore(settings.ask_ttl, self._now),
            runner=runner,
            tracing=self.tracing,
            now=self._now,
            on_end=self._audit.ended,
            vault_for=self._vault_for,
        )
        in_background = self._in_background = replace(engine, runner=self._housework)
        self.preparation = SemanticsPreparation(
            projects,
            indexing,
            in_background,
            sharing.serve,
            bounds=parts.sampling_bounds(settings.value_sampling),
            on_end=self._preparation_ended,
            # That client waits 21 seconds for a model.
            sample_last=settings.compatibility == "wren_ui",
        )
        self.knowledge = Knowledge(record, projects, indexing, in_background, sharing.serve)
        # First, so that a document which is being read is read again after the next start.
        self._closing.push_async_callback(in_background.close, 0)
        self._passages = PassageSearch(indexing, record.documents, adapters=self._spans)
        self._retrieval = Retrieval(
            indexing,
            record.saved,
            settings,
            windows=self._windows,
            measured=self._measured,
            adapters=self._spans,
        )
        self._ask_tools = AskTools(
            projects=projects,
            metrics=self.metrics,
            retrieval=self._retrieval,
            knowledge=self.knowledge,
            generation=self._generation,
            rules_mode=RulesMode(config.rules_mode),
            settings=settings,
            clock=self._clock,
            passages=self._passages,
        )
        self.asks = sharing.serve(AskKind(record, self._ask_tools), engine)
        self.corrections = AskCorrections(
            self.asks,
            projects,
            self.knowledge,
            matches_words=self._generation is not None or self._retrieval.compares_words,
            has_model=self._generation is not None,
        )
        self.feedback = AskFeedback(self.asks, projects, self.knowledge, record.saved, settings)
        self.lessons = LessonBook(record.saved, projects)
        return (engine,)

    async def _join(self, record: Record) -> Sharing:
        return Sharing(self._now)

    def _make_reader(self) -> ModelReader:
        return ModelReader()

    def _share(self) -> None:
        """Have jobs run in whichever process takes them."""
        self._sharing.take(self._runner, (self.asks, *self.jobs.values()))
        self._sharing.take(self._housework, (self.preparation.jobs,), in_turn=True)
        self._sharing.take(self._housework, self.knowledge.jobs.values())

    async def _take_up(self) -> int:
        """Let what was accepted before a restart go on; how many jobs there are. Models first: an ask that runs again
        finds the one it was asked about."""
        count = await self.preparation.jobs.resume() + await self.knowledge.resume()
        await self._load_files()
        count += await self.asks.resume()
        for jobs in self.jobs.values():
            count += await jobs.resume()
        return count

    async def _load_files(self) -> None:
        """Save what an operator's files say."""

    def _begin(self) -> None:
        """What goes on in the background from now on."""

    def _own(self, part: OwnedT) -> OwnedT:
        """The part, which is closed when the service stops, before those that were owned before it."""
        self._closing.push_async_callback(part.close)
        return part

    def _preparation_ended(self, status: PreparationEnd) -> None:
        self.metrics.preparation_ended(status)

    async def stop(self) -> None:
        """Let running asks end, then close everything, last opened first. Safe to call twice."""
        await self._closing.aclose()

    @property
    def projects(self) -> ProjectModels:
        """The models that are asked about. There are none before the start."""
        assert self._projects is not None
        return self._projects

    def database_for(self, project_id: str) -> Database:
        """A project's database. Raises `InvalidRequest` when the project has none, or may not use the shared one."""
        source = self._config.data_source_for(project_id)
        if source is None:
            if self._config.is_shared:
                raise InvalidRequest(*say("project.not_configured", project_id=project_id))
            raise InvalidRequest(*say("project.no_database", project_id=project_id))
        return parts.database(source, self._engines[parts.engine_key(source)])

    def _windows(self) -> list[Window]:
        """Those of the models that pipelines call: all of them see the same schema."""
        return [
            _window_of(self._config.llm[name], self._models[name], parts.has_lean_prompts(self._config, name))
            for name in parts.models_in_use(self._config)
        ]


def _window_of(chosen: LlmConfig, model: LanguageModel, is_lean: bool) -> Window:
    """How much a model reads at once, and whether anybody said so: the configuration, its server, or OpenAI, whose
    models read as much as is assumed."""
    is_said = "context_window" in chosen.model_fields_set or chosen.api_base is None
    return Window(model.context_window, is_said or model.context_window != chosen.context_window, is_lean)


def _is_away(model: LanguageModel) -> bool:
    return model.away
