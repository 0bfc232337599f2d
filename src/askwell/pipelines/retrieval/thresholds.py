"""What a similarity means. The figures belong to an embedder: another one's cosines are spread quite differently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`same` and `nearly_same` mark saved questions; at `near` something in the model is near a question. None where
    nobody has measured this embedder: then only equal texts are the same, and vectors alone never shut a question out.
    """

    same: float | None
    nearly_same: float | None
    near: float | None


# `near`: all of 240 questions of business users about two shops are in scope, and two of three that are about nothing
# there are stopped; at 0.40 it was nine of ten, and "What did we earn last quarter?" was stopped as well.
_MINILM = Thresholds(same=0.95, nearly_same=0.80, near=0.25)
_WORDS_ONLY = Thresholds(same=None, nearly_same=None, near=float("inf"))
_UNMEASURED = Thresholds(same=None, nearly_same=None, near=None)


def thresholds_of(embedder_identity: str) -> Thresholds:
    """The thresholds measured for an embedder."""
    if embedder_identity.startswith("all-MiniLM-L6-v2/"):
        return _MINILM
    return _WORDS_ONLY if embedder_identity == "none" else _UNMEASURED
