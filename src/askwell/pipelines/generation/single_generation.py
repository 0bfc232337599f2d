"""Intent, plan and SQL in one call: the shortest way from a question to a statement."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Intent, QuestionContext
from askwell.pipelines.generation.reading import read_object, read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply, OnDelta, Usage

_INTENT = {"type": "string", "enum": [intent.value for intent in Intent]}
_PLAN = re.compile(r"\"plan\"\s*:\s*\"((?:[^\"\\]|\\.)*)", re.DOTALL)
# The first of the two escapes of one character too.
_HALF_AN_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\u[0-9a-fA-F]{0,3})?$")


@dataclass(frozen=True, slots=True)
class SingleAnswer:
    """What one call gives. `sql` is text to be checked, None for another intent than TEXT_TO_SQL; where it is missing,
    `problem` says why the reply could not be used. `plan` is Markdown, empty with lean prompts."""

    intent: Intent
    plan: str
    sql: str | None
    usage: Usage
    problem: str | None = None


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext) -> PromptText:
    return prompt.write(values_of(question, context))


def single_answer(model_reply: ModelReply) -> SingleAnswer:
    found = {} if model_reply.truncated else read_object(model_reply.text, "intent", "sql") or {}
    named = str(found.get("intent") or "").strip().upper()
    intent = Intent.__members__.get(named, Intent.TEXT_TO_SQL)
    plan = found.get("plan")
    words = plan.strip() if isinstance(plan, str) else ""
    if intent is not Intent.TEXT_TO_SQL:
        return SingleAnswer(intent, words, None, model_reply.usage)
    written = read_sql(model_reply)
    return SingleAnswer(intent, words, written.sql, model_reply.usage, written.problem)


class SingleGeneration(ModelPipeline[SingleAnswer], result=single_answer):
    """Says what kind of question it is, how it is answered, and by which SQL, with one call."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        super().__init__(llm, prompts=prompts, adapters=adapters)
        plan = {} if prompts.style == "lean" else {"plan": TEXT}
        self._schema = object_schema("single_generation", intent=_INTENT, **plan, sql=TEXT)

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> SingleAnswer:
        """The answer; `on_delta` gets the words of the plan while they are written. A reply without a readable intent
        counts as TEXT_TO_SQL."""
        listener = None if on_delta is None else _PlanWords(on_delta)
        return await self._ask(timeout, listener, schema=self._schema, question=question, context=context)


class _PlanWords:
    """An `OnDelta` for JSON that passes on what its "plan" says."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._heard = ""
        self._told = 0

    def __call__(self, piece: str) -> None:
        self._heard += piece
        found = _PLAN.search(self._heard)
        if found is None:
            return
        try:
            words = json.loads(f'"{_HALF_AN_ESCAPE.sub("", found[1])}"', strict=False)
        except ValueError:
            return
        if len(words) > self._told:
            self._on_delta(words[self._told :])
            self._told = len(words)
