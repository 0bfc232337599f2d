"""Nodes that every pipeline over a language model has, and the call of the model.

Importing them imports Haystack and Jinja: a graph is built on a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from haystack.dataclasses import ChatMessage

import askwell.prompts.template  # noqa: F401 - so that no prompt waits for it on the event loop
from askwell.errors import ModelTimedOut, ModelUnavailable
from askwell.pipelines.generation.reading import is_cut_object
from askwell.prompts.loader import Prompt, PromptText
from askwell.providers.llm.base import JsonSchema, ModelReply, OnDelta, Usage
from askwell.providers.llm.call_options import at_most
from askwell.providers.llm.chat_generator import ChatGenerator

# How often a call is made in all that is late, breaks off while its words are read, or gives half of an object. With
# three, 30% of calls failing in all ways alike spoil fewer than 1 in 100 of them.
_TRIES = 3
# Between words that broke off and others in their place.
_BREAK = "…\n\n"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Whom to ask, for how many seconds at most, and who listens while the reply is written."""

    generator: ChatGenerator
    timeout: float | None = None
    on_delta: OnDelta | None = None

    async def ask(self, prompt: PromptText, schema: JsonSchema | None = None) -> ModelReply:
        """The reply. Raises `ModelUnavailable`."""
        clock = asyncio.get_running_loop().time
        end = None if self.timeout is None else clock() + self.timeout
        telling = _Retelling(self.on_delta) if self.on_delta is not None else None
        usage = Usage()
        tries = 0
        left = self.timeout
        while True:
            tries += 1
            try:
                reply = await self._ask_once(prompt, schema, telling, left)
            except ModelUnavailable as error:
                may_pass = isinstance(error, ModelTimedOut) or (telling is not None and telling.has_begun)
                left = None if end is None else end - clock()
                if not may_pass or tries == _TRIES or (left is not None and left <= 0):
                    raise
                usage += Usage(llm_calls=1)
                continue
            usage += reply.usage
            left = None if end is None else end - clock()
            # One that stopped at its length limit would stop there again.
            is_whole = schema is None or reply.truncated or not is_cut_object(reply.text)
            if is_whole or tries == _TRIES or (left is not None and left <= 0):
                return replace(reply, usage=usage)

    async def _ask_once(
        self, prompt: PromptText, schema: JsonSchema | None, telling: _Retelling | None, timeout: float | None
    ) -> ModelReply:
        if telling is not None:
            telling.begin()
        messages = [ChatMessage.from_system(prompt.system), ChatMessage.from_user(prompt.user)]
        options = {"schema": schema, "on_delta": telling, "timeout": timeout}
        with at_most(prompt.reply_tokens):
            found = await self.generator.run_async(messages, generation_kwargs=options)
        if telling is not None:
            telling.finish()
        reply: ChatMessage = found["replies"][0]
        return ModelReply(reply.text or "", found["usage"], truncated=reply.meta["finish_reason"] == "length")


class _Retelling:
    """An `OnDelta` over several attempts at one text: what was read already is not passed on again. Where an attempt
    says something else, the reader gets a break, and then all of it."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._told = ""
        self._heard = ""

    @property
    def has_begun(self) -> bool:
        """Whether anything was passed on."""
        return bool(self._told)

    def begin(self) -> None:
        """The text begins anew."""
        self._heard = ""

    def finish(self) -> None:
        """The text is whole: one that ends before what was read is another text."""
        if self._heard and len(self._heard) < len(self._told):
            self._on_delta(f"{_BREAK}{self._heard}")

    def __call__(self, piece: str) -> None:
        self._heard += piece
        if self._told.startswith(self._heard):
            return
        if self._heard.startswith(self._told):
            new = self._heard[len(self._told) :]
        else:
            new = f"{_BREAK}{self._heard}"
        self._told = self._heard
        self._on_delta(new)


def prompt_text(prompt: Prompt, values: Mapping[str, Any]) -> PromptText:
    """The prompt with the values of this call."""
    return prompt.write(values)


async def model_reply(
    generator: Callable[[], ChatGenerator],
    prompt_text: PromptText,
    schema: JsonSchema | None,
    on_delta: OnDelta | None,
    timeout: float | None,
) -> ModelReply:
    """What the model writes, within `timeout` seconds."""
    return await ModelCall(generator(), timeout, on_delta).ask(prompt_text, schema)


def parsed(model_reply: ModelReply, read: Callable[[ModelReply], Any]) -> Any:
    """What the pipeline reads in it."""
    return read(model_reply)
