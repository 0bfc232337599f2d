"""What a similarity means. The figures belong to an embedder: another one's cosines are spread quite differently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`same` and `nearly_same` mark saved questions; None where nobody has measured this embedder: then only equal
    texts are the same. `cosines_are_measured` where a cosine says whether a question is about a model; else words do.
    """

    same: float | None
    nearly_same: float | None
    cosines_are_measured: bool


_MINILM = Thresholds(same=0.95, nearly_same=0.80, cosines_are_measured=True)
_UNMEASURED = Thresholds(same=None, nearly_same=None, cosines_are_measured=False)


def thresholds_of(embedder_identity: str) -> Thresholds:
    """The thresholds measured for an embedder."""
    if embedder_identity.startswith("all-MiniLM-L6-v2/"):
        return _MINILM
    return _UNMEASURED
