"""What servers tell about their models without being asked a question: names, and how much they can read at once.

All servers list their models. OpenAI tells nothing of the context length; vLLM, OpenRouter and many others tell it in
the list; LM Studio, llama.cpp and Ollama under addresses of their own. What counts is what is really set aside for a
prompt, not what the model was trained for: Ollama cuts a longer prompt without a word.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Gives the JSON at an address, None for anything else: `get(address)`, or with a body to be posted.
Look = Callable[[str, Mapping[str, Any] | None], Awaitable[Any]]

# In the list of models, best known first.
_LENGTHS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ModelListing:
    """The names that a server lists; empty when it lists none. `context_length` is the wanted model's, in tokens."""

    names: tuple[str, ...]
    context_length: int | None

    def knows(self, model: str) -> bool:
        """Whether the model is listed; Ollama takes a name without a tag for the latest."""
        return model in self.names or f"{model}:latest" in self.names

    def near(self, model: str) -> tuple[str, ...]:
        """Names like this one, else the first ones."""
        short = {name.rpartition("/")[2].lower(): name for name in reversed(self.names)}
        close = difflib.get_close_matches(model.rpartition("/")[2].lower(), short, n=3, cutoff=0.5)
        return tuple(short[name] for name in close) or self.names[:3]


async def model_listing(look: Look, model: str) -> ModelListing:
    """What `/models` says."""
    entries = list(_entries(await look("/models", None), "data"))
    names = tuple(str(entry["id"]) for entry in entries if entry.get("id"))
    told = (_listed_length(entry) for entry in entries if entry.get("id") == model)
    return ModelListing(names, next(told, None))


async def own_context_length(look: Look, model: str, root: str) -> int | None:
    """What Ollama, LM Studio and llama.cpp say under `root`, the server's address without /v1. Asked after a first
    answer: then the model is loaded, and Ollama knows what it has set aside."""
    addresses = (f"{root}/api/ps", f"{root}/api/v0/models", f"{root}/props")
    running, studio, props = await asyncio.gather(*(look(address, None) for address in addresses))
    for entry in _entries(running, "models"):
        if model in (name := entry.get("name"), str(name).removesuffix(":latest")):
            told = _tokens(entry.get("context_length"))
            return told or _set_length(await look(f"{root}/api/show", {"model": model}))
    for entry in _entries(studio, "data"):
        if entry.get("id") == model:
            return _tokens(entry.get("loaded_context_length"))
    generation = props.get("default_generation_settings") if isinstance(props, dict) else None
    return _tokens(generation.get("n_ctx")) if isinstance(generation, dict) else None


def _listed_length(entry: Mapping[str, Any]) -> int | None:
    provider = entry.get("top_provider")  # OpenRouter: of whoever will answer, which may be less than the model's
    served = _tokens(provider.get("context_length")) if isinstance(provider, dict) else None
    return served or next(filter(None, (_tokens(entry.get(key)) for key in _LENGTHS)), None)


def _set_length(shown: Any) -> int | None:
    found = _NUM_CTX.search(str(shown.get("parameters") or "")) if isinstance(shown, dict) else None
    return int(found[1]) if found else None


def _entries(listing: Any, key: str) -> Iterator[Mapping[str, Any]]:
    items = listing.get(key) if isinstance(listing, dict) else None
    yield from (item for item in (items if isinstance(items, Iterable) else ()) if isinstance(item, dict))


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
