"""Rows of a result as lines of a prompt, as many as fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askwell.providers.engine.base import QueryRows

LONGEST_CELL = 500
# Numbers, brackets and quotes make more tokens of a text than words do.
_CHARACTERS_A_TOKEN = 3
# Of what a model reads at once, the part that an estimate may be wrong by.
_RESERVE = 0.1


@dataclass(frozen=True, slots=True)
class FittedRows:
    """The first rows of a result, as JSON arrays one a line. `shown` of the `total` rows that were read are there;
    `more` says that the database has further ones."""

    heading: str
    lines: tuple[str, ...]
    total: int
    more: bool = False

    @property
    def shown(self) -> int:
        """How many rows the prompt has."""
        return len(self.lines)

    @property
    def in_words(self) -> str:
        """How many rows are shown of how many."""
        if self.shown == self.total:
            rows = "All rows are shown" if not self.more else "All rows that were read are shown"
            words = f"{rows}: {self.total}."
        else:
            words = f"The first {self.shown} of {self.total} rows are shown."
        return f"{words} The result has more rows, which were not read." if self.more else words


def fit_rows(result: QueryRows, *, other_tokens: int, context_window: int, max_output: int) -> FittedRows:
    """The rows that fit beside `other_tokens` of a prompt, dropped from the end by halves, long cells cut.

    A prompt and its reply, of at most `max_output` tokens, take up to nine tenths of the `context_window`. No line is
    left where not even one row fits.
    """
    budget = int(context_window * (1 - _RESERVE)) - max_output - other_tokens
    heading = _line([column.name for column in result.columns])
    shown = len(result.rows)
    lines = [_line(row) for row in result.rows]
    while shown and _tokens([heading, *lines[:shown]]) > budget:
        shown //= 2
    return FittedRows(heading, tuple(lines[:shown]), len(result.rows), result.truncated)


def _line(values: Sequence[Any]) -> str:
    return json.dumps([cut_cell(value) for value in values], ensure_ascii=False, default=str)


def cut_cell(value: Any) -> Any:
    """A value without the end of a long text; nested values as the text of their JSON where that is long."""
    if isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False, default=str)
        return value if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
    if isinstance(value, str) and len(value) > LONGEST_CELL:
        return f"{value[: LONGEST_CELL - 1]}…"
    return value


def _tokens(lines: Sequence[str]) -> int:
    """About how many tokens these lines are. Characters beyond ASCII count as one each."""
    characters = sum(len(line) + 1 for line in lines)
    foreign = sum(1 for line in lines if not line.isascii() for character in line if not character.isascii())
    return (characters - foreign) // _CHARACTERS_A_TOKEN + foreign + 1
