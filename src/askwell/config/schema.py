"""What may stand in config.yaml: every key, its type, its bounds and its default.

`askwell.config.loading` turns what pydantic finds into messages with a line, a key and the nearest valid name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from askwell.config.hosts import Hosts, Origins, is_loopback
from askwell.config.values import (
    ApiVersion,
    ChosenRulesMode,
    CollectionPrefix,
    Count,
    DatabaseEngine,
    Flag,
    Frozen,
    ListeningHost,
    Number,
    Place,
    ProjectId,
    Projects,
    QdrantLocation,
    Share,
    TablePattern,
    TokenBudget,
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
    "sql_reasoning",
    "sql_generation",
    "single_generation",
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


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, validate_default=True)


class ServerConfig(_Section):
    """Where the service listens, under which names beside this machine's own, and for pages of which other origins.
    Port 0 takes a free one."""

    host: ListeningHost = "127.0.0.1"
    port: Count = Field(5555, ge=0, le=65535)
    allowed_hosts: Hosts = ()
    allowed_origins: Origins = ()
    max_connections: Count = Field(1_000, ge=10, le=1_000_000)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)


class Prices(_Section):
    """US dollars for a million tokens; 0 leaves costs out of the answers."""

    prompt: Number = Field(0.0, ge=0)
    completion: Number = Field(0.0, ge=0)


class LlmConfig(_Section):
    """A named language model. `timeout` in seconds, `context_window` in tokens, `kwargs` go to the server as they are.
    With `azure_openai`, `model` is a deployment, `api_base` its resource, and `api_version` chooses the older route.

    `api_key` is never written in the file: it is what the environment variable `api_key_env` holds.
    """

    provider: Literal["openai", "azure_openai", "none"] = "openai"
    model: str = Field(DEFAULT_MODEL, min_length=1)
    api_base: Url | None = None
    api_version: ApiVersion | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(60.0, gt=0, le=3600)
    context_window: Count = Field(128_000, ge=1_000, le=10_000_000)
    kwargs: Mapping[str, Any] = Field(default_factory=lambda: {"temperature": 0})
    prices: Prices = Prices()
    api_key: SecretStr | None = Field(None, exclude=True)


class EmbedderConfig(_Section):
    """What turns texts into vectors. `minilm` runs in the process; `none` leaves search to words alone; `openai` is any
    server with OpenAI's API and needs `model` and `dimensions`, `azure_openai` the same with a deployment as the model.
    `timeout` in seconds, for one request."""

    provider: Literal["minilm", "openai", "azure_openai", "none"] = "minilm"
    model: str | None = Field(None, min_length=1)
    dimensions: Count | None = Field(None, ge=1, le=65_536)
    api_base: Url | None = None
    api_version: ApiVersion | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(30.0, gt=0, le=3_600)
    api_key: SecretStr | None = Field(None, exclude=True)


class EmbedderSection(_Section):
    """Named like the language models; only `default` exists."""

    default: EmbedderConfig = EmbedderConfig()


class DocumentStoreConfig(_Section):
    """Where the index lives. `memory` builds it from the record at start; `qdrant` is a server at `location`, which
    holds it in collections whose names begin with `collection_prefix`. `timeout` in seconds, for one request."""

    provider: Literal["memory", "qdrant"] = "memory"
    location: QdrantLocation | None = None
    api_key_env: VariableName | None = None
    timeout: Number = Field(10.0, gt=0, le=3_600)
    collection_prefix: CollectionPrefix = "askwell"
    api_key: SecretStr | None = Field(None, exclude=True)


class KnowledgeConfig(_Section):
    """The system of record. `sqlite` is a file in `home`; else the URL of a PostgreSQL database, which may have a
    password where the environment gives it."""

    url: SecretStr = SecretStr("sqlite")
    url_env: VariableName | None = None


class DataSourceConfig(_Section):
    """The database behind a project. Which keys go with which engine stands in `askwell.config.databases`.

    `path` is the file of `duckdb` and `sqlite`; `url` the SQLAlchemy URL of `sqlalchemy`; `api_base`, `data_source` and
    `connection_info` (JSON text, only from the environment) are for `wren_ibis`; `api_base`, `data_source` and
    `project_id` for `wren_ui`. `schema_map` leads from schemas of
    models to those of the database; `tables` are those of the database that models may name, None for all. `pool_size`
    and `memory_mb` (MiB for one query) are the engine's own where they are not set. `shared` (only on `default`) lets
    projects without an entry of their own use it.
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
    connection_info: SecretStr | None = Field(None, exclude=True)


