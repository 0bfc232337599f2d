"""Parts of a question that say how its answer is shown, and turns of phrase that stand for plainer ones."""

from __future__ import annotations

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
