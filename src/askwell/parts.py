"""From the configuration to each part that stands alone: models, embedder, store, engines, tracing."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from askwell.config import Config, DataSourceConfig, ValueSamplingConfig
from askwell.config.hosts import is_loopback
from askwell.config.schema import PIPELINES
from askwell.config.sign_in import OidcConfig
from askwell.errors import ConfigurationError, NotInstalled
from askwell.knowledge.api_keys import EndedTokens
from askwell.messages import say
from askwell.observability.metrics import Metrics
from askwell.observability.operations import CalledModel
from askwell.observability.tracing import Tracing
from askwell.privacy.vault import Vault
from askwell.providers.breaker import Breaker
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.document_store.factory import create_document_store
from askwell.providers.embedder.base import Embedder
from askwell.providers.embedder.factory import create_embedder, installed_minilm
from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import (
    create_engine,
    create_ibis_engine,
    create_server_engine,
    create_wren_ui_engine,
)
from askwell.providers.engine.metered import metered
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.model_size import is_small_model
from askwell.providers.middleware import MeteredCalls, WrappedModel, metered_embedder
from askwell.providers.private import PrivateCalls, private_embedder
from askwell.services.database import Database
from askwell.services.private_values import everyday_vocabulary
from askwell.services.value_sampling import SamplingBounds
from askwell.sql.guard.functions import functions_of
from askwell.sql.table_list import TableList

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from askwell.access.oidc.service import IssuerFacts, SingleSignOn
    from askwell.pipelines.conversation.build import ConversationPipelines
    from askwell.pipelines.generation.build import GenerationPipelines
    from askwell.prompts.loader import PromptSet

# What a pipeline of this name calls in place of its language model.
WatchModel = Callable[[LanguageModel, str], LanguageModel]

# Tokens that a language model reads at once, up to which long rules would leave too little for the schema.
_SMALL_WINDOW = 8_192
# A server answers more queries at once than a file, and an unused connection to it keeps nobody else out.
_SERVER_LIMITS = EngineLimits(pool_size=4, idle_seconds=300.0)


def language_models(config: Config) -> dict[str, LanguageModel]:
    """All of them by name, those without a provider left out."""
    breakers: defaultdict[str, Breaker] = defaultdict(Breaker)
    models = {
        name: create_language_model(
            chosen, None if chosen.provider == "local" else breakers[(chosen.api_base or "").rstrip("/")]
        )
        for name, chosen in config.llm.items()
    }
    return {name: model for name, model in models.items() if model is not None}


def models_in_use(config: Config) -> list[str]:
    """The names of the models that pipelines call; none when rules answer alone. Another one may be configured for
    later."""
    if not config.has_language_model:
        return []
    return sorted({config.llm_for(pipeline) for pipeline in PIPELINES})


async def private_words(config: Config) -> None:
    """Have the words ready by which values are told from other words, where some stay. Raises `ConfigurationError`."""
    if config.keeps_values:
        await asyncio.to_thread(everyday_vocabulary)


async def embedder(config: Config, metrics: Metrics | None = None) -> Embedder:
    """See `create_embedder`: it may write the files of the default one into `home`. One on a server is sent no values
    where these stay. With `metrics` it is observed. Raises `ConfigurationError`."""
    chosen = config.embedder.default
    made = await create_embedder(chosen, config.home)
    if metrics is not None:
        here = chosen.provider == "minilm"
        name = chosen.model or made.identity
        at = CalledModel.at(name, chosen.provider, chosen.api_base, {})
        made = metered_embedder(made, metrics, CalledModel(made.identity, "askwell") if here else at)
    if not config.keeps_values or chosen.provider in ("minilm", "none"):
        return made
    anybody = Vault("values_stay", await asyncio.to_thread(everyday_vocabulary))
    return private_embedder(made, anybody)


async def measured_embedder(config: Config) -> Embedder | None:
    """The local embedder, for which similarities were measured, beside one on a server or none; None where its files or
    its packages are not there, and where the configured one is local. It is loaded with the first word to compare."""
    if config.embedder.default.provider == "minilm":
        return None
    return await installed_minilm(config.home)


def document_store(config: Config) -> DocumentStore:
    """Where the index is; not connected to as yet. Raises `ConfigurationError`."""
    return create_document_store(config.document_store, config.settings.model_versions)


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
            made[key] = made.get(key) or metered(engine(source), metrics, keeps_values=config.keeps_values)
        except ConfigurationError as error:
            raise ConfigurationError(f"data_sources.{name}: {error.message}", error.hint) from error
    return made


def database(source: DataSourceConfig, engine: Engine) -> Database:
    """One database as projects use it, over its engine."""
    listed = None if source.tables is None else TableList(source.tables, engine.dialect)
    return Database(engine, source.schema_map, listed, source.roles, source.values_for_all_roles)


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


def uploaded_engine(config: Config, metrics: Metrics, kind: str, path: Path) -> Engine:
    """The engine of a file that a person sent; `kind` is that of files."""
    return metered(create_engine(kind, path), metrics, keeps_values=config.keeps_values)


def _callable_functions(dialect: str) -> frozenset[str]:
    """For the check behind the guard, on the server's own plan."""
    return functions_of(dialect, None).callable


