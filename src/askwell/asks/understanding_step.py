"""What kind of question it is, and how it reads without the conversation: asked of a language model, in one round."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from askwell.asks.optional_stage import attempted, optional_seconds
from askwell.asks.stage_context import StageContext
from askwell.pipelines.generation.question import Intent, IntentReading


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """The kind of question, why it is that, and the question rewritten to stand alone; None where nobody rewrote it."""

    intent: Intent = Intent.TEXT_TO_SQL
    reasoning: str | None = None
    rephrased: str | None = None


async def understand(stage: StageContext) -> QuestionReading:
    """One call classifies and rewrites where the settings let it; else two at once. A call that fails is done without:
    then the question is one for SQL, as it was asked."""
    question, classifies = stage.question, stage.settings.allow_intent_classification
    rewrites_too = stage.settings.intent_mode == "standard"
    reading, rephrased = await asyncio.gather(
        _reading(stage) if classifies else _nothing(),
        _rewritten(stage) if question.histories and not (classifies and rewrites_too) else _nothing(),
    )
    if reading is None:
        return QuestionReading(rephrased=rephrased)
    if question.histories and rewrites_too:
        rephrased = reading.rephrased_question or question.question
    return QuestionReading(reading.intent, reading.reasoning or None, rephrased)


async def _reading(stage: StageContext) -> IntentReading | None:
    limit = optional_seconds(stage.settings)
    asking = stage.fitted.ask(lambda found: stage.generation.intent.run(stage.question, found, timeout=limit))
    reading = await attempted("intent", stage.ledger, asking)
    if reading is not None:
        stage.ledger.add(reading.usage)
    return reading


async def _rewritten(stage: StageContext) -> str | None:
    asking = stage.generation.reformulation.run(stage.question, timeout=optional_seconds(stage.settings))
    written = await attempted("reformulation", stage.ledger, asking)
    if written is None:
        return None
    stage.ledger.add(written.usage)
    return written.text.strip() or None


async def _nothing() -> None:
    return None
