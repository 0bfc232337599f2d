"""What may stand in config.yaml: every key, its type, its bounds and its default.

`askwell.config.loading` turns what pydantic finds into messages with a line, a key and the nearest valid name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, SecretStr, model_validator

from askwell.config.hosts import Hosts, Networks, Origins, is_loopback
from askwell.config.settings import Settings
from askwell.config.sign_in import SignInConfig
from askwell.config.values import (
    ApiVersion,
    CollectionPrefix,
    ComponentPath,
    Count,
    DatabaseEngine,
    Flag,
    Frozen,
    ListeningHost,
    Number,
    Place,
    Privacy,
    ProjectId,
    Projects,
    QdrantLocation,
    Section,
    Share,
    TablePattern,
    TracingProviders,
    Url,
    VariableName,
    WrenDataSource,
)

# What a bare OPENAI_API_KEY turns on: keeps to JSON schemas, and is cheap enough to try.
DEFAULT_MODEL = "gpt-6-luna"

# Pipelines that call a language model, and so may name another one than `default`.
PIPELINES = (
    "column_pruning",
    "table_relevance",
    "table_refinement",
    "query_requirements",
    "intent_classification",
    "question_reformulation",
    "join_inference",
    "field_extraction",
    "choice_matching",
    "sql_generation",
    "sql_diagnosis",
    "sql_correction",
    "sql_regeneration",
    "sql_summaries",
    "sql_question",
    "sql_answer",
    "chart_generation",
    "chart_adjustment",
    "data_assistance",
    "misleading_assistance",
    "user_guide",
    "question_recommendation",
    "question_suggestion",
    "relationship_recommendation",
    "semantics_description",
    "agent",
    "conversation_routing",
    "conversation_suggestion",
)


class ServerConfig(Section):
    """Where the service listens, under which names beside this machine's own, and which other origins' pages may call.
    Port 0 takes a free one. `trusted_proxies` are believed for whom they ask."""

    host: ListeningHost = "127.0.0.1"
    port: Count = Field(5555, ge=0, le=65535)
    allowed_hosts: Hosts = ()
    allowed_origins: Origins = ()
    trusted_proxies: Networks = ()
    max_connections: Count = Field(1_000, ge=10, le=1_000_000)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)


class Prices(Section):
    """US dollars for a million tokens; 0 leaves costs out of the answers."""

    prompt: Number = Field(0.0, ge=0)
    completion: Number = Field(0.0, ge=0)


class LlmConfig(Section):
    """A named language model. `timeout` in seconds, `context_window` in tokens, `kwargs` go to the server as they are.
    With `azure_openai`, `model` is a deployment, `api_base` its resource, and `api_version` chooses the older route.
    With `local`, `model` is one of `askwell local-model list`, and `context_window` what is set aside for it.
    With `trace_context` the server learns which trace a call belongs to. In place of a provider, `component`
    names a chat generator of Haystack's ecosystem, which is made with `init`.

    `api_key` is never written in the file: it is what the environment variable `api_key_env` holds.
    """

    provider: Literal["openai", "azure_openai", "local", "component", "none"] = "openai"
    component: ComponentPath | None = None
    init: Mapping[str, Any] = Field(default_factory=dict)
    model: str = Field(DEFAULT_MODEL, min_length=1)
    api_base: Url | None = None
    api_version: ApiVersion | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(60.0, gt=0, le=3600)
    context_window: Count = Field(128_000, ge=1_000, le=10_000_000)
    kwargs: Mapping[str, Any] = Field(default_factory=lambda: {"temperature": 0})
    trace_context: Flag = False
    prices: Prices = Prices()
    api_key: SecretStr | None = Field(None, exclude=True)


class EmbedderConfig(Section):
    """What turns texts into vectors. `minilm` runs in the process; `none` leaves search to words alone; `openai` is any
    server with OpenAI's API and needs `model` and `dimensions`, `azure_openai` the same with a deployment as the model.
    `component` names a text or document embedder of Haystack's ecosystem, made with `init`; it needs `dimensions`.
    `timeout` in seconds, for one request."""

    provider: Literal["minilm", "openai", "azure_openai", "component", "none"] = "minilm"
    component: ComponentPath | None = None
    init: Mapping[str, Any] = Field(default_factory=dict)
    model: str | None = Field(None, min_length=1)
    dimensions: Count | None = Field(None, ge=1, le=65_536)
    api_base: Url | None = None
    api_version: ApiVersion | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(30.0, gt=0, le=3_600)
    api_key: SecretStr | None = Field(None, exclude=True)


class EmbedderSection(Section):
    """Named like the language models; only `default` exists."""

    default: EmbedderConfig = EmbedderConfig()


class DocumentStoreConfig(Section):
    """Where the index lives. `memory` builds it from the record at start; `qdrant` is a server at `location`, which
    holds it in collections whose names begin with `collection_prefix`. `component` names a document store of Haystack's
    ecosystem, made with `init`. `timeout` in seconds, for one request."""

    provider: Literal["memory", "qdrant", "component"] = "memory"
    component: ComponentPath | None = None
    init: Mapping[str, Any] = Field(default_factory=dict)
    location: QdrantLocation | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(10.0, gt=0, le=3_600)
    collection_prefix: CollectionPrefix = "askwell"
    api_key: SecretStr | None = Field(None, exclude=True)

    @property
    def name(self) -> str:
        """What people know it by: the component's class, or else the provider."""
        return (self.component or self.provider).rpartition(".")[2]


