"""From the configuration to each part that stands alone: models, embedder, store, engines, tracing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from askwell.config import Config, DataSourceConfig, LlmConfig
from askwell.config.schema import PIPELINES
from askwell.errors import ConfigurationError
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import NoTracing, Tracing
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.document_store.factory import create_document_store
from askwell.providers.embedder.base import Embedder
from askwell.providers.embedder.factory import create_embedder, installed_minilm
from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import create_engine, create_ibis_engine, create_server_engine
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.engine.metered import metered
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import LanguageModel

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

# A server answers more queries at once than a file, and an unused connection to it keeps nobody else out.
_SERVER_LIMITS = EngineLimits(pool_size=4, idle_seconds=300.0)


def language_model(chosen: LlmConfig) -> LanguageModel | None:
    """One language model; None for the provider `none`. Raises `ConfigurationError`."""
    return create_language_model(
        chosen.provider,
        model=chosen.model,
        api_base=chosen.api_base,
        api_version=chosen.api_version,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        api_key_env=chosen.api_key_env,
        timeout=chosen.timeout,
        context_window=chosen.context_window,
        kwargs=chosen.kwargs,
        prompt_price=chosen.prices.prompt,
        completion_price=chosen.prices.completion,
    )


def language_models(config: Config) -> dict[str, LanguageModel]:
    """All of them by name, those without a provider left out."""
    models = {name: language_model(chosen) for name, chosen in config.llm.items()}
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
    )


def engine_key(source: DataSourceConfig) -> tuple[Any, ...]:
    """Projects for which this is the same share one engine: the same database under the same limits."""
    place = (source.path, source.url, source.api_base, source.data_source, source.connection_info)
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


def engine(source: DataSourceConfig) -> Engine:
    """The engine of one database. Raises `ConfigurationError`."""
    if source.path is not None:
        return create_engine(source.engine, source.path, _limits(source, EngineLimits()))
    limits = _limits(source, _SERVER_LIMITS)
    if source.url is not None:
        return create_server_engine(source.url.get_secret_value(), limits)
    info = source.connection_info.get_secret_value() if source.connection_info else "{}"
    return create_ibis_engine(source.api_base or "", source.data_source or "", json.loads(info), limits)


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
