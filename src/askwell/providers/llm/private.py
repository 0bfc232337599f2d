"""A language model that is sent no values: whatever goes to it and comes from it goes through the vault of the job."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from askwell.observability.metrics import Metrics
from askwell.privacy import Vault, current_vault, is_decided
from askwell.privacy.tokens import Restoring
from askwell.providers.llm.base import JsonSchema, LanguageModel, ModelReply, OnDelta, ToolSpec, Turn
from askwell.providers.llm.call_options import call_options, with_thoughts
from askwell.providers.llm.wrapped import WrappedModel

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

logger = logging.getLogger(__name__)

_Done = TypeVar("_Done")
# Looking for values in so many characters takes some 10 ms; in more, the event loop does not wait for it.
_LONG = 4_000


class PrivateModel(WrappedModel):
    """A `LanguageModel` as one pipeline calls it. Prompts are written without values; here values of the job that are
    in one all the same are replaced and counted, which is a defect of whoever wrote it. Replies come back with the
    values in place of their tokens, but for statements that are no JSON: whoever reads these puts them back. Where
    values of any project are kept (`keeps_values`), nothing is sent for work of which nobody has said whose it is."""

    def __init__(self, model: LanguageModel, pipeline: str, metrics: Metrics, *, keeps_values: bool) -> None:
        super().__init__(model)
        self._keeps_values = keeps_values
        self._pipeline = pipeline
        self._metrics = metrics

    async def reply(
        self,
        *,
        system: str,
        user: str,
        schema: JsonSchema | None = None,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> ModelReply:
        """See `LanguageModel.reply`."""
        vault = self._vault()
        if vault is None:
            return await self._model.reply(system=system, user=user, schema=schema, on_delta=on_delta, timeout=timeout)
        sent = await _worked(len(system) + len(user), lambda: [self._checked(vault, text) for text in (system, user)])
        with _Listening(vault, on_delta, in_json=schema is not None) as listening:
            reply = await self._model.reply(
                system=sent[0],
                user=sent[1],
                schema=schema,
                on_delta=listening.on_delta,
                timeout=timeout,
            )
        restore = vault.restored if schema is None else vault.restored_reply
        return replace(reply, text=restore(reply.text))

    async def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """See `LanguageModel.converse`. What tools gave, and what the model said before, is masked here; what people
        say stands in prompts."""
        vault = self._vault()
        if vault is None:
            return await self._model.converse(messages, tools=tools, on_delta=on_delta, timeout=timeout)
        # Haystack is there: the messages are its own.
        from askwell.providers.llm.private_messages import masked_message, restored_message, text_length

        sent = await _worked(
            sum(map(text_length, messages)),
            lambda: [masked_message(message, vault, lambda text: self._checked(vault, text)) for message in messages],
        )
        with _Listening(vault, on_delta) as listening:
            turn = await self._model.converse(sent, tools=tools, on_delta=listening.on_delta, timeout=timeout)
        return replace(turn, message=restored_message(turn.message, vault))

    def _vault(self) -> Vault | None:
        if self._keeps_values and not is_decided():
            raise RuntimeError("a language model was called outside of a job, where values are kept")
        return current_vault()

    def _checked(self, vault: Vault, text: str) -> str:
        checked, caught = vault.sent(text)
        if caught:
            self._metrics.values_caught(self._pipeline, caught)
            logger.warning("values were taken out of a prompt", extra={"pipeline": self._pipeline, "count": caught})
        return checked


async def _worked(characters: int, work: Callable[[], _Done]) -> _Done:
    """What the work gives, done on a thread where it takes long."""
    return await asyncio.to_thread(work) if characters > _LONG else work()


class _Listening:
    """Whoever hears a reply, and its thoughts, while it is written hears it restored."""

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
