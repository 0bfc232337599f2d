"""Spans: runs of tokens with what they may mean, and what it means to leave a token out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Words that a value may have.
LONGEST_VALUE = 7
# Operators whose words may as well be what something has become: paid.
ALSO_A_STATE = frozenset({"SPENT"})


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `start` to `end` (not included) as one thing of a category; `evidence` names what speaks for the link."""

    start: int
    end: int
    category: str
    meaning: Any
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skip:
    """What leaving a token out means: `kinds` are features, the first is the coarse one; `free` costs nothing."""

    kinds: tuple[str, ...]
    free: bool = False
