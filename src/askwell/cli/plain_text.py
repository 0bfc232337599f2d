"""Text that comes from a database or a model, made safe to print: a terminal obeys control characters."""

from __future__ import annotations

import os


def shown(text: str, *, lines: bool = True) -> str:
    """`text` with what cannot be seen written out, such as \\x1b; line breaks and tabs stay where `lines` is set."""
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def as_typed(text: str) -> str:
    """Where the locale knows ASCII only, other letters come as halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text).decode("utf-8", "replace")
    return text
