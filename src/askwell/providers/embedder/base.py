"""The door of an embedder: texts go in, unit vectors come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


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
