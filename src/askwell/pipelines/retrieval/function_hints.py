"""What dialects write differently, by what a question may need it for; `function_hints.yaml` says it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from askwell.resources import words_file


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
