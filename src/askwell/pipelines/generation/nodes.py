"""Nodes that every pipeline over a language model has. Importing them imports Haystack and Jinja: a graph is built on a
thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import askwell.prompts.template  # noqa: F401 - so that no prompt waits for it on the event loop
from askwell.pipelines.generation.model_call import ModelCall
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import JsonSchema, ModelReply, OnDelta
from askwell.providers.llm.chat_generator import ChatGenerator


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
