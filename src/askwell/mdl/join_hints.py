"""Join hints that may be shown: those that give no hidden column away."""

from __future__ import annotations

import re
from collections.abc import Mapping

from askwell.mdl.expressions import Unreadable, read_condition
from askwell.mdl.names import singular, words
from askwell.mdl.semantic_model import Table

# `table.column` as people write it in a sentence, whatever quotes either name is in.
_DOTTED = re.compile(r'(\w+)["`\]]?\.["`\[]?(\w+)')


class HintFilter:
    """Tells which hints may be shown, by the tables of the authorised view and the names of hidden columns by table."""

    def __init__(self, tables: Mapping[str, Table], hidden: Mapping[str, tuple[str, ...]]) -> None:
        self._tables = {name.lower(): table for name, table in tables.items()}
        self._hidden = {
            name: (_singulars(name), [re.compile(rf"(?<!\w){re.escape(column)}(?!\w)", re.I) for column in columns])
            for name, columns in hidden.items()
            if columns
        }
        self._hidden_names = {column.lower() for columns in hidden.values() for column in columns}

    def may_be_shown(self, hint: str, owner: str) -> bool:
        """Whether every column that a condition names is in the view and, whatever the text is, it has no word that is
        a hidden column of `owner`, whose hint it is, or of a table that it mentions."""
        sides = read_condition(hint)
        if not isinstance(sides, Unreadable) and not all(
            self._is_there(side.table, side.column) for pair in sides for side in pair
        ):
            return False
        # A condition has to be looked through as well, as it may have a comment.
        rest = _DOTTED.sub(lambda found: "" if self._is_there(found[1], found[2]) else found[0], hint)
        if any(column.lower() in self._hidden_names for _, column in _DOTTED.findall(rest)):
            return False
        mentioned = _singulars(hint)
        return not any(
            column.search(rest)
            for name, (table_words, columns) in self._hidden.items()
            if name == owner or table_words <= mentioned
            for column in columns
        )

    def _is_there(self, table: str, column: str) -> bool:
        found = self._tables.get(table.lower())
        return found is not None and found.column(column) is not None


def _singulars(text: str) -> set[str]:
    return {singular(word) for word in words(text)}
