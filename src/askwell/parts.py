"""From the configuration to each part that stands alone: models, embedder, store, engines, tracing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from askwell.config import Config, DataSourceConfig, LlmConfig, ValueSamplingConfig
from askwell.config.schema import PIPELINES
from askwell.errors import ConfigurationError
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import NoTracing, Tracing
from askwell.providers.breaker import Breaker
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.document_store.factory import create_document_store
from askwell.providers.embedder.base import Embedder
from askwell.providers.embedder.factory import create_embedder, installed_minilm
from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import (
    create_engine,
    create_ibis_engine,
    create_server_engine,
    create_wren_ui_engine,
)
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.engine.metered import metered
from askwell.providers.llm import ModelOptions, create_language_model
from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.metered import MeteredModel
from askwell.providers.llm.model_size import is_small_model
from askwell.services.database import Database
from askwell.services.value_sampling import SamplingBounds
from askwell.sql.guard.functions import functions_of
from askwell.sql.table_list import TableList

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from askwell.pipelines.conversation.build import ConversationPipelines
    from askwell.pipelines.generation.build import GenerationPipelines
    from askwell.prompts import PromptSet

# What a pipeline of this name calls in place of its language model.
WatchModel = Callable[[LanguageModel, str], LanguageModel]

# A server answers more queries at once than a file, and an unused connection to it keeps nobody else out.
_SERVER_LIMITS = EngineLimits(pool_size=4, idle_seconds=300.0)


def language_model(chosen: LlmConfig, breaker: Breaker | None = None) -> LanguageModel | None:
    """One language model; None for the provider `none`. `breaker` is what it shares with others at its address. Raises
    `ConfigurationError`."""
    options = ModelOptions(
        chosen.provider,
        model=chosen.model,
        api_base=chosen.api_base,
        api_version=chosen.api_version,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        api_key_env=chosen.api_key_env,
        timeout=chosen.timeout,
        context_window=chosen.context_window,
        kwargs=chosen.kwargs,
        prices=(chosen.prices.prompt, chosen.prices.completion),
    )
    return create_language_model(options, breaker)


def language_models(config: Config) -> dict[str, LanguageModel]:
    """All of them by name, those without a provider left out."""
    breakers: defaultdict[str, Breaker] = defaultdict(Breaker)
    models = {
        name: language_model(chosen, breakers[(chosen.api_base or "").rstrip("/")])
        for name, chosen in config.llm.items()
    }
    return {name: model for name, model in models.items() if model is not None}


def models_in_use(config: Config) -> list[str]:
    """The names of the models that pipelines call; none when rules answer alone. Another one may be configured for
    later."""
    if not config.has_language_model:
        return []
    return sorted({config.llm_for(pipeline) for pipeline in PIPELINES})


async def embedder(config: Config) -> Embedder:
    """See `create_embedder`: it may write the files of the default one into `home`."""
    chosen = config.embedder.default
    return await create_embedder(
        chosen.provider,
        config.home,
        model=chosen.model,
        dimensions=chosen.dimensions,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        api_base=chosen.api_base,
        api_version=chosen.api_version,
        request_timeout=chosen.timeout,
    )


async def measured_embedder(config: Config) -> Embedder | None:
    """The local embedder, for which similarities were measured, beside one on a server; None where its files or its
    packages are not there, and where the configured one is local or none."""
    if config.embedder.default.provider in ("minilm", "none"):
        return None
    return await installed_minilm(config.home)


def document_store(config: Config) -> DocumentStore:
    """Where the index is; not connected to as yet. Raises `ConfigurationError`."""
    chosen = config.document_store
    return create_document_store(
        chosen.provider,
        location=chosen.location,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        api_key_env=chosen.api_key_env,
        timeout=chosen.timeout,
        collection_prefix=chosen.collection_prefix,
        kept_models=config.settings.model_versions,
    )


def engine_key(source: DataSourceConfig) -> tuple[Any, ...]:
    """Projects for which this is the same share one engine: the same database under the same limits."""
    place = (source.path, source.url, source.api_base, source.data_source, source.project_id, source.connection_info)
    return (source.engine, *place, source.pool_size, source.memory_mb)


def engines(config: Config, metrics: Metrics) -> dict[tuple[Any, ...], Engine]:
    """The engines of all databases by `engine_key`, none of them opened. Raises `ConfigurationError` for one that
    cannot be used here, as when its driver is missing."""
    made: dict[tuple[Any, ...], Engine] = {}
    for name, source in config.data_sources.items():
        key = engine_key(source)
        try:
            made[key] = made.get(key) or metered(engine(source), metrics)
        except ConfigurationError as error:
            raise ConfigurationError(f"data_sources.{name}: {error.message}", error.hint) from error
    return made


def database(source: DataSourceConfig, engine: Engine) -> Database:
    """One database as projects use it, over its engine."""
    listed = None if source.tables is None else TableList(source.tables, engine.dialect)
    return Database(engine, source.schema_map, listed)


def engine(source: DataSourceConfig) -> Engine:
    """The engine of one database. Raises `ConfigurationError`."""
    if source.path is not None:
        return create_engine(source.engine, source.path, _limits(source, EngineLimits()))
    limits = _limits(source, _SERVER_LIMITS)
    if source.url is not None:
        return create_server_engine(source.url.get_secret_value(), limits, _callable_functions)
    if source.engine == "wren_ui":
        return create_wren_ui_engine(source.api_base or "", source.data_source or "", source.project_id, limits)
    info = source.connection_info.get_secret_value() if source.connection_info else "{}"
    return create_ibis_engine(source.api_base or "", source.data_source or "", json.loads(info), limits)


def _callable_functions(dialect: str) -> frozenset[str]:
    """For the check behind the guard, on the server's own plan."""
    return functions_of(dialect, None).callable


