"""What a table or column is called and said to be, as one text to search in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askwell.mdl.names import readable
from askwell.mdl.semantic_model import Column, SemanticModel, Table

# Enum values named in a column's text: enough to say what kind of values they are.
_VALUES_NAMED = 20


def table_text(table: Table, columns: Sequence[Column], related: Sequence[str] = ()) -> str:
    """The table with some of its columns, and the names of the tables that it joins to."""
    return " ".join(
        [
            f"{_called(table.name, table.display_name, table.synonyms)}.",
            *_sentence("", [table.description or ""]),
            *_sentence("Answers: ", [table.question or ""]),
            *_sentence("Has ", [_called(c.name, c.display_name, c.synonyms) for c in columns]),
            *_sentence("Belongs with ", [readable(name).lower() for name in related]),
        ]
    )


def column_text(table: Table, column: Column) -> str:
    """The column, in the words of its table too."""
    called = _called(column.name, column.display_name, column.synonyms)
    return " ".join(
        [
            f"{called} of {readable(table.display_name or table.name).lower()}.",
            *_sentence("", [column.description or ""]),
            *_sentence("One of ", column.values[:_VALUES_NAMED]),
        ]
    )


def related_tables(model: SemanticModel) -> dict[str, tuple[str, ...]]:
    """For each table the others that it joins to."""
    related: dict[str, dict[str, None]] = {}
    for relationship in model.relationships:
        for one, other in ((relationship.left, relationship.right), (relationship.right, relationship.left)):
            if one != other:
                related.setdefault(one, {})[other] = None
    return {name: tuple(others) for name, others in related.items()}


def _called(name: str, display_name: str | None, synonyms: Iterable[str]) -> str:
    names = [readable(name), *([readable(display_name)] if display_name else []), *synonyms]
    return ", ".join(dict.fromkeys(one.lower() for one in names))


def _sentence(start: str, parts: Sequence[str]) -> list[str]:
    text = ", ".join(part.strip() for part in parts if part.strip()).rstrip(".")
    return [f"{start}{text}."] if text else []
