"""Tables that could be meant just as well as those that a statement reads."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.checking.finding import Finding, Severity
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written
from askwell.mdl.names import words
from askwell.mdl.semantic_model import Table, TableKind

# With fewer columns than this, having the same ones says nothing (id and name are everywhere).
_FEWEST_COLUMNS = 3


def twins(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """A finding for each table that has a twin: another model with exactly the same columns (a copy, a test or an
    archive) that the statement does not read, and that the question does not tell apart from it."""
    said = words(asked.text)
    for table in written.tables:
        if table.kind is not TableKind.MODEL or len(table.columns) < _FEWEST_COLUMNS:
            continue
        found = [
            other.name
            for other in written.model
            if other not in written.tables
            and other.kind is TableKind.MODEL
            and _columns(other) == _columns(table)
            and not set(said) & (set(words(table.name)) - set(words(other.name)))
            and not (_looks_like_a_view_of(table, other) and _names(said, table))
        ]
        if found:
            message = (
                f"{table.name} was used, and {', '.join(found)} could be meant as well: the columns are the same. "
                "Name the table to be sure."
            )
            yield Finding("twin_table", Severity.DOUBT, "", table.name, message)


def _looks_like_a_view_of(table: Table, other: Table) -> bool:
    """Databases declare no key for a view, and none is inferred for one."""
    return bool(table.primary_key) and not other.primary_key


def _names(said: tuple[str, ...], table: Table) -> bool:
    """Whether the whole name of the table stands in the question."""
    name = words(table.name)
    return bool(name) and any(said[start : start + len(name)] == name for start in range(len(said)))


def _columns(table: Table) -> frozenset[str]:
    return frozenset(column.name.lower() for column in table.columns)
