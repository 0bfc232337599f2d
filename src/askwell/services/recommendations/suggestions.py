"""Three questions that somebody may ask next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import SampledValues
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.services.recommendations.candidates import CandidateQueue, candidate_questions
from askwell.services.recommendations.questions import AnswerCandidate
from askwell.services.recommendations.templates import Category

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
) -> tuple[str, ...]:
    """Three questions about the `tables` of an answer, those next to them, or those `beyond`, that `answer` finds SQL
    for, each of another kind; none where there are fewer."""
    near = {name for table in tables for name in facts.neighbours.get(table, ())}
    found: list[str] = []
    # Tables of the answer come first, then their neighbours.
    for chosen in (set(tables), near - set(tables), set(beyond) - near - set(tables)):
        if chosen and len(found) < SUGGESTED:
            queue = CandidateQueue(await asyncio.to_thread(candidate_questions, facts, values, chosen))
            await _add(found, queue, asked, answer)
    return _three(asked, found)


async def _add(found: list[str], queue: CandidateQueue, asked: Sequence[str], answer: AnswerCandidate) -> None:
    for _ in range(_TRIED):
        candidate = queue.take(_CATEGORIES)
        if candidate is None or len(found) == SUGGESTED:
            return
        if _is_new(candidate.question, (*asked, *found)) and await answer(candidate) is not None:
            found.append(candidate.question)
            queue.accept(candidate)


def _three(asked: Sequence[str], written: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for question in written:
        if len(found) < SUGGESTED and _is_new(question, (*asked, *found)):
            found.append(question)
    return tuple(found) if len(found) == SUGGESTED else ()


def _is_new(question: str, asked: Sequence[str]) -> bool:
    normal = normalise_question(question)
    return bool(normal) and normal not in {normalise_question(other) for other in asked}
