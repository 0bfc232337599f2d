"""Relationships that a model lacks: told by names, proposed by a language model, and looked at in the data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwell.mdl.importers.imported import unique_name
from askwell.mdl.semantic_model import Cardinality, Column, LinkCandidate, SemanticModel, Table, TableKind
from askwell.mdl.types import comparable
from askwell.services.link_inference import Probe, infer_links, look_at_values
from askwell.services.value_probe import Refused

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenRelationship

# Less sure ones than this are not worth looking at.
_LEAST = 0.5
# Of the values of a proposal that are looked at, so many are among the keys; real data has some orphans.
_SHARE_AMONG_KEYS = 0.99
# How sure a proposal of a language model is, before its values are looked at and afterwards.
_PROPOSED = 0.48
_PROPOSED_AND_SEEN = 0.84


@dataclass(frozen=True, slots=True)
class RecommendedRelationship:
    """A relationship to add. `type` is read from `from_model` to `to_model`; `reason` says why in words, `confidence`
    (0..1) how sure it is, and `evidence` what was seen in the data."""

    name: str
    from_model: str
    from_column: str
    type: Cardinality
    to_model: str
    to_column: str
    reason: str
    confidence: float
    evidence: str


WriteRelationships = Callable[[], Awaitable["Sequence[WrittenRelationship]"]]


async def recommend_relationships(
    model: SemanticModel, probe: Probe | None, write: WriteRelationships | None = None
) -> tuple[RecommendedRelationship, ...]:
    """The relationships that are missing, the surest first. `probe` looks at values (None: there is no database to look
    at); `write` asks a language model for more, whose names and values are checked as the others are. Raises what
    `write` raises."""
    finding = _Finding(model, probe)
    for link in (await infer_links(model, probe)).links:
        if link.confidence >= _LEAST:
            finding.add(link)
    for proposed in await write() if write is not None else ():
        await finding.add_proposed(proposed)
    return tuple(sorted(finding.relationships, key=lambda one: (-one.confidence, one.name)))


@dataclass(frozen=True, slots=True)
class _Pair:
    """`here` of `left` may hold the values of `there` of `right`."""

    left: str
    here: str
    right: str
    there: str

    @property
    def turned(self) -> _Pair:
        return _Pair(self.right, self.there, self.left, self.here)


class _Finding:
    def __init__(self, model: SemanticModel, probe: Probe | None) -> None:
        self._model = model
        self._probe = probe
        self.relationships: list[RecommendedRelationship] = []
        self._taken = {link.name.lower() for link in model.relationships}
        self._known = {
            frozenset(((link.left, here), (link.right, there)))
            for link in model.relationships
            for here, there in link.pairs
        }

    def add(self, link: LinkCandidate) -> None:
        """A link that names or values tell."""
        pair = _Pair(link.table, link.column, link.to_table, link.to_column)
        self._add(pair, link.cardinality, link.confidence, link.reason, link.seen)

    async def add_proposed(self, proposed: WrittenRelationship) -> None:
        """A proposal of a language model, where it holds."""
        pair = self._resolved(proposed)
        if pair is None:
            return
        kind = await self._type(pair)
        if kind is Cardinality.ONE_TO_MANY:  # values are looked for among those of the side that is unique
            pair, kind = pair.turned, Cardinality.MANY_TO_ONE
        if kind is None:
            return
        seen = await look_at_values(self._probe, (pair.left, pair.here), (pair.right, pair.there), _SHARE_AMONG_KEYS)
        if seen is not None:
            confidence = _PROPOSED_AND_SEEN if seen.values else _PROPOSED
            self._add(pair, kind, confidence, proposed.reason, seen.words)

    def _resolved(self, proposed: WrittenRelationship) -> _Pair | None:
        """The pair by the model's own names; None where there is no such column, or no values can be equal."""
        left = _column(self._model, proposed.from_table, proposed.from_column)
        right = _column(self._model, proposed.to_table, proposed.to_column)
        if left is None or right is None or left == right or not comparable(left[1].type, right[1].type):
            return None
        return _Pair(left[0].name, left[1].name, right[0].name, right[1].name)

    def _is_known(self, pair: _Pair) -> bool:
        return frozenset(((pair.left, pair.here), (pair.right, pair.there))) in self._known

    async def _type(self, pair: _Pair) -> Cardinality | None:
        """The type by the keys; None for a relationship that there is, or where neither side is unique."""
        if self._is_known(pair):
            return None
        one_left = self._is_declared_key(pair.left, pair.here)
        if await self._is_key(pair.right, pair.there):
            return Cardinality.ONE_TO_ONE if one_left else Cardinality.MANY_TO_ONE
        return Cardinality.ONE_TO_MANY if one_left or await self._is_key(pair.left, pair.here) else None

    def _is_declared_key(self, table: str, column: str) -> bool:
        keys = (self._model.tables[table].primary_key, *self._model.tables[table].unique_keys)
        return any(key == (column,) for key in keys)

    async def _is_key(self, table: str, column: str) -> bool:
        """Whether it is declared to be one, or all rows differ in it."""
        if self._is_declared_key(table, column):
            return True
        try:
            return self._probe is not None and await self._probe.tells_rows_apart(table, column) is True
        except Refused:
            return False

    def _add(self, pair: _Pair, kind: Cardinality, confidence: float, reason: str, evidence: str) -> None:
        self._known.add(frozenset(((pair.left, pair.here), (pair.right, pair.there))))
        self.relationships.append(
            RecommendedRelationship(
                name=unique_name(f"{pair.left}_{pair.here}", self._taken),
                from_model=pair.left,
                from_column=pair.here,
                type=kind,
                to_model=pair.right,
                to_column=pair.there,
                reason=reason,
                confidence=confidence,
                evidence=evidence,
            )
        )


def _column(model: SemanticModel, table: str, column: str) -> tuple[Table, Column] | None:
    found = model.table(table)
    there = found.column(column) if found is not None and found.kind is TableKind.MODEL else None
    return (found, there) if found is not None and there is not None else None
