"""Joins that are no relationships of the model: conditions that people wrote down, and what names and types suggest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from askwell.mdl.expressions import Unreadable, read_condition
from askwell.mdl.join_graph import JoinEdge, JoinGraph, JoinSource
from askwell.mdl.links import is_key, named_links
from askwell.mdl.semantic_model import Cardinality, SemanticModel, Table
from askwell.mdl.types import comparable

# What people say outweighs a guess, but nobody has checked it as a relationship is checked.
_HINT_CONFIDENCE = 0.95
# Less sure joins than this are left out.
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
    mean. None where the graph connects all tables, which is found out before all names are compared."""
    first, *others = model.tables or ("",)
    if all(graph.are_connected(first, other) for other in others):
        return
    looked = model.candidates is not None
    for link in model.candidates or () if looked else named_links(model, guess_keys=True):
        if link.confidence >= _LEAST and not graph.are_connected(link.table, link.to_table):
            yield JoinEdge(
                role="",
                left=link.table,
                right=link.to_table,
                pairs=((link.column, link.to_column),),
                cardinality=link.cardinality,
                source=JoinSource.VALUES if looked else JoinSource.NAMES,
                confidence=link.confidence,
                reason=link.because,
            )


def _cardinality(left: Table, right: Table, pairs: Sequence[tuple[str, str]]) -> Cardinality:
    one_left = is_key({here for here, _ in pairs}, left)
    one_right = is_key({there for _, there in pairs}, right)
    match one_left, one_right:
        case True, True:
            return Cardinality.ONE_TO_ONE
        case True, False:
            return Cardinality.ONE_TO_MANY
        case False, True:
            return Cardinality.MANY_TO_ONE
        case _:
            return Cardinality.MANY_TO_MANY
