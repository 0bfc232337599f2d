"""Column names as Vega-Lite's fields, which read some characters as a path, and texts as pictures may show them.

Characters that nobody sees, and that change what is seen, are written out as the page's table writes them
(`lib/format.js`).
"""

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


_PATH_CHARACTER = re.compile(r"([.\[\]'])")
# Vega-Lite writes names and titles into expressions of its own and does not escape these: they would end a string
# there, so that the rest ran as an expression. Names with them cannot be drawn.
_UNDRAWABLE = re.compile(r"[\"\\\x00-\x1f\x7f\u2028\u2029\ufffe\uffff\ud800-\udfff]|^__proto__$")
_UNWRITABLE = re.compile(r"[\\\x00-\x1f\x7f\u2028\u2029\ufffe\uffff\ud800-\udfff]")
# What XML, and so SVG, cannot hold: the renderer ends at once where a value has it.
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
# What every object of JavaScript has. Vega looks values up by name and finds these where no row has them: the picture
# stays empty.
_OF_EVERY_OBJECT = frozenset(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty
    isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    """.split()  # noqa: SIM905 - a list of names reads better as words
)
_INVISIBLE = "\u200b"


def is_drawable(name: str) -> bool:
    """Whether a column of that name can be in a chart."""
    return bool(name) and _UNDRAWABLE.search(name) is None


def field_of(name: str) -> str:
    """The field that is this column: `a.b` is written `a\\.b`."""
    return _PATH_CHARACTER.sub(r"\\\1", name)


def drawable_text(text: str) -> str:
    """The text of a value with a mark for each character that no picture can have, and for those that nobody sees, as
    tables have them. What Vega would take for something else looks as it is, and ends in a space of no width."""
    return text + _INVISIBLE if text in _OF_EVERY_OBJECT else marked(_NO_XML.sub("\ufffd", text))


def is_writable(text: str) -> bool:
    """Whether a title may be this text as it is."""
    return _UNWRITABLE.search(text) is None


def writable(text: str) -> str:
    """The text with blanks for what no title may have."""
    return _UNWRITABLE.sub(" ", text)
