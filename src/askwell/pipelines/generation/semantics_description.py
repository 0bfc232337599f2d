"""What a table and some of its columns are, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.reading import one_line, read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_COLUMN = object_schema("column", name=TEXT, description=TEXT).schema
_SCHEMA = object_schema("semantics_description", description=TEXT, columns={"type": "array", "items": _COLUMN})
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class DescriptionBrief:
    """What is to be described: `columns` of one table, whose text is `ddl`. `values` are some values of columns;
    `about` is what a person says of the data."""

    ddl: str
    columns: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    about: str = ""
    language: str = "English"


@dataclass(frozen=True, slots=True)
class WrittenDescriptions:
    """`columns` has the descriptions of those columns that were asked for and described, by their names. `usable` is
    false where the reply held nothing that can be used."""

    description: str
    columns: Mapping[str, str]
    usable: bool
    usage: Usage


def prompt_text(prompt: Prompt, brief: DescriptionBrief) -> PromptText:
    return prompt.write(
        {
            "ddl": brief.ddl,
            "column_names": brief.columns,
            "column_values": list(brief.values.items()),
            "about": brief.about,
            "language": brief.language,
        }
    )


def written_descriptions(model_reply: ModelReply, brief: DescriptionBrief) -> WrittenDescriptions:
    found = {} if model_reply.truncated else read_object(model_reply.text, "columns", "description") or {}
    known = {name.lower(): name for name in brief.columns}
    columns: dict[str, str] = {}
    for name, text in _pairs(found.get("columns")):
        description = one_line(text, _LONGEST)
        if description and name.strip().lower() in known:
            columns.setdefault(known[name.strip().lower()], description)
    description = one_line(found.get("description"), _LONGEST)
    return WrittenDescriptions(description, columns, bool(description or columns), model_reply.usage)


def _pairs(columns: object) -> list[tuple[str, object]]:
    """Names with texts: as asked for, or as one mapping."""
    if isinstance(columns, Mapping):
        return [(str(name), text) for name, text in columns.items()]
    items = columns if isinstance(columns, list) else []
    return [(str(item.get("name", "")), item.get("description")) for item in items if isinstance(item, Mapping)]


class SemanticsDescription(ModelPipeline[WrittenDescriptions], result=written_descriptions, schema=_SCHEMA):
    """Describes one chunk of one table, in one call."""

    async def run(self, brief: DescriptionBrief, *, timeout: float | None = None) -> WrittenDescriptions:
        """The descriptions, of columns that were asked for alone."""
        return await self._ask(timeout, brief=brief)
