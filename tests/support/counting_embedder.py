"""An embedder that is quick, needs no files, and tells what it was asked for."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence

import numpy as np

from askwell.errors import EmbedderUnavailable
from askwell.providers.embedder.base import Vectors


class CountingEmbedder:
    """Texts that share words have near vectors. `texts` is everything it was asked to embed, in order. `delay` is in
    seconds, for each call; while `broken` every call raises."""

    def __init__(self, name: str = "counting", dimension: int = 64, delay: float = 0.0) -> None:
        self.identity = f"{name}/{dimension}"
        self.dimension = dimension
        self.texts: list[str] = []
        self.delay = delay
        self.broken = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(self.delay)
        if self.broken:
            raise EmbedderUnavailable("The embedder is broken.", "Mend it.")
        self.texts += texts
        return np.stack([self._vector(text) for text in texts])

    async def close(self) -> None:
        pass

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimension, 1e-3, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            place = int.from_bytes(hashlib.sha256(f"{self.identity}:{word.rstrip('s')}".encode()).digest()[:4], "big")
            vector[place % self.dimension] += 1
        return vector / np.linalg.norm(vector)
