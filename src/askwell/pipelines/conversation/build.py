"""What a conversation asks language models for, built once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.pipelines.conversation.routing import ConversationRouting
from askwell.pipelines.conversation.suggestion import ConversationSuggestion
from askwell.prompts import Prompt, PromptSet
from askwell.providers.llm.base import LanguageModel

AGENT = "agent"


@dataclass(frozen=True)
class ConversationPipelines:
    """`prompt` is an agent's own, `default` the model that it speaks by, unless it names one of `models`."""

    prompt: Prompt
    default: LanguageModel
    models: Mapping[str, LanguageModel]
    routing: ConversationRouting
    suggestion: ConversationSuggestion

    def model(self, name: str | None) -> LanguageModel:
        """The model of that name; the default one for None and for a name that is not configured any more."""
        return self.models.get(name, self.default) if name is not None else self.default


def build_conversation(
    llm_for: Callable[[str], LanguageModel],
    prompts_for: Callable[[str], PromptSet],
    models: Mapping[str, LanguageModel],
    adapters: Sequence[Any] = (),
) -> ConversationPipelines:
    """The pipelines agent, conversation_routing and conversation_suggestion, each with the model that `llm_for` and
    the prompts that `prompts_for` give for its name. Raises `ConfigurationError` for a template that cannot be used."""

    def build(pipeline: Callable[..., Any], name: str) -> Any:
        return pipeline(llm_for(name), name=name, prompts=prompts_for(name), adapters=adapters)

    return ConversationPipelines(
        prompt=prompts_for(AGENT).load("conversation"),
        default=llm_for(AGENT),
        models=models,
        routing=build(ConversationRouting, "conversation_routing"),
        suggestion=build(ConversationSuggestion, "conversation_suggestion"),
    )
