"""Relationships that a model lacks: told by names, proposed by a language model, and looked at in the data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from askwell.mdl.semantic_model import Cardinality, ColumnRef, LinkCandidate, SemanticModel, TableKind
from askwell.mdl.types import comparable
from askwell.services.link_evidence import infer_links, look_at_values
from askwell.services.value_probe import Refused, ValueProbe
from askwell.spelling import free_name

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenRelationship

# Less sure ones than this are not worth looking at.
_LEAST = 0.5
# Of the values of a proposal that are looked at, so many are among the keys; real data has some orphans.
_SHARE_AMONG_KEYS = 0.99
# How sure a proposal of a language model is, before its values are looked at and later.
_PROPOSED = 0.48
_PROPOSED_AND_SEEN = 0.84


class RecommendedRelationship(BaseModel):
    """A relationship to add. `type` is read from `fromModel` to `toModel`; `reason` says why in words, `confidence`
    (0 to 1) how sure it is, and `evidence` what was seen in the data."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    name: str
    from_model: str
    from_column: str
    type: Literal[Cardinality.ONE_TO_ONE, Cardinality.ONE_TO_MANY, Cardinality.MANY_TO_ONE]
    to_model: str
    to_column: str
    reason: str
    confidence: float
    evidence: str


WriteRelationships = Callable[[], Awaitable["Sequence[WrittenRelationship]"]]


async def recommend_relationships(
    model: SemanticModel, probe: ValueProbe | None, write: WriteRelationships | None = None
) -> tuple[RecommendedRelationship, ...]:
    """The relationships that are missing, the surest first. `probe` looks at values (None: there is no database to look
    at); `write` asks a language model for more, whose names and values are checked as the others are. Raises what
    `write` raises."""
    inferred = await infer_links(model, probe, drafts=False)
    found = [link for link in inferred.links if link.confidence >= _LEAST]
    declared = ((link, *pair) for link in model.relationships for pair in link.pairs)
    known = {frozenset((ColumnRef(link.left, here), ColumnRef(link.right, there))) for link, here, there in declared}
    known |= {frozenset((ColumnRef(one.table, one.column), ColumnRef(one.to_table, one.to_column))) for one in found}
    for proposed in await write() if write is not None else ():
        ends = _ends(proposed, model)
        if ends is None or frozenset(ends) in known:
            continue
        if (link := await _link(*ends, proposed.reason, model, probe)) is not None:
            known.add(frozenset(ends))
            found.append(link)
    taken = {link.name.lower() for link in model.relationships}
    named = [_named(link, free_name(f"{link.table}_{link.column}", taken, str.lower)) for link in found]
    return tuple(sorted(named, key=lambda one: (-one.confidence, one.name)))


def _named(link: LinkCandidate, name: str) -> RecommendedRelationship:
    return RecommendedRelationship.model_validate(
        {
            "name": name,
            "from_model": link.table,
            "from_column": link.column,
            "type": link.cardinality,
            "to_model": link.to_table,
            "to_column": link.to_column,
            "reason": link.reason,
            "confidence": link.confidence,
            "evidence": link.seen,
        }
    )


def _ends(proposed: WrittenRelationship, model: SemanticModel) -> tuple[ColumnRef, ColumnRef] | None:
    """Both columns by the model's own names; None where there is no such column, or no values can be equal."""
    here = model.column(proposed.from_table, proposed.from_column)
    there = model.column(proposed.to_table, proposed.to_column)
    if here is None or there is None or here == there:
        return None
    if any(model.tables[end.table].kind is not TableKind.MODEL for end in (here, there)):
        return None
    return (here, there) if comparable(_type(here, model), _type(there, model)) else None


def _type(end: ColumnRef, model: SemanticModel) -> str:
    column = model.tables[end.table].column(end.column)
    return column.type if column is not None else ""


async def _link(
    here: ColumnRef, there: ColumnRef, reason: str, model: SemanticModel, probe: ValueProbe | None
) -> LinkCandidate | None:
    """A proposal as a link to the side that is unique; None where neither is, or the values speak against it."""
    is_one = _is_declared_key(here, model)
    if await _is_key(there, model, probe):
        kind = Cardinality.ONE_TO_ONE if is_one else Cardinality.MANY_TO_ONE
    elif is_one or await _is_key(here, model, probe):
        here, there, kind = there, here, Cardinality.MANY_TO_ONE
    else:
        return None
    seen = await look_at_values(probe, here, there, _SHARE_AMONG_KEYS)
    if seen is None:
        return None
    return LinkCandidate(*here, *there, kind, _PROPOSED_AND_SEEN if seen.values else _PROPOSED, reason, seen.words)


def _is_declared_key(end: ColumnRef, model: SemanticModel) -> bool:
    table = model.tables[end.table]
    return (end.column,) in (table.primary_key, *table.unique_keys)


async def _is_key(end: ColumnRef, model: SemanticModel, probe: ValueProbe | None) -> bool:
    """Whether it is declared to be one, or all rows differ in it."""
    if _is_declared_key(end, model):
        return True
    try:
        return probe is not None and await probe.tells_rows_apart(*end) is True
    except Refused:
        return False
