"""From configuration to a language model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from askwell.errors import ConfigurationError
from askwell.providers.llm.base import LanguageModel

DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
# Local servers want the header and ignore what it says.
_NO_KEY = "no-key"


def create_language_model(
    provider: str,
    *,
    model: str = "",
    api_base: str | None = None,
    api_key: str | None = None,
    api_key_env: str | None = None,
    timeout: float = 60.0,
    context_window: int = 128_000,
    kwargs: Mapping[str, Any] | None = None,
    prompt_price: float = 0.0,
    completion_price: float = 0.0,
) -> LanguageModel | None:
    """The model that the configuration names; None for the provider `none`. Connects to nothing yet.

    `api_base` None is OpenAI itself, and needs a key; any other server may do without one. The key is `api_key`, or
    else what the environment variable `api_key_env` holds. OPENAI_API_KEY stands in for a missing `api_key_env` only
    with OpenAI itself: another server must not see that key. `timeout` is in seconds for a whole call,
    `kwargs` go to the server as they are, prices are US dollars for a million tokens.
    """
    match provider:
        case "none":
            return None
        case "openai":
            variable = api_key_env or DEFAULT_KEY_VARIABLE
            may_look = api_key_env is not None or api_base is None
            key = api_key or (os.environ.get(variable) if may_look else None)
            if not model:
                raise ConfigurationError("A language model needs a model name.", "Set `model` in the llm section.")
            if not key and api_base is None:
                raise ConfigurationError(
                    f"The language model {model} needs an API key, and {variable} is not set.",
                    f"Set {variable}, or `api_base` for another server, or `provider: none` to do without a model.",
                )
            from askwell.providers.llm.openai import openai_model

            return openai_model(
                model,
                api_base=api_base,
                api_key=key or _NO_KEY,
                key_variable=variable,
                timeout=timeout,
                context_window=context_window,
                kwargs=kwargs or {},
                prompt_price=prompt_price,
                completion_price=completion_price,
            )
        case _:
            raise ConfigurationError(
                f"There is no language model provider {provider!r}.", "Use openai (any compatible server) or none."
            )
