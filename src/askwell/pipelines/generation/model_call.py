"""One call of a language model, as the generation pipelines make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from askwell.prompts import PromptText
from askwell.providers.llm.base import JsonSchema, LanguageModel, ModelReply, OnDelta
from askwell.providers.llm.thinking import StreamWithoutThinking, without_thinking


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Whom to ask, for how many seconds at most, and who listens while the reply is written."""

    llm: LanguageModel
    timeout: float | None = None
    on_delta: OnDelta | None = None

    async def ask(self, prompt: PromptText, schema: JsonSchema | None = None) -> ModelReply:
        """The reply, without the thinking that some models write before it."""
        listener = StreamWithoutThinking(self.on_delta) if self.on_delta is not None else None
        reply = await self.llm.reply(
            system=prompt.system, user=prompt.user, schema=schema, on_delta=listener, timeout=self.timeout
        )
        if listener is not None:
            listener.finish()
        return replace(reply, text=without_thinking(reply.text))


def object_schema(name: str, /, **properties: Mapping[str, object]) -> JsonSchema:
    """A JSON object that has exactly these properties, as strict servers want it described."""
    shape = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return JsonSchema(name, shape)


TEXT: Mapping[str, object] = {"type": "string"}
