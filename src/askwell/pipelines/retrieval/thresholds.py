"""What a similarity means. The figures belong to an embedder: another one's cosines are spread quite differently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`same` and `nearly_same` mark saved questions; None where nobody has measured this embedder: then only equal
    texts are the same. `chosen`: so like are free words at least to the option that they mean; `near`: so like
    is a word at least to what it could mean. `cosines_are_measured`
    where a cosine says whether a question is about a model; else words do.
    """

    same: float | None
    nearly_same: float | None
    cosines_are_measured: bool
    chosen: float = 1.0
    near: float = 1.0


# Of 81 hand-made answers about 24 pairs of options in 12 trades (56 mean an option in other words, 25 none): on the
# half
# that `chosen` was set by 5 of 29 were taken, on the half that was kept back 8 of 27, all of them rightly.
# With 0.45 it would be 22 of 56, and 6 wrong ones: to ask once more is better than that.
# Of 18 words that nobody had a column for and that mean one, with 0.45 12 have it among the two that are nearest, with
# 0.5 9; of 23 that mean none 8 and 5 have something that near.
_MINILM = Thresholds(same=0.95, nearly_same=0.80, cosines_are_measured=True, chosen=0.55, near=0.45)
_UNMEASURED = Thresholds(same=None, nearly_same=None, cosines_are_measured=False)


def thresholds_of(embedder_identity: str) -> Thresholds:
    """The thresholds measured for an embedder."""
    if embedder_identity.startswith("all-MiniLM-L6-v2/"):
        return _MINILM
    return _UNMEASURED
