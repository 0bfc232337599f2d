"""How like a question saved ones are, by the embedder of which it is known what its similarities mean.

What a similarity means. The figures belong to an embedder: another one's cosines are spread quite differently.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache

from askwell.errors import EmbedderUnavailable
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
    """Compares words and questions by `embedder`. Their vectors are kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.marks = thresholds_of(embedder.identity)
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
        return Likeness({key: float(vectors[texts[key]] @ own) for key in nearest}, self.marks)

    async def between(self, words: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """How like each of the words is to each of the texts; empty where the embedder is out of reach, or nobody has
        measured what its similarities mean."""
        if not self.says_something:
            return []
        try:
            vectors = await self._embedded({*words, *texts})
        except EmbedderUnavailable:
            return []
        there = np.stack([vectors[text] for text in texts])
        return [[float(like) for like in there @ vectors[word]] for word in words]

    @property
    def says_something(self) -> bool:
        """Whether the similarities of the embedder are measured."""
        return self._embedder.dimension > 0 and self.marks.cosines_are_measured

    async def _embedded(self, texts: set[str]) -> dict[str, Vectors]:
        known = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        if new := sorted(texts - known.keys()):
            made = dict(zip(new, await self._embedder.embed(new), strict=True))
            self._vectors.update(made)
            known |= made
        return known


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`same` and `nearly_same` mark saved questions; None where nobody has measured this embedder: then only equal
    texts are the same. `chosen`: so like are free words at least to the option that they mean. `cosines_are_measured`
    where a cosine says whether a question is about a model; else words do.
    """

    same: float | None
    nearly_same: float | None
    cosines_are_measured: bool
    chosen: float = 1.0


# Of 81 hand-made answers about 24 pairs of options in 12 trades (56 mean an option in other words, 25 none): on the
# half
# that `chosen` was set by 5 of 29 were taken, on the half that was kept back 8 of 27, all of them rightly.
# With 0.45 it would be 22 of 56, and 6 wrong ones: to ask once more is better than that.
_MINILM = Thresholds(same=0.95, nearly_same=0.80, cosines_are_measured=True, chosen=0.55)
_UNMEASURED = Thresholds(same=None, nearly_same=None, cosines_are_measured=False)


def thresholds_of(embedder_identity: str) -> Thresholds:
    """The thresholds measured for an embedder."""
    if embedder_identity.startswith("all-MiniLM-L6-v2/"):
        return _MINILM
    return _UNMEASURED
