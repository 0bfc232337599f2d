"""Whether a question adds to the one before: "and per country?", "only 2023"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from askwell.resources import words_file


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    patterns = words_file("askwell.question", "follow_ups.yaml")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()}


def leans(question: str) -> bool:
    """Whether it begins as only what adds to an earlier question does."""
    return _patterns()["leaning"].search(question.strip()) is not None


def may_lean(question: str) -> bool:
    """Whether it begins as what adds to an earlier question may, and a whole one too."""
    return _patterns()["may_lean"].search(question.strip()) is not None


def is_whole(question: str) -> bool:
    """Whether it begins as only a whole question does."""
    return _patterns()["whole"].search(question.strip()) is not None


def refers_back(question: str) -> bool:
    """Whether it has a pronoun for what was asked before, and so says nothing without it: "total freight of those"."""
    return _patterns()["refers_back"].search(question) is not None


def is_possessive(text: str) -> bool:
    """Whether it has a word for what belongs to something that is named before, there or in an earlier question."""
    return _patterns()["possessive"].search(text) is not None
