"""A bottom-up chart parser with a beam: declarative rules over typed categories; words may be left out at a price.

Cells are filled from the last token to the first, so that whatever may follow a category is complete when it is needed.
A question is a left-branching spine, `Query → Query Clause`, which makes word order free; it is built last, from the
first token on. Floating rules and skipped words follow Pasupat and Liang (ACL 2015), typed lambda forms Berant et al.
(SEMPRE, EMNLP 2013).
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import Catalog

START, QUERY = "START", "Query"
# Derivations that are kept for each category of a cell.
QUERY_BEAM, BEAM = 12, 4
MOST_SKIPPED = 6
# Derivations that are looked at in one question: a bound for hostile texts.
MOST_ITEMS = 60_000
_DEAREST_GAP = -12.0
# What a part, unlike the spine, only steps over at a higher price.
_STIFF = frozenset({"operator", "literal", "value"})
_FRAMES = frozenset({"opening", "closing"})
_ADJACENT = "!"

Meaning = Any
Semantics = Callable[..., Meaning]
Declared = TypeVar("Declared", bound=Semantics)


class Rejected(Exception):
    """The types of the parts do not fit."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A meaning with names of further features that a rule found out."""

    meaning: Meaning
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """`category → slots`; `places` says which argument of `semantics` each slot is (others are None)."""

    name: str
    category: str
    slots: tuple[str, ...]
    semantics: Semantics
    places: tuple[int, ...]
    arity: int

    def apply(self, catalog: Catalog, meanings: list[Meaning]) -> Meaning:
        """The meaning of the whole. Raises `Rejected` where types do not fit."""
        arguments: list[Meaning] = [None] * self.arity
        for place, meaning in zip(self.places, meanings, strict=True):
            arguments[place] = meaning
        return self.semantics(catalog, *arguments)


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)


