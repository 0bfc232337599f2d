"""Everyday English that no house has a meaning of its own for, from `plain_english.yaml`."""

from __future__ import annotations

from functools import cache

from askwell.resources import words_file


@cache
def plain_english() -> frozenset[str]:
    """The words as they are written, in lower case."""
    data = words_file("askwell.question", "plain_english.yaml")
    return frozenset(word for name in ("verbs", "adjectives", "adverbs", "others") for word in data[name].split())


@cache
def changing_words() -> frozenset[str]:
    """What begins an order to change data."""
    return frozenset(words_file("askwell.question", "plain_english.yaml")["changing"])
