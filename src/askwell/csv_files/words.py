"""Words of `words.yaml`: for missing values, columns and keys."""

from __future__ import annotations

from functools import cache

from askwell.resources import words_file


@cache
def word_set(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(words_file("askwell.csv_files", "words.yaml")[name])
