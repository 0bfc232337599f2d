"""What a question, or an answer to what was asked back, means, as language models see it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from askwell.pipelines.generation.pipeline import TEXT, Asking, object_schema, pipeline
from askwell.pipelines.generation.question import Answered, Intent, IntentReading, QuestionContext, values_of
from askwell.pipelines.generation.reading import LONGEST_QUESTION, found_in, one_line, read_object, read_question
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.base import ModelReply, Usage

IntentMode = Literal["standard", "fast"]
# The prompt of the mode `fast`.
FAST_INTENT = "intent_classification_fast"


@pipeline("intent_classification")
async def intent_classification(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
) -> Answered[IntentReading]:
    """What kind of question it is. With its own prompt it also rewrites a follow-up so that it stands alone, and gives
    a reason where the prompts are not lean; with `FAST_INTENT` it gives one label and leaves the question as it is. A
    reply that cannot be used means TEXT_TO_SQL, and its reasoning says so."""
    properties: dict[str, Mapping[str, object]] = {"intent": {"type": "string", "enum": [one.value for one in Intent]}}
    if ask.prompt.name != FAST_INTENT:
        # A small model gives a reason for whatever it has chosen, and takes longer over it than over the choice.
        properties = properties if ask.style == "lean" else {"reasoning": TEXT, **properties}
        properties = {"rephrased_question": TEXT, **properties} if question.histories else properties

    def reading(reply: ModelReply) -> IntentReading:
        found = read_object(reply.text, "intent") or {}
        intent = _named_intent(str(found.get("intent", reply.text)))
        if intent is None:
            reasoning = "The model's reply could not be read, so this is taken as a question to the data."
            return IntentReading(Intent.TEXT_TO_SQL, question.question, reasoning)
        # A first question leans on nothing, so it stays as it is whatever the model makes of it.
        written = found.get("rephrased_question") if question.histories else None
        text = written.strip() if isinstance(written, str) else ""
        rephrased = text if 0 < len(text) <= LONGEST_QUESTION else question.question
        return IntentReading(intent, rephrased, str(found.get("reasoning") or ""))

    schema = object_schema("intent_classification", **properties)
    return await ask(values_of(question, context), lambda reply: Answered(reading(reply), reply.usage), schema=schema)


def _named_intent(reply: str) -> Intent | None:
    """The one intent that the words name; None for none or several."""
    named = [intent for intent in Intent if re.search(rf"\b{intent.value}\b", reply, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


@pipeline("question_reformulation", question=TEXT)
async def question_reformulation(ask: Asking, question: QuestionContext) -> Answered[str]:
    """A follow-up that can be understood without the conversation: the same question when the reply cannot be used,
    and, without a call, when there are no histories."""
    if not question.histories:
        return Answered(question.question, Usage())

    def standalone(reply: ModelReply) -> Answered[str]:
        return Answered(read_question(reply) or question.question.strip(), reply.usage)

    return await ask(values_of(question), standalone)


_LONGEST_FIELD_QUESTION = 300
_VALUE: Mapping[str, object] = {
    "type": ["string", "number", "boolean", "array", "null"],
    "items": {"type": ["string", "number"]},
}


@pipeline("field_extraction")
async def field_extraction(
    ask: Asking,
    question: QuestionContext,
    *,
    said: str,
    fields: Sequence[Mapping[str, Any]],
    known: Mapping[str, Any],
) -> Answered[tuple[Mapping[str, object], str]]:
    """The values by name that `said` gives for the parameters of a saved question, `fields` (`{name, type, required,
    description?, is_excluded?}`: the end of a range that does not count itself), as the model wrote them: who uses
    them looks at their types; and what it would ask next, "" where it would ask nothing. `known` are the values of
    before. A reply that cannot be read gives none."""
    names = {field["name"] for field in fields}

    def extracted(reply: ModelReply) -> Answered[tuple[Mapping[str, object], str]]:
        found = found_in(reply, "fields")
        values = found.get("fields")
        given = values.items() if isinstance(values, dict) else ()
        kept = {name: value for name, value in given if name in names and value not in (None, "")}
        return Answered((kept, one_line(found.get("question"), _LONGEST_FIELD_QUESTION)), reply.usage)

    shape = object_schema("fields", **{field["name"]: _VALUE for field in fields}).schema
    return await ask(
        values_of(question, said=said, fields=tuple(fields), known=known),
        extracted,
        schema=object_schema("field_extraction", fields=shape, question=TEXT),
    )


@pipeline("choice_matching", option_id={"type": "integer"})
async def choice_matching(
    ask: Asking,
    question: QuestionContext,
    *,
    asked: str,
    options: Sequence[Mapping[str, str]],
    said: str,
) -> Answered[str | None]:
    """The id of the one of the `options` (`{id, label, detail}`) that `said` means as an answer to `asked`. None where
    it is none of them, and for a reply that cannot be read."""

    def matched(reply: ModelReply) -> Answered[str | None]:
        named = str(found_in(reply, "option_id").get("option_id")).strip()
        return Answered(named if named in {option["id"] for option in options} else None, reply.usage)

    values = values_of(question, clarification=asked, options=tuple(options), said=said)
    return await ask(values, matched)
