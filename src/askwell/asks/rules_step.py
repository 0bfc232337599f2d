"""The stage of the answer by rules: what is answered, asked back or refused, and which options lead to an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import sqlglot

from askwell.asks.failures import AMBIGUOUS, advice, late_code
from askwell.asks.project_knowledge import AppliedLessons, instructions_that_matter
from askwell.asks.proof import Proved, Prover
from askwell.asks.stages import Ledger
from askwell.asks.states import AskError
from askwell.checking.sureness import Origin, sureness
from askwell.knowledge.lessons import Lesson
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.retrieval.context import InstructionText
from askwell.providers.engine.base import QueryRows
from askwell.question.follow_ups import leans, may_lean
from askwell.semantic_parsing.abstentions import with_choices
from askwell.semantic_parsing.alternatives import that_lead_on
from askwell.semantic_parsing.earlier import other_periods
from askwell.semantic_parsing.notes import AS_SAID
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import (
    UNKNOWN_WORD,
    UNSURE,
    Abstention,
    Alternative,
    Choice,
    RulesMode,
    Translation,
    Turn,
    leads_on,
)
from askwell.semantic_parsing.unknown_words import Similarities
from askwell.services.lessons.checking import in_words
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.nearby import Nearby, nearby_questions
from askwell.services.recommendations.questions import says_something
from askwell.services.rules_translation import FAILED, guarded
from askwell.sql.bindings import FREE, Bindings
from askwell.sql.outcome import SHORTEN, RejectedSql
from askwell.sql.wording import describe_sql, question_of_sql

Glance = Callable[[str], Awaitable[QueryRows | None]]


async def that_differ(
    given: Abstention,
    mode: RulesMode,
    read: Callable[[Bindings], Translation | Abstention],
    glance: Glance,
    *,
    has_model: bool = False,
) -> Abstention:
    """The abstention with those of its choices that lead to an answer or to another question, that find something where
    `glance` shows the first rows of a statement, and that find something else than those before them. As long as two
    are left, what finds nothing is left out; a single one is left where all find the same. Where one of several leads
    on it is asked whether that is meant, and where none does nothing is asked, unless a language model may answer."""

    readings = await asyncio.to_thread(lambda: [read(choice.bindings) for choice in given.choices])
    rows = await asyncio.gather(*(_rows(reading, glance) for reading in readings))
    found = list(zip(given.choices, readings, rows, strict=True))
    leading = [one for one in found if leads_on(one[1], mode)]
    if len(leading) < 2 and not has_model:
        return _single(given, [choice for choice, _, _ in leading])
    leading = leading if len(leading) > 1 else found
    filled = [one for one in leading if one[2] is None or one[2].rows]
    differing: dict[str, Choice] = {}
    for choice, reading, seen in filled if len(filled) > 1 else leading:
        differing.setdefault(_result(choice, reading, seen), choice)
    return with_choices(given, tuple(differing.values()))


def _single(given: Abstention, leading: Sequence[Choice]) -> Abstention:
    """The question whether the only choice that leads on is meant; none without one."""
    if not leading:
        return replace(given, message=_UNSURE, choices=())
    if given.reason == UNKNOWN_WORD:
        return with_choices(given, tuple(leading))
    return replace(given, reason=UNSURE, message=f"Do you mean {leading[0].label}?", choices=tuple(leading))


async def _rows(reading: Translation | Abstention, glance: Glance) -> QueryRows | None:
    return await glance(reading.sql) if isinstance(reading, Translation) else None


def _result(choice: Choice, reading: Translation | Abstention, seen: QueryRows | None) -> str:
    """The same text for the same result."""
    if not isinstance(reading, Translation):
        return choice.label
    if seen is None or seen.truncated:
        return reading.sql
    cells = [repr([f"{cell:.9g}" if isinstance(cell, float) else cell for cell in row]) for row in seen.rows]
    return repr(cells if reading.ordered else sorted(cells))


# Where the caller left it to the service which of at least two meanings is meant.
_MOST_SURE_OF_A_GUESS = 0.5
# What was not read surely, and what the check leaves less sure than this, is asked back: of the answers to 80 first
# questions about four strangers' databases, by which it was set, 3 of 7 that were wrong and none of 9 that were right.
_SURELY_READ, _LEAST_PROVED = 0.9, 0.75
# What else could be meant is tried, each for itself, no longer than this; other periods come last, and have at least
# their own time.
_SECONDS_FOR_OTHERS, _SECONDS_FOR_PERIODS = 0.25, 0.1
_UNSURE = "Askwell isn't sure what you mean."
# Of an instruction that was not followed.
_TOLD_CHARACTERS = 200


# Abstentions that say what the question could mean, also where there is nothing to choose from.
_SEVERAL_MEANINGS = frozenset(
    {
        *("ambiguous_column", "ambiguous_name", "ambiguous_path", "ambiguous_table", "ambiguous_value"),
        *("count_or_amount", "single_or_total"),
    }
)


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """`proved` when rules answer, with these `lessons`; otherwise why they do not, with the reading that is too
    `unsure` where there is one, or the statement that was `refused`, as it cannot be what was asked. It `follows` where
    it adds to the question before: `rephrased` is what both ask as one question, where that has words. `alternatives`
    are those of the question that lead to an answer too."""

    proved: Proved | None = None
    assumptions: tuple[str, ...] = ()
    probability: float | None = None
    abstention: Abstention | None = None
    rejected: RejectedSql | None = None
    follows: bool = False
    rephrased: str | None = None
    lessons: tuple[Lesson, ...] = ()
    unsure: Translation | None = None
    alternatives: tuple[Alternative, ...] = ()
    refused: Proved | None = None

    @property
    def is_ambiguous(self) -> bool:
        """Whether the question can be read in several ways, and says not which is meant."""
        return self.abstention is not None and (
            self.abstention.asks_back or self.abstention.reason in _SEVERAL_MEANINGS
        )


@dataclass(frozen=True)
class RulesStep:
    """Answers by rules with what a project has (`lessons` are those that bear on the question), taking only a reading
    that is as certain as `mode` asks for. `has_model`: a language model is there to answer what rules do not;
    `is_interactive`: a person can answer questions. `likeness` says how like words are to texts."""

    project: ProjectModel
    prover: Prover
    ledger: Ledger
    mode: RulesMode
    has_model: bool
    is_interactive: bool
    likeness: Callable[[Sequence[str], Sequence[str]], Awaitable[Similarities]]
    lessons: AppliedLessons

    async def answer(
        self, question: QuestionContext, before: tuple[Turn, ...], instructions: Sequence[InstructionText]
    ) -> RulesAnswer:
        """Translate and prove. `before` are the earlier questions that this one may lean on.

        Rules cannot follow instructions written in words: where one matters to their answer and a language model is
        there, they leave the question to it; without one they answer and warn that it was not followed. That of the
        request always matters, those of `instructions` (what retrieval found) as `instructions_that_matter` says. An
        exception of theirs counts as an abstention.
        """
        own = (question.custom_instruction,) if question.custom_instruction else ()
        rules = self.project.rules
        if rules is None or self.mode is RulesMode.OFF or (self.has_model and (own or before)):
            return RulesAnswer()
        reading, lessons = await self._read(rules, question, before)
        if isinstance(reading, Abstention):
            given = await self._differing(rules, question, before, reading)
            is_same = given.reason == reading.reason
            if len(given.choices) == 1 < len(reading.choices) and is_same:  # whatever is meant, the answer is the same
                said = question.bindings.merged(given.choices[0].bindings, self.project.model)
                return await self.answer(replace(question, bindings=said), before, instructions)
            return await self._as_surely_meant(rules, question, before, instructions, given)
        if not reading.answers_in(self.mode):
            return RulesAnswer(abstention=Abstention(UNSURE, _UNSURE, tables=reading.tables), unsure=reading)
        saved = await self._that_matter(instructions, question.question, reading.sql)
        if self.has_model and saved:
            return RulesAnswer()
        whole = await asyncio.to_thread(_whole_question, reading.sql, self.project) if reading.follows else None
        asked = f"{whole} {question.question}" if whole else None
        proved = await self.prover.prove(reading.sql, asked=asked)
        if isinstance(proved, RejectedSql):
            return RulesAnswer(rejected=proved)
        if proved.is_wrong:
            return RulesAnswer(refused=proved)
        probability = reading.probability
        if question.bindings.guessed:
            probability = min(probability, _MOST_SURE_OF_A_GUESS)
        sure = sureness(proved.findings, Origin("rules", reading=probability))
        is_told = question.bindings or reading.taught  # what the words mean, as the caller or a lesson says
        if sure is not None and sure < _LEAST_PROVED and probability < _SURELY_READ and not is_told:
            return RulesAnswer(abstention=Abstention(UNSURE, _UNSURE, tables=reading.tables), unsure=reading)
        notes = (*reading.notes, *(in_words(one) for one in lessons))
        lessons = (*lessons, *self.lessons.behind(reading.taught))
        if reading.ranking is not None:
            proved, ranked_by = await self.prover.ranked(proved, reading.ranking)
            notes += ranked_by
        unheard = tuple(map(_not_followed, (*own, *saved)))
        proved = replace(proved, warnings=(*proved.warnings, *unheard))
        if before and not reading.follows and (leans(question.question) or may_lean(question.question)):
            notes += ("Earlier questions were not taken into account.",)
        others = await asyncio.to_thread(self._alternatives, rules, reading, question, before)
        found = RulesAnswer(proved, notes, probability, follows=reading.follows, rephrased=whole)
        return replace(found, lessons=lessons, alternatives=others)

    async def _as_surely_meant(
        self,
        rules: QuestionReader,
        question: QuestionContext,
        before: tuple[Turn, ...],
        instructions: Sequence[InstructionText],
        given: Abstention,
    ) -> RulesAnswer:
        """The answer where there is no doubt what unknown words mean, which it says; else the abstention."""
        likeness = await self._likeness(rules, question, given) if not self.has_model else ()
        if not likeness:
            return RulesAnswer(abstention=given)
        known = partial(rules.surely_meant, bound=question.bindings, before=before, taught=self.lessons.taught)
        ask = partial(known, question.question, given, likeness)
        if meant := await asyncio.to_thread(guarded, FREE, "unknown words", ask):
            bound = question.bindings.with_meanings(meant)
            answer = await self.answer(replace(question, bindings=bound), before, instructions)
            if answer.proved is not None:
                return replace(answer, assumptions=tuple(_as_read(note, meant) for note in answer.assumptions))
        return RulesAnswer(abstention=given)

    async def _likeness(self, rules: QuestionReader, question: QuestionContext, given: Abstention) -> Similarities:
        """How like the words that an abstention is over are to what they could mean."""
        if given.reason == FAILED:
            return ()
        ask = partial(rules.unknown_words, question.question, given)
        unknown = await asyncio.to_thread(guarded, None, "unknown words", ask)
        return await self.likeness(unknown.said, unknown.texts) if unknown is not None else ()

    def _alternatives(
        self, rules: QuestionReader, given: Translation, question: QuestionContext, before: tuple[Turn, ...]
    ) -> tuple[Alternative, ...]:
        """What else leads to an answer, read as it would be if it were said. Of a question that a language model has
        rewritten, other periods are not known: a caller that asks for one asks in words that are rewritten anew."""
        until = time.monotonic() + _SECONDS_FOR_OTHERS
        model, bound, dialect = self.project.model, question.bindings, self.project.engine.dialect

        def read(meant: Bindings, asked: str = question.question) -> Translation | Abstention:
            return self.lessons.read(rules, asked, model, bound=meant, before=before)[0]

        def answered(asked: str) -> Translation | None:
            other = read(bound, asked)
            return other if isinstance(other, Translation) and other.answers_in(self.mode) else None

        found = that_lead_on(given, bound, self.mode, dialect, read, until)
        if question.histories and not before:
            return found
        until = max(until, time.monotonic() + _SECONDS_FOR_PERIODS)
        period = other_periods(question.question, given, bound, dialect, question.now.date(), answered, until)
        return (*found, period) if period is not None else found

    async def asking_back(
        self, question: QuestionContext, before: tuple[Turn, ...], given: Abstention, unsure: Translation | None
    ) -> Abstention:
        """The abstention, with what its unknown words could mean (see `QuestionReader.asking_back`), or with the one
        reading that is too `unsure` to answer unasked."""
        rules = self.project.rules
        if rules is None or given.reason == FAILED:
            return given
        likeness = await self._likeness(rules, question, given)
        known = partial(rules.asking_back, bound=question.bindings, before=before, taught=self.lessons.taught)
        ask = partial(known, question.question, given, likeness=likeness)
        asked = await asyncio.to_thread(guarded, given, "asking back", ask)
        if asked.asks_back:
            return await self._differing(rules, question, before, asked)
        return asked if unsure is None else await asyncio.to_thread(_confirmation, unsure, self.project)

    async def nearby(self, question: QuestionContext, given: Abstention) -> Nearby:
        """Complete questions near to this one that are answered, and whose statements find something where they may be
        run."""
        rules, model = self.project.rules, self.project.model
        if rules is None or given.reason in (FAILED, *_HINTS):
            return Nearby({})

        def answer(asked: str) -> Translation | None:
            reading = self.lessons.read(rules, asked, model)[0]
            return reading if isinstance(reading, Translation) and reading.answers_in(self.mode) else None

        values = self.project.values
        found = await asyncio.to_thread(nearby_questions, question.question, given, rules.catalog, values, answer)
        rows = await asyncio.gather(*map(self.prover.glance, found.questions.values()))
        seen = zip(found.questions.items(), rows, strict=True)
        filled = {asked: sql for (asked, sql), one in seen if one is None or says_something(one)}
        return replace(found, questions=filled)

    async def _differing(
        self, rules: QuestionReader, question: QuestionContext, before: tuple[Turn, ...], given: Abstention
    ) -> Abstention:
        """The abstention with those choices that differ in their results, unless a language model decides which is
        meant."""
        if len(given.choices) < 2 or (self.has_model and not self.is_interactive):
            return given
        model = self.project.model

        def read(said: Bindings) -> Translation | Abstention:
            bound = question.bindings.merged(said, model)
            return self.lessons.read(rules, question.question, model, bound=bound, before=before)[0]

        return await that_differ(given, self.mode, read, self.prover.glance, has_model=self.has_model)

    async def _read(
        self, rules: QuestionReader, question: QuestionContext, before: tuple[Turn, ...]
    ) -> tuple[Translation | Abstention, tuple[Lesson, ...]]:
        """What rules read, and the lessons that answered what they would have asked back."""
        reading, answering = await asyncio.to_thread(
            self.lessons.read, rules, question.question, self.project.model, bound=question.bindings, before=before
        )
        if isinstance(reading, Abstention) and reading.reason == FAILED:
            self.ledger.rules_failed()
        return reading, answering

    async def _that_matter(self, instructions: Sequence[InstructionText], question: str, sql: str) -> tuple[str, ...]:
        if not instructions:
            return ()
        prepared = self.project.prepared
        has_model = self.has_model
        return await asyncio.to_thread(
            lambda: instructions_that_matter(instructions, question, sql, prepared, has_model=has_model)
        )


def _whole_question(sql: str, project: ProjectModel) -> str | None:
    """What a statement asks, as one question; None where that has no words."""
    dialect = project.engine.dialect
    return question_of_sql(sqlglot.parse_one(sql, dialect=dialect), project.model, dialect) or None


def _confirmation(reading: Translation, project: ProjectModel) -> Abstention:
    """The question whether a reading is meant."""
    words = _whole_question(reading.sql, project)
    if words is None:
        dialect = project.engine.dialect
        words = describe_sql(sqlglot.parse_one(reading.sql, dialect=dialect), project.model, dialect)
    choice = Choice(words or reading.sql, Bindings(tables=reading.tables))
    return Abstention(UNSURE, "Is this what you mean?", tables=reading.tables, choices=(choice,))


def _as_read(note: str, taken: Bindings) -> str:
    """What an answer says of its words, of which nobody said what is `taken`."""
    if not any(note.startswith(f"“{one.said}” means ") for one in taken.meanings):
        return note
    return f"{note.replace('” means ', '” was read as ', 1).removesuffix(AS_SAID)}."


def _not_followed(instruction: str) -> str:
    plain = " ".join(instruction.split())
    shown = plain if len(plain) <= _TOLD_CHARACTERS else f"{plain[: _TOLD_CHARACTERS - 1]}…"
    return f"This instruction was not followed, because no language model is configured: “{shown}”"


def no_model_error(by_rules: RulesAnswer, near: Nearby, *, may_curate: bool) -> AskError:
    """The error when rules do not answer a question and no language model is configured; `near` are questions that
    they answer."""
    examples = [*near.questions]
    if (rejected := by_rules.rejected) is not None:
        code = late_code(rejected)
        if rejected.hint:
            return AskError("OTHERS", rejected.error, rejected.hint, code)
        message = f"The SQL that rules wrote was turned away: {rejected.error}"
        return AskError("NO_RELEVANT_SQL", message, SHORTEN if code else advice(None, examples), code)
    given = by_rules.abstention
    if given is not None and (hint := _HINTS.get(given.reason)) is not None:
        return AskError("NO_RELEVANT_SQL", given.message, hint)
    reason = given.message if given is not None else "Rules are switched off for this question."
    if by_rules.unsure is not None and given is not None and given.choices:
        reason = f"{_UNSURE} It would read the question as: {given.choices[0].label}"
    is_unclear = by_rules.is_ambiguous or (given is not None and given.reason in _UNCLEAR)
    ambiguous = AMBIGUOUS if is_unclear else None
    hint = advice(given, examples, may_curate=may_curate and near.missing is None)
    return AskError("NO_RELEVANT_SQL", near.missing or near.why or reason, hint, ambiguous)


# Words that a lesson or a synonym would explain.
_UNCLEAR = frozenset({"unplaced_words", "unclear_words", UNKNOWN_WORD})
_WHOLE = "Ask it as a whole question."
_HINTS = {
    "read_only": "Ask for the rows first; change them with the tools of your database.",
    "nothing_before": _WHOLE,
    "lost_before": _WHOLE,
}
