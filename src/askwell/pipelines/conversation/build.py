"""What a conversation asks language models for, built once; and what passes between a loop with tools and its owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from askwell.config.settings import IntentRoute
from askwell.pipelines.generation.pipeline import TEXT, TEXTS, Asking, linear_graph, object_schema, pipeline
from askwell.pipelines.generation.question import Answered
from askwell.pipelines.generation.reading import one_line, read_object
from askwell.pipelines.generation.recommending import suggested_questions
from askwell.prompts.loader import PromptSet
from askwell.providers.llm.base import LanguageModel, ModelReply, Usage

# How a loop ended: with an answer, with half of one, because its owner wanted it, or after the last step it had.
Ending = Literal["text", "length", "stopped", "max_steps"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool as the model made it. `id` is the model's own."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn that was taken before: of a `user`; of the `assistant`, with its calls; of a `tool`, which answers one."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[Call, ...] = ()
    answers: Call | None = None


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """How it ended, what it cost, and the steps it took: calls of the model."""

    ending: Ending
    usage: Usage
    steps: int


class Owner(Protocol):
    """Whoever the loop works for."""

    async def stop(self) -> bool:
        """Whether the model is to be asked no more; asked before each step."""
        ...

    def hear(self, piece: str) -> None:
        """A piece of what the model writes."""
        ...

    async def called(self, text: str, calls: Sequence[Call]) -> None:
        """The model wrote this and made these calls, of tools that there are or not."""
        ...

    async def call(self, call: Call) -> str:
        """What a tool gives the model to read. What it raises ends the loop."""
        ...

    async def unanswered(self, call: Call, content: str) -> None:
        """A call that no tool answered, such as one of a tool that there is not, and what the model is told."""
        ...

    async def answered(self, text: str, *, is_cut: bool) -> str | None:
        """The model wrote this and made no call. What it is to be told to go on; None where that is the answer."""
        ...


AGENT = "agent"


_LONGEST_REASON = 500
# Earlier messages that a model is shown.
_EARLIER = 5


@pipeline("conversation_routing")
async def conversation_routing(
    ask: Asking, message: str, *, ways: Sequence[IntentRoute], earlier: Sequence[str], language: str, reasons: bool
) -> Answered[tuple[str | None, str]]:
    """The id of the way for a message, None where the reply names none of them, and why; `earlier` ones are oldest
    first. With `reasons` the model says why, which takes longer and is more often right. Raises `ModelUnavailable`."""

    def chosen(reply: ModelReply) -> Answered[tuple[str | None, str]]:
        found = read_object(reply.text, "id") or {}
        named = str(found.get("id", reply.text)).strip().casefold()
        way = next((one.id for one in ways if one.id.casefold() == named), None)
        return Answered((way, one_line(found.get("reason"), _LONGEST_REASON)), reply.usage)

    values = {
        "question": message,
        "language": language,
        "ways": tuple(ways),
        "earlier": tuple(earlier[-_EARLIER:]),
        "reasons": reasons,
    }
    properties = {"reason": TEXT, "id": TEXT} if reasons else {"id": TEXT}
    return await ask(values, chosen, schema=object_schema("conversation_routing", **properties))


# Earlier questions, which are not to be suggested again.
_ASKED = 20
_ANSWER_CHARACTERS = 2_000


@pipeline("conversation_suggestion", questions=TEXTS)
async def conversation_suggestion(
    ask: Asking,
    question: str,
    *,
    answer: str,
    tables: Sequence[str],
    asked: Sequence[str],
    language: str,
    persona: str,
) -> Answered[tuple[str, ...]]:
    """Three questions that may follow an answer; `tables` are lines of the tables that they may be about, `asked` what
    was asked before, oldest first. A reply that cannot be read gives none. Raises `ModelUnavailable`."""
    values = {
        "question": question,
        "language": language,
        "answer": answer[:_ANSWER_CHARACTERS],
        "tables": tuple(tables),
        "asked": tuple(asked[-_ASKED:]),
        "persona": persona,
    }
    return await ask(values, suggested_questions)


class ConversationPipelines:
    """The pipelines agent, conversation_routing and conversation_suggestion, each with the model that `llm_for` and the
    prompts that `prompts_for` give for its name. `prompt` is an agent's own, `default` the model that it speaks by,
    unless it names one of `models`. Raises `ConfigurationError` for a template that cannot be used."""

    def __init__(
        self,
        llm_for: Callable[[str], LanguageModel],
        prompts_for: Callable[[str], PromptSet],
        models: Mapping[str, LanguageModel],
        adapters: Sequence[Any] = (),
    ) -> None:
        self.prompt = prompts_for(AGENT).load("conversation")
        self.default = llm_for(AGENT)
        self._models = models
        dag = linear_graph(adapters)
        name = conversation_routing.name
        self.routing = conversation_routing.build(llm_for(name), prompts=prompts_for(name), dag=dag)
        name = conversation_suggestion.name
        self.suggestion = conversation_suggestion.build(llm_for(name), prompts=prompts_for(name), dag=dag)

    def model(self, name: str | None) -> LanguageModel:
        """The model of that name; the default one for None and for a name that is not configured any more."""
        return self._models.get(name, self.default) if name is not None else self.default
