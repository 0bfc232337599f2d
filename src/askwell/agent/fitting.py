"""Results of tools cut to what a language model has room for, with a word about what was cut."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askwell.pipelines.retrieval.model_text import estimated_tokens

# JSON of figures takes more tokens than prose of the same length.
_CHARACTERS_A_TOKEN = 3
_SHORTEST = 200


def fitted(told: Mapping[str, Any], tokens: int) -> str:
    """A result as JSON text of about so many tokens at most: the statement as the database ran it goes first, then rows
    from the end, then what is long."""
    text = _written(told)
    if _size(text) > tokens and "planned_sql" in told:
        told = {name: one for name, one in told.items() if name != "planned_sql"}
        text = _written(told)
    table = told.get("table")
    if _size(text) <= tokens or not isinstance(table, Mapping) or not table.get("rows"):
        return text if _size(text) <= tokens else _cut(text, tokens)
    rows = list(table["rows"])
    shown = len(rows)
    while shown and _size(text) > tokens:
        shown //= 2
        note = f"Only the first {shown} of {table['row_count']} rows are shown to you; the person sees more."
        text = _written({**told, "table": {**table, "rows": rows[:shown], "truncated": True, "note": note}})
    return text if _size(text) <= tokens else _cut(text, tokens)


def _cut(text: str, tokens: int) -> str:
    longest = max(tokens * _CHARACTERS_A_TOKEN, _SHORTEST)
    return json.dumps({"cut": text[:longest], "note": "The result is longer; ask for less."}, ensure_ascii=False)


def _written(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _size(text: str) -> int:
    return max(estimated_tokens(text), len(text) // _CHARACTERS_A_TOKEN)
