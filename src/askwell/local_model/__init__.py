"""A language model on this machine: `files` fetches its file, `process` runs it in a child process (`child`) by
llama.cpp, which answers OpenAI's protocol on loopback."""

from __future__ import annotations

from importlib.util import find_spec

from askwell.errors import ConfigurationError
from askwell.local_model.files import KnownModel, fetch, known_model, known_models
from askwell.messages import say

__all__ = ["KnownModel", "available", "fetch", "known_model", "known_models", "runnable_model"]


def available() -> bool:
    """Whether the extra `local` is installed, without which no model runs."""
    return find_spec("xllamacpp") is not None


def runnable_model(name: str) -> KnownModel:
    """A model that can run here. Raises `ConfigurationError` that says what to do where it cannot."""
    model = known_model(name)
    if not available():
        raise ConfigurationError(*say("local_model.not_installed", name=name))
    if not model.is_fetched:
        raise ConfigurationError(*say("local_model.not_fetched", name=name, download=model.download))
    return model
