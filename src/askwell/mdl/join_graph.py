"""The join graph: how tables can be joined, in which roles, and the shortest ways that connect a set of them; of those
of one length the ones that are worth telling apart, without listing all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nsmallest
from itertools import pairwise, starmap
from math import prod

from askwell.mdl.prompt_facts import one_line
from askwell.mdl.prompt_schema import written_name
from askwell.mdl.semantic_model import Cardinality, Join, Relationship, SemanticModel

# Who buys an artist's albums is a way of five joins; over more, hardly anybody asks.
_LONGEST_WAY = 5
# Ways of one length that are distinguished; where there are more, each is about as unlikely.
_MOST_WAYS = 6
# A way may have four tables that nobody asked for: still less than one guessed join.
_GUESS_COST = 10
# Tables in which two halves of a search may meet that are looked at: bounds the search where all is joined to all.
_MOST_MEETINGS = 100

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """Searches a graph of tables: `next` are the neighbours of each, `guessed` the pairs (in both directions) that only
    a guessed join connects. Tables that are `wanted` anyway cost nothing on the way."""

    next: Mapping[str, Set[str]]
    guessed: Set[tuple[str, str]]
    wanted: Set[str]

    def to(self, target: str, sources: Set[str]) -> list[Path]:
        """The best of the shortest paths to the target from any of the sources, at most six; none where the shortest
        has more than five joins.

        Searched from both ends at once, the smaller side first, since the number of tables grows quickly with the
        distance; where the sides meet, the paths are put together.
        """
        behind: list[Set[str]] = [sources]
        ahead: list[Set[str]] = [{target}]
        seen_behind, seen_ahead = set(sources), {target}
        for _ in range(_LONGEST_WAY):
            forward = len(behind[-1]) <= len(ahead[-1])
            side, other, seen = (behind, ahead, seen_behind) if forward else (ahead, behind, seen_ahead)
            reached = set().union(*(self.next[name] for name in side[-1] if name in self.next)) - seen
            seen |= reached
            side.append(reached)
            if met := reached & other[-1]:
                return self._put_together(sorted(met)[:_MOST_MEETINGS], behind, ahead)
            if not reached:
                break
        return []

    def _put_together(self, met: Sequence[str], behind: Sequence[Set[str]], ahead: Sequence[Set[str]]) -> list[Path]:
        before, after = self._best_paths(met, behind), self._best_paths(met, ahead)
        best = nsmallest(
            _MOST_WAYS,
            (
                (cost + more - self._cost_of(name), (*path, *reversed(rest[:-1])))
                for name in met
                for cost, path in before[name]
                for more, rest in after[name]
            ),
        )
        return [path for cost, path in best if cost == best[0][0]]

    def _best_paths(self, ends: Iterable[str], levels: Sequence[Set[str]]) -> dict[str, list[tuple[int, Path]]]:
        """For each end, a table of the last level, the best paths to it that take one table of each level: the cheapest
        ones, then by name. Only so many are kept of each table, so their number never explodes."""
        if len(levels) == 1:
            return {end: [(0, (end,))] for end in ends}
        comes_from = {end: self.next[end] & levels[-2] for end in ends}
        earlier = self._best_paths(set().union(*comes_from.values()), levels[:-1])
        return {
            end: nsmallest(
                _MOST_WAYS,
                (
                    (cost + self._cost_between(name, end) + self._cost_of(end), (*path, end))
                    for name in names
                    for cost, path in earlier[name]
                ),
            )
            for end, names in comes_from.items()
        }

    def _cost_of(self, table: str) -> int:
        return table not in self.wanted

    def _cost_between(self, one: str, other: str) -> int:
        return _GUESS_COST if (one, other) in self.guessed else 0


# Of the links that names and types tell alone, so many are real: see `join_candidates.py`, which measured it. What an
# importer adds to a model has had its values looked at as well, where that could be done.
INFERRED_CONFIDENCE = 0.95
# Characters of a reason in a prompt.
_LONGEST_REASON = 120


class JoinSource(StrEnum):
    """What says that two tables can be joined so: a relationship that a person declared, one in the model that was
    guessed, a `join_hints` condition of a table, names and types alone, or with a look at the values, or a language
    model."""

    DECLARED = "declared"
    INFERRED = "inferred"
    HINT = "hint"
    NAMES = "names"
    VALUES = "values"
    MODEL = "model"


_IN_WORDS = {
    JoinSource.INFERRED: "inferred",
    JoinSource.HINT: "from a join hint",
    JoinSource.NAMES: "a guess by names",
    JoinSource.VALUES: "a guess by names and values",
    JoinSource.MODEL: "inferred from the question",
}


@dataclass(frozen=True, slots=True)
class JoinEdge(Join):
    """One way to join two tables, read from `left` to `right`. `role` is the relationship's name, "" where there is
    none. `confidence` (0..1) says how sure it is that this is the join that is meant, `reason` why, in words."""

    role: str
    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    cardinality: Cardinality
    source: JoinSource = JoinSource.DECLARED
    confidence: float = 1.0
    reason: str = ""

    @property
    def declared(self) -> bool:
        """Whether a person declared it."""
        return self.source is JoinSource.DECLARED

    @property
    def inferred(self) -> bool:
        """Whether it is a guess in some way."""
        return not self.declared

    def line(self, dialect: str, *, with_role: bool) -> str:
        """The condition with names as the dialect writes them, and what prompts have to know of it: the evidence of a
        guess, and with `with_role` the role, which tells joins between the same tables apart. That the left table is
        the one of many is the usual case and not said."""
        facts: list[str] = [] if self.cardinality is Cardinality.MANY_TO_ONE else [self.cardinality]
        if with_role and self.role:
            facts.append(f"role {self.role}")
        if self.inferred:
            # What names alone suggest can be read off the condition.
            reason = one_line(self.reason)[:_LONGEST_REASON] if self.source is JoinSource.INFERRED else ""
            facts.append(f"{_IN_WORDS[self.source]}: {reason}" if reason else _IN_WORDS[self.source])
        if self.confidence < 1:
            facts.append(f"confidence {self.confidence:.2f}")
        condition = " AND ".join(
            f"{written_name(self.left, dialect)}.{written_name(here, dialect)} = "
            f"{written_name(self.right, dialect)}.{written_name(there, dialect)}"
            for here, there in self.pairs
        )
        return f"{condition} -- {', '.join(facts)}" if facts else condition

    def reversed(self) -> JoinEdge:
        """The same join read from right to left."""
        pairs = tuple((there, here) for here, there in self.pairs)
        return replace(self, left=self.right, right=self.left, pairs=pairs, cardinality=self.cardinality.reversed())


@dataclass(frozen=True, slots=True)
class JoinWay:
    """One of the shortest ways between two tables: the tables on it, both ends among them. `confidence` (0..1) is how
    sure it is that this way is meant; ways of the same length share it."""

    tables: tuple[str, ...]
    confidence: float

    @property
    def between(self) -> tuple[str, ...]:
        """The tables that only lie on the way."""
        return self.tables[1:-1]


@dataclass(frozen=True, slots=True)
class Connection:
    """What connects some tables. `groups` are those that hang together, in the order in which they were given; for each
    table but the first of its group, `ways` has the shortest ways that lead to it from those before, best first."""

    groups: tuple[tuple[str, ...], ...]
    ways: tuple[tuple[JoinWay, ...], ...]


class JoinGraph:
    """The relationships of a model, and `more` joins, as a graph. Several between two tables stay apart, as roles.

    What comes out does not depend on the order of the relationships: declared ones come before guessed ones, then names
    decide. Relationships with the same condition are one.
    """

    def __init__(self, model: SemanticModel, more: Iterable[JoinEdge] = ()) -> None:
        self._between: dict[str, dict[str, list[JoinEdge]]] = {}
        for edge in sorted([*map(_edge, model.relationships), *more], key=_preference):
            known = self._between.setdefault(edge.left, {}).setdefault(edge.right, [])
            if any(edge.equations == other.equations for other in known):
                continue
            known.append(edge)
            if edge.left != edge.right:
                self._between.setdefault(edge.right, {}).setdefault(edge.left, []).append(edge.reversed())
        self._next = {table: frozenset(edges) - {table} for table, edges in self._between.items()}
        self._guessed = {
            (left, right)
            for left, others in self._between.items()
            for right, edges in others.items()
            if not any(edge.declared for edge in edges)
        }
        self._part = {table: number for number, group in enumerate(self.groups(self._next)) for table in group}

    def edges_of(self, table: str) -> tuple[JoinEdge, ...]:
        """Every join from the table, read outwards; one to itself is read left to right."""
        return tuple(edge for edges in self._between.get(table, {}).values() for edge in edges)

    def between(self, left: str, right: str) -> tuple[JoinEdge, ...]:
        """The roles in which two tables can be joined directly, each with its share of the confidence."""
        return with_shares(self._between.get(left, {}).get(right, ()))

    def among(self, tables: Sequence[str]) -> Iterator[JoinEdge]:
        """All direct joins of some tables, to themselves and to each other, each once: those between the first ones
        first, and read from the side of many."""
        place = {table: position for position, table in enumerate(tables)}
        for right, last in place.items():
            near = self._between.get(right, {})
            for left in sorted((table for table in near if place.get(table, last + 1) <= last), key=place.__getitem__):
                for edge in self.between(left, right):
                    yield edge.reversed() if edge.cardinality is Cardinality.ONE_TO_MANY else edge

    def connect(self, tables: Iterable[str]) -> Connection:
        """Connect tables in the order given, each over the shortest ways to what is connected already; no way has more
        than five joins. Of ways of the same length, those with the fewest guessed joins are taken, and of these the
        ones with the fewest tables that were not asked for."""
        waiting = list(dict.fromkeys(tables))
        search = ShortestPaths(self._next, self._guessed, frozenset(waiting))
        order = {table: position for position, table in enumerate(waiting)}
        groups: list[tuple[str, ...]] = []
        ways: list[tuple[JoinWay, ...]] = []
        while waiting:
            group = [waiting.pop(0)]
            reached = set(group)
            grows = True
            while grows:  # a table that was too far may be near to one that was added
                far = []
                for table in waiting:
                    if shortest := self._ways(search, reached, table):
                        group.append(table)
                        ways.append(shortest)
                        reached.update(shortest[0].tables)
                    else:
                        far.append(table)
                grows, waiting = len(far) < len(waiting), far
            groups.append(tuple(sorted(group, key=order.__getitem__)))
        return Connection(tuple(groups), tuple(ways))

    def groups(self, tables: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """The tables by what hangs together over direct joins among them, in their order."""
        waiting = dict.fromkeys(tables)
        order = {table: position for position, table in enumerate(waiting)}
        groups = []
        while waiting:
            first = next(iter(waiting))
            del waiting[first]
            group, edge_of_group = [first], [first]
            while edge_of_group:
                found = [name for name in self._next.get(edge_of_group.pop(), ()) if name in waiting]
                for name in found:
                    del waiting[name]
                group += found
                edge_of_group += found
            groups.append(tuple(sorted(group, key=order.__getitem__)))
        return tuple(groups)

    def are_connected(self, one: str, other: str) -> bool:
        """Whether any way, however long, leads from one table to another."""
        return one == other or (one in self._part and self._part[one] == self._part.get(other))

    def _ways(self, search: ShortestPaths, sources: Set[str], target: str) -> tuple[JoinWay, ...]:
        if target in sources:
            return (JoinWay((target,), 1.0),)
        if not any(self.are_connected(source, target) for source in sources):
            return ()
        paths = search.to(target, sources)
        sure = [prod(max(e.confidence for e in self._between[a][b]) for a, b in pairwise(path)) for path in paths]
        return tuple(starmap(JoinWay, zip(paths, _shares(sure), strict=True)))


def with_shares(edges: Sequence[JoinEdge]) -> tuple[JoinEdge, ...]:
    """Rival joins, only one of which is meant, each with its share of the confidence; a join alone keeps its own."""
    if len(edges) == 1:
        return tuple(edges)
    shares = _shares([edge.confidence for edge in edges])
    return tuple(replace(edge, confidence=share) for edge, share in zip(edges, shares, strict=True))


def _shares(sure: Sequence[float]) -> list[float]:
    """How sure each of some rivals is: that it can be right at all, times its weight among them."""
    total = sum(sure)
    return [one * one / total if total else 0.0 for one in sure]


def _edge(link: Relationship) -> JoinEdge:
    edge = JoinEdge(link.name, link.left, link.right, link.pairs, link.cardinality)
    if not link.inferred:
        return edge
    return replace(edge, source=JoinSource.INFERRED, confidence=INFERRED_CONFIDENCE, reason=link.reason)


def _preference(edge: JoinEdge) -> tuple[bool, float, str, str, str, tuple[tuple[str, str], ...]]:
    return edge.inferred, -edge.confidence, edge.role, edge.left, edge.right, edge.pairs
