"""What kind of question is it, and how does it read without the conversation around it?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Intent, IntentReading, QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply

IntentMode = Literal["standard", "fast"]

# A rewritten question that is longer than this is not a question.
_LONGEST_QUESTION = 2_000


@dataclass(frozen=True, slots=True)
class IntentLabel:
    """A kind of question of the operator's own. `description` is for the model, `route` is what is done with it."""

    id: str
    description: str
    route: Intent


def prompt_text(
    prompt: Prompt, question: QuestionContext, context: RetrievedContext, labels: Sequence[IntentLabel]
) -> PromptText:
    return prompt.write(values_of(question, context, labels=labels))


def intent_reading(model_reply: ModelReply, question: QuestionContext, routes: Mapping[str, Intent]) -> IntentReading:
    found = read_object(model_reply.text, "intent") or {}
    intent = _route(str(found.get("intent", model_reply.text)), routes)
    if intent is None:
        reasoning = "The model's reply could not be read, so this is taken as a question to the data."
        return IntentReading(Intent.TEXT_TO_SQL, question.question, reasoning, model_reply.usage)
    return IntentReading(
        intent,
        _rephrased(found, question),
        str(found.get("reasoning") or ""),
        model_reply.usage,
    )


class IntentClassification(ModelPipeline[IntentReading], result=intent_reading):
    """`standard` also rewrites a follow-up so that it stands alone, and gives a reason where the prompts are not lean;
    `fast` gives one label, which may be the operator's own (`labels`), and leaves the question as it is."""

    def __init__(
        self,
        llm: LanguageModel,
        *,
        mode: IntentMode = "standard",
        labels: Sequence[IntentLabel] = (),
        prompts: PromptSet = OURS,
        adapters: Sequence[Any] = (),
    ) -> None:
        name = "intent_classification"
        super().__init__(llm, prompts=prompts, adapters=adapters, prompt=f"{name}_fast" if mode == "fast" else name)
        self._labels = tuple(labels)
        self._routes = {label.id: label.route for label in labels} or {intent.value: intent for intent in Intent}
        label: dict[str, Mapping[str, object]] = {"intent": {"type": "string", "enum": list(self._routes)}}
        if mode == "fast":
            self._schema = self._followup_schema = object_schema(name, **label)
        else:
            # A small model gives a reason for whatever it has chosen, and takes longer over it than over the choice.
            label = label if prompts.style == "lean" else {"reasoning": TEXT, **label}
            self._schema = object_schema(name, **label)
            self._followup_schema = object_schema(name, rephrased_question=TEXT, **label)

    async def run(
        self, question: QuestionContext, context: RetrievedContext, *, timeout: float | None = None
    ) -> IntentReading:
        """The reading. A reply that cannot be used means TEXT_TO_SQL, and its reasoning says so."""
        return await self._ask(
            timeout,
            schema=self._followup_schema if question.histories else self._schema,
            routes=self._routes,
            labels=self._labels,
            question=question,
            context=context,
        )


def _route(reply: str, routes: Mapping[str, Intent]) -> Intent | None:
    """The intent of the one label that the words name; None for none or several."""
    named = {intent for label, intent in routes.items() if re.search(rf"\b{re.escape(label)}\b", reply, re.IGNORECASE)}
    return named.pop() if len(named) == 1 else None


def _rephrased(found: Mapping[str, Any], question: QuestionContext) -> str:
    """A first question leans on nothing, so it stays as it is whatever the model makes of it."""
    rephrased = found.get("rephrased_question")
    if not question.histories or not isinstance(rephrased, str):
        return question.question
    return rephrased.strip() if 0 < len(rephrased.strip()) <= _LONGEST_QUESTION else question.question
