"""The part of an ask that a language model has: what is asked, a plan and SQL, checked and corrected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from askwell.asks.ask import Ask
from askwell.asks.candidates import Candidates, agrees_with_rules, varied
from askwell.asks.citations import unmarked
from askwell.asks.model_steps import (
    ChosenJoins,
    QuestionReading,
    StreamedText,
    choose_joins,
    leave_out_columns,
    plain_reading,
    understand,
    write_at_once,
)
from askwell.asks.overview import no_table_relevant
from askwell.asks.proof import Proved
from askwell.asks.request import Clarification, TableSelection
from askwell.asks.selection_step import TableSelector, which_table
from askwell.asks.stages import FittedContext, Ledger, StageContext
from askwell.asks.states import AwaitingCorrection, EndState
from askwell.asks.writing_step import SqlWriting, never_valid
from askwell.checking.sureness import Origin
from askwell.pipelines.generation.question import Intent, SqlReply
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.call_options import with_thoughts

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines


class ModelRun:
    """Answers `ask` with the help of a language model."""

    def __init__(self, ask: Ask, generation: GenerationPipelines) -> None:
        self._ask = ask
        self._generation = generation
        self._settings = ask.tools.settings
        self._writing: Candidates | None = None
        self._chosen: tuple[str, ...] = ()

    @property
    def standing(self) -> Proved | None:
        """The statement that answers the ask if it has to end now."""
        return self._writing.standing if self._writing is not None else None

    # -- what is asked ----------------------------------------------------------------------------------------------

    async def answer(self, retrieved: RetrievedContext) -> EndState | AwaitingCorrection:
        """How the ask ends, or what has to be said first. One call also says what kind of question it is, where nothing
        plain does. A follow-up is read before: what is searched for has to stand alone. Raises `AskwellError` when
        something breaks."""
        ask, settings, stage = self._ask, self._settings, self._stage(retrieved)
        if settings.table_selection == "three_phase":
            return await self._answer_from_selection(stage)
        if ask.request.selection or ask.question.histories:
            reading: QuestionReading | None = await self._reading(stage)
        elif settings.allow_intent_classification and ask.stale is None:
            reading = await plain_reading(stage, ask.project, ask.tools.rules_mode)
        else:  # people vouched for SQL to this question, where some of it is stale
            reading = QuestionReading()
        if reading is not None:
            ask.take(reading)
            if reading.intent is not Intent.TEXT_TO_SQL:
                return await self._answer_in_words(stage, reading.intent)
            if (answered := await self._rewritten_by_rules(stage, reading)) is not None:
                return answered
            stage = await self._found_again(stage, reading)
        return await self._write(stage, reading or QuestionReading(), asks_intent=reading is None)

    async def _reading(self, stage: StageContext) -> QuestionReading:
        """What was made of the question before it was asked back, or is made of it now."""
        known = self._ask.request.selection
        return (
            QuestionReading(reasoning=known.reasoning, rephrased=known.rephrased) if known else await understand(stage)
        )

    async def _rewritten_by_rules(
        self, stage: StageContext, reading: QuestionReading
    ) -> EndState | AwaitingCorrection | None:
        """The answer by rules to a question that was rewritten to stand alone, or what they ask back."""
        ask = self._ask
        if reading.rephrased is None:
            return None
        by_rules = await ask.by_rules(stage.fitted.found.instructions)
        if by_rules.proved is None:
            return ask.asked_back(ask.clarification(by_rules))
        ask.learn(tables=by_rules.proved.valid.tables)
        return ask.answered_by_rules(by_rules.proved, by_rules)

    async def _found_again(self, stage: StageContext, reading: QuestionReading) -> StageContext:
        """What is found for the question as it was rewritten."""
        if reading.rephrased in (None, self._ask.request.query.strip()):
            return stage
        return self._stage(await self._ask.search())

    # -- tables that the model chooses ------------------------------------------------------------------------------

    async def _answer_from_selection(self, stage: StageContext) -> EndState | AwaitingCorrection:
        """The question is read first, since only one for SQL needs tables; SQL is written when they are chosen."""
        ask = self._ask
        so_far, reading = ask.request.selection, await self._reading(stage)
        ask.take(reading)
        if reading.intent is not Intent.TEXT_TO_SQL:
            return await self._answer_in_words(stage, reading.intent)
        if (answered := await self._rewritten_by_rules(stage, reading)) is not None:
            return answered
        stage = await self._found_again(stage, reading)
        selector = TableSelector(
            stage,
            ask.project.prepared,
            so_far or TableSelection(reading.reasoning, reading.rephrased),
            ask.keep_selection,
            self._shown,
        )
        tables = await selector.tables()
        if not tables:
            return ask.fail(no_table_relevant(stage.fitted.found, ask.project.model))
        self._chosen, found = tables, await self._shown(tables)
        required = await selector.requirements(tables, found)
        ask.learn(tables=found.schema.tables, requirements=required)
        ask.question = replace(ask.question, requirements=required)
        which = which_table(required, ask.question.bindings, ask.project.model, ask.question.question, ask.unplaced)
        if which is not None:
            if ask.take_meaning(which):
                return await self._answer_from_selection(stage)
            if (asked := self._asked(Clarification.of(which, self._settings.max_correction_attempts))) is not None:
                return asked
        return await self._write(self._stage(found), reading)

    def _asked(self, which: Clarification | None) -> AwaitingCorrection | None:
        """The ask waits to be told what is meant; one that may not wait goes on with a warning."""
        asked = self._ask.asked_back(which)
        if which is not None and asked is None:
            self._ask.ledger.warn(which.question)
        return asked

    async def _asked_how(self, reading: QuestionReading, joins: ChosenJoins) -> AwaitingCorrection | None:
        """The same, to be told how tables are joined: what the language model said until then is not asked again."""
        ask = self._ask
        if (asked := self._asked(joins.unsure)) is not None:
            known = ask.request.selection or TableSelection(reading.reasoning, reading.rephrased)
            usage = ask.ledger.account().usage
            await ask.keep_selection(replace(known, joins=joins.said, usage=usage))
        return asked

    async def _write(
        self, stage: StageContext, reading: QuestionReading, *, asks_intent: bool = False
    ) -> EndState | AwaitingCorrection:
        ask, known = self._ask, self._ask.request.selection
        if self._settings.enable_column_pruning or ask.request.enable_column_pruning:
            await leave_out_columns(stage, ask.project.prepared)
        joins = await choose_joins(stage, ask.project.model, (known.joins if known else ()) or None)
        if (asked := await self._asked_how(reading, joins)) is not None:
            return asked
        return await self._answer_in_one_call(stage, asks_intent=asks_intent)

    async def _shown(self, tables: Sequence[str], most_tokens: int | None = None) -> RetrievedContext:
        """What was found, with these tables and what connects them."""
        ask = self._ask
        return await ask.searched_for(ask.question.question, tables, most_tokens)

    def _stage(self, retrieved: RetrievedContext) -> StageContext:
        fitted = FittedContext(retrieved, self._smaller)
        return StageContext(self._generation, self._ask.question, fitted, self._settings, self._ask.ledger)

    async def _answer_in_one_call(self, stage: StageContext, *, asks_intent: bool) -> EndState:
        ask = self._ask
        text = StreamedText(ask.stream, ask.question.passages) if ask.wants_plan else None

        def on_plan() -> None:
            if asks_intent:
                ask.take(QuestionReading())
                ask.planning()

        plans = text is not None and self._generation.generation.asking.style == "full"
        if not asks_intent:
            (ask.planning if plans else ask.generating)()
        answer = await write_at_once(stage, text, on_plan, asks_intent=asks_intent)
        # Once words of a plan were told, clients took the question for one for SQL.
        if not ask.known.for_sql:
            ask.take(QuestionReading(answer.intent))
        if not ask.known.for_sql:
            return await self._answer_in_words(stage, answer.intent)
        ask.planned(answer.plan if ask.wants_plan else None)
        if asks_intent or plans:
            ask.generating()
        return await self._write_sql(stage, answer.reply)

    async def _answer_in_words(self, stage: StageContext, intent: Intent) -> EndState:
        ask = self._ask
        shown = ask.question.passages if intent is Intent.GENERAL else ()
        text, assistance = StreamedText(ask.stream, shown), self._generation.assistance[intent]
        with ask.ledger.stage("answer_in_words"), with_thoughts(text.think):
            written = await stage.fitted.ask(lambda found: assistance.run(ask.question, found, on_delta=text.append))
        text.end()
        ask.ledger.add(written.usage)
        return ask.finish_in_words(intent, text.citations)

    # -- generate, check, correct -----------------------------------------------------------------------------------

    async def _write_sql(self, stage: StageContext, first: SqlReply) -> EndState:
        """`first` is what one call for everything wrote."""
        ask = self._ask
        plan = unmarked(ask.known.plan or "", ask.known.citations) if ask.wants_plan else None

        def write(number: int, ledger: Ledger) -> SqlWriting:
            return SqlWriting(
                self._generation,
                ask.question,
                varied(stage.fitted.found, number),
                plan,
                ask.prover(ledger),
                self._settings,
                ledger,
                ask.correcting,
                stage.fitted.shrink,
                None if number else first,
                self._wider,
                ask.advice_on,
            )

        wanted = self._settings.candidates
        self._writing = Candidates(wanted, write, ask.ledger, float(self._settings.ask_deadline))
        elected = await self._writing.run()
        if isinstance(elected.outcome, Proved):
            proved = replace(elected.outcome, warnings=(*elected.outcome.warnings, *elected.warnings))
            lessons = await asyncio.to_thread(ask.lessons_behind, proved.valid)
            agrees = await agrees_with_rules(ask, proved)
            origin = Origin("llm", agreement=elected.agreement, corrections=self._writing.corrections, second=agrees)
            return ask.finish(proved, origin, lessons=lessons)
        return ask.fail(never_valid(elected.outcome, self._settings.max_sql_correction_retries), elected.outcome)

    async def _wider(self, found: RetrievedContext, more: tuple[str, ...]) -> RetrievedContext:
        """What was found, with more tables in full, for which there is room before the others."""
        ask, tables = self._ask, (*more, *found.schema.tables)
        wider = await ask.searched_for(ask.question.question, tables)
        return replace(found, schema=wider.schema)

    async def _smaller(self, found: RetrievedContext) -> RetrievedContext:
        """What was found, with half of the schema."""
        ask, half = self._ask, max(found.schema.tokens // 2, 1)
        ask.ledger.warn("Half of the schema was left out: with all of it, the prompt is too long for the model.")
        return await ask.searched_for(ask.question.question, self._chosen, half)
