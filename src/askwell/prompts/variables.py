"""What each prompt is given, and how long its reply may be, as `variables.yaml` says.

A template that uses another name, or leaves one of these unused, does not load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from askwell.resources import words_file

FILE: Mapping[str, Any] = words_file("askwell.prompts", "variables.yaml")


def _named(words: str) -> Iterator[str]:
    for word in words.split():
        yield from _named(FILE["groups"][word[1:]]) if word.startswith("+") else (word,)


PROMPT_VARIABLES: Mapping[str, frozenset[str]] = {
    name: frozenset(_named(one["variables"])) for name, one in FILE["prompts"].items()
}
REPLY_TOKENS: Mapping[str, int] = {name: one["reply_tokens"] for name, one in FILE["prompts"].items()}
