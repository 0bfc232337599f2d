"""Connecting tables along their relationships: the cheapest tree, or why there is not exactly one."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from askwell.mdl.semantic_model import Cardinality, ColumnRef, Relationship
from askwell.question.lexicon import english
from askwell.question.words import stem, stem_set, stems
from askwell.semantic_parsing.model.facts import ModelFacts

_LONGEST_PATH = 4
_MOST_STEPS = 3_000
_SIBLINGS = 2.5
_INFERRED = 0.25
# What a join costs that somebody chose, or that the statement before has: two of them less than a new one.
_KNOWN = 0.4
# A role that is not said costs more than the table that links the same two.
_UNSAID_ROLE = 1.1
_SAME_WORD = 5


@dataclass(frozen=True, slots=True)
class Join:
    """Reaching `table` from `source`. `pairs` are (source's column, table's column); `many`: several rows may match;
    `refers`: the source holds the reference, so a row of `table` is there for each of its rows."""

    source: str
    table: str
    pairs: tuple[tuple[str, str], ...]
    many: bool
    refers: bool
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class JoinTree:
    """The joins in order, starting from `root`; `signs` name what was taken for granted."""

    root: str
    joins: tuple[Join, ...] = ()
    signs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoPath:
    """These tables are not connected."""

    tables: tuple[str, str]


@dataclass(frozen=True, slots=True)
class SeveralRoles:
    """These tables are connected in several ways, and the question does not say which is meant."""

    tables: tuple[str, str]
    roles: tuple[str, ...]


def role_sign(relationship: str) -> str:
    """What stands among the words of a question where it is known that this relationship is meant."""
    return f"={relationship}"


class JoinGraph:
    """The relationships of a model, both ways. Read-only after construction."""

    def __init__(self, facts: ModelFacts) -> None:
        self._facts = facts
        self._edges: defaultdict[str, defaultdict[str, list[tuple[Join, Relationship]]]]
        self._edges = defaultdict(lambda: defaultdict(list))
        self._named = {relationship.name: relationship for relationship in facts.relationships}
        for relationship in facts.relationships:
            for join in _both_ways(relationship):
                known = self._edges[join.source][join.table]
                if all(set(join.pairs) != set(other.pairs) for other, _ in known):
                    known.append((join, relationship))

    def back(self, join: Join) -> Join:
        """The same relationship from the other side."""
        turned = {(b, a) for a, b in join.pairs}
        return next(other for other, _ in self._edges[join.table][join.source] if set(other.pairs) == turned)

    def is_link(self, table: str) -> bool:
        """Whether a table does nothing but link rows of two others, each pair once."""
        facts = self._facts.tables[table]
        key = set(facts.table.primary_key)
        paired = len(key) == 2 and all(self._facts.columns[ColumnRef(table, name)].is_reference for name in key)
        return paired and all(column.is_link for column in facts.columns)

    def role_words(self) -> frozenset[str]:
        """The words by which people tell several relationships between the same tables apart."""
        return frozenset(
            word
            for targets in self._edges.values()
            for edges in targets.values()
            if len(edges) > 1
            for _, relationship in edges
            for word in self._role_words(relationship)
        )

    def roles(self, words: frozenset[str], bound: Iterable[str], before: Iterable[str]) -> frozenset[str]:
        """The `role_sign` of each relationship over which tables are joined: those that somebody chose (`bound`), and
        those of the statement that a follow-up adds to (`before`), where nothing was chosen between their tables and
        the follow-up's own `words` do not name another one."""
        chosen = tuple(bound)
        between = {_ends(self._named[name]) for name in chosen if name in self._named}
        earlier = (self._named[name] for name in before if name in self._named)
        kept = (self._named_by(words, one) for one in earlier if _ends(one) not in between)
        return frozenset(map(role_sign, (*chosen, *kept)))

    def referred(self, relationship: str) -> str:
        """The table that a relationship refers to: the one that is joined in its role."""
        one = self._named[relationship]
        return one.left if one.cardinality is Cardinality.ONE_TO_MANY else one.right

    def _named_by(self, words: frozenset[str], relationship: Relationship) -> str:
        """The relationship between the same tables that the words name; the given one where they name none."""
        edges = self._edges[relationship.left][relationship.right]
        hits = [_said(self._role_words(one), words) for _, one in edges]
        best = max(hits)
        return edges[hits.index(best)][1].name if best and hits.count(best) == 1 else relationship.name

    def tree(self, tables: Sequence[str], words: frozenset[str]) -> JoinTree | NoPath | SeveralRoles:
        """Connect the tables, the first one first. `words` are the question's stems, by which roles are told apart, and
        the `roles` that are known to be meant."""
        root, joined = tables[0], [tables[0]]
        joins: list[Join] = []
        signs: list[str] = []
        pending, late = deque(tables[1:]), set[str]()
        while pending:
            table = pending.popleft()
            if table in joined:
                continue
            paths, cost = self._paths(joined, table, words)
            if not paths and table not in late:  # it may be near to one of the others
                late.add(table)
                pending.append(table)
                continue
            if not paths:
                return NoPath((root, table))
            if len(paths) > 1:
                signs.append("ambiguous_path")
            path = paths[0]
            dealt = self._is_dealt(path, words)
            if cost >= len(path) - 1 + _SIBLINGS:
                signs.append("sibling_path")
            steps: list[Join] = []
            for source, target in pairwise(path):
                found = self._edge(source, target, words)
                if isinstance(found, SeveralRoles):
                    return found
                join, taken = found
                steps.append(join)
                joined.append(target)
                signs += taken
            if len(path) > 3 and not dealt and not all(join.refers for join in steps):
                signs.append("long_path")
            joins += steps
            signs += ["dealt"] if dealt else self._between(path, steps, tables)
        if len(joined) > 1:
            signs.append("join")
        return JoinTree(root, tuple(joins), tuple(signs))

    def _is_dealt(self, path: Sequence[str], words: frozenset[str]) -> bool:
        """ "customers who bought Chai": from those who buy over the documents and their lines to what is in them."""
        if len(path) < 4 or not words & stem_set(english().dealing):
            return False
        referred = self._facts.referred
        return any(
            {document, good} <= set(referred.get(line, ())) and buyer in referred.get(document, ())
            for chain in (path, path[::-1])
            for buyer, document, line, good in zip(chain, chain[1:], chain[2:], chain[3:], strict=False)
        )

    def _between(self, path: Sequence[str], steps: Sequence[Join], tables: Sequence[str]) -> list[str]:
        """The tables on the way that nobody asked for: a chain of parents, or a table that links two others."""
        chain = len({join.many for join in steps}) == 1
        between = [t for t in path[1:-1] if t not in tables]
        return ["chain" if chain else "link" if self.is_link(t) else "bridge" for t in between]

    def _paths(self, starts: Iterable[str], goal: str, words: frozenset[str]) -> tuple[list[list[str]], float]:
        """All cheapest paths from any start. Going down from a shared parent is dear: siblings seldom go together."""
        order = count()
        done = set(starts)
        heap: list[tuple[float, int, list[str]]] = [(0.0, next(order), [start]) for start in starts]
        heapq.heapify(heap)
        found: list[list[str]] = []
        best = float("inf")  # what the goal costs by a path that is known, though others may come first
        for _ in range(_MOST_STEPS):
            if not heap or heap[0][0] > best:
                break
            cost, _, path = heapq.heappop(heap)
            if path[-1] == goal:
                found.append(path)
                continue
            if len(path) > _LONGEST_PATH or cost + _KNOWN > best:
                continue
            for target, edges in self._edges[path[-1]].items():
                if target in path or target in done:
                    continue
                step = 1.0 + (_INFERRED if all(join.inferred for join, _ in edges) else 0.0)
                if any(role_sign(relationship.name) in words for _, relationship in edges):
                    step = _KNOWN
                elif self._is_of_a_role(edges, words):
                    step += _UNSAID_ROLE
                if len(path) > 1 and self._only_sharing(path[-2], path[-1], target):
                    step += _SIBLINGS
                if cost + step > best:
                    continue
                if target == goal:
                    best = cost + step
                heapq.heappush(heap, (cost + step, next(order), [*path, target]))
        return found, best

    def _is_of_a_role(self, edges: Sequence[tuple[Join, Relationship]], words: frozenset[str]) -> bool:
        """Whether tables are linked in a role that nobody speaks of, and by rows of a third one as well: people are in
        a production as one of its cast, and not only as its director."""
        (join, relationship), *others = edges
        role = self._role_words(relationship) if not others else frozenset()
        ends = {join.source, join.table}
        return bool(role) and not _said(role, words) and any(ends <= set(one) for one in self._facts.referred.values())

    def _only_sharing(self, source: str, middle: str, target: str) -> bool:
        """Whether `middle` is a parent of both, so that joining through it pairs each row with every other."""
        up = self._edges[source][middle][0][0]
        down = self._edges[middle][target][0][0]
        return not up.many and down.many

    def _edge(self, source: str, target: str, words: frozenset[str]) -> tuple[Join, tuple[str, ...]] | SeveralRoles:
        edges = self._edges[source][target]
        if len(edges) == 1:
            join = edges[0][0]
            return join, (("inferred_key",) if join.inferred else ())
        if chosen := [join for join, relationship in edges if role_sign(relationship.name) in words]:
            return chosen[0], ("named_role",)
        hits = [_said(self._role_words(relationship), words) for _, relationship in edges]
        best = max(hits)
        plain = [edge for edge in edges if not self._role_words(edge[1])]
        if best == 0 and len(plain) == 1:  # a staff member's department, and not the one that she heads
            return plain[0][0], ("plain_role",)
        if best == 0 or hits.count(best) > 1:
            return SeveralRoles((source, target), tuple(relationship.name for _, relationship in edges))
        return edges[hits.index(best)][0], ("named_role",)

    def _role_words(self, relationship: Relationship) -> frozenset[str]:
        """The words that tell a relationship from others between the same tables."""
        own = set(stems(relationship.name))
        for left, right in relationship.pairs:
            own |= {*stems(left), *stems(right)}
        tables = {*self._facts.tables[relationship.left].words, *self._facts.tables[relationship.right].words}
        return frozenset(own - tables - {stem("id"), stem("key"), "fk"})


def _ends(relationship: Relationship) -> frozenset[str]:
    return frozenset((relationship.left, relationship.right))


def _said(role: frozenset[str], words: frozenset[str]) -> int:
    """How many words of a role are said, in any form: "assigned" for an assignee."""
    longest = (word for word in words if len(word) >= _SAME_WORD)
    return len(role & words) or sum(any(word.startswith(said) for word in role) for said in longest)


def _both_ways(relationship: Relationship) -> tuple[Join, Join]:
    to_right = relationship.cardinality in (Cardinality.ONE_TO_MANY, Cardinality.MANY_TO_MANY)
    to_left = relationship.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.MANY_TO_MANY)
    turned = tuple((b, a) for a, b in relationship.pairs)
    left, right, inferred = relationship.left, relationship.right, relationship.inferred
    return (
        Join(left, right, relationship.pairs, to_right, not to_right, inferred),
        Join(right, left, turned, to_left, to_right and not to_left, inferred),
    )
