"""Whether a question adds to the one before: "and per country?", "only 2023"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    text = resources.files("askwell.question").joinpath("follow_ups.yaml").read_text("utf-8")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in yaml.safe_load(text).items()}


def leans(question: str) -> bool:
    """Whether it begins as only what adds to an earlier question does."""
    return _patterns()["leaning"].search(question.strip()) is not None


def may_lean(question: str) -> bool:
    """Whether it begins as what adds to an earlier question may, and a whole one too."""
    return _patterns()["may_lean"].search(question.strip()) is not None
