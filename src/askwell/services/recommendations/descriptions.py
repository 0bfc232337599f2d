"""Descriptions of models and their columns: written by a language model in chunks, or in the words of their names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel

from askwell.errors import AskwellError, NotFound
from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import listed, nearest_hint, singular, words
from askwell.mdl.prompt_schema import table_ddl
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    Relationship,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.units import unit_of_name, without_unit
from askwell.pipelines.generation.question import model_shown
from askwell.services.recommendations.fields import listed_words

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenDescriptions

CHUNK = 50
_AT_ONCE = 4
# Values of a column that are shown, and the characters of each.
_MOST_VALUES = 5
_LONGEST_VALUE = 60
_KINDS = {
    TableKind.VIEW: "A saved query",
    TableKind.METRIC: "Results, one row for each combination of its dimensions",
    TableKind.CUBE: "Results, one row for each combination of its dimensions",
}
# Tables, values and columns that a sentence names.
_MOST_NAMED = 5


class ColumnInWords(BaseModel):
    name: str
    description: str


class ModelInWords(BaseModel):
    """A model with its columns in their order; "" is a description that is not there, or not yet."""

    name: str
    description: str
    columns: list[ColumnInWords]


@dataclass(frozen=True, slots=True)
class Descriptions:
    """All models that were asked for, as far as they are described; `warnings` say what could not be."""

    models: tuple[ModelInWords, ...]
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
        yield await asyncio.to_thread(lambda: _told(tables, _in_words(tables, model)))
        return
    chunks = await asyncio.to_thread(lambda: [chunk for table in tables for chunk in _chunks(table, model, values)])
    texts: dict[str | ColumnRef, str] = {}
    warnings: list[str] = []
    slots = asyncio.Semaphore(_AT_ONCE)

    async def describe(chunk: DescriptionChunk) -> None:
        async with slots:
            try:
                written = await write(chunk)
                problem = "" if written.usable else "the language model's reply could not be used."
            except AskwellError as error:
                problem = error.message
        if problem:
            warnings.append(f"{_place(chunk)} were not described: {problem}")
            return
        described = {
            ColumnRef(chunk.table, name): text for name in chunk.columns if (text := written.columns.get(name))
        }
        texts.update(described)
        if written.description:
            texts.setdefault(chunk.table, written.description)
        if missing := len(chunk.columns) - len(described):
            warnings.append(f"{_place(chunk)}: the language model left out {missing} of them.")

    running = [asyncio.ensure_future(describe(chunk)) for chunk in chunks]
    try:
        for done in asyncio.as_completed(running):
            await done
            yield _told(tables, texts, warnings)
        if not chunks:
            yield _told(tables, texts)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _told(tables: Sequence[Table], texts: Mapping[str | ColumnRef, str], warnings: Sequence[str] = ()) -> Descriptions:
    """The tables with what is said of them, and of their columns."""
    models = []
    for table in tables:
        said = {column.name: texts.get(ColumnRef(table.name, column.name), "") for column in table.columns}
        columns = [ColumnInWords(name=name, description=text) for name, text in said.items()]
        models.append(ModelInWords(name=table.name, description=texts.get(table.name, ""), columns=columns))
    return Descriptions(tuple(models), tuple(warnings))


def _in_words(tables: Sequence[Table], model: SemanticModel) -> dict[str | ColumnRef, str]:
    texts: dict[str | ColumnRef, str] = {table.name: table_in_words(table, model) for table in tables}
    for table in tables:
        texts |= {ColumnRef(table.name, one.name): column_in_words(table, one, model) for one in table.columns}
    return texts


def _place(chunk: DescriptionChunk) -> str:
    first, last = chunk.columns[0], chunk.columns[-1]
    return f"The {len(chunk.columns)} columns {first} to {last} of {chunk.table}"


def _chunks(table: Table, model: SemanticModel, values: SampledValues) -> Iterator[DescriptionChunk]:
    model = model_shown(model)
    table = model.tables[table.name]
    links = [link for link in model.relationships if table.name in (link.left, link.right)]
    for start in range(0, len(table.columns), CHUNK):
        columns = table.columns[start : start + CHUNK]
        names = tuple(column.name for column in columns)
        yield DescriptionChunk(
            table.name, names, table_ddl(table, links, columns=names), _shown(table, columns, values)
        )


def _shown(table: Table, columns: Sequence[Column], values: SampledValues) -> dict[str, tuple[str, ...]]:
    """Some values of the columns that hold no secrets; the model's own enum values are in the table's text."""
    shown = {
        column.name: values.get(ColumnRef(table.name, column.name), ())[:_MOST_VALUES]
        for column in columns
        if not is_secret(column)
    }
    return {name: tuple(value[:_LONGEST_VALUE] for value in some) for name, some in shown.items() if some}


# -- in the words of names, types and keys ----------------------------------------------------------------------------


def table_in_words(table: Table, model: SemanticModel) -> str:
    """One or two sentences: what a row is, by which columns it is known, and how the table relates to others."""
    if table.description:
        return table.description
    start = _KINDS.get(table.kind, f"One row for each {row_name(table)}")
    key = f", identified by {listed(table.primary_key)}" if table.primary_key else ""
    return ". ".join([f"{start}{key}", *_relations(table, model.relationships)]) + "."


def column_in_words(table: Table, column: Column, model: SemanticModel) -> str:
    """One sentence, or two: what the column holds, and what it refers to."""
    if column.description:
        return column.description
    place = ColumnRef(table.name, column.name)
    target = next((target for one, target in _references(model.relationships) if one == place), None)
    column = replace(column, unit=column.unit or unit_of_name(column.name, [other.name for other in table.columns]))
    said = f"{_held(table, column)}{f' (in {column.unit})' if column.unit else ''}"
    if target is not None:
        # `reports_to` says nothing of a row, but whom it refers to.
        called = said if said.startswith("identifier ") else " ".join(_words(column))
        said = f"{called}; refers to {target}"
    values = f" One of: {', '.join(column.values[:_MOST_NAMED])}." if 0 < len(column.values) <= _MOST_NAMED else ""
    return f"{said[:1].upper()}{said[1:]}.{values}"


def row_name(table: Table) -> str:
    """What one row of the table is called."""
    *first, last = written_out(words(table.display_name or table.name)) or (table.name,)
    return " ".join((*first, singular(last)))


def _words(column: Column) -> tuple[str, ...]:
    named = words(column.display_name or column.name)
    return written_out(without_unit(named, column.unit) if column.unit else named) or (column.name,)


def _held(table: Table, column: Column) -> str:
    named = _words(column)
    row = row_name(table)
    if column.role is ColumnRole.CALCULATED:
        return f"{' '.join(named)} of the {row}, computed by the model"
    if column.role in (ColumnRole.MEASURE, ColumnRole.DIMENSION):
        return f"{' '.join(named)} ({column.role.value})"
    if table.primary_key == (column.name,) or named[-1] in listed_words("keys"):
        subject = " ".join(named[:-1]) if named[-1] in listed_words("keys") else ""
        return f"identifier of the {subject or row}"
    family = type_family(column.type)
    if family is TypeFamily.BOOLEAN or (named[0] in listed_words("asking") and len(named) > 1):
        return _yes_or_no(named, row)
    if family is TypeFamily.TIME:
        return _moment(named, row, column.type)
    # `customer_name` of customers says already what it is of.
    is_said = set(row.split()) <= set(named)
    return " ".join(named) if is_said else f"{' '.join(named)} of the {row}"


def _yes_or_no(named: tuple[str, ...], row: str) -> str:
    if named[0] in listed_words("asking") and len(named) > 1:
        return f"whether the {row} {' '.join(named)}"
    if _is_done(named[-1]) or named[-1] in listed_words("states"):
        return f"whether the {row} is {' '.join(named)}"
    return f"{' '.join(named)} of the {row}, yes or no"


def _is_done(word: str) -> bool:
    """Whether a word is a participle: archived, paid."""
    return word in listed_words("done") or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))


def _moment(named: tuple[str, ...], row: str, type_name: str) -> str:
    """`created_at`, `order_date`, `birthday`."""
    if named[-1] in ("at", "on") and len(named) > 1:
        what = "day on" if "time" not in type_name.lower() else "time at"
        if _is_done(named[-2]):
            return f"{what} which the {row} was {' '.join(named[:-1])}"
        if named[-2] in listed_words("verbs"):
            return f"{what} which the {row} {' '.join(named[:-1])}"
        named = named[:-1]
    if named[-1] in listed_words("moments"):
        return f"{' '.join(named)} of the {row}" if row.split()[-1] not in named else " ".join(named)
    return f"{' '.join(named)} of the {row} (a {'day' if type_name.lower() == 'date' else 'time'})"


def _references(links: Iterable[Relationship]) -> Iterator[tuple[ColumnRef, str]]:
    """The columns that hold keys of other tables, and whose."""
    for link in links:
        for here, there in link.pairs:
            if link.cardinality is Cardinality.ONE_TO_MANY:
                yield ColumnRef(link.right, there), link.left
            else:
                yield ColumnRef(link.left, here), link.right


def _relations(table: Table, links: Iterable[Relationship]) -> list[str]:
    references = list(_references(links))
    to = [target for place, target in references if place.table == table.name]
    by = [place.table for place, target in references if table.name == target != place.table]
    said = [("Refers to", to), ("Referred to by", by)]
    return [f"{verb} {_some(dict.fromkeys(names))}" for verb, names in said if names]


def _some(names: Iterable[str]) -> str:
    all_names = list(names)
    more = len(all_names) - _MOST_NAMED
    return listed(all_names) if more <= 0 else f"{listed([*all_names[:_MOST_NAMED], f'{more} more'])}"
