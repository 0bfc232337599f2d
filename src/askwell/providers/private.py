"""Middleware by which models on servers are sent no values: what goes to them and comes from them goes through the
vault of the job."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from askwell.observability.metrics import Metrics
from askwell.privacy.current import current_vault, is_decided, leaves_as_it_is
from askwell.privacy.tokens import Restoring
from askwell.privacy.vault import Vault
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.providers.llm.base import ModelCall, ModelReply, OnDelta
from askwell.providers.llm.call_options import call_options, with_thoughts
from askwell.providers.middleware import Next, WrappedEmbedder

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage, ToolCall

logger = logging.getLogger(__name__)

T = TypeVar("T")
# Looking for values in so many characters takes some 10 ms; in more, the event loop does not wait for it.
_LONG = 4_000


class PrivateCalls:
    """Middleware for the calls of one pipeline. Prompts are written without values; here values of the job that are in
    one all the same are replaced and counted, which is a defect of their author. Replies come back with the values
    in place of their tokens, but for statements that are no JSON: their readers put them back. Where values of
    any project are kept (`keeps_values`), nothing is sent for work that is for no known project."""

    def __init__(self, pipeline: str, metrics: Metrics, *, keeps_values: bool) -> None:
        self._keeps_values = keeps_values
        self._pipeline = pipeline
        self._metrics = metrics

    async def __call__(self, call: ModelCall, following: Next[ModelCall, ModelReply]) -> ModelReply:
        if self._keeps_values and not is_decided():
            raise RuntimeError("a language model was called outside of a job, where values are kept")
        vault = current_vault()
        if vault is None:
            return await following(call)
        size = len(call.system) + len(call.user) + sum(map(_text_length, call.messages or ()))
        sent = await asyncio.to_thread(self._masked, call, vault) if size > _LONG else self._masked(call, vault)
        with _Listening(vault, call.on_delta, in_json=call.schema is not None) as listening:
            answer = await following(replace(sent, on_delta=listening.on_delta))
        restore = vault.restored if call.schema is None else vault.restored_reply
        calls = (replace(one, arguments=_mapping(vault.restored_structure(one.arguments))) for one in answer.calls)
        return replace(answer, text=restore(answer.text), calls=tuple(calls))

    def _masked(self, call: ModelCall, vault: Vault) -> ModelCall:
        """The call as it may leave. What tools gave, and what the model said before, is masked here; what people say
        stands in prompts."""

        def checked(text: str) -> str:
            return self._checked(vault, text)

        if call.messages is None:
            return replace(call, system=checked(call.system), user=checked(call.user))
        return replace(call, messages=[_masked_message(message, vault, checked) for message in call.messages])

    def _checked(self, vault: Vault, text: str) -> str:
        checked, caught = vault.sent(text)
        if caught:
            self._metrics.values_caught(self._pipeline, caught)
            logger.warning("values were taken out of a prompt", extra={"pipeline": self._pipeline, "count": caught})
        return checked


class _Listening:
    """Listeners to a reply, and to its thoughts, hear it restored."""

    def __init__(self, vault: Vault, on_delta: OnDelta | None, *, in_json: bool = False) -> None:
        thoughts = call_options().on_thought
        self._thoughts = None if thoughts is None else vault.restoring(thoughts)
        self.on_delta: Restoring | None = None if on_delta is None else vault.restoring(on_delta, in_json=in_json)
        self._closing = ExitStack()

    def __enter__(self) -> _Listening:
        self._closing.enter_context(with_thoughts(self._thoughts))
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.close()
        for one in (self._thoughts, self.on_delta):
            if one is not None and exception[0] is None:
                one.finish()


def _text_length(message: ChatMessage) -> int:
    """How many characters a message has that may have to be masked, but for arguments of calls."""
    result = message.tool_call_result
    return len(message.text or "") + (len(str(result.result)) if result is not None else 0)


def _masked_message(message: ChatMessage, vault: Vault, checked: Callable[[str], str]) -> ChatMessage:
    """A message as it may leave. `checked` looks at texts that are prompts, from which values were left out before."""
    from haystack.dataclasses import ChatMessage, ChatRole  # which the messages are of

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


def _masked_call(call: ToolCall, vault: Vault) -> ToolCall:
    return replace(call, arguments=_mapping(vault.structure(call.arguments)))


def _mapping(value: Any) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value


# In an embedded text numbered tokens would mean something else in every text.
_VALUE = "something"


def private_embedder(embedder: Embedder, anybody: Vault) -> Embedder:
    """The embedder, sent texts with a word in the place of each value: questions, saved questions, instructions and
    passages. Names and descriptions of models go as they are, and so does what is for a project whose values may leave.
    `anybody` masks what is for no known project."""

    async def blank(texts: Sequence[str], following: Next[Sequence[str], Vectors]) -> Vectors:
        vault = current_vault() if is_decided() else anybody
        if vault is None or leaves_as_it_is():
            return await following(texts)
        # Passages come in batches that take a while.
        return await following(await asyncio.to_thread(lambda: [vault.blanked(text, _VALUE) for text in texts]))

    return WrappedEmbedder(embedder, blank, hides_values=True)
