"""The life of an ask as types: each state carries only what exists by then, and one table says what may follow what.

    queued → understanding → searching → planning → generating → correcting* → finished | failed | stopped
                                       ↘ awaiting_correction → searching

Any state that is not an end may also fail or be stopped; an end never changes again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from askwell.asks.alternatives import AlternativeBody
from askwell.asks.citations import Citation
from askwell.asks.request import Clarification
from askwell.checking.finding import Finding
from askwell.checking.sureness import Source
from askwell.knowledge.lessons import Lesson
from askwell.pipelines.generation.question import Intent, QueryRequirements
from askwell.providers.engine.base import QueryRows
from askwell.providers.llm.base import Usage
from askwell.sql.outcome import RejectedSql, ValidSql

ErrorCode = Literal["NO_RELEVANT_DATA", "NO_RELEVANT_SQL", "OTHERS"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known on the way. `rephrased` is set when the question was rewritten to stand alone; `tables` are those
    that were found, best first; `intent_reasoning` says why it is taken as a question for SQL, once it is (`for_sql`);
    `requirements` are what the SQL has to do, where a language model worked that out. `plan` is the reasoning, when
    there is one, with its `citations`; without a plan these are of an answer in words."""

    is_followup: bool = False
    rephrased: str | None = None
    tables: tuple[str, ...] = ()
    intent_reasoning: str | None = None
    for_sql: bool = False
    requirements: QueryRequirements | None = None
    plan: str | None = None
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Queued:
    """Accepted and in the record; no work has begun."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """Past questions are looked through; a follow-up is rewritten."""

    is_followup: bool = False


@dataclass(frozen=True, slots=True)
class Searching:
    """Tables, samples and instructions are looked for; rules and the intent reading follow."""

    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Planning:
    """The reasoning plan is being written."""

    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Generating:
    """SQL is being written."""

    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Correcting:
    """SQL was turned away and is being corrected; `attempt` counts from 1."""

    known: Known
    rejected: RejectedSql
    attempt: int


@dataclass(frozen=True, slots=True)
class AwaitingCorrection:
    """A person has to say what the question means."""

    clarification: Clarification
    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Account:
    """What the ask cost: model usage, milliseconds by stage in the order in which the stages ended, and milliseconds
    in all. Stages that run beside each other add up to more than that."""

    usage: Usage = field(default_factory=Usage)
    timings: tuple[tuple[str, float], ...] = ()
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """A checked statement and where it came from; `rows` when it was to be executed. `view_id` or `pair_id` is what was
    saved for the question, where that answers.

    `reading` is what the statement does, as one question in words; `alternatives` are what else could have been meant.
    `findings` are what speaks against it as the answer, and `sureness` is how often such answers were right (0 to 1).
    """

    valid: ValidSql
    source: Source
    rows: QueryRows | None = None
    view_id: str | None = None
    pair_id: str | None = None
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    sureness: float | None = None
    reading: str | None = None
    alternatives: tuple[AlternativeBody, ...] = ()


@dataclass(frozen=True, slots=True)
class WordsAnswer:
    """An answer in words to a question that is not one for SQL; the words themselves are in the ask's text stream."""

    intent: Intent
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskError:
    """Why there is no answer. `nl2sql_code` is set where the contract has one for it."""

    code: ErrorCode
    message: str
    hint: str = ""
    nl2sql_code: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """Answered. `suggested` are questions that may follow, where they were asked for; `lessons` those that it was
    answered with, and `learnt` those that it gives."""

    known: Known
    answer: SqlAnswer | WordsAnswer
    account: Account
    suggested: tuple[str, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    learnt: tuple[Lesson, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """Not answered, and why. `rejected` is the last statement that did not pass, when there was one; `clarification` is
    what would have to be said for an answer, and `lessons` those that a statement was written with. `findings` are what
    speaks against a statement that is only proposed. `suggested` as in `Finished`."""

    error: AskError
    known: Known = Known()
    rejected: RejectedSql | None = None
    account: Account = Account()
    clarification: Clarification | None = None
    lessons: tuple[Lesson, ...] = ()
    suggested: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Stopped:
    """Stopped by its owner."""


LiveState = Queued | Understanding | Searching | Planning | Generating | Correcting | AwaitingCorrection
EndState = Finished | Failed | Stopped
AskState = LiveState | EndState

_FOLLOWERS: dict[type[Any], tuple[type[Any], ...]] = {
    Queued: (Understanding,),
    # An ask that cannot read the record waits for it, and begins anew.
    Understanding: (Searching, Finished, Queued),
    Searching: (Planning, Generating, Finished, Queued, AwaitingCorrection),
    # An answer that is none of the options is asked for again.
    AwaitingCorrection: (Searching, AwaitingCorrection),
    # One that was begun anew, since the record was away, asks back in the state that was seen last.
    Planning: (Generating, AwaitingCorrection),
    Generating: (Correcting, Finished, AwaitingCorrection),
    Correcting: (Correcting, Finished, AwaitingCorrection),
}


def is_end(state: AskState) -> bool:
    """Whether the ask is over."""
    return isinstance(state, Finished | Failed | Stopped)


def may_follow(current: AskState, following: AskState) -> bool:
    """Whether `following` may come directly after `current`: the one place that says so."""
    if is_end(current):
        return False
    return isinstance(following, (*_FOLLOWERS[type(current)], Failed, Stopped))


def status_name(state: AskState) -> str:
    """The state's name in the HTTP contract."""
    return "awaiting_correction" if isinstance(state, AwaitingCorrection) else type(state).__name__.lower()
