"""What comments say of a table or a column in a prompt: its aliases, meaning and values, within limits.

Whatever a model's author wrote, or a database holds, stays inside the comment it stands in, on one line; values are
quoted as SQL quotes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRole, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.units import scale_of

# Sampled values are all shown where there are so few, in as many characters together; else so many examples are.
_FEW_VALUES = 8
_FEW_VALUES_CHARACTERS = 90
_EXAMPLES = 2
_LONGEST_EXAMPLE = 30
_EXAMPLES_CHARACTERS = 40
# Columns that people are reached by, or that point elsewhere: examples tell nothing that SQL needs.
_CONTACT_WORDS = """
    email mail phone telephone fax mobile address street url uri link photo image
"""
_WITHOUT_EXAMPLES = frozenset(_CONTACT_WORDS.split())
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# The longest description on the one line of a table.
_LINE_CHARACTERS = 120

_ROLES = {
    ColumnRole.CALCULATED: "Calculated Field",
    ColumnRole.DIMENSION: "Dimension",
    ColumnRole.MEASURE: "Measure",
}


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

    def fields(self, value: Any) -> str:
        """What is inside a column, as people wrote it: a mapping of paths, or a list of names."""
        if isinstance(value, Mapping):
            return ", ".join(self.entries([_field(path, inside) for path, inside in self._first(value.items())]))
        if isinstance(value, list | tuple):
            return ", ".join(self.entries([_field("", inside) for inside in value]))
        return self.text(str(value))

    def _first(self, items: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        return list(islice(items, 100 * self.listed))


# A model that fits is shown as it was written, but for lists that nobody reads to their end.
WHOLE = Limits(listed=50, characters=100_000)
# Where there is no room for everything, no single thing takes it from the others.
BRIEF = Limits(listed=20, characters=240)


def table_comment(table: Table, limits: Limits) -> str:
    """What is known of the table itself, by its name in the prompt; empty where that is nothing."""
    return "; ".join(_table_facts(table, limits))


def table_summary(table: Table) -> str:
    """What the table is, in a few words; empty where nobody has said so."""
    brief = Limits(listed=3, characters=_LINE_CHARACTERS)
    return brief.text("; ".join(_table_facts(table, brief)))


def column_comment(column: Column, limits: Limits, sampled: Sequence[str] = ()) -> str:
    """What is known of the column, by its name in the prompt, with values that were `sampled` from it; empty where that
    is nothing. No values of secret columns are told."""
    # Prompts tell models to take such columns first.
    mark = ["[ESSENTIAL]"] if column.essential else []
    return " ".join([*mark, *filter(None, ["; ".join(_column_facts(column, limits, sampled))])])


def one_line(text: str) -> str:
    """A text on one line, so that it cannot end the comment around it."""
    return _printable(" ".join(text.split()))


def literal(value: str) -> str:
    """A text as a value in SQL, on one line."""
    return "'" + one_line(value).replace("'", "''") + "'"


def _table_facts(table: Table, limits: Limits) -> Iterator[str]:
    if table.kind in (TableKind.METRIC, TableKind.CUBE):
        yield f"{table.kind.value} on {one_line(table.base or '')}: one row for each combination of its dimensions"
    yield from _facts(table.name, table.display_name, table.description, table.synonyms, limits)
    if table.question:
        yield f"answers the question {_quoted(limits.text(table.question))}"


def _column_facts(column: Column, limits: Limits, sampled: Sequence[str]) -> Iterator[str]:
    if column.role in _ROLES:
        expression = limits.text(column.expression or "")
        yield f"{_ROLES[column.role]}: {expression}" if expression else _ROLES[column.role]
    yield from _facts(column.name, column.display_name, column.description, column.synonyms, limits)
    if not is_secret(column):
        yield from _values(column, limits, sampled)
    if column.unit:
        factor, larger = scale_of(column.unit) or (1, "")
        hint = f" (divide by {factor} for {larger or 'whole amounts'})" if factor > 1 else ""
        yield f"unit {limits.text(column.unit)}{hint}"
    if column.epoch:
        yield f"epoch {limits.text(column.epoch)}"
    properties = column.properties
    if properties.get("abbreviation_of"):
        yield f"abbreviation of {limits.text(str(properties['abbreviation_of']))}"
    if column.json_type:
        yield f"json_type {limits.text(column.json_type)}"
    for key in ("json_fields", "nested_columns"):
        if properties.get(key):
            yield f"{key} {limits.fields(properties[key])}"


def _values(column: Column, limits: Limits, sampled: Sequence[str]) -> Iterator[str]:
    if column.values:
        is_number = type_family(column.type) is TypeFamily.NUMBER
        names = column.value_names
        shown = limits.entries(
            [
                (value if is_number else literal(value)) + (f" ({one_line(names[value])})" if value in names else "")
                for value in column.values
            ]
        )
        yield f"values {', '.join(shown)}"
    elif sampled and _WITHOUT_EXAMPLES.isdisjoint(words(column.name)):
        yield from _sampled(sampled) if type_family(column.type) is TypeFamily.TEXT else _examples(sampled)


def _sampled(values: Sequence[str]) -> Iterator[str]:
    """All of a few short values, or examples; nothing of a text whose values are long."""
    if len(values) <= _FEW_VALUES and sum(map(len, values)) <= _FEW_VALUES_CHARACTERS:
        shown = [literal(value) for value in values if _is_plain(value)]
        if shown:
            yield f"values {', '.join(shown)}"
        return
    # Sorted values begin with odd ones.
    chosen = [values[len(values) * (number + 1) // (_EXAMPLES + 1)] for number in range(_EXAMPLES)]
    short = [value for value in chosen if _is_plain(value) and len(value) <= _LONGEST_EXAMPLE]
    if sum(map(len, short)) > _EXAMPLES_CHARACTERS:
        short.remove(max(short, key=len))
    if short:
        yield f"such as {', '.join(map(literal, short))}"


def _examples(values: Sequence[str]) -> Iterator[str]:
    """Values of a column that holds no texts; what no number is was read as a text."""
    shown = [value if _NUMBER.fullmatch(value) else literal(value) for value in values if _is_plain(value)]
    if shown:
        yield f"such as {', '.join(shown)}"


def _is_plain(value: str) -> bool:
    """Whether a value stands on one line as it is: another text would not be found in the data."""
    return bool(value) and one_line(value) == value


def _facts(
    name: str, alias: str | None, description: str | None, synonyms: tuple[str, ...], limits: Limits
) -> Iterator[str]:
    if description:
        yield limits.text(description).removesuffix(".")
    # An alias that only spells the name in another way tells nothing new.
    if alias and _letters(alias) != _letters(name):
        yield f"alias {_quoted(limits.text(alias))}"
    if synonyms:
        yield f"synonyms {', '.join(limits.entries([_quoted(one) for one in synonyms]))}"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _letters(name: str) -> str:
    return "".join(words(name)) or name.strip()


def _field(path: object, inside: object) -> str:
    """A field inside a column: its path, its type and its meaning, as far as they are told."""
    if isinstance(inside, Mapping):
        facts = dict(inside)
        named = [str(path or facts.pop("name", "")), str(facts.pop("type", ""))]
        meaning = facts.pop("description", "")
        rest = json.dumps(facts, ensure_ascii=False, default=str) if facts else ""
        return one_line(" ".join(filter(None, [*named, f"({meaning})" if meaning else "", rest])))
    return one_line(" ".join(filter(None, [str(path), str(inside)])))


def _printable(text: str) -> str:
    """Without characters that a reader may take for the end of a line, or for nothing."""
    return text if text.isprintable() else "".join(one if one.isprintable() else " " for one in text)
