"""Recommended questions and those that may be asked next: written by a language model or made from templates, each
with SQL that was checked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, Strict
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.field_types import Flag, Question
from askwell.jobs.request import Lenient
from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import SampledValues
from askwell.providers.engine.base import QueryRows
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.semantic_parsing.translation import RulesMode, Translation
from askwell.services.recommendations.candidates import (
    CandidateQuestion,
    CandidateQueue,
    Category,
    candidate_questions,
)
from askwell.services.rules_translation import translated
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, ValidSql

if TYPE_CHECKING:
    from askwell.services.projects import ProjectModel

DEFAULT_CATEGORIES = tuple(map(str, Category))

# Questions of a model whose SQL is looked for at once.
_AT_ONCE = 4


class RecommendedQuestion(BaseModel):
    """A question with SQL over the model that passed the check."""

    model_config = ConfigDict(frozen=True)

    question: str
    category: str
    sql: str


class QuestionLimits(Lenient):
    """At most `max_questions` for each of at most `max_categories` of the `categories`, none like one of
    `previous_questions`."""

    previous_questions: Annotated[list[Question], Field(max_length=1_000)] = []
    max_questions: Annotated[int, Strict(), Field(ge=1, le=50, description="For each category.")] = 5
    max_categories: Annotated[int, Strict(), Field(ge=1, le=20)] = 3
    categories: Annotated[list[Question], Field(min_length=1, max_length=20)] = list(DEFAULT_CATEGORIES)
    regenerate: Flag = Field(default=False, description="Ask a language model once more for what is missing.")


# A question and its category, as a language model wrote them.
Written = tuple[str, str]
# Gets the categories that are not full, how many questions each may have, and the questions not to repeat.
Write = Callable[[Sequence[str], int, Sequence[str]], Awaitable[Sequence[Written]]]
# Checked SQL for a question, or None.
Answer = Callable[[str], Coroutine[Any, Any, str | None]]
AnswerCandidate = Callable[[CandidateQuestion], Awaitable[str | None]]


async def recommend_by_templates(
    facts: ModelFacts, values: SampledValues, limits: QuestionLimits, answer: AnswerCandidate
) -> AsyncGenerator[tuple[RecommendedQuestion, ...], None]:
    """Questions of templates that `answer` (`RulesAnswers.candidate`) finds SQL for. Gives all of them each time that
    there is one more."""
    queue = CandidateQueue(await asyncio.to_thread(candidate_questions, facts, values))
    found = _Found(limits)
    while (candidate := queue.take(found.open_categories())) is not None:
        if found.has(candidate.question):
            continue
        if (sql := await answer(candidate)) is not None:
            found.add(candidate.question, candidate.category, sql)
            queue.accept(candidate)
            yield found.questions


async def recommend_by_model(
    limits: QuestionLimits, write: Write, answer: Answer
) -> AsyncGenerator[tuple[RecommendedQuestion, ...], None]:
    """Questions that a language model writes and `answer` finds SQL for. Gives all of them each time that there are
    more. What `write` and `answer` raise ends it; what was given before stands."""
    found = _Found(limits)
    for _ in range(2 if limits.regenerate else 1):
        wanted = found.open_categories()
        if not wanted:
            return
        written = await write(wanted, limits.max_questions, found.seen)
        waiting = list(written)
        while batch := found.next_batch(waiting):
            answers = await _all([answer(question) for question, _ in batch])
            count = len(found.questions)
            for (question, category), sql in zip(batch, answers, strict=True):
                if sql is not None:
                    found.add(question, category, sql)
            if len(found.questions) > count:
                yield found.questions


async def _all(answers: Sequence[Coroutine[Any, Any, str | None]]) -> list[str | None]:
    """What all of them give; none goes on where one of them fails."""
    running = [asyncio.ensure_future(answer) for answer in answers]
    try:
        return await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


class _Found:
    """What was accepted, and what must not be asked again."""

    def __init__(self, limits: QuestionLimits) -> None:
        self.limits = limits
        self.questions: tuple[RecommendedQuestion, ...] = ()
        self.seen = list(limits.previous_questions)
        self._categories = tuple(dict.fromkeys(limits.categories))
        self._normal = {normalise_question(question) for question in self.seen}
        self._counts: Counter[str] = Counter()

    def open_categories(self) -> tuple[str, ...]:
        """The categories that still take questions."""
        begun = [name for name in self._categories if self._counts[name]]
        others = len(begun) < self.limits.max_categories
        return tuple(
            name
            for name in self._categories
            if self._counts[name] < self.limits.max_questions and (others or name in begun)
        )

    def has(self, question: str) -> bool:
        return normalise_question(question) in self._normal

    def add(self, question: str, category: str, sql: str) -> None:
        self.see(question)
        self._counts[category] += 1
        self.questions += (RecommendedQuestion(question=question, category=category, sql=sql),)

    def see(self, question: str) -> None:
        if not self.has(question):
            self._normal.add(normalise_question(question))
            self.seen.append(question)

    def next_batch(self, waiting: list[Written]) -> list[Written]:
        """Takes the next questions out of `waiting` that may be answered at once without any category getting more
        than it takes; those that can never be taken are dropped."""
        batch: list[Written] = []
        later: list[Written] = []
        counts = Counter(self._counts)
        for question, category in waiting:
            if category not in self.open_categories() or self.has(question):
                continue
            begun = counts[category] or sum(map(bool, counts.values())) < self.limits.max_categories
            if len(batch) < _AT_ONCE and begun and counts[category] < self.limits.max_questions:
                counts[category] += 1
                self.see(question)
                batch.append((question, category))
            else:
                later.append((question, category))
        waiting[:] = later
        return batch


# -- what may be asked next -------------------------------------------------------------------------------------------

SUGGESTED = 3

# Candidates that are put to the rules before there are no suggestions.
_TRIED = 30
_CATEGORIES = frozenset({Category.DESCRIPTIVE, Category.SEGMENTATION, Category.COMPARATIVE})

# Questions that a language model writes for what the caller told it of the ask.
WriteSuggestions = Callable[[], Awaitable[Sequence[str]]]


async def suggest_by_model(asked: Sequence[str], write: WriteSuggestions) -> tuple[str, ...]:
    """Three questions of a language model, none of them asked before; none where it wrote fewer. Raises what `write`
    does."""
    return _three(asked, await write())


async def suggest_by_templates(
    facts: ModelFacts,
    values: SampledValues,
    asked: Sequence[str],
    tables: Collection[str],
    answer: AnswerCandidate,
    beyond: Collection[str] = (),
    first: Sequence[str] = (),
) -> tuple[str, ...]:
    """Three questions: those of `first` that were not `asked`, then some about the `tables` of an answer, those next to
    them, or those `beyond`, that `answer` finds SQL for, each of another kind; none where there are fewer."""
    near = {name for table in tables for name in facts.neighbours.get(table, ())}
    found = [question for question in first if _is_new(question, asked)]
    # Tables of the answer come first, then their neighbours.
    for chosen in (set(tables), near - set(tables), set(beyond) - near - set(tables)):
        queue = CandidateQueue(await asyncio.to_thread(candidate_questions, facts, values, chosen) if chosen else [])
        for _ in range(_TRIED):
            candidate = queue.take(_CATEGORIES)
            if candidate is None or len(found) >= SUGGESTED:
                break
            if _is_new(candidate.question, (*asked, *found)) and await answer(candidate) is not None:
                found.append(candidate.question)
                queue.accept(candidate)
    return _three(asked, found)


def _three(asked: Sequence[str], written: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for question in written:
        if len(found) < SUGGESTED and _is_new(question, (*asked, *found)):
            found.append(question)
    return tuple(found) if len(found) == SUGGESTED else ()


def _is_new(question: str, asked: Sequence[str]) -> bool:
    normal = normalise_question(question)
    return bool(normal) and normal not in {normalise_question(other) for other in asked}


# -- SQL by rules -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RulesAnswers:
    """Answers questions by rules as an ask would, with `mode` as the bar for those that a person wrote freely.

    `wants_rows`: SQL that gives no row, or nothing but a zero, is no answer. `timeout` is in
    seconds, for one statement. Raises `EngineUnavailable` where the database cannot be used.
    """

    project: ProjectModel
    context: QueryContext
    timeout: float
    mode: RulesMode = RulesMode.STRICT
    wants_rows: bool = False

    async def candidate(self, candidate: CandidateQuestion) -> str | None:
        """Checked SQL for a question of our own. A `balanced` reading is enough: it is held against the tables and
        columns that the question was made of, which tells more than its probability."""
        sql = await asyncio.to_thread(candidate_sql, self.project, candidate, RulesMode.BALANCED)
        return await self._checked(sql)

    async def question(self, question: str) -> str | None:
        """Checked SQL for any question; None where rules are not sure enough, or the database turns the SQL away."""
        reading = await asyncio.to_thread(_translate, self.project, question, self.mode)
        return await self._checked(None if reading is None else reading.sql)

    async def _checked(self, sql: str | None) -> str | None:
        if sql is None:
            return None
        if self.wants_rows:
            outcome = await self.project.checker.execute(sql, context=self.context, row_limit=2, timeout=self.timeout)
            return outcome.valid.sql if isinstance(outcome, Executed) and says_something(outcome.rows) else None
        checked = await self.project.checker.check(
            sql, mode=CheckMode.DRY_RUN, context=self.context, timeout=self.timeout
        )
        return checked.sql if isinstance(checked, ValidSql) else None


def says_something(rows: QueryRows) -> bool:
    """Whether there is a row, and it is not a lone zero or nothing: a count or a sum of what is not there."""
    return bool(rows.rows) and rows.rows not in (((0,),), ((None,),))


def candidate_sql(project: ProjectModel, candidate: CandidateQuestion, mode: RulesMode) -> str | None:
    """The SQL that rules give for a question of our own, unchecked; None where they are not as sure as `mode` asks for,
    or read something else than was meant. Takes milliseconds: call it on a thread."""
    reading = _translate(project, candidate.question, mode)
    if reading is None or not _reads_what_was_meant(reading, candidate, project.engine.dialect):
        return None
    return reading.sql


def _translate(project: ProjectModel, question: str, mode: RulesMode) -> Translation | None:
    if project.rules is None:
        return None
    reading = translated(project.rules, question)
    return reading if isinstance(reading, Translation) and reading.answers_in(mode) else None


def _reads_what_was_meant(reading: Translation, candidate: CandidateQuestion, dialect: str) -> bool:
    """Whether the SQL reads the tables of the question, no others, and at least its columns."""
    if not candidate.tables <= set(reading.tables) <= candidate.tables | candidate.through:
        return False
    try:
        tree = parse_one(reading.sql, dialect=dialect)
    except SqlglotError:
        return False
    read = {column.name.lower() for column in tree.find_all(exp.Column)}
    return read >= {ref.column.lower() for ref in candidate.columns}
