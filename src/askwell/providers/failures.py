"""Failures of servers in the words of `failures.yaml`, a file of each package of providers."""

from __future__ import annotations

from askwell.resources import words_file


def in_words(package: str, what: str, **values: object) -> tuple[str, str]:
    """What happened and what to do next, with these `values` in their places."""
    message, hint = words_file(package, "failures.yaml")[what]
    return message.format_map(values), hint.format_map(values)
