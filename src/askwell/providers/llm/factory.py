"""From configuration to a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askwell.config import LlmConfig
from askwell.config.checks import AZURE_KEY, OPENAI_KEY
from askwell.providers import azure
from askwell.providers.breaker import Breaker
from askwell.providers.llm.base import LanguageModel
from askwell.providers.model_server import ModelServer, openai_address
from askwell.providers.secrets import server_secrets

if TYPE_CHECKING:
    from askwell.providers.llm.chat_calls import ChatCalls
    from askwell.providers.llm.component_model import ComponentCalls
    from askwell.providers.llm.openai_errors import Server


def create_language_model(chosen: LlmConfig, breaker: Breaker | None = None) -> LanguageModel | None:
    """The model that the configuration names; None for the provider `none`. Connects to nothing yet.

    An `api_base` of None is OpenAI itself; any other server may do without a key, and must not see OpenAI's. Models at
    one address share a `breaker`; without one the model has its own. Raises `ConfigurationError`.
    """
    if chosen.provider == "none":
        return None
    # Parsing replies costs a start that has no model nothing.
    from askwell.providers.llm.openai import OpenAILanguageModel

    is_openai, base = chosen.provider == "openai", chosen.api_base
    calls, server = _component(chosen) if chosen.provider == "component" else _server(chosen, breaker or Breaker())
    return OpenAILanguageModel(
        calls,
        server,
        timeout=chosen.timeout,
        context_window=chosen.context_window,
        prices=(chosen.prices.prompt, chosen.prices.completion),
        native_root=base.rstrip("/").removesuffix("/v1") if is_openai and base else None,
        lists_models=is_openai,  # with Azure /models is about models, not about deployments
    )


def _server(chosen: LlmConfig, breaker: Breaker) -> tuple[ChatCalls, Server]:
    from askwell.providers.llm.chat_calls import ChatCalls
    from askwell.providers.llm.openai_errors import Server

    model, base = chosen.model, chosen.api_base
    key = chosen.api_key.get_secret_value() if chosen.api_key else ""
    variable = chosen.api_key_env or (OPENAI_KEY if base is None or chosen.api_key else None)
    hosted = base is None or base.startswith("https://")
    secrets = server_secrets(key, base, chosen.kwargs)
    http: ModelServer
    if chosen.provider == "local":
        from askwell.providers.llm.local import LocalModelServer

        server = Server(model, None)
        http = LocalModelServer(model, chosen.context_window, chosen.timeout)
    elif chosen.provider == "azure_openai":
        variable = chosen.api_key_env or AZURE_KEY
        server = Server(model, variable, unknown_hint=azure.UNKNOWN_DEPLOYMENT, hosted=True, secrets=secrets)
        http = ModelServer(azure.address(base or "", model, chosen.api_version, key), chosen.timeout)
    else:
        server = Server(model, variable, hosted=hosted, secrets=secrets)
        http = ModelServer(openai_address(base, key), chosen.timeout)
    return ChatCalls(http, server, chosen.kwargs, breaker, trace_context=chosen.trace_context), server


def _component(chosen: LlmConfig) -> tuple[ComponentCalls, Server]:
    from askwell.providers.haystack_components import create_component
    from askwell.providers.llm.component_model import ComponentCalls
    from askwell.providers.llm.openai_errors import Server

    generator = create_component("chat_generator", chosen.component or "", chosen.init)
    key, hosted = next(iter(generator.secrets), None), (chosen.api_base or "https:").startswith("https:")
    secrets = tuple(generator.secrets.values())
    server = Server(chosen.model, key, hosted=hosted, secrets=secrets, address="`init`", settings="`init`")
    return ComponentCalls(generator, server), server
