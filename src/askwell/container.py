"""The service container: beside `ask_container`, the only place where providers, pipelines and services are wired
together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from askwell import parts
from askwell.access.authentication import Access
from askwell.agent.definition import Agents
from askwell.agent.kind import RunKind, RunLogs
from askwell.agent.scene import ConversationTools
from askwell.agent.service import Conversations
from askwell.archives import ProjectArchives
from askwell.ask_container import AskContainer
from askwell.asks.history import AskHistory
from askwell.charts.rendering import ChartRenderer
from askwell.charts.vega_library import VegaLibrary
from askwell.cluster_sharing import join_cluster
from askwell.config import Config, database_name, kind_of
from askwell.documents.extraction import Extraction
from askwell.job_kinds import KINDS
from askwell.job_kinds.charts import ChartImages
from askwell.jobs.engine import JobEngine
from askwell.jobs.runner import JobRunner
from askwell.knowledge.record import Record
from askwell.providers.llm.reachability import BackgroundProbes, Reachability
from askwell.row_files.files import RowFiles
from askwell.services.current_models import AboutDatabase, CurrentModels
from askwell.services.database import Database
from askwell.services.documents import Documents
from askwell.services.health.backends import audit_is_written, record_answers, store_is_there
from askwell.services.health.databases import database_is_there
from askwell.services.health.finding import Check, State, examine
from askwell.services.health.models import embedder_is_loaded, models_are_reached, models_are_served
from askwell.services.housekeeping import Warming
from askwell.services.lessons.book import load_lessons_file
from askwell.services.model_processes import ReadsApart
from askwell.services.model_reading import ModelReader
from askwell.services.preparation_kind import PreparationEnd
from askwell.services.sql_pair_file import load_pair_file
from askwell.services.statements import Statements
from askwell.services.uploads import Uploads
from askwell.sharing import Sharing
from askwell.tools.base import Doors
from askwell.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from askwell.pipelines.generation.pipeline import Pipeline
    from askwell.pipelines.generation.sql_writing import Generated


class Container(AskContainer):
    """Everything the service is made of. Making one connects to nothing; `start` opens, `stop` closes."""

    chart_images: ChartImages
    vega: VegaLibrary
    statements: Statements
    history: AskHistory
    semantic_models: CurrentModels
    documents: Documents
    archives: ProjectArchives
    tools: Toolbox
    conversations: Conversations
    access: Access | None = None

    def __init__(
        self, config: Config, *, lasting: bool = False, watch_model: parts.WatchModel | None = None, **more: Any
    ) -> None:
        """As `AskContainer`. `lasting` has the language models probed, and the current semantic models made ready, in
        the background after the start, and models read in processes of their own, which pays where many asks
        follow."""
        super().__init__(config, watch_model=watch_model, **more)
        self._conversation = parts.conversation(config, self._models, self.metrics, self._spans, watch_model)
        self._reachability = Reachability(self._used)
        self._probes = BackgroundProbes(self._used if lasting else ())
        self._lasting = lasting
        make_engine = partial(parts.uploaded_engine, config, self.metrics)
        self.uploads = Uploads(config.uploads, config.home, make_engine, lambda: self._now())
        self._checks: Mapping[str, Check] = {}
        self._warming: Warming | None = None

    async def _open(self) -> None:
        await super()._open()
        self._know_callers()
        await asyncio.to_thread(self._own(self.uploads).find)
        self._closing.push_async_callback(self._probes.stop)

    def _make(self) -> Sequence[JobEngine]:
        (engine,) = super()._make()
        config, settings, record, projects = self._config, self._config.settings, self._record, self.projects
        self.semantic_models = CurrentModels(projects, self.preparation, config.named_projects, self._about_database)
        self.uploads.start(self.preparation, self.knowledge)
        self.archives = ProjectArchives(record, projects)
        self.documents = Documents(
            record,
            projects,
            self._indexing,
            self._own(Extraction()),
            self._passages,
            self._in_background,
            self._sharing.serve,
        )
        # Again, before what reads documents is closed.
        self._closing.push_async_callback(self._in_background.close, 0)
        self.history = AskHistory(self.asks, record)
        self.jobs = {kind.name: self._sharing.serve(kind(self._ask_tools), engine) for kind in KINDS}
        self.tools = Toolbox(
            Doors(
                projects=projects,
                retrieval=self._retrieval,
                documents=self.documents,
                asks=self.asks,
                corrections=self.corrections,
                jobs=self.jobs,
                engine_timeout=float(settings.engine_timeout),
                vault_for=self._vault_for,
            ),
            heard=self._audit.called,
        )
        self._talking = JobRunner(
            concurrency=settings.agent.concurrency, queue_size=settings.queue_size, setting="settings.queue_size"
        )
        # Runs wait for asks: with places of their own, they do not wait for each other.
        engine_of_runs = replace(engine, runner=self._talking)
        self.conversations = self._conversations_of(engine_of_runs)
        self.vega = VegaLibrary(config.home)
        self.chart_images = self._own(ChartImages(self._ask_tools, ChartRenderer()))
        self.statements = Statements(
            projects, self._own(RowFiles()), settings, now=self._now, clock=self._clock, heard=self._audit.called
        )
        return engine_of_runs, engine

    async def _join(self, record: Record) -> Sharing:
        jobs = self._config.jobs
        if jobs.redis is None:
            return await super()._join(record)
        return await join_cluster(jobs.redis.get_secret_value(), jobs.work, record, self._now, self._closing)

    def _make_reader(self) -> ModelReader:
        return ReadsApart() if self._lasting else super()._make_reader()

    def _share(self) -> None:
        super()._share()
        self._sharing.take(self._housework, (self.documents.jobs,))
        self._sharing.take(self._talking, (self.conversations.runs,))

    async def _take_up(self) -> int:
        count = await self.documents.jobs.resume()
        return count + await super()._take_up() + await self.conversations.runs.resume()

    async def _load_files(self) -> None:
        if self._config.sql_pairs_path is not None:
            await load_pair_file(self._config.sql_pairs_path, self._record, self.projects, self.knowledge)
        if self._config.lessons_file is not None:
            await load_lessons_file(self._config.lessons_file, self.lessons)

    def _begin(self) -> None:
        warming = Warming(self._record, self.projects, self._retrieval, self._passages, self._reading_ahead())
        if self._lasting:
            self._warming = warming
            self._closing.push_async_callback(warming.stop)
            warming.start()
        self._probes.start()
        self._checks = self._checks_of(warming)

    def _checks_of(self, warming: Warming) -> Mapping[str, Check]:
        """What is looked at to say whether the service is ready, by name."""
        config, names = self._config, sorted({model.name for model in self._used})
        return {
            "record": Check(partial(record_answers, self._record)),
            **({"audit_log": Check(partial(audit_is_written, self._audit.problem))} if self.access else {}),
            **self._sharing.checks(),
            "embedder": Check(partial(embedder_is_loaded, self._embedder)),
            "document_store": Check(partial(store_is_there, self._store, config.document_store.name)),
            "language_model": Check(partial(models_are_reached, self._reachability, names)),
            "semantic_models": Check(
                lambda: models_are_served(self._record, self.projects, still_looking=warming.is_going_on)
            ),
            **{
                f"data_source.{name}": Check(partial(database_is_there, source))
                for name, source in config.data_sources.items()
            },
        }

    def _reading_ahead(self) -> Pipeline[..., Generated] | None:
        """What is had read before someone asks. Where prompts have values in them that stay, each begins with a note
        of its own."""
        config, generation = self._config, self._generation
        if generation is None or config.keeps_values or not parts.runs_here(config, config.llm_for("sql_generation")):
            return None
        return generation.generation

    def _preparation_ended(self, status: PreparationEnd) -> None:
        super()._preparation_ended(status)
        if self._warming is not None:
            self._warming.start()

    def _know_callers(self) -> None:
        """Where people sign in."""
        if self._config.sign_in.is_on:
            self._audit.open()
            self._closing.callback(self._audit.close)
            sign_on = parts.single_sign_on(self._config, self._record.ended_tokens, self._now, self._clock)
            redis = self._config.jobs.redis
            self.access = Access.of(
                self._config.sign_in,
                self._record.api_keys,
                self._audit,
                self._now,
                sign_on=sign_on,
                redis_url=None if redis is None else redis.get_secret_value(),
            )
            self._own(self.access)

    def _conversations_of(self, engine: JobEngine) -> Conversations:
        settings, record, projects, sharing = self._config.settings, self._record, self.projects, self._sharing
        tools = ConversationTools(
            threads=record.threads,
            projects=projects,
            toolbox=self.tools,
            passages=self._passages,
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
        """As `AskContainer.database_for`; that of a file which someone sent besides."""
        return self.uploads.database(project_id) or super().database_for(project_id)

    def _about_database(self, project_id: str) -> AboutDatabase:
        """Of a project's database what everybody may know."""
        if (sent := self.uploads.find_upload(project_id)) is not None:
            return AboutDatabase(sent.engine, sent.name or None, sent.sent_at)
        source = self._config.data_source_for(project_id)
        return AboutDatabase() if source is None else AboutDatabase(kind_of(source), database_name(source))