class Grammar:
    """Rules as a trie over their slots."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.rules: list[Rule] = []
        self.root = _Node()

    def rule(self, category: str, *patterns: str) -> Callable[[Declared], Declared]:
        """Declare what patterns such as "AGGREGATE OF? Col|Set" mean. A slot with `?` may be absent (then its argument
        is None); `A|B` are alternatives; a slot with `!` has to follow at once: only words that say nothing may be left
        out before it."""

        def declare(semantics: Declared) -> Declared:
            for pattern in patterns:
                name = f"{category}<{pattern}"
                self.names.append(name)
                for slots in itertools.product(*(_alternatives(slot) for slot in pattern.split())):
                    places = tuple(place for place, slot in enumerate(slots) if slot)
                    rule = Rule(name, category, tuple(s for s in slots if s), semantics, places, len(slots))
                    self._add(rule)
            return semantics

        return declare

    def without(self, name: str) -> Grammar:
        """The same rules but for those of this name."""
        left = Grammar()
        left.names = [other for other in self.names if other != name]
        for rule in self.rules:
            if rule.name != name:
                left._add(rule)
        return left

    def _add(self, rule: Rule) -> None:
        self.rules.append(rule)
        node = self.root
        for slot in rule.slots:
            node = node.children.setdefault(slot, _Node())
        node.rules.append(rule)


def _alternatives(slot: str) -> list[str]:
    return [*slot.removesuffix("?").split("|"), *([""] if slot.endswith("?") else [])]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A derivation of tokens `start` to `end`. `score` is that of its own features and those of its parts."""

    start: int
    end: int
    category: str
    meaning: Meaning
    score: float
    features: tuple[str, ...]
    parts: tuple[Item, ...] = ()

    def leaves(self) -> Iterator[Item]:
        """The spans that it is made of, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def all_features(self) -> Iterator[str]:
        """The features of the whole derivation."""
        yield from self.features
        for part in self.parts:
            yield from part.all_features()


@dataclass(frozen=True, slots=True)
class _Gap:
    """Where the next part may begin, what the words between cost, and their features."""

    end: int
    cost: float
    features: tuple[str, ...]


class Chart:
    """All readings of one lattice, found at construction. `before`: the query that a follow-up adds to."""

    def __init__(
        self, grammar: Grammar, lattice: Lattice, weights: Mapping[str, float], before: Meaning = None
    ) -> None:
        self._grammar, self._lattice, self._weights = grammar, lattice, weights
        size = lattice.size
        self._cells: list[dict[str, list[Item]]] = [defaultdict(list) for _ in range(size + 1)]
        self._gaps = [self._gaps_from(place) for place in range(size + 1)]
        self._tight = [[self._tightened(gap) for gap in gaps] for gaps in self._gaps]
        self._left = MOST_ITEMS
        for start in range(size - 1, -1, -1):
            spans = lattice.spans[start]
            self._fill(start, [self._item(s.start, s.end, s.category, s.meaning, s.evidence) for s in spans])
        self._fill(0, [Item(0, 0, START, before, 0.0, ())])

    def readings(self) -> list[Item]:
        """Whole readings, the best first."""
        size = self._lattice.size
        found = [
            Item(0, size, QUERY, item.meaning, item.score + gap.cost, gap.features, (item,))
            for item in self._cells[0][QUERY]
            for gap in self._gaps[item.end]
            if gap.end == size
        ]
        return sorted(found, key=lambda item: -item.score)

    def _cost(self, features: tuple[str, ...]) -> float:
        return sum(self._weights.get(feature, 0.0) for feature in features)

    def _item(
        self,
        start: int,
        end: int,
        category: str,
        meaning: Meaning,
        features: tuple[str, ...],
        parts: tuple[Item, ...] = (),
    ) -> Item:
        score = self._cost(features) + sum(part.score for part in parts)
        return Item(start, end, category, meaning, score, features, parts)

    def _gaps_from(self, start: int) -> list[_Gap]:
        gaps = [_Gap(start, 0.0, ())]
        features: tuple[str, ...] = ()
        skipped = 0
        for place in range(start, self._lattice.size):
            skip = self._lattice.skips[place]
            if not skip.free:
                skipped += skip.kinds[0] not in _FRAMES
                features += tuple(f"skip:{kind}" for kind in skip.kinds)
            cost = self._cost(features)
            if skipped > MOST_SKIPPED or cost < _DEAREST_GAP:
                break
            gaps.append(_Gap(place + 1, cost, features))
        return gaps

    def _tightened(self, gap: _Gap) -> _Gap:
        kinds = (feature.removeprefix("skip:") for feature in gap.features)
        more = tuple(f"gap:{kind}" for kind in kinds if kind in _STIFF)
        return _Gap(gap.end, gap.cost + self._cost(more), gap.features + more)

    def _fill(self, start: int, items: list[Item]) -> None:
        cells, order = self._cells[start], itertools.count()
        agenda = [(item.end, -item.score, next(order), item) for item in items]
        heapq.heapify(agenda)
        sizes: defaultdict[tuple[int, str], int] = defaultdict(int)
        seen: set[Any] = set()
        while agenda and self._left > 0:
            self._left -= 1
            item = heapq.heappop(agenda)[3]
            cell = (item.end, item.category)
            key = (*cell, item.meaning)
            if sizes[cell] >= (QUERY_BEAM if item.category == QUERY else BEAM) or key in seen:
                continue
            seen.add(key)
            sizes[cell] += 1
            cells[item.category].append(item)
            node = self._grammar.root.children.get(item.category)
            if node is not None:
                for made in self._advance(node, (item,), ()):
                    heapq.heappush(agenda, (made.end, -made.score, next(order), made))

    def _advance(self, node: _Node, parts: tuple[Item, ...], skipped: tuple[str, ...]) -> Iterator[Item]:
        end = parts[-1].end
        for rule in node.rules:
            try:
                meaning = rule.apply(self._lattice.catalog, [part.meaning for part in parts])
            except Rejected:
                continue
            signs: tuple[str, ...] = ()
            if isinstance(meaning, Signed):
                meaning, signs = meaning.meaning, meaning.signs
            name = () if rule.category == QUERY else (rule.name,)  # the spine's signs say more than its rules
            yield self._item(parts[0].start, end, rule.category, meaning, (*name, *signs, *skipped), parts)
        if not node.children:
            return
        gaps = self._gaps if parts[0].category in (START, QUERY) else self._tight
        for gap in gaps[end]:
            cells = self._cells[gap.end]
            for slot, child in node.children.items():
                if slot.endswith(_ADJACENT) and gap.features:
                    continue
                for following in cells.get(slot.removesuffix(_ADJACENT), ()):
                    if following.end > end:
                        yield from self._advance(child, (*parts, following), skipped + gap.features)
