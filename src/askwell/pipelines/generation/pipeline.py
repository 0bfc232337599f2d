"""The shape that every pipeline over a language model has: `prompt_text → model_reply → parsed`, one Hamilton graph.

A pipeline is an async function under `@pipeline(name, …)`, which makes a row of the table of specs of it. The function
is given the `Asking` of its model, and what its callers pass: it says which values its prompt gets and how the reply is
read. Its signature is that of `run`:

    @pipeline("sql_diagnosis", diagnosis=TEXT, suggested_fix=TEXT)
    async def sql_diagnosis(ask, question, context, *, rejected) -> Diagnosis:
        return await ask(values_of(question, context, rejected=rejected), partial(_diagnosis, rejected))

    diagnosing = sql_diagnosis.build(llm)
    await diagnosing.run(question, context, rejected=rejected)      # a Diagnosis
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from askwell.pipelines.dag import Dag
from askwell.prompts.loader import OURS, Prompt, PromptSet, PromptStyle
from askwell.providers.llm.base import JsonSchema, LanguageModel, ModelReply, OnDelta
from askwell.providers.llm.call_options import call_options

if TYPE_CHECKING:
    from askwell.providers.llm.chat_generator import ChatGenerator

P = ParamSpec("P")
T = TypeVar("T")

TEXT: Mapping[str, object] = {"type": "string"}
TEXTS: Mapping[str, object] = {"type": "array", "items": TEXT}


def object_schema(name: str, /, **properties: Mapping[str, object]) -> JsonSchema:
    """A JSON object that has exactly these properties, as strict servers want it described."""
    shape = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return JsonSchema(name, shape)


def list_of(**properties: Mapping[str, object]) -> Mapping[str, object]:
    """The description of a list of objects that have exactly these properties."""
    return {"type": "array", "items": object_schema("item", **properties).schema}


@dataclass(frozen=True)
class Asking:
    """What a pipeline asks: its model with its prompt, in the one graph that all pipelines share."""

    llm: LanguageModel
    name: str
    style: PromptStyle
    prompt: Prompt
    schema: JsonSchema | None
    dag: Dag[Any]

    @cached_property
    def generator(self) -> ChatGenerator:
        """The model as a component, made once: that takes Haystack a millisecond, its import a third of a second."""
        from askwell.providers.llm.chat_generator import ChatGenerator

        return ChatGenerator(self.llm)

    async def __call__(
        self,
        values: Mapping[str, Any],
        read: Callable[[ModelReply], T],
        *,
        on_delta: OnDelta | None = None,
        schema: JsonSchema | None = None,
    ) -> T:
        """What `read` makes of the reply to the prompt with these values. `schema` stands in for the pipeline's own.
        Raises `ModelUnavailable`, also where the reply is not there in the seconds of the `call_options`."""
        answer: T = await self.dag.run(
            pipeline=self.name,
            prompt=self.prompt,
            values=values,
            generator=lambda: self.generator,
            on_delta=on_delta,
            timeout=call_options().seconds,
            schema=schema or self.schema,
            read=read,
        )
        return answer


@dataclass(frozen=True, slots=True)
class Pipeline(Generic[P, T]):
    """A pipeline with its model."""

    asking: Asking
    function: Callable[Concatenate[Asking, P], Awaitable[T]]

    async def run(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the pipeline's function gives; see there."""
        return await self.function(self.asking, *args, **kwargs)


@dataclass(frozen=True, slots=True)
class PipelineSpec(Generic[P, T]):
    """A row of the table: the pipeline's name, which is that of its prompt too, the shape of the reply, and its
    function."""

    name: str
    schema: JsonSchema | None
    function: Callable[Concatenate[Asking, P], Awaitable[T]]

    def build(
        self,
        llm: LanguageModel,
        *,
        prompts: PromptSet = OURS,
        adapters: Sequence[Any] = (),
        dag: Dag[Any] | None = None,
        name: str = "",
        prompt: str = "",
    ) -> Pipeline[P, T]:
        """The pipeline with this model, and its prompt out of these; `name` and `prompt` stand in for its own name.
        Raises `ConfigurationError` for a template that cannot be used."""
        name = name or self.name
        text = prompts.load(prompt or name)
        asking = Asking(llm, name, prompts.style, text, self.schema, dag or linear_graph(adapters))
        return Pipeline(asking, self.function)


def pipeline(
    name: str, /, **properties: Mapping[str, object]
) -> Callable[[Callable[Concatenate[Asking, P], Awaitable[T]]], PipelineSpec[P, T]]:
    """Makes the spec of a function. Where there are `properties`, the reply is a JSON object with these."""
    schema = object_schema(name, **properties) if properties else None
    return lambda function: PipelineSpec(name, schema, function)


def linear_graph(adapters: Sequence[Any] = ()) -> Dag[Any]:
    """The graph of `prompt_text → model_reply → parsed`."""
    return Dag("askwell.pipelines.generation.nodes", result="parsed", name="generation", adapters=adapters)