def _limits(source: DataSourceConfig, usual: EngineLimits) -> EngineLimits:
    return replace(usual, pool_size=source.pool_size or usual.pool_size, memory_mb=source.memory_mb or usual.memory_mb)


def tracing(config: Config, exporter: SpanExporter | None = None) -> Tracing:
    """Where traces go; `exporter` stands in for Langfuse's server. Raises `ConfigurationError` without the package of a
    provider."""
    chosen = config.tracing
    if not chosen.provider:
        return Tracing()
    for name in chosen.provider:
        try:
            if name == "langfuse":
                from askwell.observability.langfuse_export import send_to_langfuse
            from askwell.observability.otel_tracing import OtelTracing
        except ImportError as error:
            extra = {"otlp": "otel"}.get(name, name)
            raise ConfigurationError(
                *say("config.tracing_not_installed", name=name, package=error.name or extra, extra=extra)
            ) from None
    made = OtelTracing(sample_rate=chosen.sample_rate, content=chosen.content)
    if "otlp" in chosen.provider:
        headers = {name: value.get_secret_value() for name, value in chosen.headers.items()}
        made.send_by_otlp(chosen.endpoint or "", headers)
    if "langfuse" in chosen.provider:
        public, secret = (key.get_secret_value() if key else "" for key in (chosen.public_key, chosen.secret_key))
        send_to_langfuse(made, host=chosen.host, public_key=public, secret_key=secret, exporter=exporter)
    return made


def single_sign_on(
    config: Config, ended: EndedTokens, now: Callable[[], datetime], clock: Callable[[], float]
) -> SingleSignOn | None:
    """Who signs in by the issuer of `sign_in.oidc`; None without one. `now` is the wall clock, `clock` gives seconds.
    Raises `NotInstalled`."""
    chosen = config.sign_in.oidc
    if chosen is None:
        return None
    with _needs_oidc():
        from askwell.access.oidc.service import SingleSignOn
    return SingleSignOn(config.sign_in, chosen, ended, now, clock)


async def issuer_facts(oidc: OidcConfig) -> IssuerFacts:
    """What the issuer is like now. Raises `NotInstalled`, and `Unavailable` with what is wrong."""
    with _needs_oidc():
        from askwell.access.oidc.service import look_at
    return await look_at(oidc)


@contextmanager
def _needs_oidc() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise NotInstalled(*say("config.oidc_not_installed", package=error.name or "PyJWT")) from None


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
        name = config.llm_for(pipeline)
        return _metered(models[name], config, name, pipeline, metrics, watch_model)

    # Hamilton takes half a second to import, and answers by rules have no use for it.
    from askwell.pipelines.generation.build import GenerationPipelines

    return GenerationPipelines(
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
    from askwell.pipelines.conversation.build import ConversationPipelines

    def llm_for(name: str, pipeline: str) -> LanguageModel:
        return _metered(models[name], config, name, pipeline, metrics, watch_model)

    return ConversationPipelines(
        lambda pipeline: llm_for(config.llm_for(pipeline), pipeline),
        partial(prompts, config),
        {name: llm_for(name, "agent") for name in models},
        adapters,
    )


def _metered(
    model: LanguageModel, config: Config, name: str, pipeline: str, metrics: Metrics, watch_model: WatchModel | None
) -> LanguageModel:
    chosen = config.llm[name]
    called = CalledModel.at(chosen.model, chosen.provider, chosen.api_base, chosen.kwargs)
    watched = watch_model(model, pipeline) if watch_model else model
    # What is counted and traced is what was sent, without the values that stay.
    private = PrivateCalls(pipeline, metrics, keeps_values=config.keeps_values)
    return WrappedModel(watched, private, MeteredCalls(pipeline, metrics, called))


def prompts(config: Config, pipeline: str) -> PromptSet:
    """The prompts that a pipeline writes for its model. Raises `ConfigurationError` where a file in `prompts_path`
    stands in for none of ours."""
    from askwell.prompts.loader import PromptSet, PromptStyle, check_overrides

    if config.prompts_path is not None:
        check_overrides(config.prompts_path)
    style: PromptStyle = "lean" if has_lean_prompts(config, config.llm_for(pipeline)) else "full"
    return PromptSet(style, config.settings.ranking_style, config.prompts_path)


def runs_here(config: Config, name: str) -> bool:
    """Whether the language model of that name runs on this machine."""
    chosen = config.llm[name]
    return chosen.provider == "local" or is_loopback(urlsplit(chosen.api_base or "").hostname or "")


def has_lean_prompts(config: Config, name: str) -> bool:
    """Whether the prompts for the language model of that name are short: where the configuration says so, else for a
    small model, and one that reads little at once."""
    chosen, style = config.llm[name], config.settings.prompt_style
    if style != "auto":
        return style == "lean"
    return chosen.context_window <= _SMALL_WINDOW or is_small_model(chosen.model, chosen.api_base)


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
    if type(tracing) is Tracing:
        return ()
    from askwell.pipelines.hamilton_driver import PipelineSpans

    return (PipelineSpans(),)
