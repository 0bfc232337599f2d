"""The join graph: which tables can be joined, over which roles, and what connects a set of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from askwell.mdl.semantic_model import Cardinality, Relationship, SemanticModel

# More than so many equally short ways are not listed; the answer is that there are several.
_MAX_ALTERNATIVES = 6
# Bounds the search where everything is joined to everything.
_MAX_PATHS = 2_000


@dataclass(frozen=True, slots=True)
class JoinEdge:
    """One way to join two tables, read from `left` to `right`. `role` is the relationship's name."""

    role: str
    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    cardinality: Cardinality
    inferred: bool = False

    @property
    def condition(self) -> str:
        """The join condition with plain names, for people and prompts."""
        return " AND ".join(f"{self.left}.{here} = {self.right}.{there}" for here, there in self.pairs)

    def reversed(self) -> JoinEdge:
        """The same join read from right to left."""
        pairs = tuple((there, here) for here, there in self.pairs)
        return JoinEdge(self.role, self.right, self.left, pairs, self.cardinality.reversed(), self.inferred)


@dataclass(frozen=True, slots=True)
class JoinTree:
    """Joins that connect the tables asked for; `added` are tables that are only there to connect them."""

    edges: tuple[JoinEdge, ...]
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several equally short ways to connect the tables: different roles, or different tables in between."""

    alternatives: tuple[JoinTree, ...]


@dataclass(frozen=True, slots=True)
class Unconnected:
    """No way leads from one group of tables to another; `groups` are those that hang together."""

    groups: tuple[tuple[str, ...], ...]


class JoinGraph:
    """The relationships of a model as a graph. Several relationships between two tables stay apart, as roles."""

    def __init__(self, model: SemanticModel) -> None:
        self._edges: dict[str, list[JoinEdge]] = {}
        for link in model.relationships:
            edge = _edge(link)
            self._edges.setdefault(link.left, []).append(edge)
            if link.left != link.right:
                self._edges.setdefault(link.right, []).append(edge.reversed())

    def edges_of(self, table: str) -> tuple[JoinEdge, ...]:
        """Every join from the table, read outwards; one to itself is read left to right."""
        return tuple(self._edges.get(table, ()))

    def between(self, left: str, right: str) -> tuple[JoinEdge, ...]:
        """The roles in which two tables can be joined directly."""
        return tuple(edge for edge in self.edges_of(left) if edge.right == right)

    def connect(self, tables: Iterable[str]) -> JoinTree | Ambiguous | Unconnected:
        """Connect tables by shortest paths, each to what is already connected, in the order given.

        Declared relationships are preferred to inferred ones of the same length.
        """
        wanted = list(dict.fromkeys(tables))
        groups = self._groups(wanted)
        if len(groups) > 1:
            return Unconnected(groups)
        trees: list[tuple[JoinEdge, ...]] = [()]
        for position in range(1, len(wanted)):
            trees = list(dict.fromkeys(grown for tree in trees for grown in self._grown(tree, wanted, position)))
            trees = trees[: _MAX_ALTERNATIVES * _MAX_ALTERNATIVES]
        shortest = min(map(len, trees))
        results = {
            frozenset((edge.role, *sorted((edge.left, edge.right))) for edge in tree): self._tree(tree, wanted)
            for tree in reversed(trees)
            if len(tree) == shortest
        }
        found = list(results.values())[::-1]
        return found[0] if len(found) == 1 else Ambiguous(tuple(found[:_MAX_ALTERNATIVES]))

    def _grown(self, tree: tuple[JoinEdge, ...], wanted: list[str], position: int) -> Iterator[tuple[JoinEdge, ...]]:
        """The tree with the shortest paths to the next table."""
        reached = {wanted[0], *(name for edge in tree for name in (edge.left, edge.right))}
        target = wanted[position]
        if target in reached:
            yield tree
            return
        for path in self._shortest(reached, target):
            choices = [_preferred(self.between(here, there)) for here, there in pairwise(path)]
            for edges in product(*choices):
                yield tree + edges

    def _shortest(self, sources: set[str], target: str) -> list[tuple[str, ...]]:
        """All shortest paths of table names from any source to the target, in a stable order."""
        paths: list[tuple[str, ...]] = [(source,) for source in sorted(sources)]
        seen = set(sources)
        while paths:
            arrived = [path for path in paths if path[-1] == target]
            if arrived:
                return arrived[:_MAX_ALTERNATIVES]
            longer = [
                (*path, name)
                for path in paths
                for name in dict.fromkeys(edge.right for edge in self.edges_of(path[-1]))
                if name not in seen
            ][:_MAX_PATHS]
            seen.update(path[-1] for path in longer)
            paths = longer
        return []

    def _groups(self, wanted: list[str]) -> tuple[tuple[str, ...], ...]:
        groups: list[set[str]] = []
        for table in wanted:
            if not any(table in group for group in groups):
                groups.append(self._component(table))
        return tuple(tuple(table for table in wanted if table in group) for group in groups)

    def _component(self, table: str) -> set[str]:
        seen, waiting = {table}, [table]
        while waiting:
            for edge in self.edges_of(waiting.pop()):
                if edge.right not in seen:
                    seen.add(edge.right)
                    waiting.append(edge.right)
        return seen

    def _tree(self, edges: tuple[JoinEdge, ...], wanted: list[str]) -> JoinTree:
        names = dict.fromkeys(name for edge in edges for name in (edge.left, edge.right))
        return JoinTree(edges, tuple(name for name in names if name not in wanted))


def _edge(link: Relationship) -> JoinEdge:
    return JoinEdge(link.name, link.left, link.right, link.pairs, link.cardinality, link.inferred)


def _preferred(edges: tuple[JoinEdge, ...]) -> tuple[JoinEdge, ...]:
    declared = tuple(edge for edge in edges if not edge.inferred)
    return declared or edges
