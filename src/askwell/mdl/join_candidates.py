"""Joins that are no relationships of the model: conditions that people wrote down, and what names and types suggest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from askwell.mdl.expressions import Unreadable, read_condition
from askwell.mdl.importers.name_hints import KeyHints
from askwell.mdl.join_graph import JoinEdge, JoinGraph, JoinSource
from askwell.mdl.link_names import CONFIDENCE, LinkNames, ValueEvidence, one_column_key, referring_columns
from askwell.mdl.semantic_model import Cardinality, ColumnRole, LinkCandidate, SemanticModel, Table, TableKind
from askwell.mdl.types import comparable
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

# What people say outweighs a guess, but nobody has checked it as a relationship is checked.
_HINT_CONFIDENCE = 0.95
# Less sure joins than this are not told of.
_LEAST = 0.4
_LONGEST_CONDITION = 1_000


def read_joins(model: SemanticModel, condition: str) -> tuple[JoinEdge, ...]:
    """The joins that a text describes: equalities such as `a.x = b.y`, joined by AND, of columns of the model whose
    values can be equal; those between the same two tables are one join. None for anything else. Cardinalities follow
    from the keys; role, source, confidence and reason are the caller's to set.
    """
    if len(condition) > _LONGEST_CONDITION or "=" not in condition:
        return ()
    sides = read_condition(condition)
    if isinstance(sides, Unreadable):
        return ()
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one, other in sides:
        left, right = model.table(one.table), model.table(other.table)
        here, there = left and left.column(one.column), right and right.column(other.column)
        if left is None or right is None or not here or not there or not comparable(here.type, there.type):
            return ()
        if left is right and here is there:
            return ()
        if (right.name, left.name) in found and left is not right:
            left, here, right, there = right, there, left, here
        found.setdefault((left.name, right.name), []).append((here.name, there.name))
    tables = model.tables
    return tuple(
        JoinEdge("", left, right, tuple(dict.fromkeys(pairs)), _cardinality(tables[left], tables[right], pairs))
        for (left, right), pairs in found.items()
    )


def hinted_joins(model: SemanticModel) -> Iterator[JoinEdge]:
    """The `join_hints` of tables that are conditions; sentences are for language models alone."""
    for table in model:
        hints = table.properties.get("join_hints")
        for hint in hints if isinstance(hints, list) else ():
            for edge in read_joins(model, hint) if isinstance(hint, str) else ():
                yield replace(edge, source=JoinSource.HINT, confidence=_HINT_CONFIDENCE, reason="a join hint says so")


def suggested_joins(model: SemanticModel, graph: JoinGraph) -> Iterator[JoinEdge]:
    """Joins between tables that the graph does not connect at all: those that a look at the database suggested, or
    where nobody looked, what names and types suggest. A column may have several, one for each table that it may as well
    mean."""
    looked = model.candidates is not None
    for link in _by_names(model) if model.candidates is None else model.candidates:
        if link.confidence >= _LEAST and not graph.are_connected(link.table, link.to_table):
            yield JoinEdge(
                role="",
                left=link.table,
                right=link.to_table,
                pairs=((link.column, link.to_column),),
                cardinality=link.cardinality,
                source=JoinSource.VALUES if looked else JoinSource.NAMES,
                confidence=link.confidence,
                reason=link.reason,
            )


def _by_names(model: SemanticModel) -> Iterator[LinkCandidate]:
    tables = [table for table in model if table.kind is TableKind.MODEL]
    taken = referring_columns(model)
    for readings in LinkNames(tables, likely_keys(tables)).links():
        best = [link for link in readings if link.evidence is readings[0].evidence and not link.needs_values]
        for link in best if readings[0].here not in taken else ():
            one = _is_key([link.column], model.tables[link.table])
            yield LinkCandidate(
                *link.here,
                *link.there,
                Cardinality.ONE_TO_ONE if one else Cardinality.MANY_TO_ONE,
                CONFIDENCE[link.evidence][ValueEvidence.UNSEEN] / len(best),
                link.reason,
            )


def likely_keys(tables: Sequence[Table]) -> dict[str, str]:
    """The column that is each table's key on its own, or that its name calls so where no key is known."""
    declared = [physical_table(table) for table in tables]
    hints = KeyHints(declared)
    keys = {table.name: one_column_key(table) or _likeliest(table, hints) for table in tables}
    return {table: key for table, key in keys.items() if key}


def _likeliest(table: Table, hints: KeyHints) -> str:
    found = [] if table.primary_key else hints.likely_keys(physical_table(table))
    return found[0].name if found else ""


def physical_table(table: Table) -> PhysicalTable:
    """A table of a model as `KeyHints` reads it."""
    columns = [PhysicalColumn(column.name, column.type) for column in table.columns if column.role is ColumnRole.PLAIN]
    return PhysicalTable(table.name, None, tuple(columns), table.primary_key)


def _cardinality(left: Table, right: Table, pairs: Sequence[tuple[str, str]]) -> Cardinality:
    one_left = _is_key({here for here, _ in pairs}, left)
    one_right = _is_key({there for _, there in pairs}, right)
    match one_left, one_right:
        case True, True:
            return Cardinality.ONE_TO_ONE
        case True, False:
            return Cardinality.ONE_TO_MANY
        case False, True:
            return Cardinality.MANY_TO_ONE
        case _:
            return Cardinality.MANY_TO_MANY


def _is_key(columns: Collection[str], table: Table) -> bool:
    """Whether no two rows have all of these columns alike."""
    return any(key and set(key) <= set(columns) for key in (table.primary_key, *table.unique_keys))
