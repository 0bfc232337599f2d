"""From configuration to a language model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers import azure
from askwell.providers.breaker import Breaker
from askwell.providers.llm.base import LanguageModel
from askwell.providers.model_server import ModelServer, openai_address

if TYPE_CHECKING:
    from askwell.providers.llm.chat_calls import ChatCalls
    from askwell.providers.llm.component_model import ComponentCalls
    from askwell.providers.llm.openai_errors import Server

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
    if provider not in (*DEFAULT_KEY_VARIABLES, "local", "component"):
        raise ConfigurationError(*say("llm.unknown_provider", provider=provider))
    if not model:
        raise ConfigurationError(*say("llm.needs_model_name"))

    # Parsing replies costs a start that has no model nothing.
    from askwell.providers.llm.openai import OpenAILanguageModel

    calls, server = _component(options) if provider == "component" else _server(options, breaker or Breaker())
    is_openai, base = provider == "openai", options.api_base
    return OpenAILanguageModel(
        calls,
        server,
        timeout=options.timeout,
        context_window=options.context_window,
        prices=options.prices,
        native_root=base.rstrip("/").removesuffix("/v1") if is_openai and base else None,
        lists_models=is_openai,  # with Azure /models is about models, not about deployments
    )


def _server(options: ModelOptions, breaker: Breaker) -> tuple[ChatCalls, Server]:
    from askwell.providers.llm.chat_calls import ChatCalls
    from askwell.providers.llm.openai_errors import Server

    provider, model, api_base = options.provider, options.model, options.api_base
    http: ModelServer
    if provider == "local":
        from askwell.providers.llm.local import LocalModelServer

        server = Server(model, None)
        http = LocalModelServer(model, options.context_window, options.timeout)
    else:
        key, variable = _key(options)
        hosted = api_base is None or api_base.startswith("https://") or provider == "azure_openai"
        server = Server(model, variable, hosted=hosted, key=key)
        address = openai_address(api_base, key)
        if provider == "azure_openai":
            server = replace(server, unknown_hint=azure.UNKNOWN_DEPLOYMENT)
            address = azure.address(api_base or "", model, options.api_version, key)
        http = ModelServer(address, options.timeout)
    return ChatCalls(http, server, options.kwargs, breaker, trace_context=options.trace_context), server


def _component(options: ModelOptions) -> tuple[ComponentCalls, Server]:
    from askwell.providers.haystack_components import create_component
    from askwell.providers.llm.component_model import ComponentCalls
    from askwell.providers.llm.openai_errors import Server

    generator = create_component("chat_generator", options.component or "", options.init)
    key, hosted = next(iter(generator.secrets), None), (options.api_base or "https:").startswith("https:")
    server = Server(options.model, key, hosted=hosted, address="`init`", settings="`init`")
    return ComponentCalls(generator, server), server


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
