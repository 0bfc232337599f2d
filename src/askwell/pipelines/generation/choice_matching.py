"""Which of the options that were offered does an answer in free words mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwell.pipelines.generation.model_call import ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_SCHEMA = object_schema("choice_matching", option_id={"type": "integer"})


@dataclass(frozen=True, slots=True)
class MatchedChoice:
    """The id of the option that is meant; None for none of them."""

    option_id: str | None
    usage: Usage


def prompt_text(
    prompt: Prompt, question: QuestionContext, asked: str, options: Sequence[Mapping[str, str]], said: str
) -> PromptText:
    return prompt.write(values_of(question, clarification=asked, options=options, said=said))


def matched_choice(model_reply: ModelReply, options: Sequence[Mapping[str, str]]) -> MatchedChoice:
    found = {} if model_reply.truncated else read_object(model_reply.text, "option_id") or {}
    said = str(found.get("option_id")).strip()
    return MatchedChoice(said if said in {option["id"] for option in options} else None, model_reply.usage)


class ChoiceMatching(ModelPipeline[MatchedChoice], result=matched_choice, schema=_SCHEMA):
    """Finds the option that words mean, in one call."""

    async def run(
        self,
        question: QuestionContext,
        *,
        asked: str,
        options: Sequence[Mapping[str, str]],
        said: str,
        timeout: float | None = None,
    ) -> MatchedChoice:
        """The one of the `options` (`{id, label, detail}`) that `said` means as an answer to `asked`. A reply that
        cannot be read gives none."""
        return await self._ask(timeout, question=question, asked=asked, options=tuple(options), said=said)
