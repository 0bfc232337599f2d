"""Which join does the question mean, where the model has several, or none?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwell.mdl.ddl import model_ddl
from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.dag import Dag
from askwell.pipelines.generation.model_call import TEXT, ModelCall, object_schema
from askwell.pipelines.generation.prompt_values import model_shown, values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import read_confidence, read_object, shortened
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.open_joins import JoinChoice, OpenJoin
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply, Usage

_JOIN = {
    "type": "object",
    "properties": {"condition": TEXT, "confidence": {"type": "number"}, "reason": TEXT},
    "required": ["condition", "confidence", "reason"],
    "additionalProperties": False,
}
_SCHEMA = object_schema("join_inference", joins={"type": "array", "items": _JOIN})
# Pairs are few, and so are the joins between two tables: what comes after these is not looked at.
_MOST_READ = 12
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class InferredJoins:
    """What a model makes of open joins. `choices` are proven against the semantic model: their columns exist and can be
    equal."""

    choices: tuple[JoinChoice, ...]
    usage: Usage


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


async def model_reply(call: ModelCall, prompt_text: PromptText) -> ModelReply:
    return await call.ask(prompt_text, _SCHEMA)


def inferred_joins(model_reply: ModelReply, pairs: Sequence[OpenJoin], model: SemanticModel) -> InferredJoins:
    found = read_object(model_reply.text, "joins", "condition") or {}
    joins = found.get("joins", [found])
    items = joins[:_MOST_READ] if isinstance(joins, list) and not model_reply.truncated else []
    choices: dict[str, JoinChoice] = {}
    for choice in (choice for item in items if isinstance(item, dict) for choice in _choices(item, pairs, model)):
        choices.setdefault(choice.condition, choice)
    return InferredJoins(tuple(choices.values()), model_reply.usage)


class JoinInference:
    """Decides between the joins of some tables, or finds one that nobody wrote down, in one call."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        self._llm = llm
        self._prompt = prompts.load("join_inference")
        self._dag = Dag(sys.modules[__name__], result=inferred_joins, adapters=adapters)

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
        return await self._dag.run(
            call=ModelCall(self._llm, timeout),
            prompt=self._prompt,
            question=question,
            context=context,
            pairs=tuple(pairs),
            model=model,
        )


def _choices(item: dict[str, Any], pairs: Sequence[OpenJoin], model: SemanticModel) -> Iterator[JoinChoice]:
    """The choice that an item of the reply makes, if it is one for a pair that was asked about."""
    confidence = read_confidence(item.get("confidence"))
    written = str(item.get("condition") or "")
    # A candidate is told with plain names, and copied: some of these ("order items") cannot be read without quotes.
    told = {_plain(choice.condition): choice.edges for pair in pairs for choice in pair.choices}
    edges = told.get(_plain(written)) or read_joins(model, written)
    if confidence is None or not edges:
        return
    reason = shortened(item.get("reason"), _LONGEST_REASON)
    named = tuple(replace(edge, source=JoinSource.MODEL, confidence=confidence, reason=reason) for edge in edges)
    choice = JoinChoice(named, confidence)
    known = (tables for pair in pairs for tables in ({pair.left, pair.right}, *(one.tables for one in pair.choices)))
    if any(choice.tables == tables and len(named) == len(tables) - 1 for tables in known):
        yield choice


def _plain(condition: str) -> str:
    return " ".join(condition.split()).lower()
