"""Relationships that a semantic model may lack, as a language model sees them in its names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import ddl_within
from askwell.pipelines.generation.reading import one_line, read_list
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_FIELDS = ("from_table", "from_column", "to_table", "to_column", "reason")
_LINK = object_schema("relationship", **dict.fromkeys(_FIELDS, TEXT)).schema
_SCHEMA = object_schema("relationship_recommendation", relationships={"type": "array", "items": _LINK})
_LONGEST = 300
# What comes after these is not looked at.
_MOST_READ = 200


@dataclass(frozen=True, slots=True)
class WrittenRelationship:
    """Names as the model wrote them, whether or not there is such a table or column."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenRelationships:
    """Relationships as the model wrote them, each once."""

    relationships: tuple[WrittenRelationship, ...]
    usage: Usage


def prompt_text(prompt: Prompt, ddl: str, language: str) -> PromptText:
    return prompt.write({"ddl": ddl, "language": language})


def written_relationships(model_reply: ModelReply) -> WrittenRelationships:
    items = [] if model_reply.truncated else read_list(model_reply.text, "relationships")[:_MOST_READ]
    found = (
        WrittenRelationship(*(one_line(item.get(name), _LONGEST) for name in _FIELDS))
        for item in items
        if isinstance(item, Mapping)
    )
    whole = (one for one in found if one.from_table and one.from_column and one.to_table and one.to_column)
    return WrittenRelationships(tuple(dict.fromkeys(whole)), model_reply.usage)


class RelationshipRecommendation(ModelPipeline[WrittenRelationships], result=written_relationships, schema=_SCHEMA):
    """Finds references whose names no rule understands, in one call."""

    async def run(
        self, model: SemanticModel, *, language: str = "English", timeout: float | None = None
    ) -> WrittenRelationships:
        """The relationships among the first tables that the model's context has room for. A reply that cannot be read,
        or broke off, gives none."""
        return await self._ask(
            timeout,
            ddl=await asyncio.to_thread(ddl_within, model, model.tables, self._llm.context_window // 2),
            language=language,
        )
