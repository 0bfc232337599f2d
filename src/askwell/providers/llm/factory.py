"""From configuration to a language model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers import azure
from askwell.providers.breaker import Breaker
from askwell.providers.llm.base import LanguageModel
from askwell.providers.model_server import ModelServer, openai_address

DEFAULT_KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "azure_openai": azure.KEY_VARIABLE}
# Local servers want the header and ignore what it says.
_NO_KEY = "no-key"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is called, where, and how.

    `api_base` None is OpenAI itself, and needs a key; any other server may do without one. With `azure_openai` it is
    the resource's endpoint, `model` the deployment's name, and `api_version` chooses the older of Azure's two routes.
    The key is `api_key`, or else what the environment variable `api_key_env` holds. OPENAI_API_KEY stands in for a
    missing `api_key_env` only with OpenAI itself: another server must not see that key. `timeout` is in seconds for a
    whole call, `kwargs` go to the server as they are, `prices` are US dollars for a million tokens in and out.
    `local` is a model of `askwell.local_model` in a
    child process, which has neither address nor key, and sets `context_window` aside.
    With `trace_context` each request says of which trace it is a part. The provider `component` makes its calls by the
    Haystack chat generator whose class `component` names, made with `init`; keys and `kwargs` are not for it.
    """

    provider: str
    model: str = ""
    api_base: str | None = None
    api_version: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    timeout: float = 60.0
    context_window: int = 128_000
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    prices: tuple[float, float] = (0.0, 0.0)
    trace_context: bool = False
    component: str | None = None
    init: Mapping[str, Any] = field(default_factory=dict)


def create_language_model(options: ModelOptions, breaker: Breaker | None = None) -> LanguageModel | None:
    """The model that the configuration names; None for the provider `none`. Connects to nothing yet.

    Models at one address share a `breaker`; without one the model has its own. Raises `ConfigurationError`.
    """
    provider, model = options.provider, options.model
    if provider == "none":
        return None
    if provider == "component":
        return _component_model(options)
    if provider not in (*DEFAULT_KEY_VARIABLES, "local"):
        raise ConfigurationError(*say("llm.unknown_provider", provider=provider))
    if not model:
        raise ConfigurationError(*say("llm.needs_model_name"))
    key, variable = ("", None) if provider == "local" else _key(options)

    # Parsing replies costs a start that has no model nothing.
    from askwell.providers.llm.chat_calls import ChatCalls
    from askwell.providers.llm.openai import OpenAILanguageModel
    from askwell.providers.llm.openai_errors import Server

    api_base, root = options.api_base, None
    http: ModelServer
    if provider == "local":
        from askwell.providers.llm.local import LocalModelServer

        server = Server(model, None)
        http = LocalModelServer(model, options.context_window, options.timeout)
    elif provider == "openai":
        server = Server(model, variable, hosted=api_base is None or api_base.startswith("https://"), key=key)
        http = ModelServer(openai_address(api_base, key), options.timeout)
        root = api_base.rstrip("/").removesuffix("/v1") if api_base else None
    else:
        server = Server(model, variable, unknown_hint=azure.UNKNOWN_DEPLOYMENT, hosted=True, key=key)
        http = ModelServer(azure.address(api_base or "", model, options.api_version, key), options.timeout)
    calls = ChatCalls(http, server, options.kwargs, breaker or Breaker(), trace_context=options.trace_context)
    return OpenAILanguageModel(
        calls,
        server,
        timeout=options.timeout,
        context_window=options.context_window,
        prices=options.prices,
        native_root=root,
        lists_models=provider == "openai",  # with Azure /models is about models, not about deployments
    )


def _key(options: ModelOptions) -> tuple[str, str | None]:
    """The key for a server, and the variable that it may come from."""
    provider, model, api_base = options.provider, options.model, options.api_base
    if provider == "azure_openai" and api_base is None:
        raise ConfigurationError(*say("llm.needs_endpoint", model=model))
    needs_key = api_base is None or provider == "azure_openai"
    variable = options.api_key_env or (DEFAULT_KEY_VARIABLES[provider] if needs_key or options.api_key else None)
    key = options.api_key or (os.environ.get(variable) if variable is not None else None)
    if not key and needs_key:
        raise ConfigurationError(*say("llm.needs_key", model=model, variable=variable))
    return key or _NO_KEY, variable


def _component_model(options: ModelOptions) -> LanguageModel:
    from askwell.providers.haystack_components import create_component
    from askwell.providers.llm.component_model import ComponentLanguageModel
    from askwell.providers.llm.openai_errors import Server

    generator = create_component("chat_generator", options.component or "", options.init)
    key, hosted = next(iter(generator.secrets), None), (options.api_base or "https:").startswith("https:")
    return ComponentLanguageModel(
        generator,
        Server(options.model, key, hosted=hosted, address="`init`", settings="`init`"),
        timeout=options.timeout,
        context_window=options.context_window,
        prices=options.prices,
    )
