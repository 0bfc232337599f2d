"""Text that comes from a database or a model, made safe to print: a terminal obeys control characters."""

from __future__ import annotations


def shown(text: str, *, lines: bool = True) -> str:
    """`text` with what cannot be seen written out, such as \\x1b; line breaks and tabs stay where `lines` is set."""
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
