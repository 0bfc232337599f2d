"""The service container: the only place where providers, pipelines and services are wired together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from askwell import parts
from askwell.access.audit import AuditLog
from askwell.access.authentication import Access
from askwell.agent.definition import Agents
from askwell.agent.kind import RunKind, RunLogs
from askwell.agent.scene import ConversationTools
from askwell.agent.service import Conversations
from askwell.archives import ProjectArchives
from askwell.asks.ask import AskTools
from askwell.asks.corrections import AskCorrections
from askwell.asks.history import AskHistory
from askwell.asks.kind import AskKind
from askwell.asks.learning import AskFeedback
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.charts.rendering import ChartRenderer
from askwell.charts.vega_library import VegaLibrary
from askwell.config import IN_HOME, Config, LlmConfig, database_name, kind_of, record_setting
from askwell.documents.extraction import Extraction
from askwell.errors import InvalidRequest
from askwell.job_kinds import KINDS
from askwell.job_kinds.charts import ChartImages
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
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.embedder.base import Embedder
from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.reachability import BackgroundProbes, Reachability
from askwell.row_files.files import RowFiles
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.current_models import AboutDatabase, CurrentModels
from askwell.services.database import Database
from askwell.services.documents import Documents
from askwell.services.health.backends import audit_is_written, record_answers, store_is_there
from askwell.services.health.databases import database_is_there
from askwell.services.health.finding import Check, State, examine
from askwell.services.health.models import embedder_is_loaded, models_are_reached, models_are_served
from askwell.services.housekeeping import Housekeeping, Warming
from askwell.services.knowledge import Knowledge
from askwell.services.lessons.book import LessonBook, load_lessons_file
from askwell.services.model_processes import ReadsApart
from askwell.services.model_reading import ModelReader
from askwell.services.preparation_kind import PreparationEnd
from askwell.services.private_values import PrivateValues
from askwell.services.projects import ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.sql_pair_file import load_pair_file
from askwell.services.statements import Statements
from askwell.services.uploads import Uploads
from askwell.sharing import Sharing
from askwell.tools.base import Doors
from askwell.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from askwell.pipelines.generation.pipeline import Pipeline
    from askwell.pipelines.generation.sql_writing import Generated


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


class Container:
    """Everything the service is made of. Making one connects to nothing; `start` opens, `stop` closes."""

    asks: JobService[AskRequest, AskState]
    corrections: AskCorrections
    jobs: Mapping[str, JobService[Any, JobState]]
    chart_images: ChartImages
    vega: VegaLibrary
    statements: Statements
    feedback: AskFeedback
    history: AskHistory
    preparation: SemanticsPreparation
    semantic_models: CurrentModels
    knowledge: Knowledge
    lessons: LessonBook
    documents: Documents
    archives: ProjectArchives
    tools: Toolbox
    conversations: Conversations
    access: Access | None = None
    shared_secret: bytes
    """Random bytes of this service, the same in all its processes."""

    def __init__(
        self,
        config: Config,
        *,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        exporter: SpanExporter | None = None,
        lasting: bool = False,
        watch_model: parts.WatchModel | None = None,
    ) -> None:
        """Wire what needs no connection. `clock` (seconds) times the stages of an ask, `now` is the wall clock
        (timezone-aware), which may jump; `exporter` takes the spans in place of Langfuse's server;
        `lasting` has the language models probed, and the current semantic models made ready, in the background after
        the start, and models read in processes of their own, which pays where many asks follow; `watch_model` gives
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
        self._conversation = parts.conversation(config, self._models, self.metrics, self._spans, watch_model)
        self._used = [self._models[name] for name in parts.models_in_use(config)]
        for name in parts.models_in_use(config):
            self.metrics.watch_model(name, partial(_is_away, self._models[name]))
        self._reachability = Reachability(self._used)
        self._probes = BackgroundProbes(self._used if lasting else ())
        self._lasting = lasting
        self._engines = parts.engines(config, self.metrics)
        make_engine = partial(parts.uploaded_engine, config, self.metrics)
        self.uploads = Uploads(config.uploads, config.home, make_engine, lambda: self._now())
        self._projects: ProjectModels | None = None
        self._checks: Mapping[str, Check] = {}
        self._closing = contextlib.AsyncExitStack()
        self._draining: Draining | None = None
        self._warming: Warming | None = None
        self.ending = asyncio.Event()

    async def start(self) -> None:
        """Open the record, load the embedder, and take up what was accepted before a restart. Raises
        `RecordUnavailable` when another service has the same home or record."""
        config, settings = self._config, self._config.settings
        try:
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
            record = self._own(opened)
            sharing = await Sharing.join(config, record, self._now, self._closing)
            self._now, serve, self.shared_secret = sharing.now, sharing.serve, sharing.shared_secret
            self._know_callers(record)
            reader = self._own(ReadsApart() if self._lasting else ModelReader())
            await parts.private_words(config)
            embedder = self._own(await parts.embedder(config, self.metrics))
            if (measured := await parts.measured_embedder(config)) is not None:
                self._own(measured)
            compares = thresholds_of((measured if measured and embedder.dimension else embedder).identity)
            if settings.history_match == "similar" and compares.same is None:
                logger.warning("settings.history_match: %s", say("health.history_exact").message)
            store = self._own(parts.document_store(config))
            for database in self._engines.values():
                self._own(database)
            await asyncio.to_thread(self._own(self.uploads).find)
            for model in self._models.values():
                self._own(model)
            self._closing.push_async_callback(self._probes.stop)

            indexing = self._own(
                Indexing(
                    store,
                    embedder,
                    record.embeddings,
                    column_indexing_batch_size=settings.column_indexing_batch_size,
                    adapters=self._spans,
                )
            )
            housework = JobRunner(concurrency=_HOUSEWORK_AT_ONCE, queue_size=_HOUSEWORK_QUEUE)
            projects = self._projects = ProjectModels(
                record,
                self.database_for,
                reader=reader,
                with_values=settings.value_sampling.enabled,
                shows_values=lambda project_id: config.privacy_of(project_id) == "full",
                applies_lessons=settings.apply_lessons,
            )
            sharing.share_memory(record)
            runner = JobRunner(
                concurrency=settings.concurrency, queue_size=settings.queue_size, setting="settings.queue_size"
            )
            sharing.count_waiting(self.metrics, runner)
            vault_for = PrivateValues(projects, config.privacy_of).vault_for
            engine = JobEngine(
                record=record,
                store=MemoryStatusStore(settings.ask_ttl, self._now),
                runner=runner,
                tracing=self.tracing,
                now=self._now,
                on_end=self._audit.ended,
                vault_for=vault_for,
            )
            in_background = replace(engine, runner=housework)
            self.preparation = SemanticsPreparation(
                projects,
                indexing,
                in_background,
                serve,
                bounds=parts.sampling_bounds(settings.value_sampling),
                on_end=self._preparation_ended,
                # That client waits 21 seconds for a model.
                sample_last=settings.compatibility == "wren_ui",
            )
            self.semantic_models = CurrentModels(
                projects, self.preparation, config.named_projects, self._about_database
            )
            self.knowledge = Knowledge(record, projects, indexing, in_background, serve)
            self.uploads.start(self.preparation, self.knowledge)
            self.archives = ProjectArchives(record, projects)
            extraction = self._own(Extraction())
            # First, so that a document which is being read is read again after the next start.
            self._closing.push_async_callback(in_background.close, 0)
            passages = PassageSearch(indexing, record.documents, adapters=self._spans)
            self.documents = Documents(record, projects, indexing, extraction, passages, in_background, serve)
            retrieval = Retrieval(
                indexing,
                record.saved,
                settings,
                windows=self._windows,
                measured=measured,
                adapters=self._spans,
            )
            tools = AskTools(
                projects=projects,
                metrics=self.metrics,
                retrieval=retrieval,
                knowledge=self.knowledge,
                generation=self._generation,
                rules_mode=RulesMode(config.rules_mode),
                settings=settings,
                clock=self._clock,
                passages=passages,
            )
            self.asks = serve(AskKind(record, tools), engine)
            self.corrections = AskCorrections(
                self.asks,
                projects,
                self.knowledge,
                matches_words=self._generation is not None or retrieval.compares_words,
                has_model=self._generation is not None,
            )
            self.feedback = AskFeedback(self.asks, projects, self.knowledge, record.saved, settings)
            self.history = AskHistory(self.asks, record)
            self.lessons = LessonBook(record.saved, projects)
            self.jobs = {kind.name: serve(kind(tools), engine) for kind in KINDS}
            self.tools = Toolbox(
                Doors(
                    projects=projects,
                    retrieval=retrieval,
                    documents=self.documents,
                    asks=self.asks,
                    corrections=self.corrections,
                    jobs=self.jobs,
                    engine_timeout=float(settings.engine_timeout),
                    vault_for=vault_for,
                ),
                heard=self._audit.called,
            )
            talking = JobRunner(
                concurrency=settings.agent.concurrency, queue_size=settings.queue_size, setting="settings.queue_size"
            )
            # Runs wait for asks: with places of their own, they do not wait for each other.
            engine_of_runs = replace(engine, runner=talking)
            self.conversations = self._conversations_of(record, projects, passages, engine_of_runs, sharing)
            self.vega = VegaLibrary(config.home)
            self.chart_images = self._own(ChartImages(tools, ChartRenderer()))
            self.statements = Statements(
                projects, self._own(RowFiles()), settings, now=self._now, clock=self._clock, heard=self._audit.called
            )
            self._draining = self._own(Draining((engine_of_runs, engine), housework, self.ending, sharing.put_down))
            sharing.take(runner, (self.asks, *self.jobs.values()))
            sharing.take(housework, (self.preparation.jobs,), in_turn=True)
            sharing.take(housework, (*self.knowledge.jobs.values(), self.documents.jobs))
            sharing.take(talking, (self.conversations.runs,))
            taken_up = await self._take_up(record)
            housekeeping = Housekeeping(
                record,
                settings.ask_ttl,
                # They may come with megabytes of rows, and nobody asks for them again.
                forgotten=tuple(self.jobs),
                idle=lambda: not runner.depth and not housework.depth and not talking.depth,
                now=self._now,
            )
            self._closing.push_async_callback(housekeeping.stop)
            housekeeping.start()
            sharing.start()
            warming = Warming(record, projects, retrieval, passages, self._reading_ahead())
            if self._lasting:
                self._warming = warming
                self._closing.push_async_callback(warming.stop)
                warming.start()
            self._probes.start()
            self._checks = self._checks_of(record, embedder, store, sharing, warming)
        except BaseException:
            await self.stop()
            raise
        if taken_up:
            logger.info("took up unfinished work", extra={"jobs": taken_up})

    def _own(self, part: OwnedT) -> OwnedT:
        """The part, which is closed when the service stops, before those that were owned before it."""
        self._closing.push_async_callback(part.close)
        return part

    async def _take_up(self, record: Record) -> int:
        """Let what was accepted before a restart go on, with what files say learned; how many jobs there are. Models
        first: an ask that runs again finds the one it was asked about."""
        count = await self.preparation.jobs.resume() + await self.knowledge.resume()
        count += await self.documents.jobs.resume()
        if self._config.sql_pairs_path is not None:
            await load_pair_file(self._config.sql_pairs_path, record, self.projects, self.knowledge)
        if self._config.lessons_file is not None:
            await load_lessons_file(self._config.lessons_file, self.lessons)
        count += await self.asks.resume() + await self.conversations.runs.resume()
        for jobs in self.jobs.values():
            count += await jobs.resume()
        return count

    def _checks_of(
        self, record: Record, embedder: Embedder, store: DocumentStore, sharing: Sharing, warming: Warming
    ) -> Mapping[str, Check]:
        """What is looked at to say whether the service is ready, by name."""
        config, names = self._config, sorted({model.name for model in self._used})
        return {
            "record": Check(partial(record_answers, record)),
            **({"audit_log": Check(partial(audit_is_written, self._audit.problem))} if self.access else {}),
            **sharing.checks(),
            "embedder": Check(partial(embedder_is_loaded, embedder)),
            "document_store": Check(partial(store_is_there, store, config.document_store.name)),
            "language_model": Check(partial(models_are_reached, self._reachability, names)),
            "semantic_models": Check(
                lambda: models_are_served(record, self.projects, still_looking=warming.is_going_on)
            ),
            **{
                f"data_source.{name}": Check(partial(database_is_there, source))
                for name, source in config.data_sources.items()
            },
        }

    def _reading_ahead(self) -> Pipeline[..., Generated] | None:
        """What is had read before somebody asks. Where prompts have values in them that stay, each begins with a note
        of its own."""
        config, generation = self._config, self._generation
        if generation is None or config.keeps_values or not parts.runs_here(config, config.llm_for("sql_generation")):
            return None
        return generation.generation

    def _preparation_ended(self, status: PreparationEnd) -> None:
        self.metrics.preparation_ended(status)
        if self._warming is not None:
            self._warming.start()

    def _know_callers(self, record: Record) -> None:
        """Where people sign in."""
        if self._config.sign_in.is_on:
            self._audit.open()
            self._closing.callback(self._audit.close)
            sign_on = parts.single_sign_on(self._config, record.ended_tokens, self._now, self._clock)
            redis = self._config.jobs.redis
            self.access = Access.of(
                self._config.sign_in,
                record.api_keys,
                self._audit,
                self._now,
                sign_on=sign_on,
                redis_url=None if redis is None else redis.get_secret_value(),
            )
            self._own(self.access)

    def _conversations_of(
        self, record: Record, projects: ProjectModels, passages: PassageSearch, engine: JobEngine, sharing: Sharing
    ) -> Conversations:
        settings = self._config.settings
        tools = ConversationTools(
            threads=record.threads,
            projects=projects,
            toolbox=self.tools,
            passages=passages,
            generation=self._generation,
            conversation=self._conversation,
            settings=settings.agent,
            now=self._now,
        )
        agents = Agents(
            record.threads,
            projects,
            tools=self.tools.names,
            models=tuple(self._models),
            allows_session_properties=settings.allow_session_properties,
            now=self._now,
        )
        logs = RunLogs(record.threads, sharing.run_feed(record.threads))
        kind = RunKind(tools, logs, agents, self.metrics, self.asks.stop)
        runs = sharing.serve(kind, engine)
        return Conversations(record.threads, runs, kind, agents, self.asks, has_model=self._conversation is not None)

    async def stop(self) -> None:
        """Let running asks end, then close everything, last opened first. Safe to call twice."""
        await self._closing.aclose()

    def drain(self) -> int:
        """Begin to stop, in the background: no new work is taken, running asks get `DRAIN_SECONDS`. How many there
        are. What was asked can be read until `drained`."""
        return self._draining.begin() if self._draining is not None else 0

    async def drained(self) -> None:
        """Returns when the asks that ran when `drain` was called have ended, or were cut. Raises what went wrong with
        ending them."""
        if self._draining is not None:
            await self._draining.finished()

    def hurry(self) -> None:
        """Wait no longer for running asks: they are in the record, and run again after the next start."""
        if self._draining is not None:
            self._draining.hurry()

    @property
    def projects(self) -> ProjectModels:
        """The models that are asked about. There are none before the start."""
        assert self._projects is not None
        return self._projects

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """Each dependency by name, looked at now: `{ok, message}`, fit for everybody to read, with `set_up: false`
        where there is none. A service that is stopping is not ready, whatever it depends on."""
        if self._draining is not None and self._draining.has_begun:
            return {"service": {"ok": False, "message": "shutting down: nothing new is taken"}}
        if not self._checks:
            return {"service": {"ok": False, "message": "starting"}}
        found = await examine(self._checks)
        return {
            name: {
                "ok": one.state is not State.FAILED,
                "message": f"{one.message} {one.hint}".strip(),
                **({} if one.is_set_up else {"set_up": False}),
            }
            for name, one in found.items()
        }

    def database_for(self, project_id: str) -> Database:
        """A project's database. Raises `InvalidRequest` when the project has none, or may not use the shared one."""
        uploaded = self.uploads.database(project_id)
        if uploaded is not None:
            return uploaded
        source = self._config.data_source_for(project_id)
        if source is None:
            if self._config.is_shared:
                raise InvalidRequest(*say("project.not_configured", project_id=project_id))
            raise InvalidRequest(*say("project.no_database", project_id=project_id))
        return parts.database(source, self._engines[parts.engine_key(source)])

    def _about_database(self, project_id: str) -> AboutDatabase:
        """Of a project's database what everybody may know."""
        if (sent := self.uploads.find_upload(project_id)) is not None:
            return AboutDatabase(sent.engine, sent.name or None, sent.sent_at)
        source = self._config.data_source_for(project_id)
        return AboutDatabase() if source is None else AboutDatabase(kind_of(source), database_name(source))

    def _windows(self) -> list[Window]:
        """Those of the models that pipelines call: all of them see the same schema."""
        return [
            _window_of(self._config.llm[name], self._models[name], parts.has_lean_prompts(self._config, name))
            for name in parts.models_in_use(self._config)
        ]


def _window_of(chosen: LlmConfig, model: LanguageModel, is_lean: bool) -> Window:
    """How much a model reads at once, and whether anybody said so: the configuration, its server, or OpenAI, whose
    models read as much as is taken for granted."""
    is_said = "context_window" in chosen.model_fields_set or chosen.api_base is None
    return Window(model.context_window, is_said or model.context_window != chosen.context_window, is_lean)


def _is_away(model: LanguageModel) -> bool:
    return model.away
