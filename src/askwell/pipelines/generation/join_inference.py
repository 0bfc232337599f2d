"""Which join does the question mean, where the model has several, or none?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askwell.mdl.ddl import model_ddl
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import model_shown, values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import JoinSaid, join_choices, read_object
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.open_joins import JoinChoice, OpenJoin
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_JOIN = object_schema("join", condition=TEXT, confidence={"type": "number"}, reason=TEXT).schema
_SCHEMA = object_schema("join_inference", joins={"type": "array", "items": _JOIN})
# Pairs are few, and so are the joins between two tables: what comes after these is not looked at.
_MOST_READ = 12


@dataclass(frozen=True, slots=True)
class InferredJoins:
    """What a model makes of open joins. `choices` are proven against the semantic model: their columns exist and can be
    equal. `said` is what they were read from; see `join_choices`."""

    choices: tuple[JoinChoice, ...]
    usage: Usage
    said: tuple[JoinSaid, ...] = ()


def prompt_text(
    prompt: Prompt,
    question: QuestionContext,
    context: RetrievedContext,
    pairs: Sequence[OpenJoin],
    model: SemanticModel,
) -> PromptText:
    shown = {name: set(context.schema.columns.get(name, ())) for pair in pairs for name in sorted(pair.tables)}
    for edge in (edge for pair in pairs for choice in pair.choices for edge in choice.edges):
        shown[edge.left].update(here for here, _ in edge.pairs)
        shown[edge.right].update(there for _, there in edge.pairs)
    ddl = model_ddl(model_shown(model), shown, shown)
    return prompt.write(values_of(question, context, ddl=ddl, pairs=pairs))


def inferred_joins(model_reply: ModelReply, pairs: Sequence[OpenJoin], model: SemanticModel) -> InferredJoins:
    found = read_object(model_reply.text, "joins", "condition") or {}
    joins = found.get("joins", [found])
    items = joins[:_MOST_READ] if isinstance(joins, list) and not model_reply.truncated else []
    said = tuple(item for item in items if isinstance(item, dict))
    return InferredJoins(join_choices(said, pairs, model), model_reply.usage, said)


class JoinInference(ModelPipeline[InferredJoins], result=inferred_joins, schema=_SCHEMA):
    """Decides between the joins of some tables, or finds one that nobody wrote down, in one call."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        pairs: Sequence[OpenJoin],
        model: SemanticModel,
        timeout: float | None = None,
    ) -> InferredJoins:
        """The joins that the question means. What a reply names besides them, or wrongly, is left out; one that cannot
        be read gives none."""
        return await self._ask(timeout, question=question, context=context, pairs=tuple(pairs), model=model)
