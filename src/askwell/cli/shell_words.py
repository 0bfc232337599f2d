"""What people type in `askwell shell` beside questions, from `shell_words.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from askwell.resources import words_file

# How people end a phrase that stands for a command.
_ENDS = "?!. "
# Fewer words are an answer, however they begin.
_LEAST_WORDS = 3


def help_lines() -> Mapping[str, str]:
    """What each command does."""
    found: Mapping[str, str] = _words()["help"]
    return found


def as_command(line: str) -> str:
    """The command that the line is, or says in words; else the line."""
    plain = " ".join(line.casefold().split())
    return _phrases().get(plain.rstrip(_ENDS) or plain, line.strip())


def is_elsewhere(line: str) -> bool:
    """Whether a line is no answer to what is asked back: a command, SQL, or a question of its own."""
    first, *others = line.casefold().split() or [""]
    if as_command(line).startswith(".") or first in _words()["sql"]:
        return True
    return len(others) + 1 >= _LEAST_WORDS and (line.rstrip().endswith("?") or first in _words()["asking"])


def _words() -> Mapping[str, Any]:
    return words_file("askwell.cli", "shell_words.yaml")


@cache
def _phrases() -> Mapping[str, str]:
    def pairs() -> Iterator[tuple[str, str]]:
        for command, phrases in _words().items():
            if command.startswith("."):
                yield from ((phrase, command) for phrase in phrases)

    return dict(pairs())
