"""What an ask that fails says where the question itself is not the reason, and what to try next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askwell.asks.request import AskRequest
from askwell.asks.states import AskError, AwaitingCorrection, Failed
from askwell.errors import AskwellError, ModelTimedOut
from askwell.jobs.kind import DeadlineExceeded
from askwell.messages import say
from askwell.question.lexicon import english
from askwell.resources import words_file
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention
from askwell.sql.outcome import RejectedSql, RejectionKind

# Codes of older clients for why a question has no SQL.
LATE = "3002"
NO_SUCH_DATA = "3003"
AMBIGUOUS = "3005"


def no_model(request: AskRequest, *, being_prepared: bool) -> AskError:
    """There is no model to ask, or not the one that was named; or not yet, where it is `being_prepared`."""
    if being_prepared:
        which = f"model {request.mdl_hash[:64]}" if request.mdl_hash else "first semantic model"
        why = say("ask.model_not_ready", which=which, project_id=request.project_id)
    elif request.mdl_hash:
        why = say("ask.no_model_named", mdl_hash=request.mdl_hash[:64], project_id=request.project_id)
    else:
        why = say("ask.no_model_yet", project_id=request.project_id)
    return AskError("OTHERS", *why, NO_SUCH_DATA)


def failure_of(error: AskwellError) -> AskError:
    """How an ask fails that something broke, or that took too long."""
    if isinstance(error, DeadlineExceeded):
        return AskError("OTHERS", *say("ask.deadline", seconds=error.seconds), LATE)
    code = LATE if isinstance(error, ModelTimedOut) else None
    return AskError("OTHERS", error.message, error.hint, code)


def not_answered(refused: RejectedSql) -> AskError:
    """Why a statement that works is no answer."""
    message = f"The statement that Askwell wrote does not answer the question. {refused.error}"
    return AskError("NO_RELEVANT_SQL", message, "Ask in other words, or check the statement and run it yourself.")


def late_code(rejected: RejectedSql) -> str | None:
    """The code of a statement that the database did not finish in time; None of any other."""
    return LATE if rejected.kind is RejectionKind.TIME_OUT else None


def unanswered(state: AwaitingCorrection) -> Failed:
    """The end of an ask that was asked back, and not answered."""
    asked = state.clarification
    hint = words_file("askwell.asks", "advice.yaml")["which"]
    error = AskError("NO_RELEVANT_SQL", asked.question, hint, AMBIGUOUS)
    return Failed(error, state.known, clarification=asked.not_awaited())


def declined(state: AwaitingCorrection) -> Failed:
    """The end of an ask that means none of the options it was asked back with."""
    said = state.clarification.said
    message = f"Askwell doesn't know what “{said}” means here." if said else "Askwell doesn't know what you mean."
    error = AskError("NO_RELEVANT_SQL", message, "Ask again in other words.", AMBIGUOUS)
    return Failed(error, state.known)


# Of these words people teach what they mean.
_TEACHABLE = frozenset({"unplaced_words", UNKNOWN_WORD})


def advice(given: Abstention | None, examples: Sequence[str], *, may_curate: bool = True) -> str:
    """To ask one of the examples; without any, to say which of several things is meant, or to ask otherwise; or to say
    what a word means, for who `may_curate`."""
    said: Mapping[str, str] = words_file("askwell.asks", "advice.yaml")
    asks_back = given is not None and given.asks_back
    if asks_back and not examples:
        return said["which"]
    words = given.words if given is not None and given.reason in _TEACHABLE and may_curate and not asks_back else ()
    strange = [word for word in words if word.lower() not in english().everywhere]
    *quoted, last = [f"“{example}”" for example in examples] or [""]
    wordings = said["or"].join(filter(None, (", ".join(quoted), last)))
    way = ("example_or_" if examples else "") + ("teach" if strange else "words")
    return said[way].format(*strange[:1] or ("",), wordings)
