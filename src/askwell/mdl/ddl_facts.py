"""What comments say of a table or a column in a prompt: its aliases, meaning and values, within limits.

Whatever a model's author wrote stays inside the comment or the name it stands in, on one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import Column, Table

# What is said of a column besides its alias, description, values and unit, in this order.
_PROPERTIES = ("abbreviation_of", "json_type", "json_fields", "nested_columns")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is said of one thing: `listed` entries of a list, and as many `characters` of a text or of a whole list.
    What is cut ends in an ellipsis, or in how many more there are."""

    listed: int
    characters: int

    def text(self, text: str) -> str:
        """The text on one line."""
        line = one_line(text[: 2 * self.characters])
        return line if len(line) <= self.characters else f"{line[: self.characters - 1].rstrip()}…"

    def entries(self, texts: Sequence[str]) -> list[str]:
        """The first texts of a list."""
        shown: list[str] = []
        room = self.characters
        for text in texts[: self.listed]:
            shown.append(self.text(text))
            room -= len(shown[-1]) + 4
            if room < 0 and len(shown) > 1:
                shown.pop()
                break
        more = len(texts) - len(shown)
        return [*shown, *([f"… {more} more"] if more else [])]

    def value(self, value: Any) -> Any:
        """A property as people wrote it: a text, a list, a mapping."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return self._mapping(value)
            case list() | tuple():
                return self._list(value)
            case _:
                return value

    def _mapping(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        keys = list(value)
        sizes = [len(as_json({str(key): value[key]})) for key in islice(keys, self.listed)]
        count = self._fitting(sizes)
        shown = {str(key): value[key] for key in keys[:count]}
        return shown | ({"…": f"{len(keys) - count} more"} if len(keys) > count else {})

    def _list(self, value: Sequence[Any]) -> list[Any]:
        count = self._fitting([len(as_json(entry)) for entry in value[: self.listed]])
        return [*value[:count], *([f"… {len(value) - count} more"] if len(value) > count else [])]

    def _fitting(self, sizes: Iterable[int]) -> int:
        count, room = 0, self.characters
        for size in sizes:
            room -= size + 2
            if room < 0:
                break
            count += 1
        return count


# A model that fits is shown as it was written, but for lists that nobody reads to their end.
WHOLE = Limits(listed=50, characters=100_000)
# Where there is no room for everything, no single thing takes it from the others.
BRIEF = Limits(listed=20, characters=240)


def table_facts(table: Table, limits: Limits) -> dict[str, Any]:
    """What is known of the table itself, by its name in the prompt."""
    facts = _facts(table.name, table.display_name, table.description, table.synonyms, limits)
    if table.question:
        facts["question"] = limits.text(table.question)
    return facts


def column_facts(column: Column, limits: Limits) -> dict[str, Any]:
    """What is known of the column, by its name in the prompt."""
    facts = _facts(column.name, column.display_name, column.description, column.synonyms, limits)
    if column.values:
        facts["values"] = limits.entries(column.values)
    if column.unit:
        facts["unit"] = limits.text(column.unit)
    if column.epoch:
        facts["epoch"] = column.epoch
    return facts | {key: limits.value(column.properties[key]) for key in _PROPERTIES if column.properties.get(key)}


def as_json(facts: Any) -> str:
    """JSON on one line that cannot end the comment around it."""
    text = json.dumps(facts, ensure_ascii=False, default=str)
    return _printable(text.replace("*/", "*\\/"))


def one_line(text: str) -> str:
    """A text on one line that cannot end the comment around it."""
    return _printable(" ".join(text.split())).replace("*/", "* /")


def _facts(
    name: str, alias: str | None, description: str | None, synonyms: tuple[str, ...], limits: Limits
) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    # Aliases that importers make from names tell nothing new.
    if alias and (alias != readable(name) or len(words(name)) == 1):
        facts["alias"] = limits.text(alias)
    if description:
        facts["description"] = limits.text(description)
    if synonyms:
        facts["synonyms"] = limits.entries(synonyms)
    return facts


def _printable(text: str) -> str:
    """Without characters that a reader may take for the end of a line, or for nothing."""
    return text if text.isprintable() else "".join(one if one.isprintable() else " " for one in text)
