"""Tables that could be meant just as well: a doubt that is said, until a question back to the user can settle it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from askwell.mdl.semantic_model import SemanticModel, Table, TableKind

# With fewer columns than this, having the same ones says nothing (id and name are everywhere).
_FEWEST_COLUMNS = 3


def rival_warnings(question: str, used: Iterable[str], model: SemanticModel) -> tuple[str, ...]:
    """A sentence for each table of the answer that has a twin: another model with exactly the same columns (a copy, a
    test or an archive) that the answer does not read, and that the question does not tell apart from it."""
    names = set(used)
    words = set(_words(question))
    warnings = []
    for name in sorted(names):
        table = model.table(name)
        if table is None or table.kind is not TableKind.MODEL or len(table.columns) < _FEWEST_COLUMNS:
            continue
        twins = [
            other.name
            for other in model
            if other.name not in names
            and other.kind is TableKind.MODEL
            and _columns(other) == _columns(table)
            and not words & (set(_words(table.name)) - set(_words(other.name)))
        ]
        if twins:
            warnings.append(
                f"{table.name} was used; {', '.join(twins)} has the same columns and could be meant as well. "
                "Name the table in the question to be sure."
            )
    return tuple(warnings)


def _columns(table: Table) -> frozenset[str]:
    return frozenset(column.name.lower() for column in table.columns)


def _words(text: str) -> list[str]:
    """The words of a sentence or of an identifier in any style, lower-cased."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", text)]
