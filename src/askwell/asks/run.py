"""One ask from beginning to end: the story that docs/architecture.md tells, a step a method, in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from askwell.asks.join_step import with_joins_chosen
from askwell.asks.ledger import Ledger
from askwell.asks.overview import asks_what_can_be_asked, what_can_be_asked
from askwell.asks.proof import Proved, Prover
from askwell.asks.pruning_step import with_needed_columns
from askwell.asks.request import AskRequest
from askwell.asks.rivals import rival_warnings
from askwell.asks.rules_step import RulesAnswer, answer_by_rules, no_model_error
from askwell.asks.scope import is_out_of_scope, nothing_relevant
from askwell.asks.states import (
    AskError,
    Correcting,
    EndState,
    Failed,
    Finished,
    Found,
    Generating,
    LiveState,
    Planning,
    Searching,
    SqlAnswer,
    SqlSource,
    Understanding,
    Understood,
    WordsAnswer,
)
from askwell.asks.status_store import TextStream
from askwell.asks.writing_step import SqlWriting, never_valid
from askwell.config import Settings
from askwell.knowledge.questions import normalise_question
from askwell.pipelines.generation.question import Intent, QuestionContext
from askwell.pipelines.retrieval import Retrieval
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModel
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.rules.translation import RulesMode

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines


class Superseded(Exception):
    """Somebody else ended the ask (a stop); whoever meets this lets go of everything and writes nothing."""


@dataclass(frozen=True, slots=True)
class AskTools:
    """What an ask is answered with. `generation` is None when no language model is configured; stages are timed by
    `clock` (seconds)."""

    retrieval: Retrieval
    knowledge: Knowledge
    generation: GenerationPipelines | None
    rules_mode: RulesMode
    settings: Settings
    clock: Callable[[], float] = time.perf_counter


class AskRun:
    """Answers one accepted question. `advance` publishes a state or raises `Superseded`; `stream` takes text as it is
    written. `now` is fixed for the whole ask."""

    def __init__(
        self,
        request: AskRequest,
        project: ProjectModel,
        tools: AskTools,
        *,
        now: datetime,
        ledger: Ledger,
        stream: TextStream,
        advance: Callable[[LiveState], None],
    ) -> None:
        self._request = request
        self._project = project
        self._tools = tools
        self._settings = tools.settings
        self._ledger = ledger
        self._stream = stream
        self._advance = advance
        context = QueryContext(now=now, timezone=request.timezone, session_properties=request.session_properties)
        self._context = context
        self._prover = Prover(project, request, context, tools.settings, ledger)
        self._question = QuestionContext(
            question=request.query.strip(),
            now=now,
            timezone=request.timezone,
            language=request.language,
            dialect=project.engine.dialect,
            histories=request.histories[-tools.settings.max_histories :],
            custom_instruction=request.custom_instruction,
        )
        self._understood = Understood(is_followup=bool(request.histories))
        self._found = Found()
        self._plan: str | None = None
        self._stale: RejectedSql | None = None
        self._writing: SqlWriting | None = None

    async def answer(self) -> EndState:
        """Run every step and return how the ask ends. Raises `AskwellError` when something it depends on breaks."""
        self._advance(Understanding(self._understood.is_followup))
        if (known := await self._answer_from_history()) is not None:
            return known
        await self._rewrite_followup()

        self._advance(Searching(self._understood))
        # Rules read the whole model: they wait for a search only where it may find what somebody told to heed.
        instructed = await self._tools.retrieval.has_instructions(self._project.project_id)
        retrieved = await self._retrieve() if instructed or self._may_be_like_a_saved_one else None
        if retrieved and (known := await self._answer_from_like_question(retrieved)) is not None:
            return known
        by_rules = await self._answer_by_rules(bool(retrieved and retrieved.instructions))
        if by_rules.proved is not None:
            self._found = Found(tables=by_rules.proved.valid.tables)
            return self._finish(by_rules.proved, "rules", by_rules.assumptions, by_rules.confidence)
        if self._tools.generation is None and asks_what_can_be_asked(self._question.question):
            mode, now = self._tools.rules_mode, self._question.now
            return self._fail(await asyncio.to_thread(what_can_be_asked, self._project, mode, now))
        retrieved = retrieved or await self._retrieve()
        if self._tools.generation is None and self._stale is not None:
            return self._fail(_stale_answer(self._stale), self._stale)
        if self._out_of_scope(retrieved):
            has_model = self._tools.generation is not None
            return self._fail(nothing_relevant(retrieved.scope, self._project.model, has_model=has_model))
        if self._tools.generation is None:
            return self._fail(no_model_error(by_rules, self._project.model), by_rules.rejected)

        retrieved = await self._prune(self._tools.generation, retrieved)
        intent = await self._read_intent(self._tools.generation, retrieved)
        if intent is not Intent.TEXT_TO_SQL:
            return await self._answer_in_words(self._tools.generation, intent, retrieved)
        retrieved = await self._choose_joins(self._tools.generation, retrieved)
        await self._write_plan(self._tools.generation, retrieved)
        return await self._write_sql(self._tools.generation, retrieved)

    # -- 1. past questions ------------------------------------------------------------------------------------------

    @property
    def _stands_alone(self) -> bool:
        """Whether nothing but its text says what is asked."""
        request = self._request
        return not (request.histories or request.custom_instruction or request.session_properties)

    @property
    def _may_be_like_a_saved_one(self) -> bool:
        return self._settings.history_match == "similar" and self._stands_alone

    async def _answer_from_history(self) -> EndState | None:
        if not self._stands_alone:
            return None
        with self._ledger.stage("history"):
            accepted = await self._tools.knowledge.find_accepted(
                self._project, normalise_question(self._question.question)
            )
            if accepted is None:
                return None
            proved = await self._prover.prove(accepted.sql)
        if isinstance(proved, RejectedSql):
            if proved.kind is RejectionKind.TIME_OUT:
                return self._fail(never_valid(proved, 0), proved)
            # The model or the database has changed since: answer it anew, and say so.
            self._stale = proved
            return None
        self._found = Found(tables=proved.valid.tables)
        return self._finish(proved, "view" if accepted.view_id else "history", view_id=accepted.view_id)

    async def _answer_from_like_question(self, retrieved: RetrievedContext) -> EndState | None:
        """By the saved question that is the same in other words; one that no longer works is passed over."""
        if not self._may_be_like_a_saved_one:
            return None
        least = self._settings.historical_question_similarity
        same = (one for one in retrieved.samples if one.nearness == "the same" and one.similarity >= least)
        if (like := next(same, None)) is None:
            return None
        with self._ledger.stage("history"):
            accepted = await self._tools.knowledge.find_accepted(self._project, normalise_question(like.question))
            proved = await self._prover.prove(accepted.sql) if accepted else None
        if accepted is None or not isinstance(proved, Proved):
            return None
        self._found = Found(tables=proved.valid.tables)
        said = (f"This was answered as the saved question “{like.question}”.",)
        return self._finish(proved, "view" if accepted.view_id else "history", said, view_id=accepted.view_id)

    # -- 2. follow-ups ----------------------------------------------------------------------------------------------

    async def _rewrite_followup(self) -> None:
        if not self._understood.is_followup or self._tools.generation is None:
            return
        with self._ledger.stage("reformulation"):
            written = await self._tools.generation.reformulation.run(self._question)
        self._ledger.add(written.usage)
        if question := written.text.strip():
            self._restate(question)

    def _restate(self, question: str) -> None:
        self._understood = Understood(self._understood.is_followup, rephrased=question)
        self._question = replace(self._question, question=question)

    # -- 3. rules ---------------------------------------------------------------------------------------------------

    async def _answer_by_rules(self, instructed: bool) -> RulesAnswer:
        with self._ledger.stage("rules"):
            return await answer_by_rules(
                self._question,
                self._project,
                self._prover,
                instructed=instructed,
                mode=self._tools.rules_mode,
                has_model=self._tools.generation is not None,
                rewritten=self._understood.rephrased is not None,
            )

    # -- 4. retrieval -----------------------------------------------------------------------------------------------

    async def _retrieve(self) -> RetrievedContext:
        with self._ledger.stage("retrieval"):
            retrieved = await self._tools.retrieval.run(self._project, self._question.question)
        self._found = Found(tables=retrieved.schema.tables)
        return retrieved

    # -- 5. scope ---------------------------------------------------------------------------------------------------

    def _out_of_scope(self, retrieved: RetrievedContext) -> bool:
        if not self._settings.scope_gate or self._understood.is_followup:
            return False
        has_model = self._tools.generation is not None
        return is_out_of_scope(self._question.question, retrieved.scope, has_model=has_model)

    async def _prune(self, generation: GenerationPipelines, retrieved: RetrievedContext) -> RetrievedContext:
        if not (self._settings.enable_column_pruning or self._request.enable_column_pruning):
            return retrieved
        prepared = self._project.prepared
        return await with_needed_columns(retrieved, self._question, generation.pruning, prepared, self._ledger)

    # -- 6. intent --------------------------------------------------------------------------------------------------

    async def _read_intent(self, generation: GenerationPipelines, retrieved: RetrievedContext) -> Intent:
        if not self._settings.allow_intent_classification:
            return Intent.TEXT_TO_SQL
        with self._ledger.stage("intent"):
            reading = await generation.intent.run(self._question, retrieved)
        self._ledger.add(reading.usage)
        self._found = Found(self._found.tables, reading.reasoning or None)
        if reading.rephrased_question and reading.rephrased_question != self._question.question:
            self._restate(reading.rephrased_question)
        return reading.intent

    async def _answer_in_words(
        self, generation: GenerationPipelines, intent: Intent, retrieved: RetrievedContext
    ) -> EndState:
        with self._ledger.stage("answer_in_words"):
            written = await generation.assistance[intent].run(self._question, retrieved, on_delta=self._stream.append)
        self._ledger.add(written.usage)
        return Finished(self._understood, self._found, None, WordsAnswer(intent), self._ledger.account())

    async def _choose_joins(self, generation: GenerationPipelines, retrieved: RetrievedContext) -> RetrievedContext:
        if not self._settings.allow_join_inference:
            return retrieved
        least, model = self._settings.confidence_threshold, self._project.model
        return await with_joins_chosen(retrieved, self._question, generation.joins, model, least, self._ledger)

    # -- 7. plan ----------------------------------------------------------------------------------------------------

    async def _write_plan(self, generation: GenerationPipelines, retrieved: RetrievedContext) -> None:
        if not self._settings.allow_sql_generation_reasoning or self._request.ignore_sql_generation_reasoning:
            return
        self._advance(Planning(self._understood, self._found))
        with self._ledger.stage("planning"):
            written = await generation.reasoning.run(self._question, retrieved, on_delta=self._stream.append)
        self._stream.close()
        self._ledger.add(written.usage)
        self._plan = written.text.strip() or None

    # -- 8–10. generate, check, correct -----------------------------------------------------------------------------

    async def _write_sql(self, generation: GenerationPipelines, retrieved: RetrievedContext) -> EndState:
        self._advance(Generating(self._understood, self._found, self._plan))

        def on_correcting(rejected: RejectedSql, attempt: int) -> None:
            self._advance(Correcting(self._understood, self._found, self._plan, rejected, attempt))

        self._writing = SqlWriting(
            generation,
            self._question,
            retrieved,
            self._plan,
            self._prover,
            self._settings,
            self._ledger,
            on_correcting,
        )
        outcome = await self._writing.run()
        if isinstance(outcome, Proved):
            return self._finish(outcome, "llm")
        return self._fail(never_valid(outcome, self._settings.max_sql_correction_retries), outcome)

    # -- the end ----------------------------------------------------------------------------------------------------

    def _finish(
        self,
        proved: Proved,
        source: SqlSource,
        assumptions: tuple[str, ...] = (),
        confidence: float | None = None,
        view_id: str | None = None,
    ) -> Finished:
        rivals = rival_warnings(self._question.question, proved.valid.tables, self._project.model)
        answer = SqlAnswer(
            valid=proved.valid,
            source=source,
            rows=proved.rows,
            view_id=view_id,
            assumptions=(*assumptions, *proved.valid.joins),
            warnings=(*proved.warnings, *rivals, *self._stale_warning()),
            confidence=confidence,
        )
        return Finished(self._understood, self._found, self._plan, answer, self._ledger.account())

    def _stale_warning(self) -> tuple[str, ...]:
        if self._stale is None:
            return ()
        return (f"A saved answer to this question was not used, because it no longer works: {self._stale.error}",)

    def _fail(self, error: AskError, rejected: RejectedSql | None = None) -> Failed:
        return Failed(error, self._understood, self._found, self._plan, rejected, self._ledger.account())

    def failed(self, error: AskError) -> EndState:
        """How the ask ends when something broke: with the answer that stands, or all that was known until then."""
        standing = self._writing.standing if self._writing is not None else None
        return self._finish(standing, "llm") if standing is not None else self._fail(error)


def _stale_answer(rejected: RejectedSql) -> AskError:
    return AskError(
        code="NO_RELEVANT_SQL",
        message=f"The saved answer to this question no longer works: {rejected.error}",
        hint="Correct the saved pair or view, or ask in other words.",
    )
