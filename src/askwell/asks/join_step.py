"""Which join the question means, asked of a language model where the semantic model leaves it open."""

from __future__ import annotations

from dataclasses import replace

from askwell.asks.optional_stage import attempted, optional_seconds
from askwell.asks.stage_context import StageContext
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.pipelines.retrieval.open_joins import open_joins, with_choices


async def choose_joins(stage: StageContext, model: SemanticModel) -> None:
    """Puts what a language model says of joins that are less sure than `confidence_threshold` into what was found;
    nobody is asked where there is none, or where `allow_join_inference` is off. A model that fails or is late, or whose
    reply is of no use, leaves everything as it was."""
    if not stage.settings.allow_join_inference:
        return
    found = stage.fitted.found
    # Views and metrics are there to be used as they are.
    tables = [name for name in found.schema.tables if model.tables[name].kind is TableKind.MODEL]
    pairs = open_joins(found.schema.joins, tables, stage.settings.confidence_threshold)
    if not pairs:
        return
    limit = optional_seconds(stage.settings)
    asking = stage.generation.joins.run(stage.question, found, pairs=pairs, model=model, timeout=limit)
    if (inferred := await attempted("join_inference", stage.ledger, asking)) is None:
        return
    stage.ledger.add(inferred.usage)
    joins = with_choices(found.schema.joins, inferred.choices)
    stage.fitted.found = replace(found, schema=replace(found.schema, joins=joins))
