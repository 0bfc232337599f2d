"""Characters that nobody sees, and that change what is seen, written out as the page's table writes them
(`lib/format.js`)."""

from __future__ import annotations

import re
import unicodedata

# Letters that turn around what is seen: https://www.unicode.org/reports/tr9/
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Those without a width. The two that join and part letters are needed in emoji, and where letters have joined forms.
_UNSEEN = re.compile("[\u200b-\u200d\u2060\ufeff]+")
_JOINING = re.compile("[\u200c\u200d]+")
_SCRIPTS_WITHOUT = ("LATIN ", "CYRILLIC ", "GREEK ", "DIGIT ")
# What may be in an emoji: symbols, marks and modifiers.
_OF_EMOJI = ("So", "Sk")


def marked(text: str) -> str:
    """The text in which what would turn it around, and what is not seen between letters, is written out."""
    return _UNSEEN.sub(_unseen, _TURNING.sub(lambda found: _written(found[0]), text))


def _unseen(found: re.Match[str]) -> str:
    text, (start, end) = found.string, found.span()
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    is_plain = any(map(_needs_none, beside))
    is_needed = _JOINING.fullmatch(found[0]) and any(_may_need(one) for one in beside)
    return _written(found[0]) if is_plain and not is_needed else found[0]


def _needs_none(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_SCRIPTS_WITHOUT)


def _may_need(letter: str) -> bool:
    category = unicodedata.category(letter)
    return not _needs_none(letter) and (category[0] in "LM" or category in _OF_EMOJI)


def _written(letters: str) -> str:
    return "".join(f"\u2039U+{ord(letter):04X}\u203a" for letter in letters)
