"""One accepted question: what it is answered with, what it has come to so far, and how it ends with that."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from askwell.asks.alternatives import offered
from askwell.asks.citations import Citation, cited
from askwell.asks.failures import not_answered
from askwell.asks.learning import followed, from_answers, from_mending
from askwell.asks.model_steps import QuestionReading, beside
from askwell.asks.project_knowledge import AppliedLessons, passages_for, quoted
from askwell.asks.proof import Proved, Prover
from askwell.asks.request import MOST_ASKED_BACK, AskRequest, Clarification, TableSelection
from askwell.asks.rules_step import RulesAnswer, RulesStep
from askwell.asks.stages import Ledger, optional_seconds
from askwell.asks.states import (
    AskError,
    AskState,
    AwaitingCorrection,
    Correcting,
    Failed,
    Finished,
    Generating,
    Known,
    LiveState,
    Planning,
    Searching,
    SqlAnswer,
    Understanding,
    WordsAnswer,
)
from askwell.checking.sureness import Origin, sureness
from askwell.config import Settings
from askwell.errors import RecordUnavailable
from askwell.jobs.kind import Job
from askwell.knowledge.lessons import Lesson
from askwell.mdl.names import readable
from askwell.observability.metrics import Metrics
from askwell.pipelines.generation.question import Intent, PromptPassage, QuestionContext
from askwell.pipelines.passages.search import PassageSearch
from askwell.pipelines.retrieval.context import InstructionText, RetrievedContext
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.semantic_parsing.translation import Abstention, Alternative, RulesMode, Turn
from askwell.services.knowledge import Knowledge
from askwell.services.lessons.checking import in_words
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.recommendations.nearby import Nearby
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, ValidSql

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskTools:
    """What asks, and jobs around answers, are done with. `generation` is None when no language model is configured,
    `passages` where there are no documents to search; stages are timed by `clock` (seconds)."""

    projects: ProjectModels
    metrics: Metrics
    retrieval: Retrieval
    knowledge: Knowledge
    generation: GenerationPipelines | None
    rules_mode: RulesMode
    settings: Settings
    clock: Callable[[], float] = time.perf_counter
    passages: PassageSearch | None = None


class Ask:
    """`question` and `known` are what there is by now, and `stale` is the
    rejection of what was saved for the question. `job` says for whom it is asked; its moment is fixed for the whole
    ask. `advance` publishes a state or raises `Superseded`."""

    def __init__(
        self,
        job: Job[AskRequest, AskState],
        project: ProjectModel,
        tools: AskTools,
        *,
        ledger: Ledger,
        advance: Callable[[LiveState], None],
    ) -> None:
        request = job.request
        now = job.now.astimezone(ZoneInfo(request.timezone))
        self.request = request
        self.project = project
        self.tools = tools
        self.ledger = ledger
        self.stream = job.stream
        self._advance = advance
        self._keep = job.keep
        if request.selection is not None:
            ledger.add(request.selection.usage)
        self.person = job.person
        self.context = QueryContext.of(job.person, now, request.timezone, request.session_properties)
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
        self.known = Known(is_followup=bool(request.histories))
        self.stale: RejectedSql | None = None
        self.lessons = AppliedLessons()
        self.unplaced: tuple[str, ...] = ()
        self.nearby = Nearby({})
        self._advice: dict[str, Lesson] = {}
        self._instructions: tuple[str, ...] = ()

    # -- what several steps do --------------------------------------------------------------------------------------

    def learn(self, **more: Any) -> None:
        """Other values of `known`."""
        self.known = replace(self.known, **more)

    def prover(self, ledger: Ledger) -> Prover:
        """Proves statements for the question as it is understood by now; `ledger` hears of those that do not pass."""
        return Prover(
            self.project,
            self.request,
            self.context,
            self.tools.settings,
            ledger,
            question=self.question.question,
            background=self._background,
        )

    @property
    def _background(self) -> str:
        """What is known of the question besides its words: instructions, what was said and what was learnt."""
        question, bound = self.question, self.question.bindings
        meant = [*bound.tables, *map(str, bound.columns), *(str(one.target) for one in bound.meanings)]
        instructions = [*self._instructions, question.custom_instruction or ""]
        return " ".join((*instructions, *question.lessons, *map(readable, meant)))

    async def retrieve(self) -> RetrievedContext:
        """What the search finds for the question."""
        with self.ledger.stage("retrieval"):
            retrieved = await self.searched_for(self._searched_for)
        self.learn(tables=retrieved.schema.tables)
        self._instructions = tuple(one.text for one in retrieved.instructions)
        return retrieved

    async def searched_for(
        self, question: str, tables: Sequence[str] = (), most_tokens: int | None = None
    ) -> RetrievedContext:
        """What a search finds that the caller may be shown; see `Retrieval.run`."""
        search = self.tools.retrieval.run
        return await search(self.project, question, tables=tables, most_tokens=most_tokens, person=self.person)

    async def search(self, retrieved: RetrievedContext | None = None) -> RetrievedContext:
        """What `retrieve` finds, where that is not known yet, and beside that the passages for the question."""
        async with beside(self._passages(), "passages") as reading:
            retrieved = retrieved or await self.retrieve()
            self.question = replace(self.question, passages=await reading)
        return retrieved

    async def _passages(self) -> tuple[PromptPassage, ...]:
        tools, wanted = self.tools, self.request.passages
        if tools.passages is None or not (tools.settings.passages if wanted is None else wanted):
            return ()
        return await passages_for(
            self.project.project_id,
            self._searched_for,
            tools.passages,
            self.ledger,
            seconds=optional_seconds(tools.settings),
            window=tools.retrieval.least_window,
        )

    @property
    def _searched_for(self) -> str:
        """The question; one that may lean on the question before it, and is not rewritten yet, with that one."""
        histories, question = self.question.histories, self.question.question
        if histories and self.known.rephrased is None and self.tools.generation is not None:
            return f"{histories[-1].question} {question}"
        return question

    async def recall(self) -> None:
        """Look up what the project has learnt that bears on the question, or on those before it."""
        if not self.tools.settings.apply_lessons:
            return
        known = await self.tools.knowledge.lessons_for(self.project)
        if known:
            said = " ".join((*(turn.question for turn in self.question.histories), self.question.question))
            self.lessons = await asyncio.to_thread(AppliedLessons.to, said, known, self.project.model)
            self.question = replace(self.question, lessons=self.lessons.texts)

    def advice_on(self, rejected: RejectedSql) -> tuple[str, ...]:
        """What the project has learnt that mended such a rejection before."""
        known = self.lessons.on(rejected.error)
        if known is None:
            return ()
        self._advice[known.id] = known
        return (in_words(known),)

    @property
    def lessons_told(self) -> tuple[Lesson, ...]:
        """The lessons that a language model was told."""
        return (*self.lessons.lessons, *self.lessons.proposals, *self._advice.values())

    def lessons_behind(self, valid: ValidSql) -> tuple[Lesson, ...]:
        """Those of them that its statement may rely on: of proposals, which are hints, those that it follows."""
        proposals = {one.id: one for one in self.lessons.proposals}
        left = proposals.keys() - followed(self.question.question, valid.sql, proposals.values(), self.project)
        return tuple(one for one in self.lessons_told if one.id not in left)

    async def by_rules(self, instructions: tuple[InstructionText, ...]) -> RulesAnswer:
        """The answer by rules."""
        with self.ledger.stage("rules"):
            answer = await self._rules_step.answer(self.question, self._before, instructions)
        given = answer.abstention
        self.unplaced = given.words if given is not None and given.reason == "unplaced_words" else ()
        return answer

    def take_meaning(self, which: Abstention) -> bool:
        """Keep to what a lesson says to a question that would be asked back; whether one says anything."""
        known = self.lessons.answer_to(which)
        if known is not None:
            bindings = self.request.bindings.merged(known[0], self.project.model)
            self.request = replace(self.request, bindings=bindings)
            self.question = replace(self.question, bindings=bindings)
        return known is not None

    @property
    def _rules_step(self) -> RulesStep:
        has_model = self.tools.generation is not None
        prover = self.prover(self.ledger)
        likeness, is_interactive = self.tools.retrieval.likeness, self.request.interactive
        mode = self.tools.rules_mode
        return RulesStep(self.project, prover, self.ledger, mode, has_model, is_interactive, likeness, self.lessons)

    @property
    def _before(self) -> tuple[Turn, ...]:
        """The earlier questions that this one may lean on; none where it was rewritten to stand alone."""
        return self.question.histories if self.known.rephrased is None else ()

    def take(self, reading: QuestionReading) -> None:
        """What a language model made of the question."""
        self.learn(intent_reasoning=reading.reasoning, for_sql=reading.intent is Intent.TEXT_TO_SQL)
        if (question := reading.rephrased) is not None:
            self.learn(rephrased=question)
            self.question = replace(self.question, question=question)

    @property
    def wants_plan(self) -> bool:
        """Whether a client follows how the question is answered."""
        return self.tools.settings.allow_sql_generation_reasoning and not self.request.ignore_sql_generation_reasoning

    def planned(self, plan: str | None) -> None:
        """The plan that a language model wrote, with the passages of the question before it. No more words come."""
        text, citations = cited(plan, self.question.passages) if plan else (None, ())
        self.learn(plan=text, citations=citations)
        if plan or not self.wants_plan:
            self.stream.close()

    async def keep_selection(self, selection: TableSelection) -> None:
        """Tables were chosen, or some of them judged: not to be asked again after a restart. Where the record is away
        the ask goes on without."""
        await self._keep_request(replace(self.request, selection=selection))

    async def _keep_request(self, request: AskRequest) -> None:
        self.request = request
        try:
            await self._keep(request)
        except RecordUnavailable:
            logger.warning("how far the ask has come is not written down: the record is away")

    async def answered_back(self, request: AskRequest) -> None:
        """An answer was understood: it holds from now on, also after a restart."""
        self.question = replace(self.question, bindings=request.bindings)
        await self._keep_request(replace(request, asked_back=request.asked_back + 1))

    # -- the states on the way --------------------------------------------------------------------------------------

    def understanding(self) -> None:
        self._advance(Understanding(self.known.is_followup))

    def searching(self) -> None:
        self._advance(Searching(self.known))

    def planning(self) -> None:
        self._advance(Planning(self.known))

    def generating(self) -> None:
        self._advance(Generating(self.known))

    def correcting(self, rejected: RejectedSql, attempt: int) -> None:
        """`attempt` counts from 1."""
        self._advance(Correcting(self.known, rejected, attempt))

    # -- the ends ---------------------------------------------------------------------------------------------------

    def finish(
        self,
        proved: Proved,
        origin: Origin,
        assumptions: tuple[str, ...] = (),
        view_id: str | None = None,
        lessons: tuple[Lesson, ...] = (),
        pair_id: str | None = None,
        alternatives: tuple[Alternative, ...] = (),
    ) -> Finished | Failed:
        """Answered by a statement, with these lessons and alternatives. One that cannot be what was asked is only
        proposed, unless people vouch for it."""
        if proved.is_wrong and not origin.is_vouched:
            return replace(self.fail(not_answered(proved.refused), proved.refused), findings=proved.findings)
        taken = self.question.bindings.guessed
        left = (f"You left it to Askwell, which took {taken}.",) if taken else ()
        assumptions = (*assumptions, *left, *proved.valid.joins)
        # Who vouched for a statement knew how its question is worded.
        doubts = () if origin.is_vouched else proved.doubts
        answer = SqlAnswer(
            valid=proved.valid,
            source=origin.source,
            rows=proved.rows if self.request.execute else None,
            view_id=view_id,
            pair_id=pair_id,
            assumptions=assumptions,
            warnings=(*proved.warnings, *doubts, *self._stale_warning(), *self.ledger.warnings),
            findings=proved.findings,
            sureness=sureness(proved.findings, origin),
            alternatives=offered(alternatives, assumptions, self.project.model),
        )
        learnt = self._learnt(proved.valid, origin)
        return Finished(self.known, answer, self.ledger.account(), lessons=lessons, learnt=learnt)

    def answered_by_rules(self, proved: Proved, by_rules: RulesAnswer) -> Finished | Failed:
        """Answered by the statement of rules that was proved."""
        origin = Origin("rules", reading=by_rules.probability)
        said, others = by_rules.assumptions, by_rules.alternatives
        return self.finish(proved, origin, said, lessons=by_rules.lessons, alternatives=others)

    def finish_in_words(self, intent: Intent, citations: tuple[Citation, ...] = ()) -> Finished:
        """Answered by what is in the stream, and cites these."""
        answer = WordsAnswer(intent, self.ledger.warnings)
        return Finished(replace(self.known, plan=None, citations=citations), answer, self.ledger.account())

    def finish_with_passages(self) -> Finished | None:
        """Answered by what the documents say in their own words; None where no passage probably answers."""
        text, citations = quoted(self.question.passages)
        if not text:
            return None
        self.stream.append(text)
        return self.finish_in_words(Intent.GENERAL, citations)

    def fail(
        self, error: AskError, rejected: RejectedSql | None = None, clarification: Clarification | None = None
    ) -> Failed:
        """Not answered; `rejected` is the last statement that did not pass, `clarification` what would have to be
        said."""
        lessons = self.lessons_told if rejected is not None else ()
        return Failed(error, self.known, rejected, self.ledger.account(), clarification, lessons)

    # -- asking back ------------------------------------------------------------------------------------------------

    def clarification(self, by_rules: RulesAnswer) -> Clarification | None:
        """What rules would have to be told; None where nothing to choose from would help."""
        if by_rules.abstention is None:
            return None
        return Clarification.of(by_rules.abstention, self.tools.settings.max_correction_attempts)

    async def asking_back(self, by_rules: RulesAnswer) -> RulesAnswer:
        """What rules came to, with what unknown words could mean, where no language model is there to know it."""
        given = by_rules.abstention
        if given is None or given.asks_back or self.tools.generation is not None:
            return by_rules
        with self.ledger.stage("rules"):
            asked = await self._rules_step.asking_back(self.question, self._before, given, by_rules.unsure)
        return replace(by_rules, abstention=asked)

    async def find_nearby(self, by_rules: RulesAnswer) -> Nearby:
        """Questions near to this one that rules answer, where they do not answer it: `nearby` from now on."""
        if by_rules.abstention is not None:
            with self.ledger.stage("rules"):
                self.nearby = await self._rules_step.nearby(self.question, by_rules.abstention)
        return self.nearby

    def asked_back(self, asked: Clarification | None) -> AwaitingCorrection | None:
        """The ask waits to be told what its question means, where it may and there is something to be told."""
        if asked is None or not self.request.interactive or self.request.asked_back >= MOST_ASKED_BACK:
            return None
        until = self.question.now + timedelta(seconds=self.tools.settings.clarification_ttl)
        return AwaitingCorrection(asked.awaited(until), replace(self.known, plan=None, citations=()))

    def _learnt(self, valid: ValidSql, origin: Origin) -> tuple[Lesson, ...]:
        if not self.tools.settings.apply_lessons or not self.request.teaches:
            return ()
        may_teach = self.person.may_curate
        found = list(from_answers(self.request.bindings.meanings, self.project, may_teach=may_teach))
        if origin.source == "llm":
            found += from_mending(self.ledger.rejections, valid, self.project)
        return tuple({one.id: one for one in found}.values())

    def _stale_warning(self) -> tuple[str, ...]:
        if self.stale is None:
            return ()
        return (f"A saved answer to this question was not used, because it no longer works: {self.stale.error}",)
