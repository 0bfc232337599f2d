"""How like a question saved ones are, by the embedder of which it is known what its similarities mean."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from cachetools import LRUCache

from askwell.errors import EmbedderUnavailable
from askwell.pipelines.retrieval.thresholds import Thresholds, thresholds_of
from askwell.providers.embedder.base import Embedder, Vectors

logger = logging.getLogger(__name__)

# The nearest by the embedder of the index; a text that is new takes 1 to 4 ms.
_COMPARED = 20
# Vectors of 1.5 KB.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Likeness:
    """For each saved question, by its key, how like it is (0..1), and from where on that says something."""

    of: Mapping[str, float]
    marks: Thresholds


class MeasuredLikeness:
    """Compares saved questions by `embedder`, beside another one by which the index is searched."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._marks = thresholds_of(embedder.identity)
        self._vectors: LRUCache[str, Vectors] = LRUCache(_KEPT)

    async def again(self, question: str, found: Likeness, texts: Mapping[str, str]) -> Likeness:
        """The nearest of what was found, measured by this embedder. `texts` are the saved questions by their keys."""
        nearest = sorted(found.of.keys() & texts.keys(), key=lambda key: -found.of[key])[:_COMPARED]
        if not nearest:
            return found
        try:
            vectors = await self._embedded({question, *(texts[key] for key in nearest)})
        except EmbedderUnavailable as error:
            logger.warning("saved questions are not measured", extra={"error": error.code})
            return found
        own = vectors[question]
        return Likeness({key: float(vectors[texts[key]] @ own) for key in nearest}, self._marks)

    async def _embedded(self, texts: set[str]) -> dict[str, Vectors]:
        known = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        if new := sorted(texts - known.keys()):
            made = dict(zip(new, await self._embedder.embed(new), strict=True))
            self._vectors.update(made)
            known |= made
        return known
