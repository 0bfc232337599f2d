"""How many tokens of schema go into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# Of a window, what `auto` gives to the schema, and its most: rules, saved knowledge and the reply need room too, and
# longer prompts cost more than they help.
_AUTO_SHARE = 4
_MOST_AUTO = 24_000
# What `auto` gives where a window is not known: a quarter of the 16,000 tokens that servers set aside at least.
_UNKNOWN = 4_000
# Of a window, what a configured number may take at most.
_MOST_SHARE = 2


@dataclass(frozen=True, slots=True)
class Window:
    """How many `tokens` a language model reads at once; `is_known` where its server or the configuration says so."""

    tokens: int
    is_known: bool = True


def schema_tokens(configured: int | Literal["auto"], windows: Sequence[Window]) -> int:
    """The tokens that a schema may take where these models read it: the configured number, at most half of the smallest
    window; or with `auto` a quarter of it and at most 24,000, and at most 4,000 where nobody knows a window."""
    if configured != "auto":
        return min([configured, *(window.tokens // _MOST_SHARE for window in windows)])
    least = min((window.tokens // _AUTO_SHARE for window in windows), default=_UNKNOWN)
    return min(least, _MOST_AUTO if all(window.is_known for window in windows) else _UNKNOWN)
