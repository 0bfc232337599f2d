"""The part of an ask that a language model has: what is asked, a plan beside that, then SQL, checked and corrected."""

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
    HeldText,
    QuestionReading,
    beside,
    choose_joins,
    leave_out_columns,
    plain_reading,
    understand,
    write_at_once,
    write_plan,
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
        self._joins = ChosenJoins()

    @property
    def standing(self) -> Proved | None:
        """The statement that answers the ask if it has to end now."""
        return self._writing.standing if self._writing is not None else None

    # -- what is asked, beside the plan -----------------------------------------------------------------------------

    async def answer(self, retrieved: RetrievedContext) -> EndState | AwaitingCorrection:
        """How the ask ends, or what has to be said first. Where stages have a call each, the plan is written while the
        question is read. Nobody is shown it before the question is known to be one for SQL; else it is given up. Raises
        `AskwellError` when something breaks."""
        ask, stage = self._ask, self._stage(retrieved)
        if self._settings.table_selection == "three_phase":
            return await self._answer_from_selection(stage)
        # Several statements are written beside each other, once it is known that the question is one for SQL.
        if self._settings.generation == "single" and self._settings.candidates in (1, "auto"):
            return await self._answer_at_once(stage)
        await self._prune(stage)
        text = self._plan_text(held=True)
        async with beside(self._joins_and_plan(stage, text), "plan") as planning:
            reading = await self._reading(stage)
            ask.take(reading)
            if reading.intent is not Intent.TEXT_TO_SQL:
                planning.cancel()
                return await self._answer_in_words(stage, reading.intent)
            if (answered := await self._rewritten_by_rules(stage, reading)) is not None:
                return answered
            if text is not None:
                ask.planning()
                text.release()
            ask.planned(await planning)
        if (asked := await self._asked_how(reading)) is not None:
            return asked
        return await self._write_sql(await self._found_again(stage, reading))

    async def _answer_at_once(self, stage: StageContext) -> EndState | AwaitingCorrection:
        """One call, which also says what kind of question it is where nothing plain does. A follow-up is read before:
        what is searched for has to stand alone."""
        ask, settings = self._ask, self._settings
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
        await self._prune(stage)
        await self._choose_joins(stage)
        if (asked := await self._asked_how(reading or QuestionReading())) is not None:
            return asked
        return await self._answer_in_one_call(stage, asks_intent=reading is None)

    async def _reading(self, stage: StageContext) -> QuestionReading:
        """What was made of the question before it was asked back, or is made of it now."""
        known = self._ask.request.selection
        return (
            QuestionReading(reasoning=known.reasoning, rephrased=known.rephrased) if known else await understand(stage)
        )

    async def _prune(self, stage: StageContext) -> None:
        if self._settings.enable_column_pruning or self._ask.request.enable_column_pruning:
            await leave_out_columns(stage, self._ask.project.prepared)

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
        again = self._stage(await self._ask.search())
        await choose_joins(again, self._ask.project.model, self._joins.said)
        return again

    # -- tables that the model chooses ------------------------------------------------------------------------------

    async def _answer_from_selection(self, stage: StageContext) -> EndState | AwaitingCorrection:
        """The question is read first, since only one for SQL needs tables; the plan is written when they are chosen."""
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
        return await self._plan_and_write(self._stage(found), reading)

    def _asked(self, which: Clarification | None) -> AwaitingCorrection | None:
        """The ask waits to be told what is meant; one that may not wait goes on with a warning."""
        asked = self._ask.asked_back(which)
        if which is not None and asked is None:
            self._ask.ledger.warn(which.question)
        return asked

    async def _asked_how(self, reading: QuestionReading) -> AwaitingCorrection | None:
        """The same, to be told how tables are joined: what the language model said until then is not asked again."""
        ask = self._ask
        if (asked := self._asked(self._joins.unsure)) is not None:
            known = ask.request.selection or TableSelection(reading.reasoning, reading.rephrased)
            usage = ask.ledger.account().usage
            await ask.keep_selection(replace(known, joins=self._joins.said, usage=usage))
        return asked

    async def _plan_and_write(self, stage: StageContext, reading: QuestionReading) -> EndState | AwaitingCorrection:
        ask = self._ask
        await self._prune(stage)
        await self._choose_joins(stage)
        if (asked := await self._asked_how(reading)) is not None:
            return asked
        if self._settings.generation == "single":
            return await self._answer_in_one_call(stage)
        text = self._plan_text()
        if text is not None:
            ask.planning()
        ask.planned(await write_plan(stage, text) if text is not None else None)
        return await self._write_sql(stage)

    async def _shown(self, tables: Sequence[str], most_tokens: int | None = None) -> RetrievedContext:
        """What was found, with these tables and what connects them."""
        ask = self._ask
        return await ask.searched_for(ask.question.question, tables, most_tokens)

    def _stage(self, retrieved: RetrievedContext) -> StageContext:
        fitted = FittedContext(retrieved, self._smaller)
        return StageContext(self._generation, self._ask.question, fitted, self._settings, self._ask.ledger)

    def _plan_text(self, *, held: bool = False) -> HeldText | None:
        """Where the plan is written to; None where none is wanted."""
        ask = self._ask
        return HeldText(ask.stream, held=held, passages=ask.question.passages) if ask.wants_plan else None

    async def _joins_and_plan(self, stage: StageContext, text: HeldText | None) -> str | None:
        await self._choose_joins(stage)
        if text is None or self._ask.asked_back(self._joins.unsure) is not None:
            return None
        return await write_plan(stage, text)

    async def _choose_joins(self, stage: StageContext) -> None:
        known = self._ask.request.selection
        self._joins = await choose_joins(stage, self._ask.project.model, (known.joins if known else ()) or None)

    async def _answer_in_one_call(self, stage: StageContext, *, asks_intent: bool = False) -> EndState:
        ask = self._ask
        text = self._plan_text()

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
        text, assistance = HeldText(ask.stream, passages=shown), self._generation.assistance[intent]
        with ask.ledger.stage("answer_in_words"), with_thoughts(text.think):
            written = await stage.fitted.ask(lambda found: assistance.run(ask.question, found, on_delta=text.append))
        text.end()
        ask.ledger.add(written.usage)
        return ask.finish_in_words(intent, text.citations)

    # -- generate, check, correct -----------------------------------------------------------------------------------

    async def _write_sql(self, stage: StageContext, first: SqlReply | None = None) -> EndState:
        """`first` is what one call for everything wrote."""
        ask = self._ask
        if first is None:
            ask.generating()
        plan = unmarked(ask.known.plan, ask.known.citations) if ask.known.plan else None

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
