"""The embedder of a service that searches by words only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwell.providers.embedder.base import Vectors


class NoEmbedder:
    """Gives vectors of no dimension: whoever ranks sees that there is nothing to compare."""

    identity = "none"
    dimension = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A matrix without columns."""
        return np.zeros((len(texts), 0), np.float32)

    async def close(self) -> None:
        """Nothing to let go of."""
