"""Messages of a conversation without values, and replies with them. Importing it imports Haystack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from haystack.dataclasses import ChatMessage, ChatRole, ToolCall

from askwell.privacy import Vault


def text_length(message: ChatMessage) -> int:
    """How many characters a message has that may have to be masked, but for arguments of calls."""
    result = message.tool_call_result
    return len(message.text or "") + (len(str(result.result)) if result is not None else 0)


def masked_message(message: ChatMessage, vault: Vault, checked: Callable[[str], str]) -> ChatMessage:
    """A message as it may leave. `checked` looks at texts that are prompts, from which values were left out before."""
    if (result := message.tool_call_result) is not None:
        return ChatMessage.from_tool(
            vault.json(str(result.result)),
            origin=_masked_call(result.origin, vault),
            error=result.error,
            meta=message.meta,
        )
    if message.is_from(ChatRole.ASSISTANT):
        calls = [_masked_call(call, vault) for call in message.tool_calls]
        text = vault.words(message.text) if message.text else None
        return ChatMessage.from_assistant(text, meta=message.meta, tool_calls=calls)
    text = checked(message.text or "")
    if message.is_from(ChatRole.SYSTEM):
        return ChatMessage.from_system(text, meta=message.meta)
    return ChatMessage.from_user(text, meta=message.meta)


def restored_message(message: ChatMessage, vault: Vault) -> ChatMessage:
    """What a model said, with the values in place of their tokens."""
    calls = [
        ToolCall(call.tool_name, _mapping(vault.restored_structure(call.arguments)), call.id)
        for call in message.tool_calls
    ]
    text = vault.restored(message.text) if message.text else message.text
    return ChatMessage.from_assistant(text, meta=message.meta, tool_calls=calls)


def _masked_call(call: ToolCall, vault: Vault) -> ToolCall:
    return ToolCall(call.tool_name, _mapping(vault.structure(call.arguments)), call.id)


def _mapping(value: Any) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value
