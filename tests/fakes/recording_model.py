"""A language model that keeps what it was asked and says what it was told to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from haystack.dataclasses import ChatMessage

from askwell.providers.llm.base import (
    Capabilities,
    JsonFormat,
    JsonSchema,
    ModelReply,
    OnDelta,
    ToolSpec,
    Turn,
    Usage,
)


@dataclass
class Asked:
    """One call as it arrived."""

    system: str
    user: str
    schema: JsonSchema | None
    timeout: float | None


@dataclass
class RecordingModel:
    """Implements `LanguageModel`. Streams its reply in two halves."""

    text: str = ""
    calls: list[Asked] = field(default_factory=list)
    name: str = "recording"
    context_window: int = 8000
    away: bool = False

    async def reply(
        self,
        *,
        system: str,
        user: str,
        schema: JsonSchema | None = None,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> ModelReply:
        self.calls.append(Asked(system, user, schema, timeout))
        if on_delta is not None:
            half = len(self.text) // 2
            on_delta(self.text[:half])
            on_delta(self.text[half:])
        return ModelReply(self.text, Usage(1, 10, 5))

    async def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """Says its text; whoever wants tools called scripts a `ChatServer`."""
        reply = await self.reply(
            system=messages[0].text or "", user=messages[-1].text or "", on_delta=on_delta, timeout=timeout
        )
        return Turn(ChatMessage.from_assistant(reply.text), reply.usage)

    async def reach(self) -> None: ...

    async def probe(self) -> Capabilities:
        return Capabilities(JsonFormat.SCHEMA, True, True, True, self.context_window, 0.0)

    async def close(self) -> None: ...
