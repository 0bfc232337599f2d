"""The service container: the only place where providers, pipelines and services are wired together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from askwell import parts
from askwell.asks.run import AskTools
from askwell.asks.service import AskService
from askwell.asks.status_store import MemoryStatusStore
from askwell.config import IN_HOME, Config, ValueSamplingConfig, record_setting
from askwell.errors import InvalidRequest
from askwell.jobs.runner import JobRunner
from askwell.knowledge.home_lock import HomeLock
from askwell.knowledge.record import Record
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import NoTracing, Tracing
from askwell.pipelines.indexing import Indexing
from askwell.pipelines.retrieval import Retrieval
from askwell.pipelines.retrieval.thresholds import thresholds_of
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.embedder.base import Embedder
from askwell.providers.llm.background_probes import BackgroundProbes
from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.metered import MeteredModel
from askwell.providers.llm.reachability import Reachability
from askwell.services.database import Database
from askwell.services.health.databases import database_is_there
from askwell.services.health.finding import Check, State, examine
from askwell.services.health.models import NEEDS_MINILM, embedder_is_loaded, models_are_reached
from askwell.services.health.storage import record_answers, store_is_there
from askwell.services.housekeeping import Housekeeping
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SamplingBounds
from askwell.services.warming import Warming
from askwell.sql.rules import RulesMode

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from askwell.pipelines.generation.build import GenerationPipelines

logger = logging.getLogger(__name__)

# Preparations and index updates: few at once, so that asks are not slowed; waiting ones are in the record.
_HOUSEWORK_AT_ONCE = 2
_HOUSEWORK_QUEUE = 1_000
# How long a start waits for a record on a server: one that starts at the same time, or a service that is still ending.
_RECORD_SECONDS = 30.0
# What running asks get to end when the service is stopped.
DRAIN_SECONDS = 10.0
# What the last traces get to be sent after that.
TRACES_SECONDS = 3.0


class Container:
    """Everything the service is made of. `build` connects to nothing; `start` opens, `stop` closes."""

    asks: AskService
    preparation: SemanticsPreparation
    knowledge: Knowledge

    def __init__(
        self, config: Config, clock: Callable[[], float], exporter: SpanExporter | None, *, lasting: bool
    ) -> None:
        self._config = config
        self._clock = clock
        self.metrics = Metrics()
        self._tracing = parts.tracing(config, exporter)
        self._spans = _spans(self._tracing)
        self._models = parts.language_models(config)
        self._generation = _generation(config, self._models, self.metrics, self._spans)
        self._used = [self._models[name] for name in parts.models_in_use(config)]
        self._reachability = Reachability(self._used)
        self._probes = BackgroundProbes(self._used if lasting else ())
        self._lasting = lasting
        self._engines = parts.engines(config, self.metrics)
        self._record: Record | None = None
        self._embedder: Embedder | None = None
        self._store: DocumentStore | None = None
        self._closing = contextlib.AsyncExitStack()
        self._housework: JobRunner | None = None
        self._endings: list[asyncio.Task[None]] = []
        self.ending = asyncio.Event()

    @classmethod
    def build(
        cls,
        config: Config,
        *,
        clock: Callable[[], float] = time.perf_counter,
        exporter: SpanExporter | None = None,
        lasting: bool = False,
    ) -> Self:
        """Wire what needs no connection. `clock` (seconds) times the stages of an ask; `exporter` takes the spans in
        place of the configured tracing server; `lasting` has the language models probed, and the current semantic
        models made ready, in the background after the start, which pays where many asks follow. Raises
        `ConfigurationError`."""
        return cls(config, clock, exporter, lasting=lasting)

    async def start(self) -> None:
        """Open the record, load the embedder, and take up what was accepted before a restart. Raises
        `RecordUnavailable` when another service has the same home or record."""
        config, settings = self._config, self._config.settings
        try:
            record_url = config.knowledge.url.get_secret_value()
            if record_url == IN_HOME:
                # First, so that it is let go last: until then nobody else takes up what is unfinished here.
                self._closing.callback(HomeLock.take(config.home).release)
            self._closing.push_async_callback(self._tracing.close, TRACES_SECONDS)
            record = self._record = await Record.open(
                record_url, config.home, patience=_RECORD_SECONDS, setting=record_setting(config.knowledge)
            )
            self._closing.push_async_callback(record.close)
            embedder = self._embedder = await parts.embedder(config)
            self._closing.push_async_callback(embedder.close)
            measured = await parts.measured_embedder(config)
            if measured is not None:
                self._closing.push_async_callback(measured.close)
            elif settings.history_match == "similar" and thresholds_of(embedder.identity).same is None:
                logger.warning("settings.history_match is similar, and works as exact: %s", NEEDS_MINILM)
            store = self._store = parts.document_store(config)
            self._closing.push_async_callback(store.close)
            self._closing.push_async_callback(self._close_engines)
            for model in self._models.values():
                self._closing.push_async_callback(model.close)
            self._closing.push_async_callback(self._probes.stop)

            indexing = Indexing(
                store,
                embedder,
                record.embeddings,
                column_indexing_batch_size=settings.column_indexing_batch_size,
                adapters=self._spans,
            )
            self._closing.push_async_callback(indexing.close)
            housework = self._housework = JobRunner(concurrency=_HOUSEWORK_AT_ONCE, queue_size=_HOUSEWORK_QUEUE)
            self._closing.push_async_callback(housework.drain, 0)
            projects = ProjectModels(record, self.database_for, with_values=settings.value_sampling.enabled)
            self.preparation = SemanticsPreparation(
                record=record,
                runner=housework,
                indexing=indexing,
                projects=projects,
                database_for=self.database_for,
                bounds=_sampling_bounds(settings.value_sampling),
                on_end=self.metrics.preparation_ended,
            )
            self.knowledge = Knowledge(record, housework, indexing, projects)
            retrieval = Retrieval(
                store,
                embedder,
                indexing,
                record.saved,
                settings,
                context_window=self._context_window,
                measured=measured,
                adapters=self._spans,
            )
            runner = JobRunner(
                concurrency=settings.concurrency, queue_size=settings.queue_size, setting="settings.queue_size"
            )
            self.metrics.watch_queue(waiting=lambda: runner.waiting, running=lambda: runner.running)
            self.asks = AskService(
                record=record,
                store=MemoryStatusStore(settings.ask_ttl),
                runner=runner,
                projects=projects,
                tools=AskTools(
                    retrieval=retrieval,
                    knowledge=self.knowledge,
                    generation=self._generation,
                    rules_mode=RulesMode(config.rules_mode),
                    settings=settings,
                    clock=self._clock,
                ),
                metrics=self.metrics,
                tracing=self._tracing,
            )
            self._closing.push_async_callback(self._close_asks)
            # Models first: an ask that runs again finds the one it was asked about.
            taken_up = await self.preparation.resume() + await self.knowledge.resume() + await self.asks.resume()
            housekeeping = Housekeeping(record, settings.ask_ttl, idle=lambda: not runner.depth and not housework.depth)
            self._closing.push_async_callback(housekeeping.stop)
            housekeeping.start()
            if self._lasting:
                warming = Warming(record, projects, retrieval)
                self._closing.push_async_callback(warming.stop)
                warming.start()
            self._probes.start()
        except BaseException:
            await self.stop()
            raise
        if taken_up:
            logger.info("took up unfinished work", extra={"jobs": taken_up})

    async def stop(self) -> None:
        """Let running asks end, then close everything, last opened first. Safe to call twice."""
        await self._closing.aclose()

    def drain(self) -> int:
        """Begin to stop, in the background: no new work is taken, running asks get `DRAIN_SECONDS`. How many there
        are. What was asked can be read until `drained`."""
        if not hasattr(self, "asks"):
            return 0
        running = self.asks.running
        if not self._endings:
            self._endings.append(asyncio.create_task(self._drain(), name="drain"))
        return running

    async def _drain(self) -> None:
        if self._housework is not None:
            self._housework.close()
        try:
            await self.asks.close(DRAIN_SECONDS)
        finally:
            self.ending.set()

    async def drained(self) -> None:
        """Returns when the asks that ran when `drain` was called have ended, or were cut. Raises what went wrong with
        ending them."""
        while not all(ending.done() for ending in self._endings):
            await asyncio.wait(self._endings)  # another one may have come meanwhile
        for ending in self._endings:
            ending.result()

    def hurry(self) -> None:
        """Wait no longer for running asks: they are in the record, and run again after the next start."""
        if hasattr(self, "asks"):
            self._endings.append(asyncio.create_task(self.asks.close(0), name="drain-now"))

    async def _close_asks(self) -> None:
        self.drain()
        await self.drained()

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """Each dependency by name, looked at now: `{ok, message}`, fit for everybody to read. A service that is
        stopping is not ready, whatever it depends on."""
        if self._endings:
            return {"service": {"ok": False, "message": "shutting down: nothing new is taken"}}
        config = self._config
        in_use = sorted({model.name for model in self._used})
        checks = {
            "record": Check(partial(record_answers, self._record)),
            "embedder": Check(partial(embedder_is_loaded, self._embedder)),
            "document_store": Check(partial(store_is_there, self._store, config.document_store.provider)),
            "language_model": Check(partial(models_are_reached, self._reachability, in_use)),
            **{
                f"data_source.{name}": Check(partial(database_is_there, source))
                for name, source in config.data_sources.items()
            },
        }
        found = await examine(checks)
        return {
            name: {"ok": one.state is not State.FAILED, "message": f"{one.message} {one.hint}".strip()}
            for name, one in found.items()
        }

    def database_for(self, project_id: str) -> Database:
        """A project's database. Raises `InvalidRequest` when the project has none."""
        source = self._config.data_source_for(project_id)
        if source is None:
            raise InvalidRequest(
                f"Project {project_id} has no database.",
                f"Add data_sources.{project_id} to the configuration, or set data_sources.default.shared.",
            )
        return Database(self._engines[parts.engine_key(source)], source.schema_map)

    def _context_window(self) -> int | None:
        """The smallest of the models that pipelines call: all of them see the same schema."""
        return min((model.context_window for model in self._used), default=None)

    async def _close_engines(self) -> None:
        for engine in self._engines.values():
            await engine.close()


