"""How the chosen tables are joined: what connects them, and what prompts are told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from askwell.mdl.join_candidates import hinted_joins, suggested_joins
from askwell.mdl.join_graph import JoinEdge, JoinGraph, JoinSource, JoinWay
from askwell.mdl.names import listed
from askwell.mdl.semantic_model import SemanticModel

# Of the ways of one length that connect two tables, so many are told, and their tables shown.
_SHOWN_WAYS = 3
# Tables that are only there to connect others. Connecting ten tables of 795 takes half of one on average, and finds all
# tables of a question in 83.0% of the questions instead of 81.8% (2,500 questions of Spider's training set).
_MOST_BRIDGES = 5
# Bounds what is told in sentences, which no budget counts.
_MOST_SENTENCES = 5
_MOST_NAMES = 12
# A question asks for the same connection three times.
_KEPT_CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class Joins:
    """How tables that are shown can be joined. `edges` are the direct joins that are told, `rivals` the ways between
    two chosen tables where several are equally short, `bridges` the tables that were added only to connect others.
    `groups` are the tables by what can be joined at all."""

    edges: tuple[JoinEdge, ...] = ()
    rivals: tuple[tuple[JoinWay, ...], ...] = ()
    bridges: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the conditions do not say, for a prompt."""
        said = []
        if self.bridges:
            is_ = "is" if len(self.bridges) == 1 else "are"
            said.append(f"{listed(self.bridges)} {is_} here only to connect other tables.")
        said += [_in_words(ways) for ways in self.rivals[:_MOST_SENTENCES]]
        together = [group for group in self.groups if len(group) > 1]
        if len(together) > 1:
            named = "; ".join(_some(group) for group in together[:_MOST_SENTENCES])
            said.append(
                f"Tables of one of these groups cannot be joined to tables of another by what is shown: {named}."
            )
        alone = [group[0] for group in self.groups if len(group) == 1]
        if alone and not together and len(alone) > 1:
            said.append("No join that is shown leads from one of these tables to another.")
        elif alone and together:
            said.append(f"{_some(alone)} cannot be joined to the other tables by what is shown.")
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
        yield from (edge for edge in self._graph.among(tables) if edge.source is not JoinSource.HINT)
        yield from self._suggested.among(tables)

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


def united(groups: Sequence[tuple[str, ...]], edges: Iterable[JoinEdge]) -> tuple[tuple[str, ...], ...]:
    """The groups with those made one that the edges join."""
    made = list(groups)
    for edge in edges:
        touched = [group for group in made if edge.left in group or edge.right in group]
        if len(touched) == 2:
            made[made.index(touched[0])] = touched[0] + touched[1]
            made.remove(touched[1])
    return tuple(made)


def _in_words(ways: Sequence[JoinWay]) -> str:
    said = [f"from {way.tables[0]} over {listed(way.between)} (confidence {way.confidence:.2f})" for way in ways]
    return f"{ways[0].tables[-1]} can be joined {listed(said, 'or')}."


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return listed(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {more} more"
