"""Which join the question means where the semantic model leaves it open: as was answered, as a language model says, or
as somebody has to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from askwell.asks.clarification import Clarification
from askwell.asks.stages import StageContext, attempted, optional_seconds
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.names import listed, readable
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.pipelines.generation.reading import JoinSaid, join_choices
from askwell.pipelines.retrieval.joins import JoinChoice, OpenJoin, open_joins, with_choices
from askwell.semantic_parsing.choices import MOST
from askwell.semantic_parsing.translation import Abstention, Choice
from askwell.sql.bindings import Bindings, equations_of

# A join that is less probable by more than this is no rival of the best one.
_NEAR = 0.2


@dataclass(frozen=True, slots=True)
class ChosenJoins:
    """What a language model said of the joins, and what has to be asked back where it is not sure."""

    said: tuple[JoinSaid, ...] = ()
    unsure: Clarification | None = None


async def choose_joins(
    stage: StageContext, model: SemanticModel, said: Sequence[JoinSaid] | None = None
) -> ChosenJoins:
    """Puts what was answered, and then what a language model says of joins that are less sure than
    `confidence_threshold`, into what was found. What it `said` before is not asked again; nobody is asked where there
    is none, or where `allow_join_inference` is off. A model that fails or is late, or whose reply is of no use, leaves
    everything as it was."""
    bound = {equations_of(name, model) for name in stage.question.bindings.relationships}
    if bound:
        schema = stage.fitted.found.schema
        every = (one for pair in open_joins(schema.joins, schema.tables, 2.0) for one in pair.choices)
        meant = (one.edges for one in every if all(edge.equations in bound for edge in one.edges))
        _choose(stage, [JoinChoice(tuple(replace(edge, confidence=1.0) for edge in edges), 1.0) for edges in meant])
    pairs = _open(stage, model)
    if said is None:
        said = await _inferred(stage, pairs, model)
    choices = join_choices(said, pairs, model)
    _choose(stage, choices)
    required = stage.question.requirements
    needed = set(required.tables) if required is not None and required.joins_needed else set()
    about = {one.tables for one in choices}
    asked = (
        _which(pair, model, stage.settings.max_correction_attempts)
        for pair in _open(stage, model)
        if {pair.left, pair.right} == needed or about & {one.tables for one in pair.choices}
    )
    return ChosenJoins(tuple(said), next(filter(None, asked), None))


async def _inferred(stage: StageContext, pairs: Sequence[OpenJoin], model: SemanticModel) -> tuple[JoinSaid, ...]:
    if not pairs or not stage.settings.allow_join_inference:
        return ()
    limit = optional_seconds(stage.settings)
    asking = stage.generation.joins.run(stage.question, stage.fitted.found, pairs=pairs, model=model, timeout=limit)
    inferred = await attempted("join_inference", stage.ledger, asking)
    return inferred.said if inferred is not None else ()


def _open(stage: StageContext, model: SemanticModel) -> tuple[OpenJoin, ...]:
    schema = stage.fitted.found.schema
    # Views and metrics are there to be used as they are.
    tables = [name for name in schema.tables if model.tables[name].kind is TableKind.MODEL]
    return open_joins(schema.joins, tables, stage.settings.confidence_threshold)


def _choose(stage: StageContext, choices: Sequence[JoinChoice]) -> None:
    found = stage.fitted.found
    stage.fitted.found = replace(found, schema=replace(found.schema, joins=with_choices(found.schema.joins, choices)))


def _which(pair: OpenJoin, model: SemanticModel, attempts: int) -> Clarification | None:
    """What has to be asked back where the most probable join has a rival; None where it has none."""
    ways = sorted(pair.choices, key=lambda one: -one.confidence)[:MOST]
    if len(ways) < 2 or ways[0].confidence - ways[1].confidence > _NEAR:
        return None
    labels = [_label(way, model) for way in ways]
    if len(set(labels)) < len(labels):
        labels = [way.condition for way in ways]
    choices = tuple(
        Choice(label, Bindings(relationships=tuple(map(_relationship, way.edges))), way.condition)
        for label, way in zip(labels, ways, strict=True)
    )
    ends = listed(model.tables[name].display_name or readable(name) for name in (pair.left, pair.right))
    message = f"{ends} can be joined in several ways. Which one do you mean?"
    return Clarification.of(Abstention("ambiguous_path", message, choices=choices), attempts)


def _label(way: JoinChoice, model: SemanticModel) -> str:
    """The column that refers, or the tables between."""
    if len(way.edges) > 1:
        return listed(readable(name) for name in sorted(way.tables - {way.edges[0].left, way.edges[-1].right}))
    edge = way.edges[0]
    here, there = edge.pairs[0]
    return readable(here if there in model.tables[edge.right].primary_key else there)


def _relationship(edge: JoinEdge) -> str:
    """As `Bindings` have it."""
    pairs = (f'"{edge.left}"."{here}" = "{edge.right}"."{there}"' for here, there in edge.pairs)
    return edge.role or " AND ".join(pairs)
