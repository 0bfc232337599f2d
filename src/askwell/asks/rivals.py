"""Tables that could be meant just as well: a doubt that is said, until a question back to the user can settle it."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.mdl.names import words
from askwell.mdl.semantic_model import SemanticModel, Table, TableKind

# With fewer columns than this, having the same ones says nothing (id and name are everywhere).
_FEWEST_COLUMNS = 3


def rival_warnings(question: str, used: Iterable[str], model: SemanticModel) -> tuple[str, ...]:
    """A sentence for each table of the answer that has a twin: another model with exactly the same columns (a copy, a
    test or an archive) that the answer does not read, and that the question does not tell apart from it."""
    names = set(used)
    asked = words(question)
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
            and not set(asked) & (set(words(table.name)) - set(words(other.name)))
            and not (_looks_like_a_view_of(table, other) and _names(asked, table))
        ]
        if twins:
            have = "have" if len(twins) > 1 else "has"
            warnings.append(
                f"{table.name} was used; {', '.join(twins)} {have} the same columns and could be meant as well. "
                "Name the table in the question to be sure."
            )
    return tuple(warnings)


def _looks_like_a_view_of(table: Table, other: Table) -> bool:
    """Databases declare no key for a view, and none is inferred for one."""
    return bool(table.primary_key) and not other.primary_key


def _names(asked: tuple[str, ...], table: Table) -> bool:
    """Whether the whole name of the table stands in the question."""
    name = words(table.name)
    return bool(name) and any(asked[start : start + len(name)] == name for start in range(len(asked)))


def _columns(table: Table) -> frozenset[str]:
    return frozenset(column.name.lower() for column in table.columns)
