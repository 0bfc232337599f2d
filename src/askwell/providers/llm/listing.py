"""The models that a server lists, with what it says of each unasked."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MILLION = 1_000_000
# Where servers say how much a model reads at once, best known first.
_LENGTHS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
# Google's names begin with the kind of what they name.
_KIND = "models/"


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model of a list. `prices` are US dollars for a million tokens in and out, `context_length` is in tokens; None
    where the server doesn't say."""

    name: str
    prices: Mapping[str, float] | None = None
    context_length: int | None = None


@dataclass(frozen=True, slots=True)
class ModelListing:
    """The models of a server, in its order; none where it lists none."""

    models: tuple[ListedModel, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(one.name for one in self.models)

    def find(self, model: str) -> ListedModel | None:
        """The model of this name; Ollama takes a name without a tag for the latest."""
        name = model.removeprefix(_KIND)
        return next((one for one in self.models if one.name in (name, f"{name}:latest")), None)

    def near(self, model: str) -> tuple[str, ...]:
        """Names like this one, else the first ones."""
        short = {name.rpartition("/")[2].lower(): name for name in reversed(self.names)}
        close = difflib.get_close_matches(model.rpartition("/")[2].lower(), short, n=3, cutoff=0.5)
        return tuple(short[name] for name in close) or self.names[:3]


def read_listing(answer: Any) -> ModelListing:
    """The list in the JSON that `/models` answers."""
    return ModelListing(tuple(_listed(answer)))


def entries(answer: Any, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects in a list of an answer; none where the answer has another shape."""
    items = answer.get(key) if isinstance(answer, dict) else None
    yield from (item for item in (items if isinstance(items, list) else ()) if isinstance(item, dict))


def tokens(value: object) -> int | None:
    """A number of tokens as a server says it; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _listed(answer: Any) -> Iterator[ListedModel]:
    for entry in entries(answer, "data"):
        if name := str(entry.get("id") or "").removeprefix(_KIND):
            yield ListedModel(name, _prices(entry.get("pricing")), _length(entry))


def _length(entry: Mapping[str, Any]) -> int | None:
    provider = entry.get("top_provider")  # OpenRouter: of the one that will answer, which may be less than the model's
    served = tokens(provider.get("context_length")) if isinstance(provider, dict) else None
    return served or next(filter(None, (tokens(entry.get(key)) for key in _LENGTHS)), None)


def _prices(pricing: Any) -> Mapping[str, float] | None:
    """OpenRouter's prices, which are for one token and text."""
    try:
        found = {what: round(float(pricing[what]) * _MILLION, 4) for what in ("prompt", "completion")}
    except (TypeError, KeyError, ValueError):
        return None
    return found if all(price >= 0 for price in found.values()) and any(found.values()) else None