class KnowledgeConfig(Section):
    """The system of record. `sqlite` is a file in `home`; else the URL of a PostgreSQL database, which may have a
    password where the environment gives it."""

    url: SecretStr = SecretStr("sqlite")
    url_env: VariableName | None = None


class JobsConfig(Section):
    """Where jobs go on. Without `redis` in this process; with it in all that share the record, which has to be on
    PostgreSQL then. A process that does not `work` takes requests alone."""

    redis: SecretStr | None = None
    work: Flag = True


class DataSourceConfig(Section):
    """The database behind a project. Which keys go with which engine stands in `askwell.config.databases`.

    `path` is the file of `duckdb` and `sqlite`; `url` the SQLAlchemy URL of `sqlalchemy`; `api_base`, `data_source` and
    `connection_info` (JSON text, only from the environment) are for `wren_ibis`; `api_base`, `data_source` and
    `project_id` for `wren_ui`. `schema_map` leads from schemas of
    models to those of the database; `tables` are those of the database that models may name, None for all. `pool_size`
    and `memory_mb` (MiB for one query) are the engine's own where they are not set. `shared` (only on `default`) lets
    projects without an entry of their own use it. `roles` says whether statements run under the caller's role of the
    database, and `values_for_all_roles` that each of these may see the values that the service samples. `privacy` is
    that of its projects, where it is not the service's.
    """

    engine: DatabaseEngine
    path: Path | None = None
    url: SecretStr | None = None
    url_env: VariableName | None = None
    api_base: Url | None = None
    data_source: WrenDataSource | None = None
    project_id: Count | None = Field(None, ge=1)
    connection_info_env: VariableName | None = None
    schema_map: Frozen[Place, Place] = Field(default_factory=dict)
    tables: tuple[TablePattern, ...] | None = None
    pool_size: Count | None = Field(None, ge=1, le=64)
    memory_mb: Count | None = Field(None, ge=64, le=1_048_576)
    shared: Flag = False
    roles: Flag | None = None
    values_for_all_roles: Flag = False
    privacy: Privacy | None = None
    connection_info: SecretStr | None = Field(None, exclude=True)


class UploadsConfig(Section):
    """Whether people may send database and CSV files, each of `max_mb` MiB at most, and how many of them the service
    keeps."""

    enabled: Flag = False
    max_mb: Count = Field(200, ge=1, le=10_000)
    projects_at_most: Count = Field(50, ge=1, le=10_000)


class TracingConfig(Section):
    """Where traces of asks go: nowhere, or to one or both of the providers. Keys and headers are what the environment
    variables `…_env` hold. `host` is Langfuse's server, `endpoint` the one that speaks the OpenTelemetry Protocol;
    `/v1/traces` is added to its path where it is not there. `sample_rate` is the share of asks that are traced;
    `content` adds questions, prompts, replies and SQL to names, times, tokens and costs."""

    provider: TracingProviders = ()
    host: Url = "https://cloud.langfuse.com"
    public_key_env: VariableName = "LANGFUSE_PUBLIC_KEY"
    secret_key_env: VariableName = "LANGFUSE_SECRET_KEY"
    endpoint: Url | None = None
    headers_env: VariableName = "OTEL_EXPORTER_OTLP_HEADERS"
    sample_rate: Share = 1.0
    content: Flag = False
    headers: Mapping[str, SecretStr] = Field(default_factory=dict, exclude=True)
    public_key: SecretStr | None = Field(None, exclude=True)
    secret_key: SecretStr | None = Field(None, exclude=True)


class PipelineConfig(Section):
    """What a pipeline does differently from `default`."""

    llm: str = Field(min_length=1)