def _limits(source: DataSourceConfig, usual: EngineLimits) -> EngineLimits:
    return replace(usual, pool_size=source.pool_size or usual.pool_size, memory_mb=source.memory_mb or usual.memory_mb)


def tracing(config: Config, exporter: SpanExporter | None = None) -> Tracing:
    """Where traces go; `exporter` stands in for the server. Raises `ConfigurationError` without its package."""
    chosen = config.tracing
    if chosen.provider == "none":
        return NoTracing()
    try:
        from askwell.observability.langfuse_tracing import LangfuseTracing
    except ImportError as error:
        raise ConfigurationError(
            f"tracing.provider is langfuse, and the Python package {error.name or 'langfuse'} is not installed.",
            "Install it with: pip install 'askwell[langfuse]'",
        ) from None
    return LangfuseTracing(
        host=chosen.host,
        public_key=chosen.public_key.get_secret_value() if chosen.public_key else "",
        secret_key=chosen.secret_key.get_secret_value() if chosen.secret_key else "",
        sample_rate=chosen.sample_rate,
        content=chosen.content,
        exporter=exporter,
    )


def generation(
    config: Config,
    models: Mapping[str, LanguageModel],
    metrics: Metrics,
    adapters: tuple[Any, ...],
    watch_model: WatchModel | None = None,
) -> GenerationPipelines | None:
    """The generation pipelines, or None when the default model is `none`: rules then answer alone."""
    if "default" not in models:
        return None

    def llm_for(pipeline: str) -> LanguageModel:
        return _metered(models[config.llm_for(pipeline)], pipeline, metrics, watch_model)

    # Hamilton takes half a second to import, and answers by rules have no use for it.
    from askwell.pipelines.generation.build import build_generation

    return build_generation(
        llm_for,
        prompts_for=partial(prompts, config),
        intent_mode=config.settings.intent_mode,
        adapters=adapters,
    )


def conversation(
    config: Config,
    models: Mapping[str, LanguageModel],
    metrics: Metrics,
    adapters: tuple[Any, ...],
    watch_model: WatchModel | None = None,
) -> ConversationPipelines | None:
    """What conversations ask language models for; None where rules answer alone."""
    if "default" not in models:
        return None
    from askwell.pipelines.conversation.build import build_conversation

    return build_conversation(
        lambda pipeline: _metered(models[config.llm_for(pipeline)], pipeline, metrics, watch_model),
        partial(prompts, config),
        {name: _metered(model, "agent", metrics, watch_model) for name, model in models.items()},
        adapters,
    )


def _metered(model: LanguageModel, pipeline: str, metrics: Metrics, watch_model: WatchModel | None) -> LanguageModel:
    return MeteredModel(watch_model(model, pipeline) if watch_model else model, pipeline, metrics)


def prompts(config: Config, pipeline: str) -> PromptSet:
    """The prompts that a pipeline writes for its model. Raises `ConfigurationError` where a file in `prompts_path`
    stands in for none of ours."""
    from askwell.prompts import PromptSet, check_overrides

    if config.prompts_path is not None:
        check_overrides(config.prompts_path)
    chosen = config.llm[config.llm_for(pipeline)]
    style = config.settings.prompt_style
    if style == "auto":
        style = "lean" if is_small_model(chosen.model, chosen.api_base) else "full"
    return PromptSet(style, config.settings.ranking_style, config.prompts_path)


def sampling_bounds(sampling: ValueSamplingConfig) -> SamplingBounds | None:
    """How far values are sampled; None where they are not."""
    if not sampling.enabled:
        return None
    return SamplingBounds(
        distinct_per_column=sampling.values_per_column,
        values_in_all=sampling.values_in_all,
        seconds_in_all=float(sampling.time_limit),
        max_age=float(sampling.max_age),
    )


def spans(tracing: Tracing) -> tuple[Any, ...]:
    """The adapters that trace pipelines; none where nothing is traced."""
    if isinstance(tracing, NoTracing):
        return ()
    from askwell.pipelines.tracing import PipelineSpans

    return (PipelineSpans(),)
