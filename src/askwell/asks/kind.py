"""Questions as a kind of job: what is accepted, how states look from outside, how one attempt is made, and what is
added to its end: what the statement does, what else could be meant, and what to ask next."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import sqlglot
from pydantic import TypeAdapter, ValidationError

from askwell.asks.alternatives import alternatives_in, offered
from askwell.asks.ask import Ask, AskTools
from askwell.asks.failures import failure_of, no_model, unanswered
from askwell.asks.request import AskRequest, asked_for
from askwell.asks.result import AskResult, render
from askwell.asks.run import AskRun
from askwell.asks.stages import Ledger
from askwell.asks.states import (
    AskState,
    AwaitingCorrection,
    Correcting,
    EndState,
    Failed,
    Finished,
    LiveState,
    Queued,
    SqlAnswer,
    Stopped,
    Understanding,
    is_end,
    may_follow,
    status_name,
)
from askwell.errors import AskwellError, InvalidRequest
from askwell.jobs.kind import Job, JobKind, Waits
from askwell.knowledge.jobs import Change
from askwell.knowledge.lessons import Lesson, Lessons, revising
from askwell.knowledge.record import Record
from askwell.messages import say
from askwell.services.lessons import merging
from askwell.services.preparation_kind import PREPARATION
from askwell.services.recommendations.questions import RulesAnswers, suggest_by_model, suggest_by_templates
from askwell.services.recommendations.writing import RecommendationWriter
from askwell.sql.wording import describe_sql, question_of_sql


@cache
def _waiting() -> TypeAdapter[AwaitingCorrection]:
    return TypeAdapter(AwaitingCorrection)


def _source(state: AskState) -> str:
    if not isinstance(state, Finished):
        return "none"
    return state.answer.source if isinstance(state.answer, SqlAnswer) else "words"


class AskKind(JobKind[AskRequest, AskState]):
    """Questions in plain language, answered by SQL that was checked, or by words."""

    name: ClassVar[str] = "ask"
    noun: ClassVar[str] = "ask"
    path: ClassVar[str] = "asks"
    id_name: ClassVar[str] = "query_id"
    result_path: ClassVar[str] = "/result"
    stream_path: ClassVar[str] = "/streaming-result"
    result: ClassVar[Any] = AskResult

    def __init__(self, record: Record, tools: AskTools) -> None:
        self.deadline = float(tools.settings.ask_deadline)
        self.readable = max(float(tools.settings.ask_ttl), tools.settings.history_days * 86_400.0)
        self.record = record
        self.tools = tools

    def queued(self, request: AskRequest) -> AskState:
        return Queued()

    def stopped(self, state: AskState) -> AskState:
        return Stopped()

    def status(self, state: AskState) -> str:
        return status_name(state)

    def is_end(self, state: AskState) -> bool:
        return is_end(state)

    def may_follow(self, current: AskState, following: AskState) -> bool:
        return may_follow(current, following)

    def render(self, job_id: str, state: AskState) -> dict[str, Any]:
        return render(job_id, state)

    def as_polled(self, state: AskState) -> AskState:
        # Older clients know no such status.
        return Understanding() if isinstance(state, Queued) else state

    def waits(self, state: AskState) -> Waits[AskState] | None:
        if not isinstance(state, AwaitingCorrection) or state.clarification.expires_at is None:
            return None
        kept = _waiting().dump_python(state, mode="json")
        known = kept.pop("known")
        # Other processes of a cluster may be of a version that reads these beside the rest.
        kept["understood"] = {name: known[name] for name in ("is_followup", "rephrased")}
        return Waits(known | kept, state.clarification.expires_at, unanswered(state))

    def waiting(self, kept: Mapping[str, Any]) -> AskState | None:
        try:
            return _waiting().validate_python({**kept, "known": {**kept, **kept.get("understood", {})}})
        except (ValidationError, KeyError, TypeError, AttributeError):  # another version's
            return None

    def require(self, request: AskRequest) -> None:
        self.tools.projects.require_database(request.project_id)
        if request.session_properties and not self.tools.settings.allow_session_properties:
            raise InvalidRequest(*say("agents.session_properties_off"))

    def project_of(self, request: AskRequest) -> str:
        return request.project_id

    def to_json(self, request: AskRequest) -> dict[str, Any]:
        return request.to_json()

    def body(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        return asked_for(kept)

    def from_json(self, kept: Mapping[str, Any]) -> AskRequest:
        return AskRequest.from_json(kept)

    def begin(self, job: Job[AskRequest, AskState]) -> AskAttempt:
        return AskAttempt(self, job)

    def failure(self, error: AskwellError) -> AskState:
        return Failed(failure_of(error))

    def ending(self, project_id: str, job_id: str, state: AskState) -> AbstractContextManager[Change | None]:
        if not isinstance(state, Finished | Failed):
            return nullcontext()
        learnt = [replace(one, sources=(job_id,)) for one in state.learnt] if isinstance(state, Finished) else []
        used = [one.id for one in state.lessons]
        if not learnt and not used:
            return nullcontext()

        def revise(lessons: Lessons) -> Mapping[str, Lesson | None]:
            successes = int(isinstance(state, Finished))
            counted = merging.used(lessons, used, uses=1, successes=successes)
            return counted | merging.learning({**lessons, **counted}, learnt)

        return self.record.versions.changing(project_id, revising(project_id, revise))

    def ended(self, state: AskState, seconds: float) -> None:
        answer = state.answer if isinstance(state, Finished) else None
        code = state.error.code if isinstance(state, Failed) else None
        repairs = len(answer.valid.repairs) if isinstance(answer, SqlAnswer) else 0
        self.tools.metrics.ask_ended(status_name(state), _source(state), seconds, code=code, repairs=repairs)

    def facts(self, state: AskState) -> Mapping[str, Any]:
        facts: dict[str, Any] = {"source": _source(state)}
        if isinstance(state, Finished | Failed):
            facts["llm_calls"] = state.account.usage.llm_calls
            facts["stage_ms"] = {stage: round(ms, 1) for stage, ms in state.account.timings}
            facts["ms"] = round(state.account.ms)
        return facts

    def about(self, request: AskRequest) -> str:
        return request.query

    def answer(self, state: AskState, text: str) -> str:
        match state:
            case Finished(answer=SqlAnswer(valid=valid)):
                return valid.sql
            case Failed(error=error):
                return error.message
            case _:
                return text


class AskAttempt:
    """One attempt at an ask."""

    def __init__(self, kind: AskKind, job: Job[AskRequest, AskState]) -> None:
        self._kind = kind
        self._job = job
        self._ledger = Ledger(kind.tools.metrics, kind.tools.clock)
        self._run: AskRun | None = None
        self._answered: EndState | AwaitingCorrection | None = None

    async def run(self) -> EndState | AwaitingCorrection:
        """The answer, why there is none, or what has to be said first."""
        request = self._job.request
        project = await self._kind.tools.projects.get_for(self._job.person, request.project_id, request.mdl_hash)
        if project is None:
            return Failed(
                no_model(request, being_prepared=await self._is_being_prepared()), account=self._ledger.account()
            )
        ask = Ask(self._job, project, self._kind.tools, ledger=self._ledger, advance=self._advance)
        self._run = AskRun(ask)
        end = self._answered = await self._run.answer()
        if isinstance(end, Finished) and isinstance(end.answer, SqlAnswer):
            end = self._answered = await with_reading(end, end.answer, ask)
        if request.suggest and isinstance(end, Finished | Failed):
            return replace(end, suggested=await suggestions(end, ask), account=self._ledger.account())
        return end

    def failed(self, error: AskwellError) -> EndState:
        """With all that was known until then; an answer stands."""
        if isinstance(self._answered, Finished):
            return self._answered
        said = failure_of(error)
        return self._run.failed(said) if self._run else Failed(said, account=self._ledger.account())

    def _advance(self, state: LiveState) -> None:
        self._job.advance(state)
        if isinstance(state, Correcting):
            self._kind.tools.metrics.statement_corrected()

    async def _is_being_prepared(self) -> bool:
        request = self._job.request
        return any(
            one.project_id == request.project_id and request.mdl_hash in (None, one.label)
            for one in await self._kind.record.jobs.unfinished(PREPARATION)
        )


logger = logging.getLogger(__name__)

# An answer does not wait longer for what is only said beside it.
_READING_SECONDS = 1.0


async def with_reading(end: Finished, answer: SqlAnswer, ask: Ask) -> Finished:
    """The end with the answer's reading, and one by a language model with its alternatives. Where nobody wrote a plan,
    the statement in words takes its place, in the stream too. As it is where that takes too long, or fails."""
    try:
        async with asyncio.timeout(_READING_SECONDS):
            read = await asyncio.to_thread(_with_reading, end, answer, ask)
    except TimeoutError:
        return end
    except Exception as error:  # noqa: BLE001 - an answer that was proven is not lost for words beside it
        logger.warning("an answer could not be put in words", extra={"error": type(error).__name__})
        return end
    if read.known.plan != end.known.plan:
        ask.stream.append(read.known.plan or "")
    return read


def _with_reading(end: Finished, answer: SqlAnswer, ask: Ask) -> Finished:
    valid, model = answer.valid, ask.project.model
    tree = sqlglot.parse_one(valid.sql, dialect=valid.dialect)
    answer = replace(answer, reading=question_of_sql(tree, model, valid.dialect) or None)
    if answer.source == "llm":
        found = alternatives_in(valid, ask.question.question, ask.question.bindings, model)
        answer = replace(answer, alternatives=offered(found, answer.assumptions, model))
    plan = end.known.plan or (describe_sql(tree, model, valid.dialect) if ask.wants_plan else None)
    return replace(end, answer=answer, known=replace(end.known, plan=plan))


# The end is there: nobody waits longer for what may be asked next.
_SUGGESTION_SECONDS = 10.0


async def suggestions(end: Finished | Failed, ask: Ask) -> tuple[str, ...]:
    """Three questions, or none: also where writing them breaks or takes too long. After words and failures they are
    about the tables that were found, or any."""
    try:
        async with asyncio.timeout(_SUGGESTION_SECONDS):
            with ask.ledger.stage("suggestions"):
                return await _suggested(end, ask)
    except (AskwellError, TimeoutError) as error:
        logger.warning("no suggestions were written", extra={"error": type(error).__name__})
        return ()


async def _suggested(end: Finished | Failed, ask: Ask) -> tuple[str, ...]:
    question, project, tools = ask.question, ask.project, ask.tools
    asked = (*(turn.question for turn in question.histories), question.question)
    answer = end.answer if isinstance(end, Finished) and isinstance(end.answer, SqlAnswer) else None
    if answer is not None and tools.generation is not None:
        tables = answer.valid.tables
        writer = RecommendationWriter(tools.generation, project.model, tables, question.language, ask.ledger.add)
        return await suggest_by_model(asked, partial(writer.suggestions, question, answer.valid.sql))
    if project.rules is None:
        return ()
    rules = RulesAnswers(project, ask.context, float(tools.settings.engine_timeout), tools.rules_mode)
    facts, tables = project.rules.facts, answer.valid.tables if answer is not None else end.known.tables
    beyond = () if answer is not None else facts.neighbours
    first = tuple(ask.nearby.questions)
    return await suggest_by_templates(facts, project.values, asked, tables, rules.candidate, beyond, first)
