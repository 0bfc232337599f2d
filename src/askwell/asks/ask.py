"""One accepted question: what it is answered with, what it has come to so far, and how it ends with that."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from askwell.asks.clarification import Clarification
from askwell.asks.ledger import Ledger
from askwell.asks.proof import Proved, Prover
from askwell.asks.request import AskRequest
from askwell.asks.rivals import rival_warnings
from askwell.asks.rules_step import RulesAnswer, answer_by_rules
from askwell.asks.states import (
    AskError,
    AwaitingCorrection,
    Correcting,
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
from askwell.asks.understanding_step import QuestionReading
from askwell.config import Settings
from askwell.jobs.text_stream import TextStream
from askwell.pipelines.generation.question import Intent, QuestionContext
from askwell.pipelines.retrieval import Retrieval
from askwell.pipelines.retrieval.context import InstructionText, RetrievedContext
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModel
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines


# Questions that one ask may ask back, one after the other.
_MOST_ASKED_BACK = 8


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


class Ask:
    """`question`, `understood`, `found` and `plan` are what is known by now, and `stale` is the rejection of what was
    saved for the question. `now` is fixed for the whole ask; `advance` publishes a state or raises `Superseded`;
    `stream` takes text as it is written."""

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
        self.request = request
        self.project = project
        self.tools = tools
        self.ledger = ledger
        self.stream = stream
        self._advance = advance
        self._context = QueryContext(now=now, timezone=request.timezone, session_properties=request.session_properties)
        self.question = QuestionContext(
            question=request.query.strip(),
            now=now,
            timezone=request.timezone,
            language=request.language,
            dialect=project.engine.dialect,
            histories=request.histories[-tools.settings.max_histories :],
            custom_instruction=request.custom_instruction,
            bindings=request.bindings,
        )
        self.understood = Understood(is_followup=bool(request.histories))
        self.found = Found()
        self.plan: str | None = None
        self.stale: RejectedSql | None = None

    # -- what several steps do --------------------------------------------------------------------------------------

    def prover(self, ledger: Ledger) -> Prover:
        """Proves statements for the question as it is understood by now; `ledger` hears of those that do not pass."""
        question, settings = self.question.question, self.tools.settings
        return Prover(self.project, self.request, self._context, settings, ledger, question=question)

    async def retrieve(self) -> RetrievedContext:
        """What the search finds for the question; for one that may lean on the question before it, and is not rewritten
        yet, with that one."""
        histories, searched_for = self.question.histories, self.question.question
        if histories and self.understood.rephrased is None and self.tools.generation is not None:
            searched_for = f"{histories[-1].question} {searched_for}"
        with self.ledger.stage("retrieval"):
            retrieved = await self.tools.retrieval.run(self.project, searched_for)
        self.found = replace(self.found, tables=retrieved.schema.tables)
        return retrieved

    async def by_rules(self, instructions: tuple[InstructionText, ...]) -> RulesAnswer:
        """The answer by rules; see `answer_by_rules`."""
        with self.ledger.stage("rules"):
            return await answer_by_rules(
                self.question,
                self.project,
                self.prover(self.ledger),
                self.ledger,
                instructions=instructions,
                mode=self.tools.rules_mode,
                has_model=self.tools.generation is not None,
                rewritten=self.understood.rephrased is not None,
            )

    def take(self, reading: QuestionReading) -> None:
        """What a language model made of the question."""
        self.found = Found(self.found.tables, reading.reasoning, reading.intent is Intent.TEXT_TO_SQL)
        if (question := reading.rephrased) is not None:
            self.understood = Understood(self.understood.is_followup, rephrased=question)
            self.question = replace(self.question, question=question)

    # -- the states on the way --------------------------------------------------------------------------------------

    def understanding(self) -> None:
        self._advance(Understanding(self.understood.is_followup))

    def searching(self) -> None:
        self._advance(Searching(self.understood))

    def planning(self) -> None:
        self._advance(Planning(self.understood, self.found))

    def generating(self) -> None:
        self._advance(Generating(self.understood, self.found, self.plan))

    def correcting(self, rejected: RejectedSql, attempt: int) -> None:
        """`attempt` counts from 1."""
        self._advance(Correcting(self.understood, self.found, self.plan, rejected, attempt))

    # -- the ends ---------------------------------------------------------------------------------------------------

    def finish(
        self,
        proved: Proved,
        source: SqlSource,
        assumptions: tuple[str, ...] = (),
        confidence: float | None = None,
        view_id: str | None = None,
    ) -> Finished:
        """Answered by a statement."""
        rivals = rival_warnings(self.question.question, proved.valid.tables, self.project.model)
        answer = SqlAnswer(
            valid=proved.valid,
            source=source,
            rows=proved.rows if self.request.execute else None,
            view_id=view_id,
            assumptions=(*assumptions, *proved.valid.joins),
            warnings=(*proved.warnings, *rivals, *self._stale_warning(), *self.ledger.warnings),
            confidence=confidence,
        )
        return Finished(self.understood, self.found, self.plan, answer, self.ledger.account())

    def finish_in_words(self, intent: Intent) -> Finished:
        """Answered by what is in the stream."""
        return Finished(self.understood, self.found, None, WordsAnswer(intent), self.ledger.account())

    def fail(
        self, error: AskError, rejected: RejectedSql | None = None, clarification: Clarification | None = None
    ) -> Failed:
        """Not answered; `rejected` is the last statement that did not pass, `clarification` what would have to be
        said."""
        return Failed(error, self.understood, self.found, self.plan, rejected, self.ledger.account(), clarification)

    # -- asking back ------------------------------------------------------------------------------------------------

    def clarification(self, by_rules: RulesAnswer) -> Clarification | None:
        """What rules would have to be told; None where nothing to choose from would help."""
        if by_rules.abstention is None or not by_rules.is_ambiguous:
            return None
        return Clarification.of(by_rules.abstention, self.tools.settings.max_correction_attempts)

    def asked_back(self, by_rules: RulesAnswer) -> AwaitingCorrection | None:
        """The ask waits to be told what its question means, where it may."""
        if not self.request.interactive or self.request.asked_back >= _MOST_ASKED_BACK:
            return None
        if (asked := self.clarification(by_rules)) is None:
            return None
        until = self.question.now + timedelta(seconds=self.tools.settings.clarification_ttl)
        return AwaitingCorrection(asked.awaited(until), self.understood, self.found)

    def _stale_warning(self) -> tuple[str, ...]:
        if self.stale is None:
            return ()
        return (f"A saved answer to this question was not used, because it no longer works: {self.stale.error}",)
