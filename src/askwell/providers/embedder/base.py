"""The interface of an embedder: texts go in, unit vectors come out. One for services that search by words has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The word pieces of a text, without punctuation, and for each a vector of length 1, by its context."""

    pieces: tuple[str, ...]
    vectors: Vectors


class Embedder(Protocol):
    """Turns texts into vectors of length 1. `identity` names model, version and dimension: vectors of different
    identities are never compared. `dimension` is 0 for the embedder `none`, which knows words only."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A matrix of `len(texts)` rows and `dimension` columns, float32. Raises `EmbedderUnavailable`."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives the vectors of word pieces. Servers give those of texts alone."""

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One for each text, of what the model reads of it. Raises `EmbedderUnavailable`."""
        ...


class NoEmbedder:
    """Gives vectors of no dimension: whoever ranks sees that there is nothing to compare."""

    identity = "none"
    dimension = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A matrix without columns."""
        return np.zeros((len(texts), 0), np.float32)

    async def close(self) -> None:
        """Nothing to let go of."""
