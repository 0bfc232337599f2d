"""Functions worth telling a language model about: what the question seems to need, in the words of this database.
`function_hints.yaml` says what dialects write differently, by what a question may need it for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from askwell.resources import words_file
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.functions import functions_of


class Topic(StrEnum):
    """What a question may need functions for."""

    GENERAL = "general"
    DATES = "dates"
    TEXT = "text"
    SPREAD = "spread"
    RANKING = "ranking"
    LISTS = "lists"
    JSON = "json"


_FILE = words_file("askwell.pipelines.retrieval", "function_hints.yaml")
HINTS: Mapping[str, Mapping[Topic, str]] = {
    dialect: {Topic(topic): lines for topic, lines in topics.items()} for dialect, topics in _FILE["hints"].items()
}
NAMES: Mapping[Topic, str] = {Topic(topic): names for topic, names in _FILE["names"].items()}

MOST = 30
# Of each topic, where the question is in another language: all may be needed.
_OF_EACH = 2

_STARTS = {
    Topic(topic): re.compile(rf"\b(?:{'|'.join(sorted(words.split(), key=len, reverse=True))})(?:\w{{0,4}})\b")
    for topic, words in _FILE["words"].items()
}
_ENGLISH = re.compile(r"\b(?:how|many|much|the|what|which|who|show|list|give|of|all|are|is|with)\b")
# One row of each group: what every other ranking needs is ORDER BY.
_FIRST = re.compile(
    r"\b(?:top|best|worst|first|last|latest|newest|oldest|earliest|most|least|highest|lowest|longest)\b"
)
_OF_GROUPS = re.compile(r"\b(?:each|per|every)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CALLED = re.compile(r"\b([a-z]\w*)\"?\(")


def functions_for(question: str, dialect: str, known: frozenset[str], *, has_json: bool) -> tuple[str, ...]:
    """At most 30 lines of what the question seems to need: in the dialects that have some, an example with what it
    gives, else names. Only what the guard lets pass; `known` is the engine's own catalogue, empty where it has none."""
    topics = _topics(question, has_json)
    lines: list[str] = []
    for topic in topics or tuple(Topic):
        if topics or topic is not Topic.JSON:
            usable = _usable(topic, dialect, known)
            lines += usable if topics else usable[:_OF_EACH]
    return tuple(dict.fromkeys(lines))[:MOST]


def _topics(question: str, has_json: bool) -> tuple[Topic, ...]:
    """The topics of a question, the ones that are rarely known by heart first; nothing where its words are unknown."""
    text = question.casefold()
    found = {topic for topic, starts in _STARTS.items() if starts.search(text)}
    if _YEAR.search(text):
        found.add(Topic.DATES)
    if _FIRST.search(text) and _OF_GROUPS.search(text):
        found.add(Topic.RANKING)
    if has_json:
        found.add(Topic.JSON)
    if not found and not _ENGLISH.search(text):
        return ()
    order = (Topic.JSON, Topic.DATES, Topic.SPREAD, Topic.LISTS, Topic.RANKING, Topic.TEXT)
    return (Topic.GENERAL, *(topic for topic in order if topic in found))


@lru_cache(maxsize=256)
def _usable(topic: Topic, dialect: str, known: frozenset[str]) -> tuple[str, ...]:
    callable_names = functions_of(dialect, known).callable if dialect in REVIEWED else known
    if dialect in HINTS:
        return tuple(hint for hint in hints_of(topic, dialect) if callable_names.issuperset(called_in(hint)))
    return tuple(name for name in NAMES[topic].split() if name in callable_names)


def hints_of(topic: Topic, dialect: str) -> Iterator[str]:
    """The examples for a topic in a dialect that has some, each with what it gives."""
    return filter(None, (line.strip() for line in HINTS[dialect][topic].splitlines()))


def called_in(hint: str) -> set[str]:
    """The functions that an example calls."""
    return set(_CALLED.findall(example_of(hint)))


def example_of(hint: str) -> str:
    """The SQL of a line."""
    return hint.partition(": ")[0]
