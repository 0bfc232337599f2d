"""Words that stand for each other, from `akin.yaml` and the lexicon's synonyms: for finding what a question is about,
not for reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from askwell.question.lexicon import said_for
from askwell.question.stems import stems
from askwell.resources import words_file


@dataclass(frozen=True, slots=True)
class Akin:
    """Groups of lower-case words. `alike` mean nearly the same; of `related` ones one leads to the other; `said_for`
    gives for a word what it is said for; `persons` are asked for as `people`."""

    alike: tuple[frozenset[str], ...]
    related: tuple[frozenset[str], ...]
    said_for: Mapping[str, frozenset[str]]
    persons: frozenset[str]
    people: frozenset[str]


@cache
def akin() -> Akin:
    """The groups, read once."""
    data = words_file("askwell.question", "akin.yaml")
    return Akin(
        alike=tuple(frozenset(group.split()) for group in data["alike"]),
        related=tuple(frozenset(group.split()) for group in data["related"]),
        said_for=said_for(),
        persons=frozenset(data["persons"].split()),
        people=frozenset(data["people"].split()),
    )


@cache
def stems_alike() -> tuple[frozenset[str], ...]:
    """The stems of each group of words that mean nearly the same."""
    return tuple(frozenset(stem for word in group for stem in stems(word)) for group in akin().alike)
