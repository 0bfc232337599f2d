"""Column names as Vega-Lite's fields, which read some characters as a path."""

from __future__ import annotations

import re

from askwell.charts.unseen import marked

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
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
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
