"""What every stage of an ask works with that asks a language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwell.asks.fitted_context import FittedContext
from askwell.asks.ledger import Ledger
from askwell.config import Settings
from askwell.pipelines.generation.question import QuestionContext

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines


@dataclass(frozen=True, slots=True)
class StageContext:
    """The question as it is understood by now, and what was found for it. A stage may put something else into `fitted`:
    the stages after it go by that."""

    generation: GenerationPipelines
    question: QuestionContext
    fitted: FittedContext
    settings: Settings
    ledger: Ledger
