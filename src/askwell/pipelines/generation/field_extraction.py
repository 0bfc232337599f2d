"""Which values does somebody give who was asked for the parameters of a saved question?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import one_line, read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_LONGEST_QUESTION = 300
_VALUE: Mapping[str, object] = {
    "type": ["string", "number", "boolean", "array", "null"],
    "items": {"type": ["string", "number"]},
}


@dataclass(frozen=True, slots=True)
class ExtractedFields:
    """Values by the names of the fields, as the model wrote them: whoever uses them looks at their types. `question` is
    what it would ask next; "" where it would ask nothing."""

    values: Mapping[str, object]
    question: str
    usage: Usage


def prompt_text(
    prompt: Prompt,
    question: QuestionContext,
    said: str,
    fields: Sequence[Mapping[str, Any]],
    known: Mapping[str, Any],
) -> PromptText:
    return prompt.write(values_of(question, said=said, fields=fields, known=known))


def extracted_fields(model_reply: ModelReply, fields: Sequence[Mapping[str, Any]]) -> ExtractedFields:
    found = {} if model_reply.truncated else read_object(model_reply.text, "fields") or {}
    values = found.get("fields")
    names = {field["name"] for field in fields}
    given = values.items() if isinstance(values, dict) else ()
    kept = {name: value for name, value in given if name in names and value not in (None, "")}
    return ExtractedFields(kept, one_line(found.get("question"), _LONGEST_QUESTION) or "", model_reply.usage)


class FieldExtraction(ModelPipeline[ExtractedFields], result=extracted_fields):
    """Finds values in words, in one call."""

    async def run(
        self,
        question: QuestionContext,
        *,
        said: str,
        fields: Sequence[Mapping[str, Any]],
        known: Mapping[str, Any],
        timeout: float | None = None,
    ) -> ExtractedFields:
        """The values that `said` gives for `fields` (`{name, type, required, description?, is_excluded?}`: the end of
        a range that does not count itself); `known` are those of before. A reply that cannot be read gives none."""
        values = object_schema("fields", **{field["name"]: _VALUE for field in fields}).schema
        schema = object_schema("field_extraction", fields=values, question=TEXT)
        return await self._ask(timeout, schema=schema, question=question, said=said, fields=tuple(fields), known=known)
