"""Which join the question means, asked of a language model where the semantic model leaves it open."""

from __future__ import annotations

import logging
from dataclasses import replace

from askwell.asks.ledger import Ledger
from askwell.errors import ModelUnavailable
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.pipelines.generation.join_inference import JoinInference
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.open_joins import open_joins, with_choices

logger = logging.getLogger(__name__)


async def with_joins_chosen(
    found: RetrievedContext,
    question: QuestionContext,
    inference: JoinInference,
    model: SemanticModel,
    least: float,
    ledger: Ledger,
) -> RetrievedContext:
    """What was found, with what a language model says of joins that are less sure than `least`; nobody is asked where
    there is none. A model that is out of reach, or whose reply is of no use, leaves everything as it was."""
    # Views and metrics are there to be used as they are.
    tables = [name for name in found.schema.tables if model.tables[name].kind is TableKind.MODEL]
    pairs = open_joins(found.schema.joins, tables, least)
    if not pairs:
        return found
    with ledger.stage("join_inference"):
        try:
            inferred = await inference.run(question, found, pairs=pairs, model=model)
        except ModelUnavailable as error:
            logger.warning("joins were left open: the language model is unavailable", extra={"error": error.code})
            return found
    ledger.add(inferred.usage)
    joins = with_choices(found.schema.joins, inferred.choices)
    return replace(found, schema=replace(found.schema, joins=joins))
