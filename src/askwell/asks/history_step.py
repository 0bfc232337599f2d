"""A question that was answered before: by the saved SQL, proved anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwell.asks.proof import Proved
from askwell.asks.states import AskError
from askwell.knowledge.questions import normalise_question
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.services.knowledge import Knowledge
from askwell.sql.outcome import RejectedSql

if TYPE_CHECKING:
    from askwell.asks.ask import Ask


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """What was saved for a question, as it does today; `view_id` where that is a view, else the `pair_id`."""

    proved: Proved
    view_id: str | None
    pair_id: str | None


async def saved_answer(question: str, ask: Ask, knowledge: Knowledge) -> SavedAnswer | RejectedSql | None:
    """What is saved for the question, whatever its case, blanks and punctuation, and may be used for whoever asks; the
    rejection of SQL that works no longer, and None where nothing is saved."""
    accepted = await knowledge.find_accepted(ask.project, normalise_question(question), ask.person)
    if accepted is None:
        return None
    proved = await ask.prover(ask.ledger).prove(accepted.sql, vouched=True)
    return proved if isinstance(proved, RejectedSql) else SavedAnswer(proved, accepted.view_id, accepted.pair_id)


def same_in_other_words(retrieved: RetrievedContext, least: float) -> str | None:
    """The saved question, of those that were found, that asks the same and is at least so similar (0 to 1)."""
    same = (one.question for one in retrieved.samples if one.nearness == "the same" and one.similarity >= least)
    return next(same, None)


def works_no_longer(rejected: RejectedSql) -> AskError:
    """The error of a question whose saved answer nobody is there to write anew."""
    return AskError(
        code="NO_RELEVANT_SQL",
        message=f"The saved answer to this question no longer works: {rejected.error}",
        hint="Correct the saved pair or view, or ask in other words.",
    )
