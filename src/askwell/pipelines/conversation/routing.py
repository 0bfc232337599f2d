"""By which of the configured ways a message is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.reading import one_line, read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_REASONED = object_schema("conversation_routing", reason=TEXT, id=TEXT)
_FAST = object_schema("conversation_routing", id=TEXT)
_LONGEST_REASON = 500
# Earlier messages that a model is shown.
_EARLIER = 5


@dataclass(frozen=True, slots=True)
class Way:
    """One of the ways; `description` says to the model which messages are answered so."""

    id: str
    description: str


@dataclass(frozen=True, slots=True)
class ChosenWay:
    """The id of a way, None where the reply names none of them; and why."""

    id: str | None
    reason: str
    usage: Usage


def prompt_text(
    prompt: Prompt, message: str, language: str, ways: Sequence[Way], earlier: Sequence[str], reasons: bool
) -> PromptText:
    return prompt.write(
        {"question": message, "language": language, "ways": ways, "earlier": earlier, "reasons": reasons}
    )


def chosen_way(model_reply: ModelReply, ways: Sequence[Way]) -> ChosenWay:
    found = read_object(model_reply.text, "id") or {}
    named = str(found.get("id", model_reply.text)).strip().casefold()
    chosen = next((one.id for one in ways if one.id.casefold() == named), None)
    return ChosenWay(chosen, one_line(found.get("reason"), _LONGEST_REASON), model_reply.usage)


class ConversationRouting(ModelPipeline[ChosenWay], result=chosen_way):
    """Chooses the way; `reasons` has the model say why, which takes longer and is more often right."""

    async def run(
        self, message: str, *, ways: Sequence[Way], earlier: Sequence[str], language: str, reasons: bool
    ) -> ChosenWay:
        """The way for a message; `earlier` ones are oldest first. Raises `ModelUnavailable`."""
        return await self._ask(
            None,
            message=message,
            language=language,
            ways=tuple(ways),
            earlier=tuple(earlier[-_EARLIER:]),
            reasons=reasons,
            schema=_REASONED if reasons else _FAST,
        )
