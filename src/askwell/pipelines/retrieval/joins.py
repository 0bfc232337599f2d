"""How the chosen tables are joined: what connects them, and what prompts are told of it.

Joins of which it is open which one the question means, and what becomes of them when someone chooses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise

from askwell.mdl.join_candidates import hinted_joins, suggested_joins
from askwell.mdl.join_graph import JoinEdge, JoinGraph, JoinSource, JoinWay
from askwell.mdl.names import listed
from askwell.mdl.prompt_schema import written_name
from askwell.mdl.semantic_model import SemanticModel

# Of the ways of one length that connect two tables, so many are told, and their tables shown.
_SHOWN_WAYS = 3
# Tables that are only there to connect others. Connecting ten tables of 795 takes half of one on average, and finds all
# tables of a question in 83.0% of the questions instead of 81.8% (2,500 questions of Spider's training set).
_MOST_BRIDGES = 5
# What CREATE statements say too.
_KEYS = (JoinSource.DECLARED, JoinSource.INFERRED)
# Bounds what is told in sentences, which no budget counts.
_MOST_SENTENCES = 5
# A question asks for the same connection three times.
_KEPT_CONNECTIONS = 200
# Joins are written for every question that shows their tables.
_KEPT_LINES = 10_000


@dataclass(frozen=True, slots=True)
class Joins:
    """How tables that are shown can be joined. `edges` are the direct joins that are told, `rivals` the ways between
    two chosen tables where several are equally short, `bridges` the tables that were added only to connect others.
    `groups` are the tables by what can be joined at all."""

    edges: tuple[JoinEdge, ...] = ()
    rivals: tuple[tuple[JoinWay, ...], ...] = ()
    bridges: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    def lines(self, dialect: str, among: Collection[str] | None = None, *, with_keys: bool = True) -> tuple[str, ...]:
        """The direct joins, among some tables if these are given, and those that a language model chose, a line for
        each, with names as the dialect writes them; without the keys of the model unless `with_keys`."""
        lines = [
            edge
            for edge in self.edges
            if among is None or edge.source is JoinSource.MODEL or (edge.left in among and edge.right in among)
            if with_keys or edge.source not in _KEYS
        ]
        roles = Counter(map(_pair, lines))
        return tuple(_line(edge, dialect, roles[_pair(edge)] > 1) for edge in lines)

    def sentences(self, dialect: str) -> tuple[str, ...]:
        """What the conditions do not say, for a prompt. Tables without a listed join are not named: they may still be
        joined by columns that hold the same thing."""
        said = []
        if self.bridges:
            is_ = "is" if len(self.bridges) == 1 else "are"
            named = listed([written_name(name, dialect) for name in self.bridges])
            said.append(f"{named} {is_} here only to connect other tables.")
        said += [_in_words(ways, dialect) for ways in self.rivals[:_MOST_SENTENCES]]
        return tuple(said)


class JoinFinder:
    """The joins of a model: its relationships, its join hints, and what names and types suggest where those have no
    way. Suggested joins are told of where both tables are chosen anyway; no table is added for their sake."""

    def __init__(self, model: SemanticModel) -> None:
        self._graph = JoinGraph(model, hinted_joins(model))
        self._connected = lru_cache(_KEPT_CONNECTIONS)(self._graph.connect)
        self._suggested = JoinGraph(replace(model, relationships=()), suggested_joins(model, self._graph))

    def with_bridges(self, tables: Sequence[str]) -> tuple[str, ...]:
        """The tables, best first, each followed by those that connect it to the ones before."""
        behind: dict[str, list[str]] = {}
        bridges: set[str] = set()
        for ways in self._connected(tuple(tables)).ways:
            for way in ways[:_SHOWN_WAYS]:
                new = [name for name in way.between if name not in tables and name not in bridges]
                if len(bridges) + len(new) <= _MOST_BRIDGES:  # half a way is of no use
                    bridges.update(new)
                    behind.setdefault(way.tables[-1], []).extend(new)
        return tuple(name for table in tables for name in (table, *behind.get(table, ())))

    def edges_among(self, tables: Sequence[str]) -> Iterator[JoinEdge]:
        """The direct joins among some tables, those of the first ones first, but for join hints: these stand with their
        tables already."""
        yield from self.known_edges_among(tables)
        yield from self._suggested.among(tables)

    def known_edges_among(self, tables: Sequence[str]) -> Iterator[JoinEdge]:
        """Those of `edges_among` that the model has."""
        yield from (edge for edge in self._graph.among(tables) if edge.source is not JoinSource.HINT)

    def joins(
        self, edges: Iterable[JoinEdge], shown: Sequence[str], chosen: Sequence[str], *, bridged: bool = True
    ) -> Joins:
        """What there is to tell where these edges are told and these tables, best first, are shown. `chosen` are those
        that the question may be about; where the others were added to connect them, `bridged` says so."""
        edges, names = tuple(edges), set(shown)
        connection = self._connected(tuple(table for table in chosen if table in names))
        rivals = []
        between: dict[str, None] = {}
        for found in connection.ways:
            ways = [way for way in found if way.between and names.issuperset(way.tables)][:_SHOWN_WAYS]
            between |= dict.fromkeys(name for way in ways for name in way.between if name not in chosen)
            if len(ways) > 1:
                rivals.append(tuple(ways))
        return Joins(
            edges=edges,
            rivals=tuple(rivals),
            bridges=tuple(between) if bridged else (),
            groups=united(self._graph.groups(shown), self._suggested.among(shown)),
        )


@lru_cache(_KEPT_LINES)
def _line(edge: JoinEdge, dialect: str, with_role: bool) -> str:
    return edge.line(dialect, with_role=with_role)


def united(groups: Sequence[tuple[str, ...]], edges: Iterable[JoinEdge]) -> tuple[tuple[str, ...], ...]:
    """The groups with those made one that the edges join."""
    made = list(groups)
    for edge in edges:
        touched = [group for group in made if edge.left in group or edge.right in group]
        if len(touched) == 2:
            made[made.index(touched[0])] = touched[0] + touched[1]
            made.remove(touched[1])
    return tuple(made)


def _in_words(ways: Sequence[JoinWay], dialect: str) -> str:
    written = [[written_name(name, dialect) for name in way.tables] for way in ways]
    said = [
        f"from {tables[0]} over {listed(tables[1:-1])} (confidence {way.confidence:.2f})"
        for tables, way in zip(written, ways, strict=True)
    ]
    return f"{written[0][-1]} can be joined {listed(said, 'or')}."


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
    """The joins after someone chose: what was chosen has the confidence, source and reason of the choice, and its
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