class TracingConfig(_Section):
    """Where traces of asks go. The keys are what the environment variables `…_env` hold. `sample_rate` is the share of
    asks that are traced; `content` adds questions, prompts, replies and SQL to names, times, tokens and costs."""

    provider: Literal["langfuse", "none"] = "none"
    host: Url = "https://cloud.langfuse.com"
    public_key_env: VariableName = "LANGFUSE_PUBLIC_KEY"
    secret_key_env: VariableName = "LANGFUSE_SECRET_KEY"
    sample_rate: Share = 1.0
    content: Flag = False
    public_key: SecretStr | None = Field(None, exclude=True)
    secret_key: SecretStr | None = Field(None, exclude=True)


class PipelineConfig(_Section):
    """What a pipeline does differently from `default`."""

    llm: str = Field(min_length=1)


# How many statements are written for a question; `auto`: more than one where the first is in doubt.
Candidates = Annotated[Count, Field(ge=1, le=7)] | Literal["auto"]

# What a signal counts; 0 leaves it out.
Weight = Annotated[Number, Field(ge=0, le=100)]


class RankingConfig(_Section):
    """How tables are ranked for a question: `weighted` adds up signals, each times its weight, and `rank_fusion` the
    reciprocals of ranks, which takes no weights. What each signal is stands in `pipelines.retrieval.ranking`; their
    weights were learned by `evaluation.fit_ranking`. `values` is what a value that the question names adds, shared by
    the tables that have it, by either method."""

    method: Literal["weighted", "rank_fusion"] = "weighted"
    words: Weight = 0.5
    table_vector: Weight = 1.5
    column_vector: Weight = 1.6
    coverage: Weight = 4.8
    name_coverage: Weight = 2.0
    joined_coverage: Weight = 3.6
    joined_twice_coverage: Weight = 1.7
    schema_coverage: Weight = 4.4
    schema_vector: Weight = 1.3
    # With 1, 4, 7, 10 and 15, and weights fitted before these, all tables of 95.3, 95.8, 95.6, 95.6 and 95.1% of 450
    # questions were among the first ten.
    values: Weight = 2.5


class ValueSamplingConfig(_Section):
    """Which values of text columns are looked at when a model is prepared. `time_limit` in seconds; values older than
    `max_age` seconds are looked at anew when their model is prepared again."""

    enabled: Flag = True
    values_per_column: Count = Field(5_000, ge=1, le=100_000)
    values_in_all: Count = Field(50_000, ge=1, le=1_000_000)
    time_limit: Number = Field(20.0, gt=0, le=3_600)
    max_age: Number = Field(86_400.0, ge=0, le=315_360_000)


class IntentRoute(_Section):
    """A kind of message, as a language model is told of it, and how it is answered: `sql` by the data alone, `answer`
    and `refuse` with the `message`, `agent` by the agent with its tools."""

    id: str = Field(min_length=1, max_length=64)
    description: str = Field(min_length=1, max_length=1_000)
    route: Literal["sql", "answer", "agent", "refuse"] = "agent"
    message: str = Field("", max_length=4_000)

    @model_validator(mode="after")
    def _has_a_message(self) -> IntentRoute:
        if self.route in ("answer", "refuse") and not self.message.strip():
            raise ValueError(f"the route {self.route} needs a message")
        return self


class AgentSettings(_Section):
    """Bounds of a conversation's runs: `max_steps` calls of the model, `tools_at_once` at a time and `max_tool_calls`
    in all, `result_tokens` of a tool's result, `deadline` in seconds, `concurrency` runs at a time. Where there are
    `intents`, a message is first told apart by them, with a reason (`standard`) or without (`fast`)."""

    max_steps: Count = Field(8, ge=1, le=50)
    tools_at_once: Count = Field(4, ge=1, le=16)
    max_tool_calls: Count = Field(24, ge=1, le=200)
    result_tokens: Count = Field(4_000, ge=200, le=100_000)
    deadline: Number = Field(180.0, gt=0, le=86_400)
    concurrency: Count = Field(16, ge=1, le=1_000)
    history_messages: Count = Field(20, ge=0, le=200)
    intent_mode: Literal["standard", "fast"] = "standard"
    intents: tuple[IntentRoute, ...] = ()

    @model_validator(mode="after")
    def _ids_differ(self) -> AgentSettings:
        ids = [one.id.casefold() for one in self.intents]
        if len(set(ids)) < len(ids):
            raise ValueError("two intents have the same id")
        return self


