"""Words of `words.yaml`: for missing values, columns, keys, and the signs of amounts."""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml


@cache
def _lists() -> dict[str, list[str]]:
    text = resources.files(__package__).joinpath("words.yaml").read_text("utf-8")
    # Everything in it is text: a bare `no` is a word here.
    loaded: dict[str, list[str]] = yaml.load(text, Loader=yaml.BaseLoader)
    return loaded


@cache
def word_set(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_lists()[name])
