"""How many tokens of schema go into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# Of a window, what `auto` gives to the part of a model that a search chooses; and its most, since longer prompts cost
# more than they help.
_AUTO_SHARE = 0.25
# The same where the whole model fits: then all prompts begin alike, and a server that keeps what it read last reads the
# schema once (Qwen2.5-Coder-1.5B on two cores, a window of 8,192: 5 to 20 s a question in place of 50 to 110).
_AUTO_SHARE_OF_WHOLE = 0.4
_MOST_AUTO = 24_000
# What `auto` gives where a window is not known: a quarter of the 16,000 tokens that servers set aside at least.
_UNKNOWN = 4_000
# Of a window, what a configured number may take at most.
_MOST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Window:
    """How many `tokens` a language model reads at once; `is_known` where its server or the configuration says so."""

    tokens: int
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class SchemaBudget:
    """The tokens that a schema may take: `whole` where all of the model goes in, `part` of a larger model."""

    whole: int
    part: int

    def at_most(self, tokens: int) -> SchemaBudget:
        """The same, for a schema that has to be smaller."""
        return SchemaBudget(min(self.whole, tokens), min(self.part, tokens))


def schema_budget(configured: int | Literal["auto"], windows: Sequence[Window]) -> SchemaBudget:
    """The room for a schema where these models read it: the configured number, at most half of the smallest window; or
    with `auto` a quarter of it (two fifths for a whole model) and at most 24,000, and at most 4,000 where nobody knows
    a window."""
    least = min((window.tokens for window in windows), default=None)
    if configured != "auto":
        tokens = configured if least is None else min(configured, int(least * _MOST_SHARE))
        return SchemaBudget(tokens, tokens)
    if least is None:
        return SchemaBudget(_UNKNOWN, _UNKNOWN)
    given = SchemaBudget(int(least * _AUTO_SHARE_OF_WHOLE), int(least * _AUTO_SHARE))
    return given.at_most(_MOST_AUTO if all(window.is_known for window in windows) else _UNKNOWN)
