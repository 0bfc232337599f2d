"""What is said of a question's answer, such as the chart that it is wanted as, set aside before it is read."""

from __future__ import annotations

import re
from functools import cache

# What charts are called, as patterns.
_CHART = (
    r"(?:stacked |grouped |horizontal |vertical |clustered )?"
    r"(?:(?:(?:pie|donut|doughnut|bar|line|area|column) ?)?(?:charts?|graphs?|plots?|diagrams?)|histogram)"
)
_KIND = r"(?:stacked |grouped )?(?:pie|bars|lines|donut|area)"

# Patterns of what is set aside at the end, and at the beginning.
TAILS = (
    rf",? *\b(?:as|in|on|with) (?:a |an )?{_CHART} *[.?!]*$",
    rf",? *\bas (?:a |an )?{_KIND} *[.?!]*$",
    r",? *\bals (?:kreis|torten|balken|säulen|linien|flächen)?diagramm *[.?!]*$",
)
HEADS = (
    rf"^(?:please )?(?:can you |could you )?(?:show|draw|plot|make|create|give)(?: me| us)? (?:a |an |the )?{_CHART}"
    r" (?:of|for|with|showing) (?=\S)",
)

# Patterns and what they stand for: "what values can the status of an order have".
PLAINER = (
    (
        r"^(?:what|which) (?:possible |different )?values (?:can|could|may|does|do) (.+?) (?:have|take|contain|hold)"
        r"(?: on)? *[.?!]*$",
        r"different \1",
    ),
    (r"^(?:what|which) are the (?:possible|different|distinct) values (?:of|for|in) (.+?) *[.?!]*$", r"different \1"),
)


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
