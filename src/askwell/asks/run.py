"""One attempt at an ask: what is tried in which order."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from askwell.asks.about.answer import answer_about
from askwell.asks.answer_words import with_meaning
from askwell.asks.ask import Ask
from askwell.asks.failures import unanswered
from askwell.asks.meant import TOLD_CHARACTERS
from askwell.asks.model_run import ModelRun
from askwell.asks.overview import is_out_of_scope, nothing_relevant
from askwell.asks.request import Clarification, Option
from askwell.asks.rules_step import RulesAnswer, no_model_error
from askwell.asks.saved_answers import FieldsStep, SavedAnswer, same_in_other_words, saved_answer, works_no_longer
from askwell.asks.stages import attempted
from askwell.asks.states import AskError, AwaitingCorrection, EndState
from askwell.asks.writing_step import never_valid
from askwell.checking.sureness import Origin
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.question.follow_ups import leans, may_lean
from askwell.sql.outcome import RejectedSql, RejectionKind


async def match_answer(ask: Ask) -> EndState | AwaitingCorrection | None:
    """None where there is nothing to match, or the ask goes on with the option that is meant; else it asks once more,
    or fails after the last attempt."""
    request, asked = ask.request, ask.request.asked
    if asked is None or (said := asked.not_understood) is None:
        return None
    ask.searching()
    option = await _meant(ask, asked, said)
    if option is not None:
        # What is taken for a person's word is not their word: it teaches nothing.
        bindings = request.bindings.merged(with_meaning(asked, option.bindings), ask.project.model)
        await ask.answered_back(replace(request, bindings=bindings, asked=None, teaches=False))
        ask.ledger.warn(f"“{_short(said)}” was taken to mean “{option.label}”.")
        return None
    if request.selection:
        ask.learn(requirements=request.selection.requirements)
    again = asked.again(_short(said))
    if again is None:
        return unanswered(AwaitingCorrection(asked, ask.known))
    return AwaitingCorrection(again, ask.known)


async def _meant(ask: Ask, asked: Clarification, said: str) -> Option | None:
    generation = ask.tools.generation
    if generation is None:
        texts = [f"{option.label}. {option.detail}".strip(". ") for option in asked.options]
        place = await ask.tools.retrieval.chosen(said, texts)
        return asked.options[place] if place is not None else None
    asking = generation.matching.run(
        ask.question,
        asked=asked.question,
        options=[{"id": one.id, "label": one.label, "detail": one.detail} for one in asked.options],
        said=said,
    )
    matched = await attempted("choice_matching", ask.ledger, ask.tools.settings, asking)
    if matched is None:
        return None
    return next((option for option in asked.options if option.id == matched.value), None)


def _short(said: str) -> str:
    return " ".join(said.split())[:TOLD_CHARACTERS]


class AskRun:
    """Answers one accepted question."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._tools = tools = ask.tools
        self._fields = FieldsStep(ask)
        self._model = ModelRun(ask, tools.generation) if tools.generation is not None else None

    async def answer(self) -> EndState | AwaitingCorrection:
        """Run every step and return how the ask ends, or what has to be said before it can go on. Raises `AskwellError`
        when something it depends on breaks."""
        ask = self._ask
        ask.understanding()
        if (asked := await match_answer(ask)) is not None:
            return asked
        if (known := await self._answer_from_history()) is not None:
            return known

        await ask.recall()
        ask.searching()
        if (outcome := await self._answer_about_the_data(only_sure=True)) is not None:
            return outcome
        # Rules read the whole model: they wait for a search only where it may find an instruction to follow.
        instructed = await self._tools.retrieval.has_instructions(ask.project.project_id)
        retrieved = await ask.retrieve() if instructed or self._may_be_like_a_saved_one else None
        if retrieved and (known := await self._answer_from_like_question(retrieved)) is not None:
            return known
        by_rules = await ask.by_rules(retrieved.instructions if retrieved else ())
        if by_rules.proved is not None:
            tables = by_rules.proved.valid.tables
            ask.learn(tables=tables, is_followup=by_rules.follows, rephrased=by_rules.rephrased)
            return ask.answered_by_rules(by_rules.proved, by_rules)
        if self._model is None and ask.stale is not None:
            return ask.fail(works_no_longer(ask.stale), ask.stale)
        if self._model is None and by_rules.refused is not None:
            return ask.finish(by_rules.refused, Origin("rules"))
        if (ended := await self._asked_back_or_told(by_rules)) is not None:
            return ended
        if self._model is None and by_rules.is_ambiguous:
            return ask.fail(await self._no_model_error(by_rules), clarification=ask.clarification(by_rules))
        retrieved = await ask.search(retrieved)
        if self._out_of_scope(retrieved) and (ended := self._ended_out_of_scope(retrieved)) is not None:
            return ended
        if self._model is None:
            by_rules = await ask.asking_back(by_rules)
            error = await self._no_model_error(by_rules)
            return ask.fail(error, by_rules.rejected, clarification=ask.clarification(by_rules))

        return await self._model.answer(retrieved)

    def failed(self, error: AskError) -> EndState:
        """How the ask ends when something broke: with the answer that stands, or all that was known until then."""
        standing = self._model.standing if self._model is not None else None
        if standing is None:
            return self._ask.fail(error)
        return self._ask.finish(standing, Origin("llm"))

    async def _no_model_error(self, by_rules: RulesAnswer) -> AskError:
        near = await self._ask.find_nearby(by_rules)
        return no_model_error(by_rules, near, may_curate=self._ask.person.may_curate)

    async def _asked_back_or_told(self, by_rules: RulesAnswer) -> EndState | AwaitingCorrection | None:
        """What rules do not answer: a person has to say more, or words from the semantic model answer."""
        if (known := await self._fields.answer_in_part(hinted=True)) is not None:
            return known
        if (asked := self._ask.asked_back(self._ask.clarification(by_rules))) is not None:
            return asked
        if (outcome := await self._answer_about_the_data(only_sure=False)) is not None:
            return outcome
        if by_rules.is_ambiguous:
            return None
        if (known := await self._fields.answer_in_part(hinted=False)) is not None:
            return known
        if not self._ask.request.interactive:
            return None
        return self._ask.asked_back(self._ask.clarification(await self._ask.asking_back(by_rules)))

    # -- past questions ---------------------------------------------------------------------------------------------

    @property
    def _stands_alone(self) -> bool:
        """Whether nothing but its text says what is asked. Who asks does not count: saved SQL is planned with the
        session properties of this ask, like any other."""
        request = self._ask.request
        if request.custom_instruction:
            return False
        question = self._ask.question.question
        return not request.histories or (self._model is None and not leans(question) and not may_lean(question))

    @property
    def _may_be_like_a_saved_one(self) -> bool:
        return self._tools.settings.history_match == "similar" and self._stands_alone

    async def _answer_from_history(self) -> EndState | AwaitingCorrection | None:
        ask = self._ask
        if ask.request.filling is not None:
            return await self._fields.answer()
        if not self._stands_alone:
            return None
        saved = await self._saved(ask.question.question)
        if isinstance(saved, SavedAnswer):
            return self._finish_with_saved(saved)
        if saved is not None and saved.kind is RejectionKind.TIME_OUT:
            return ask.fail(never_valid(saved, 0), saved)
        # The model or the database has changed since: answer it anew, and say so. One that is not what was answered
        # when the ask asked back is no answer to it.
        if saved is None or saved.kind is not RejectionKind.CONSTRAINT:
            ask.stale = saved
        return await self._fields.answer()

    async def _answer_from_like_question(self, retrieved: RetrievedContext) -> EndState | None:
        """By the saved question that is the same in other words; one that no longer works is passed over."""
        if not self._may_be_like_a_saved_one:
            return None
        like = same_in_other_words(retrieved, self._tools.settings.historical_question_similarity)
        if like is None or not isinstance(saved := await self._saved(like), SavedAnswer):
            return None
        return self._finish_with_saved(saved, (f"This was answered as the saved question “{like}”.",))

    async def _saved(self, question: str) -> SavedAnswer | RejectedSql | None:
        ask = self._ask
        with ask.ledger.stage("history"):
            return await saved_answer(question, ask, self._tools.knowledge)

    def _finish_with_saved(self, saved: SavedAnswer, said: tuple[str, ...] = ()) -> EndState:
        self._ask.learn(tables=saved.proved.valid.tables)
        origin = Origin("view" if saved.view_id else "history")
        return self._ask.finish(saved.proved, origin, said, view_id=saved.view_id, pair_id=saved.pair_id)

    # -- the semantic model itself, and what is outside of it -------------------------------------------------------

    async def _answer_about_the_data(self, *, only_sure: bool) -> EndState | None:
        """Words from the semantic model, where no language model is there to write any. Rules come first where the
        wording may be that of a question for data."""
        ask = self._ask
        if self._model is not None or (only_sure and ask.stale is not None):
            return None
        question, mode = ask.question.question, self._tools.rules_mode
        answer = await asyncio.to_thread(answer_about, ask.project, question, mode, only_sure=only_sure)
        if answer is None:
            return None
        ask.stream.append(answer.text)
        return ask.finish_in_words(answer.intent)

    def _ended_out_of_scope(self, retrieved: RetrievedContext) -> EndState | None:
        """How a question about no table ends: with what documents say of it. None where a language model is to put that
        into words; one that is not asked what kind of question it is would write SQL."""
        ask, has_model = self._ask, self._model is not None
        if has_model and ask.question.passages and self._tools.settings.allow_intent_classification:
            return None
        outcome = ask.finish_with_passages()
        return outcome or ask.fail(nothing_relevant(retrieved.scope, ask.project.model, has_model=has_model))

    def _out_of_scope(self, retrieved: RetrievedContext) -> bool:
        if not self._tools.settings.scope_gate or self._ask.known.is_followup:
            return False
        return is_out_of_scope(self._ask.question.question, retrieved.scope, has_model=self._model is not None)
