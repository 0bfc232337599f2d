"""What a table or column is called and said to be, as one text to search in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache, partial

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.providers.document_store.words import terms

# Enum values named in a column's text: enough to say what kind of values they are.
_VALUES_NAMED = 20
# Words that are run together (`customerid`) are at least so long, and their parts too, but for these.
_SHORTEST_RUN = 6
_SHORTEST_PART = 3
_SHORT_PARTS = frozenset({"id", "no"})


class ModelTexts:
    """The texts of one model. Names are split into words, also where these are run together and the model has them
    elsewhere as words of their own; abbreviations are said both as they are written and written out."""

    def __init__(self, model: SemanticModel) -> None:
        self._related = _related_tables(model)
        self._own_names = {table.name: own_name(table) for table in model}
        names = [name for table in model for name in (own_name(table), *(column.name for column in table.columns))]
        known = {word for name in names for word in words(name) if len(word) >= _SHORTEST_PART} | _SHORT_PARTS
        self._parts = lru_cache(50_000)(partial(_split, known))

    def table(self, table: Table, columns: Sequence[Column], *, related: bool = True) -> str:
        """The table with some of its columns, and the names of the tables that it joins to."""
        others = self._related.get(table.name, ()) if related else ()
        called = self.called(table)
        return " ".join(
            [
                f"{called}.",
                *_sentence("", _more(table.description, called)),
                *_sentence("Answers: ", [table.question or ""]),
                *_sentence("Has ", [self._column_called(column) for column in columns]),
                *_sentence("Belongs with ", [readable(self._own_names[name]).lower() for name in others]),
            ]
        )

    def called(self, table: Table) -> str:
        """The table's own names alone."""
        return self._called(own_name(table), table.display_name, table.synonyms)

    def column(self, table: Table, column: Column) -> str:
        """The column, in the words of its table too."""
        called = f"{self._column_called(column)} of {readable(table.display_name or own_name(table)).lower()}"
        return " ".join(
            [
                f"{called}.",
                *_sentence("", _more(column.description, called)),
                *_sentence("One of ", column.values[:_VALUES_NAMED]),
            ]
        )

    def _column_called(self, column: Column) -> str:
        whole = column.properties.get("abbreviation_of")
        return self._called(
            column.name, column.display_name, (*column.synonyms, *([whole] if isinstance(whole, str) else []))
        )

    def _called(self, name: str, display_name: str | None, more: Iterable[str]) -> str:
        spelled = [part for word in words(name) for part in self._parts(word)]
        clear = " ".join(written_out(spelled))
        names = [readable(name), clear, *([readable(display_name)] if display_name else []), *more]
        return ", ".join(dict.fromkeys(one.lower() for one in names if one))


def own_name(table: Table) -> str:
    """A table's name without its schema's before it, which an import writes there where several schemas have one of
    that name."""
    name, schema = table.name, table.schema
    if schema and len(name) > len(schema) + 1 and name.lower().startswith(schema.lower()):
        rest = name[len(schema) :]
        return rest[1:] if rest[0] in "._" else name
    return name


def _split(known: Set[str], word: str) -> tuple[str, ...]:
    """The fewest words that the model knows which a word is made of; the word itself where there are none."""
    if len(word) < _SHORTEST_RUN or not word.isalpha():
        return (word,)
    best: list[tuple[str, ...] | None] = [(), *[None] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part = best[start], word[start:end]
            if before is None or part == word or part not in known:
                continue
            so_far = best[end]
            if so_far is None or len(before) + 1 < len(so_far):
                best[end] = (*before, part)
    return best[-1] or (word,)


def _related_tables(model: SemanticModel) -> dict[str, tuple[str, ...]]:
    """For each table the others that it joins to."""
    related: dict[str, dict[str, None]] = {}
    for relationship in model.relationships:
        for one, other in ((relationship.left, relationship.right), (relationship.right, relationship.left)):
            if one != other:
                related.setdefault(one, {})[other] = None
    return {name: tuple(others) for name, others in related.items()}


def _more(description: str | None, called: str) -> list[str]:
    """The description, unless it only says again what a thing is called."""
    return [description] if description and not set(terms(description)) <= set(terms(called)) else []


def _sentence(start: str, parts: Sequence[str]) -> list[str]:
    text = ", ".join(part.strip() for part in parts if part.strip()).rstrip(".")
    return [f"{start}{text}."] if text else []
