"""How many tokens of schema go into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# Of a window, what `auto` gives to the tables that a search chooses, which a server has to read anew for each question;
# and the most that a schema gets, since longer prompts cost more than they help.
_CHOSEN_SHARE = 0.25
_MOST_AUTO = 24_000
# What no schema gets: the rules and the task, long and lean ones; what is known beside the schema, with the question;
# the reply; and a tenth, for texts with less than four characters a token. In a small window there is less of each.
_RULES, _LEAN_RULES = 1_500, 500
_BESIDE, _REPLY, _SMALL_SHARE = 1_600, 2_000, 0.125
_RESERVE = 0.1
# What `auto` gives where a window is not known: a quarter of the 16,000 tokens that servers set aside at least.
_UNKNOWN = 4_000
# Of a window, what a configured number may take at most.
_MOST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Window:
    """How many `tokens` a language model reads at once; `is_known` where its server or the configuration says so;
    `is_lean` where its prompts have the short rules."""

    tokens: int
    is_known: bool = True
    is_lean: bool = False

    @property
    def beside(self) -> int:
        """The tokens that are kept for the question and what is saved."""
        return min(_BESIDE, int(self.tokens * _SMALL_SHARE))

    @property
    def for_schema(self) -> int:
        """The tokens that nothing else in a prompt, nor the reply, needs; at least a quarter of all."""
        kept = (_LEAN_RULES if self.is_lean else _RULES) + self.beside + min(_REPLY, int(self.tokens * _SMALL_SHARE))
        return max(int(self.tokens * (1 - _RESERVE)) - kept, int(self.tokens * _CHOSEN_SHARE))


@dataclass(frozen=True, slots=True)
class SchemaBudget:
    """The tokens that a schema may take: `whole` in all, `part` for the tables that are chosen of a larger model;
    `beside` for all else that a question brings, where `whole` is used up."""

    whole: int
    part: int
    beside: int

    def at_most(self, tokens: int) -> SchemaBudget:
        """The same, for a schema that has to be smaller."""
        return SchemaBudget(min(self.whole, tokens), min(self.part, tokens), min(self.beside, tokens))

    def for_saved(self, shown: int) -> int:
        """By what the shares of saved questions and instructions go, beside so many tokens of schema."""
        return min(self.part, self.whole - shown + self.beside)


def schema_budget(configured: int | Literal["auto"], windows: Sequence[Window]) -> SchemaBudget:
    """The room for a schema where these models read it: the configured number, at most half of the smallest window; or
    with `auto` what nothing else in the prompt needs of it, a quarter for tables that are chosen, and at most 24,000;
    at most 4,000 where nobody knows a window."""
    least = min((window.tokens for window in windows), default=None)
    if configured != "auto":
        tokens = configured if least is None else min(configured, int(least * _MOST_SHARE))
        return SchemaBudget(tokens, tokens, tokens)
    if least is None:
        return SchemaBudget(_UNKNOWN, _UNKNOWN, _UNKNOWN)
    tightest = min(windows, key=lambda window: window.for_schema)
    given = SchemaBudget(tightest.for_schema, int(least * _CHOSEN_SHARE), tightest.beside)
    most = _MOST_AUTO if all(window.is_known for window in windows) else _UNKNOWN
    return SchemaBudget(min(given.whole, most), min(given.part, most), given.beside)
