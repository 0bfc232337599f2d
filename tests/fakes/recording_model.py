"""A language model that keeps what it was asked and says what it was told to say."""

from __future__ import annotations

from dataclasses import dataclass, field

from askwell.providers.llm.base import Capabilities, JsonFormat, LanguageModel, ModelCall, ModelReply, Usage


async def reply_of(model: LanguageModel, **asked: object) -> ModelReply:
    """What a model replies to a call with these fields."""
    return await model.reply(ModelCall(**asked))  # type: ignore[arg-type]


@dataclass
class RecordingModel:
    """Implements `LanguageModel`. Streams its reply in two halves. For tool calls, script a `ChatServer`."""

    text: str = ""
    calls: list[ModelCall] = field(default_factory=list)
    name: str = "recording"
    context_window: int = 8000
    away: bool = False

    async def reply(self, call: ModelCall) -> ModelReply:
        self.calls.append(call)
        if call.on_delta is not None:
            half = len(self.text) // 2
            call.on_delta(self.text[:half])
            call.on_delta(self.text[half:])
        return ModelReply(self.text, Usage(1, 10, 5))

    async def reach(self) -> None: ...

    async def probe(self) -> Capabilities:
        return Capabilities(JsonFormat.SCHEMA, True, True, True, self.context_window, 0.0)

    async def close(self) -> None: ...
