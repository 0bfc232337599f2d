"""Fewer columns for the prompts that follow, where the asker or the operator wants a language model to choose them."""

from __future__ import annotations

import logging

from askwell.asks.optional_stage import attempted, optional_seconds
from askwell.asks.stage_context import StageContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.pruned_schema import pruned_context

logger = logging.getLogger(__name__)


async def leave_out_columns(stage: StageContext, prepared: PreparedModel) -> None:
    """Leaves the columns that the model says the question needs, and those that always stay, in what was found. A model
    that fails, or is late, or whose reply names nothing of the schema, leaves everything as it was. Where the whole
    model is shown there is nothing to choose, and nobody is asked."""
    found = stage.fitted.found
    if found.schema.is_whole:
        return
    asking = stage.generation.pruning.run(stage.question, found, timeout=optional_seconds(stage.settings))
    if (choice := await attempted("column_pruning", stage.ledger, asking)) is None:
        return
    stage.ledger.add(choice.usage)
    pruned = pruned_context(found, choice.tables, prepared)
    if pruned is None:
        logger.warning("no columns were left out: the language model's reply names none of the schema")
        return
    stage.fitted.found = pruned
