"""Prompts are files: a folder each, `system.md.jinja` and `user.md.jinja`, and what several share in `shared/`."""

from __future__ import annotations

from askwell.prompts.loader import (
    OURS,
    Prompt,
    PromptSet,
    PromptStyle,
    PromptText,
    RankingStyle,
    check_overrides,
    harmless,
    load_prompt,
)
from askwell.prompts.variables import PROMPT_VARIABLES

__all__ = [
    "OURS",
    "PROMPT_VARIABLES",
    "Prompt",
    "PromptSet",
    "PromptStyle",
    "PromptText",
    "RankingStyle",
    "check_overrides",
    "harmless",
    "load_prompt",
]
