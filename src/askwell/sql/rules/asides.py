"""What is said of a question's answer, such as the chart that it is wanted as, set aside before it is read."""

from __future__ import annotations

import re
from functools import cache

from askwell.sql.rules.words.asides import HEADS, PLAINER, TAILS


def without_asides(question: str) -> str:
    """The question without a named type of chart, in plainer words where it has a turn of phrase. One that would be
    left empty stays as it is."""
    spoken = question.strip()
    for pattern in _patterns((*TAILS, *HEADS)):
        left = pattern.sub("", spoken)
        spoken = left if left.strip() else spoken
    for pattern, (_, plainer) in zip(_patterns(tuple(one for one, _ in PLAINER)), PLAINER, strict=True):
        spoken = pattern.sub(plainer, spoken)
    return spoken


@cache
def _patterns(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