class Config(Section):
    """The whole configuration. `llm` always has a `default`; `home` and database paths are absolute. `projects` are
    those that may use a shared database besides those with a data source of their own: `open` for any, which is what
    None means where only this machine reaches the service; elsewhere None is for none. `sql_pairs_path` is a file of
    SQL pairs that are saved at each start (`services.sql_pair_file`), `lessons_file` one of lessons for the project
    `default` (`services.lessons.book`), `prompts_path` a folder of prompts that stand in for those of the same
    name. `privacy` says what may go to language models, and to embedders on servers."""

    home: Path = Path(".askwell")
    server: ServerConfig = ServerConfig()
    llm: Frozen[str, LlmConfig] = Field(default_factory=dict)
    embedder: EmbedderSection = EmbedderSection()
    document_store: DocumentStoreConfig = DocumentStoreConfig()
    knowledge: KnowledgeConfig = KnowledgeConfig()
    jobs: JobsConfig = JobsConfig()
    data_sources: Frozen[ProjectId, DataSourceConfig] = Field(default_factory=dict)
    projects: Projects = None
    uploads: UploadsConfig = UploadsConfig()
    pipelines: Frozen[str, PipelineConfig] = Field(default_factory=dict)
    tracing: TracingConfig = TracingConfig()
    sign_in: SignInConfig = Field(default_factory=SignInConfig)
    sql_pairs_path: Path | None = None
    lessons_file: Path | None = None
    prompts_path: Path | None = None
    privacy: Privacy = "full"
    settings: Settings = Settings()

    @model_validator(mode="after")
    def _clients_do_not_choose_whose_rows_they_see(self) -> Config:
        if self.sign_in.is_on and self.settings.allow_session_properties:
            raise ValueError(
                "settings.allow_session_properties lets clients choose whose rows they see, which sign_in decides: "
                "keep one of the two"
            )
        return self

    @model_validator(mode="after")
    def _uploads_are_where_they_are_asked(self) -> Config:
        if self.uploads.enabled and self.jobs.redis is not None:
            raise ValueError(
                "uploads.enabled keeps files in the home of one process, and with jobs.redis others work on them: keep "
                "one of the two"
            )
        return self

    @property
    def has_language_model(self) -> bool:
        """Whether `default` names a model at all."""
        return self.llm["default"].provider != "none"

    @property
    def rules_mode(self) -> Literal["strict", "balanced", "off"]:
        """`settings.rules_mode` with `auto` decided: strict beside a language model, balanced without one."""
        mode = self.settings.rules_mode
        if mode != "auto":
            return mode
        return "strict" if self.has_language_model else "balanced"

    def apart(self, home: Path, data_sources: Mapping[str, DataSourceConfig]) -> Config:
        """The same for these databases alone, with a record and an index of their own in `home`: nothing that a
        service keeps is touched."""
        own = {
            "home": home,
            "knowledge": KnowledgeConfig(),
            "jobs": JobsConfig(),
            "document_store": DocumentStoreConfig(),
            "sql_pairs_path": None,
            "lessons_file": None,
            "uploads": UploadsConfig(),
            "sign_in": SignInConfig(),
        }
        return self.model_copy(update={**own, "data_sources": MappingProxyType(dict(data_sources))})

    def llm_for(self, pipeline: str) -> str:
        """The name of the language model that a pipeline uses."""
        chosen = self.pipelines.get(pipeline)
        return chosen.llm if chosen is not None else "default"

    @property
    def is_shared(self) -> bool:
        """Whether projects without a data source of their own can have one."""
        default = self.data_sources.get("default")
        return default is not None and default.shared

    @property
    def open_to_any_project(self) -> bool:
        """Whether projects that are named nowhere may use a shared database."""
        return self.projects == "open" or (self.projects is None and self.server.is_loopback)

    @property
    def named_projects(self) -> frozenset[str]:
        """The projects that are named here."""
        return frozenset(self.data_sources) | frozenset(self.projects if isinstance(self.projects, tuple) else ())

    def admits(self, project_id: str) -> bool:
        """Whether the project is one that is named, or any may come."""
        return self.open_to_any_project or project_id in self.data_sources or project_id in (self.projects or ())

    def privacy_of(self, project_id: str) -> Privacy:
        """What of a project may go to language models."""
        source = self.data_source_for(project_id)
        return self.privacy if source is None or source.privacy is None else source.privacy

    @property
    def keeps_values(self) -> bool:
        """Whether the values of any project stay."""
        return any(
            one != "full" for one in (self.privacy, *(s.privacy or self.privacy for s in self.data_sources.values()))
        )

    def data_source_for(self, project_id: str) -> DataSourceConfig | None:
        """The project's own entry, or `default` where that says `shared` and the project is admitted; None when the
        project has no database."""
        own = self.data_sources.get(project_id)
        if own is not None:
            return own
        return self.data_sources["default"] if self.is_shared and self.admits(project_id) else None
