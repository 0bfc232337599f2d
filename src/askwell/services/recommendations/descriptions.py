"""Descriptions of models and their columns: written by a language model in chunks, or in the words of their names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from askwell.errors import AskwellError, NotFound
from askwell.mdl.ddl import table_ddl
from askwell.mdl.names import nearest_hint
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRef, SampledValues, SemanticModel, Table
from askwell.pipelines.generation.prompt_values import model_shown
from askwell.services.recommendations.wording import column_in_words, table_in_words

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenDescriptions

CHUNK = 50
_AT_ONCE = 4
# Values of a column that are shown, and the characters of each.
_MOST_VALUES = 5
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class DescribedModel:
    """A model with its columns in their order; "" is a description that is not there, or not yet."""

    name: str
    description: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Descriptions:
    """All models that were asked for, as far as they are described; `warnings` say what could not be."""

    models: tuple[DescribedModel, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptionChunk:
    """Up to 50 `columns` of one table for a language model: the table's text with these alone, and some values of those
    that hold no secrets."""

    table: str
    columns: tuple[str, ...]
    ddl: str
    values: Mapping[str, tuple[str, ...]]


WriteDescriptions = Callable[[DescriptionChunk], Awaitable["WrittenDescriptions"]]


def selected_tables(model: SemanticModel, names: Sequence[str]) -> tuple[Table, ...]:
    """The tables of these names, each once. Raises `NotFound`, with the nearest names, where there is no such."""
    for name in names:
        if model.table(name) is None:
            raise NotFound(f"The semantic model has no model {name[:64]}.", nearest_hint(name, model.tables))
    found = (model.table(name) for name in names)
    return tuple({table.name: table for table in found if table is not None}.values())


async def describe_models(
    model: SemanticModel,
    names: Sequence[str],
    values: SampledValues,
    write: WriteDescriptions | None,
) -> AsyncGenerator[Descriptions, None]:
    """The descriptions of the named models, all of them each time that there are more; the last ones are whole.

    With `write` a chunk that fails leaves "" and a warning; without it they are made of names, types and keys. Hidden
    columns are not in the model. Raises `NotFound` as `selected_tables` does.
    """
    tables = selected_tables(model, names)
    if write is None:
        yield await asyncio.to_thread(_in_words, tables, model)
        return
    writing = _Writing(tables, write)
    chunks = await asyncio.to_thread(lambda: [chunk for table in tables for chunk in _chunks(table, model, values)])
    slots = asyncio.Semaphore(_AT_ONCE)
    running = [asyncio.ensure_future(writing.chunk(chunk, slots)) for chunk in chunks]
    try:
        for done in asyncio.as_completed(running):
            await done
            yield writing.so_far()
        if not chunks:
            yield writing.so_far()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@dataclass(slots=True)
class _Writing:
    tables: Sequence[Table]
    write: WriteDescriptions
    descriptions: dict[str, str] = field(default_factory=dict)
    columns: dict[ColumnRef, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    async def chunk(self, chunk: DescriptionChunk, slots: asyncio.Semaphore) -> None:
        async with slots:
            try:
                written = await self.write(chunk)
            except AskwellError as error:
                self.warnings.append(f"{_place(chunk)} were not described: {error.message}")
                return
        if not written.usable:
            self.warnings.append(f"{_place(chunk)} were not described: the language model's reply could not be used.")
            return
        if written.description:
            self.descriptions.setdefault(chunk.table, written.description)
        described = {name: text for name in chunk.columns if (text := written.columns.get(name))}
        self.columns |= {ColumnRef(chunk.table, name): text for name, text in described.items()}
        if missing := len(chunk.columns) - len(described):
            self.warnings.append(f"{_place(chunk)}: the language model left out {missing} of them.")

    def so_far(self) -> Descriptions:
        models = (
            DescribedModel(
                table.name,
                self.descriptions.get(table.name, ""),
                tuple((name.name, self.columns.get(ColumnRef(table.name, name.name), "")) for name in table.columns),
            )
            for table in self.tables
        )
        return Descriptions(tuple(models), tuple(self.warnings))


def _place(chunk: DescriptionChunk) -> str:
    first, last = chunk.columns[0], chunk.columns[-1]
    return f"The {len(chunk.columns)} columns {first} to {last} of {chunk.table}"


def _in_words(tables: Sequence[Table], model: SemanticModel) -> Descriptions:
    return Descriptions(
        tuple(
            DescribedModel(
                table.name,
                table_in_words(table, model),
                tuple((column.name, column_in_words(table, column, model)) for column in table.columns),
            )
            for table in tables
        )
    )


def _chunks(table: Table, model: SemanticModel, values: SampledValues) -> list[DescriptionChunk]:
    model = model_shown(model)
    table = model.tables[table.name]
    links = [link for link in model.relationships if table.name in (link.left, link.right)]
    chunks = []
    for start in range(0, len(table.columns), CHUNK):
        columns = table.columns[start : start + CHUNK]
        names = tuple(column.name for column in columns)
        chunks.append(
            DescriptionChunk(table.name, names, table_ddl(table, links, columns=names), _shown(table, columns, values))
        )
    return chunks


def _shown(table: Table, columns: Sequence[Column], values: SampledValues) -> dict[str, tuple[str, ...]]:
    """Some values of the columns that hold no secrets; the model's own enum values are in the table's text."""
    shown = {
        column.name: values.get(ColumnRef(table.name, column.name), ())[:_MOST_VALUES]
        for column in columns
        if not is_secret(column)
    }
    return {name: tuple(value[:_LONGEST_VALUE] for value in some) for name, some in shown.items() if some}