def _generation(
    config: Config, models: Mapping[str, LanguageModel], metrics: Metrics, adapters: tuple[Any, ...]
) -> GenerationPipelines | None:
    """The generation pipelines, or None when the default model is `none`: rules then answer alone."""
    if "default" not in models:
        return None
    # Hamilton takes half a second to import, and answers by rules have no use for it.
    from askwell.pipelines.generation.build import build_generation

    return build_generation(
        lambda pipeline: MeteredModel(models[config.llm_for(pipeline)], pipeline, metrics),
        intent_mode=config.settings.intent_mode,
        adapters=adapters,
    )


def _sampling_bounds(sampling: ValueSamplingConfig) -> SamplingBounds | None:
    """How far values are sampled; None where they are not."""
    if not sampling.enabled:
        return None
    return SamplingBounds(
        distinct_per_column=sampling.values_per_column,
        values_in_all=sampling.values_in_all,
        seconds_in_all=float(sampling.time_limit),
        max_age=float(sampling.max_age),
    )


def _spans(tracing: Tracing) -> tuple[Any, ...]:
    """The adapters that trace pipelines; none where nothing is traced."""
    if isinstance(tracing, NoTracing):
        return ()
    from askwell.pipelines.tracing import PipelineSpans

    return (PipelineSpans(),)
