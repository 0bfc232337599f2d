"""Joins of which it is open which one the question means, and what becomes of them when somebody chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from askwell.mdl.join_graph import JoinEdge, JoinWay
from askwell.pipelines.retrieval.joins import Joins, united

# Only the first tables are surely meant; of their pairs so many are asked about at once.
_FIRST_TABLES = 3
_MOST_OPEN = 3


@dataclass(frozen=True, slots=True)
class JoinChoice:
    """A way in which two tables may be joined: its joins, one after the other, and how sure it is (0..1)."""

    edges: tuple[JoinEdge, ...]
    confidence: float

    @property
    def condition(self) -> str:
        """The condition of all its joins."""
        return " AND ".join(edge.condition for edge in self.edges)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it joins."""
        return frozenset(name for edge in self.edges for name in (edge.left, edge.right))


@dataclass(frozen=True, slots=True)
class OpenJoin:
    """Two tables of which it is open how the question joins them: no choice is sure enough, or there is none."""

    left: str
    right: str
    choices: tuple[JoinChoice, ...] = ()

    @property
    def tables(self) -> frozenset[str]:
        """Both, and the tables between them."""
        return frozenset((self.left, self.right)).union(*(choice.tables for choice in self.choices))


def open_joins(joins: Joins, tables: Sequence[str], least: float) -> tuple[OpenJoin, ...]:
    """The pairs among the first three of the tables, best first, that can be joined in no known way, or in no way that
    is as sure as `least`; at most three."""
    direct = _by_tables(joins.edges)
    found = []
    for left, right in combinations(tables[:_FIRST_TABLES], 2):
        choices = [JoinChoice((edge,), edge.confidence) for edge in direct.get(frozenset((left, right)), ())]
        for way in (way for ways in joins.rivals for way in ways if {way.tables[0], way.tables[-1]} == {left, right}):
            hops = [direct.get(frozenset(hop), []) for hop in pairwise(way.tables)]
            if all(hops):
                choices.append(JoinChoice(tuple(hop[0] for hop in hops), way.confidence))
        apart = not any(left in group and right in group for group in joins.groups)
        if apart or (choices and max(choice.confidence for choice in choices) < least):
            found.append(OpenJoin(left, right, tuple(choices)))
    return tuple(found[:_MOST_OPEN])


def with_choices(joins: Joins, choices: Sequence[JoinChoice]) -> Joins:
    """The joins after somebody chose: what was chosen has the confidence, source and reason of the choice, and its
    rivals share what that leaves. Joins that were not known are added."""
    chosen = {choice.edges[0].equations: choice.edges[0] for choice in choices if len(choice.edges) == 1}
    best = {pair: max(edge.confidence for edge in edges) for pair, edges in _by_tables(chosen.values()).items()}

    def judged(edge: JoinEdge) -> JoinEdge:
        own = chosen.get(edge.equations)
        if own is not None:
            return replace(edge, source=own.source, confidence=own.confidence, reason=own.reason)
        return replace(edge, confidence=edge.confidence * (1 - best.get(_pair(edge), 0.0)))

    known = {edge.equations for edge in joins.edges}
    new = [edge for condition, edge in chosen.items() if condition not in known]
    return replace(
        joins,
        edges=(*map(judged, joins.edges), *new),
        rivals=tuple(_judged_ways(ways, choices) for ways in joins.rivals),
        groups=united(joins.groups, new),
    )


def _judged_ways(ways: Sequence[JoinWay], choices: Sequence[JoinChoice]) -> tuple[JoinWay, ...]:
    given = {way: choice.confidence for way in ways for choice in choices if choice.tables == set(way.tables)}
    left = 1 - max(given.values(), default=0.0)
    judged = [replace(way, confidence=given.get(way, way.confidence * left)) for way in ways]
    return tuple(sorted(judged, key=lambda way: -way.confidence))


def _by_tables(edges: Iterable[JoinEdge]) -> Mapping[frozenset[str], list[JoinEdge]]:
    found: dict[frozenset[str], list[JoinEdge]] = {}
    for edge in edges:
        found.setdefault(_pair(edge), []).append(edge)
    return found


def _pair(edge: JoinEdge) -> frozenset[str]:
    return frozenset((edge.left, edge.right))
