"""Recommended questions: written by a language model or made from templates, each with SQL that was checked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import SampledValues
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.services.recommendations.candidates import CandidateQuestion, CandidateQueue, candidate_questions
from askwell.services.recommendations.templates import Category

DEFAULT_CATEGORIES = tuple(map(str, Category))

# Questions of a model whose SQL is looked for at once.
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class RecommendedQuestion:
    """A question with SQL over the model that passed the check."""

    question: str
    category: str
    sql: str


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """At most `max_questions` for each of at most `max_categories` of the `categories`, none like one of `previous`.
    `regenerate`: where that does not fill every category, a language model is asked once more."""

    max_questions: int = 5
    max_categories: int = 3
    categories: tuple[str, ...] = DEFAULT_CATEGORIES
    previous: tuple[str, ...] = ()
    regenerate: bool = False


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


@dataclass(slots=True)
class _Found:
    """What was accepted, and what must not be asked again."""

    limits: QuestionLimits
    questions: tuple[RecommendedQuestion, ...] = ()
    seen: list[str] = field(init=False)
    _normal: set[str] = field(init=False)
    _counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.seen = list(self.limits.previous)
        self._normal = {normalise_question(question) for question in self.seen}

    def open_categories(self) -> tuple[str, ...]:
        """The categories that still take questions."""
        begun = [name for name in self.limits.categories if self._counts[name]]
        others = len(begun) < self.limits.max_categories
        return tuple(
            name
            for name in self.limits.categories
            if self._counts[name] < self.limits.max_questions and (others or name in begun)
        )

    def has(self, question: str) -> bool:
        return normalise_question(question) in self._normal

    def add(self, question: str, category: str, sql: str) -> None:
        self.see(question)
        self._counts[category] += 1
        self.questions += (RecommendedQuestion(question, category, sql),)

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