class Settings(_Section):
    """How asks are answered. Times are in seconds. `model_versions` is how many models of a project stay in the index.
    With `compatibility: wren_ui` the routes follow what that web client takes for granted."""

    allow_intent_classification: Flag = True
    intent_mode: Literal["standard", "fast"] = "standard"
    prompt_style: Literal["auto", "full", "lean"] = "auto"
    ranking_style: Literal["limit", "dense_rank"] = "limit"
    allow_sql_generation_reasoning: Flag = True
    allow_sql_functions_retrieval: Flag = True
    allow_sql_diagnosis: Flag = True
    allow_join_inference: Flag = False
    allow_session_properties: Flag = False
    enable_column_pruning: Flag = False
    table_selection: Literal["retrieval", "three_phase"] = "retrieval"
    three_phase_candidates: Count = Field(50, ge=1, le=200)
    selection_concurrency: Count = Field(8, ge=1, le=100)
    max_tokens_per_call: Count = Field(4_000, ge=200, le=1_000_000)
    column_indexing_batch_size: Count = Field(50, ge=1, le=1_000)
    table_retrieval_size: Count = Field(10, ge=1, le=100)
    ranking: RankingConfig = RankingConfig()
    value_sampling: ValueSamplingConfig = ValueSamplingConfig()
    context_token_budget: TokenBudget = "auto"
    history_match: Literal["exact", "similar"] = "exact"
    historical_question_similarity: Share = 0.95
    sql_pairs_similarity: Share = 0.7
    sql_pairs_retrieval_max_size: Count = Field(10, ge=0, le=100)
    instructions_similarity: Share = 0.7
    instructions_top_k: Count = Field(10, ge=0, le=100)
    max_histories: Count = Field(5, ge=0, le=50)
    generation: Literal["staged", "single"] = "staged"
    candidates: Candidates = 1
    max_sql_correction_retries: Count = Field(3, ge=0, le=10)
    confidence_threshold: Share = 0.75
    engine_timeout: Number = Field(30.0, gt=0, le=3_600)
    row_limit: Count = Field(1_000, ge=1, le=100_000)
    ask_deadline: Number = Field(180.0, gt=0, le=86_400)
    ask_ttl: Number = Field(3_600.0, ge=1, le=2_592_000)
    clarification_ttl: Number = Field(86_400.0, ge=1, le=2_592_000)
    apply_lessons: Flag = True
    passages: Flag = False
    max_correction_attempts: Count = Field(3, ge=1, le=10)
    queue_size: Count = Field(1_000, ge=0, le=1_000_000)
    concurrency: Count = Field(32, ge=1, le=1_000)
    scope_gate: Flag = True
    agent: AgentSettings = AgentSettings()
    rules_mode: ChosenRulesMode = "auto"
    model_versions: Count = Field(3, ge=2, le=10)
    compatibility: Literal["none", "wren_ui"] = "none"


class Config(_Section):
    """The whole configuration. `llm` always has a `default`; `home` and database paths are absolute. `projects` are
    those that may use a shared database besides those with a data source of their own: `open` for any, which is what
    None means where only this machine reaches the service; elsewhere None is for none. `sql_pairs_path` is a file of
    SQL pairs that are saved at each start (`services.sql_pair_file`), `lessons_file` one of lessons for the project
    `default` (`services.lessons.yaml_file`), `prompts_path` a folder of prompts that stand in for those of the same
    name."""

    home: Path = Path(".askwell")
    server: ServerConfig = ServerConfig()
    llm: Frozen[str, LlmConfig] = Field(default_factory=dict)
    embedder: EmbedderSection = EmbedderSection()
    document_store: DocumentStoreConfig = DocumentStoreConfig()
    knowledge: KnowledgeConfig = KnowledgeConfig()
    data_sources: Frozen[ProjectId, DataSourceConfig] = Field(default_factory=dict)
    projects: Projects = None
    pipelines: Frozen[str, PipelineConfig] = Field(default_factory=dict)
    tracing: TracingConfig = TracingConfig()
    sql_pairs_path: Path | None = None
    lessons_file: Path | None = None
    prompts_path: Path | None = None
    settings: Settings = Settings()

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
            "document_store": DocumentStoreConfig(),
            "sql_pairs_path": None,
            "lessons_file": None,
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

    def admits(self, project_id: str) -> bool:
        """Whether the project is one that is named, or any may come."""
        return self.open_to_any_project or project_id in self.data_sources or project_id in (self.projects or ())

    def data_source_for(self, project_id: str) -> DataSourceConfig | None:
        """The project's own entry, or `default` where that says `shared` and the project is admitted; None when the
        project has no database."""
        own = self.data_sources.get(project_id)
        if own is not None:
            return own
        return self.data_sources["default"] if self.is_shared and self.admits(project_id) else None
