"""Fewer columns for the prompts that follow, where the asker or the operator wants a language model to choose them."""

from __future__ import annotations

import logging

from askwell.asks.ledger import Ledger
from askwell.errors import ModelUnavailable
from askwell.pipelines.generation.column_pruning import ColumnPruning
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.pruned_schema import pruned_context

logger = logging.getLogger(__name__)


async def with_needed_columns(
    found: RetrievedContext, question: QuestionContext, pruning: ColumnPruning, prepared: PreparedModel, ledger: Ledger
) -> RetrievedContext:
    """What was found, with the columns that the model says the question needs and those that always stay. A model that
    is out of reach, or whose reply names nothing of the schema, leaves everything as it was. Where the whole model is
    shown there is nothing to choose, and nobody is asked."""
    if found.schema.is_whole:
        return found
    with ledger.stage("column_pruning"):
        try:
            choice = await pruning.run(question, found)
        except ModelUnavailable as error:
            logger.warning("no columns were left out: the language model is unavailable", extra={"error": error.code})
            return found
        ledger.add(choice.usage)
        pruned = pruned_context(found, choice.tables, prepared)
    if pruned is None:
        logger.warning("no columns were left out: the language model's reply names none of the schema")
        return found
    return pruned
