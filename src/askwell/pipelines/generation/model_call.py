"""What the generation pipelines have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from askwell.pipelines.dag import Dag
from askwell.pipelines.generation import model_reply
from askwell.pipelines.generation.model_reply import ModelCall
from askwell.prompts import OURS, PromptSet
from askwell.providers.llm.base import JsonSchema, LanguageModel, OnDelta

T = TypeVar("T")


class ModelPipeline(Generic[T]):
    """A pipeline that asks a model: the nodes of its module, of which `result` is the last, and `model_reply`, which
    asks for JSON by `schema` where there is one; and the `prompt` of that name, or of the pipeline's `name`, which is
    its module's where none is given."""

    _result: Callable[..., Any]
    _schema: JsonSchema | None

    def __init_subclass__(cls, *, result: Callable[..., Any], schema: JsonSchema | None = None) -> None:
        cls._result = staticmethod(result)
        cls._schema = schema

    def __init__(
        self,
        llm: LanguageModel,
        *,
        prompts: PromptSet = OURS,
        adapters: Sequence[Any] = (),
        name: str = "",
        prompt: str = "",
    ) -> None:
        self._llm = llm
        self._dag: Dag[T] = Dag(
            sys.modules[type(self).__module__], model_reply, result=self._result, name=name, adapters=adapters
        )
        self._prompt = prompts.load(prompt or self._dag.name)

    async def _ask(self, timeout: float | None, on_delta: OnDelta | None = None, **inputs: Any) -> T:
        call = ModelCall(self._llm, timeout, on_delta)
        return await self._dag.run(**{"call": call, "prompt": self._prompt, "schema": self._schema, **inputs})


def object_schema(name: str, /, **properties: Mapping[str, object]) -> JsonSchema:
    """A JSON object that has exactly these properties, as strict servers want it described."""
    shape = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return JsonSchema(name, shape)


TEXT: Mapping[str, object] = {"type": "string"}
TEXTS: Mapping[str, object] = {"type": "array", "items": TEXT}
