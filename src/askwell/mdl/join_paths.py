"""The shortest paths between tables: those of one length that are worth telling apart, without listing all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import nsmallest

# Who buys an artist's albums is a way of five joins; over more, hardly anybody asks.
_LONGEST_WAY = 5
# Ways of one length that are told apart; where there are more, each is about as unlikely.
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
