"""Comments in the text of a CREATE TABLE: SQLite keeps that text as it was written, and has no other comments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from askwell.providers.engine.worker.session import fold

_LONGEST_TEXT = 200_000
_PIECE = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]\[\n]*\]|[^\W\d][\w$]*)"""
    r"""|(?P<line>\n)|(?P<blank>[^\S\n]+)|'(?:[^']|'')*'|.""",
    re.DOTALL,
)
# What begins an entry that is no column.
_CONSTRAINTS = frozenset({"primary", "unique", "check", "foreign", "constraint"})
# A column that someone has taken out.
_COLUMN = re.compile(r"\W*\w+\W+(?:int|text|real|num|char|varchar|date|blob|bool|float|decimal)\w*\b[^,]*,", re.I)
# A blank line of a comment, or a rule under a heading.
_MARKS = "-/*=#~ \t\r\n"


def comments_in(sql: str) -> Mapping[str | None, str]:
    """The comments of columns by their folded names, and that of the table under None. A comment is of the column
    before it on its line, also behind its comma; one on a line of its own is of the column below, or goes on with the
    comment above where it begins at the same place."""
    reader = _Reader()
    for piece in _PIECE.finditer(sql[:_LONGEST_TEXT]):
        reader.read(piece)
    return {name: " ".join(texts) for name, texts in reader.found.items()}


class _Reader:
    """Reads one text, piece by piece. `None` as the name of a column is the table."""

    def __init__(self) -> None:
        self.found: dict[str | None, list[str]] = {}
        self._depth = self._line_start = 0
        self._awaits_name = False
        self._is_column = True
        self._last: str | None = None  # the column that is being read, or was last
        self._is_first = True  # nothing but blanks stands before on this line
        self._above: list[str] = []  # comments for the column that comes
        self._behind: int | None = None  # where in its line the comment of the column before began

    def read(self, piece: re.Match[str]) -> None:
        text = piece[0]
        if piece["line"]:
            self._line_start, self._is_first = piece.end(), True
        elif piece["comment"]:
            self._comment(text, piece.start() - self._line_start)
        elif not piece["blank"]:
            self._code(text, is_name=piece["name"] is not None)

    def _code(self, text: str, *, is_name: bool) -> None:
        if text == "(":
            self._awaits_name |= self._depth == 0
            self._depth += 1
        elif text == ")":
            self._depth -= 1
        elif text == "," and self._depth == 1:
            self._awaits_name = True
        elif self._awaits_name:
            self._entry(text, is_name=is_name)
        self._is_first = False

    def _entry(self, text: str, *, is_name: bool) -> None:
        self._awaits_name, self._behind = False, None
        self._is_column = is_name and text.lower() not in _CONSTRAINTS
        if self._is_column:
            bare = text if text[0] not in '"`[' else text[1:-1].replace(text[0] * 2, text[0])
            self._last = fold(bare)
            if self._above:
                self.found[self._last] = self._above
        self._above = []

    def _comment(self, text: str, place: int) -> None:
        said = text.removesuffix("*/").strip(_MARKS)
        if not said:
            return
        goes_on = self._is_first and place == self._behind
        if not self._is_first or goes_on:
            if self._is_column:
                self.found.setdefault(self._last, []).append(said)
            self._behind = place if text.startswith("--") else None
        elif not _COLUMN.match(said):
            self._above.append(said)
