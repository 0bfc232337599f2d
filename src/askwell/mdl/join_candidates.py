"""Joins that are no relationships of the model: conditions that people wrote down, and what names and types suggest.

How often a suggestion is a real link was measured on the 144 databases of Spider's training set with a share of their
declared foreign keys kept (the sum of five draws for half and for nine in ten), for suggestions between tables that
those do not connect. Right is what is a foreign key, or what a gold query joins by:

    foreign keys kept                               none       half       nine in ten   all
    the name tells one table                        405/426    944/1014   187/225       9/15
    the name is the key of two or three tables       40/88      85/197     14/32        1/2

`_TOLD` and `_SEVERAL` are the shares for half of them, to two places. Keys that are guessed too make no difference
(1167 of 1256 with half of the foreign keys and no declared key). `join_graph.INFERRED_CONFIDENCE` is the share for
none: importers guess where a database declares little.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from askwell.mdl.expressions import Unreadable, read_condition
from askwell.mdl.importers.inference import Link, possible_links
from askwell.mdl.importers.name_hints import KeyHints, suggested_links
from askwell.mdl.join_graph import JoinEdge, JoinGraph, JoinSource
from askwell.mdl.semantic_model import Cardinality, ColumnRole, SemanticModel, Table, TableKind
from askwell.mdl.types import comparable
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

# What people say outweighs a guess, but nobody has checked it as a relationship is checked.
_HINT_CONFIDENCE = 0.95
_TOLD = 0.93
_SEVERAL = 0.43
# A name that is the key of more tables than this tells nothing.
_MOST_READINGS = 3
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
    """Joins that names and types suggest between tables that the graph does not connect at all."""
    found = _Suggestions(model)
    for link, confidence in found.links():
        if not graph.are_connected(link.table.name, link.to_table.name):
            yield found.edge(link, confidence)


class _Suggestions:
    """What the importers' inference says of the tables of a model."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        declared = [_physical(table) for table in model if table.kind is TableKind.MODEL]
        hints = KeyHints(declared)
        self._tables = {table.name: _with_key(table, hints) for table in declared}

    def links(self) -> Iterator[tuple[Link, float]]:
        tables = list(self._tables.values())
        linked = list(self._declared())
        for readings in possible_links(tables, linked):
            linked.append(readings[0])
            if len(readings) == 1:
                yield readings[0], _TOLD
            elif len(readings) <= _MOST_READINGS:
                yield from ((reading, _SEVERAL) for reading in readings)
        taken: dict[str, set[str]] = {}
        for link in linked:
            taken.setdefault(link.table.name, set()).update(column.lower() for column in link.columns)
        for hint in suggested_links(tables, {table: taken.get(table.name, set()) for table in tables}):
            yield Link(hint.table, (hint.column.name,), hint.to_table, (hint.to_column.name,), hint.reason), _TOLD

    def edge(self, link: Link, confidence: float) -> JoinEdge:
        left, right = self._model.tables[link.table.name], self._model.tables[link.to_table.name]
        return JoinEdge(
            role="",
            left=left.name,
            right=right.name,
            pairs=tuple(zip(link.columns, link.to_columns, strict=True)),
            cardinality=Cardinality.ONE_TO_ONE if _is_key(link.columns, left) else Cardinality.MANY_TO_ONE,
            source=JoinSource.NAMES,
            confidence=confidence,
            reason=link.reason,
        )

    def _declared(self) -> Iterator[Link]:
        """The relationships of the model, from the side that holds the reference."""
        for relationship in self._model.relationships:
            left, right = self._tables.get(relationship.left), self._tables.get(relationship.right)
            if left is None or right is None or not relationship.pairs:
                continue
            here, there = zip(*relationship.pairs, strict=True)
            if relationship.cardinality is Cardinality.ONE_TO_MANY:
                left, here, right, there = right, there, left, here
            yield Link(left, here, right, there)


def _physical(table: Table) -> PhysicalTable:
    columns = [PhysicalColumn(column.name, column.type) for column in table.columns if column.role is ColumnRole.PLAIN]
    return PhysicalTable(table.name, None, tuple(columns), table.primary_key)


def _with_key(table: PhysicalTable, hints: KeyHints) -> PhysicalTable:
    if table.primary_key:
        return table
    return replace(table, primary_key=tuple(column.name for column in hints.likely_keys(table)[:1]))


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
