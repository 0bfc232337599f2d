"""The schema with fewer columns: those that a language model named, and those that any SQL may need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from askwell.mdl.names import listed
from askwell.mdl.prompt_facts import BRIEF, WHOLE
from askwell.mdl.semantic_model import Column, Table
from askwell.pipelines.retrieval.context import RetrievedContext, SchemaContext
from askwell.pipelines.retrieval.joins import Joins
from askwell.pipelines.retrieval.model_text import Link, estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.schema_context import Shown, written_schema

# What stands between the parts of a path into a column: `address.city`, `items[0].price`, `doc->>'a'`, `doc:a`.
_STEP = re.compile(r"\.|\[|->|:")
_QUOTES = "\"'`[] "


def pruned_context(
    found: RetrievedContext, named: Mapping[str, Collection[str]], prepared: PreparedModel
) -> RetrievedContext | None:
    """What was found, with the columns of its schema that are `named` (by table, as someone wrote the names), that are
    essential, in a primary key or named by a value of the question, and those that the shown tables join by. None where
    no name is one of the schema's; what was found itself where nothing gets shorter."""
    schema = found.schema
    wanted = _known(named, found, prepared)
    if not wanted:
        return None
    links = prepared.text.links(schema.tables)
    for name in schema.tables:
        wanted.setdefault(name, set()).update(_always(prepared.model.tables[name]))
    for table, columns in (needed for link in links for needed in link.needs.items()):
        wanted[table].update(columns)
    for match in found.values:
        wanted.get(match.column.table, set()).add(match.column.column)
    kept = {name: [one for one in schema.columns[name] if one in wanted[name]] for name in schema.tables}
    dropped = [name for name, columns in kept.items() if not columns]
    of_lines = [
        link for own in prepared.text.links_of_lines(schema.tables, list(schema.listed)).values() for link in own
    ]
    left_out = (*schema.left_out, *([f"Left out: {listed(dropped)}."] if dropped else []))
    for limits in (WHOLE, BRIEF):
        shown = {
            name: _shown(Shown(prepared.text.table(name, limits), dict.fromkeys(columns, True)))
            for name, columns in kept.items()
            if columns
        }
        stated = [link for link in (*links, *of_lines) if _has_columns(link, kept | dict(schema.listed))]
        outlined = schema.outline.columns
        further = [name for name in schema.listed if name not in outlined]
        shorter = written_schema(prepared, shown, stated, left_out, further, hints=schema.hints, outline=schema.outline)
        shorter = _with_sentences(shorter, schema.joins)
        if shorter.tokens < schema.tokens:
            return replace(found, schema=shorter)
    return found


def _with_sentences(shorter: SchemaContext, joins: Joins) -> SchemaContext:
    """What was said of joins still holds: no table that joins to another is gone."""
    groups = (tuple(name for name in group if name in shorter.columns) for group in joins.groups)
    kept = replace(joins, edges=shorter.joins.edges, groups=tuple(filter(None, groups)))
    sentences = "\n".join(kept.sentences(shorter.dialect))
    return replace(shorter, joins=kept, tokens=shorter.tokens + estimated_tokens(sentences))


def _has_columns(link: Link, shown: Mapping[str, Collection[str]]) -> bool:
    return all(set(names) <= set(shown.get(table, ())) for table, names in link.needs.items())


def _shown(shown: Shown) -> Shown:
    shown.left_out = [name for name in shown.text.columns if name not in shown.columns]
    return shown


def _always(table: Table) -> Iterator[str]:
    yield from table.primary_key
    yield from (column.name for column in table.columns if column.essential)


def _known(
    named: Mapping[str, Collection[str]], found: RetrievedContext, prepared: PreparedModel
) -> dict[str, set[str]]:
    """The names that are those of shown columns, in any letter case; a field inside a column stands for the column."""
    by_lower = {name.lower(): name for name in found.schema.tables}
    known: dict[str, set[str]] = {}
    for written, columns in named.items():
        if (name := by_lower.get(written.strip(_QUOTES).lower())) is not None:
            table = prepared.model.tables[name]
            shown = set(found.schema.columns[name])
            meant = {column for one in columns if (column := column_meant(table, one)) in shown}
            known.setdefault(name, set()).update(meant)
    return known


def column_meant(table: Table, written: str) -> str | None:
    """The column of a table that a person wrote, in any letter case, with its table before it or with a path into it
    behind it; None where there is no such column."""
    name = written.strip(_QUOTES)
    for candidate in (name, *_without_table(table, name)):
        if (column := table.column(candidate)) is not None:
            return column.name
        # The longest beginning of a path that is a column.
        ends = [step.start() for step in _STEP.finditer(candidate)]
        for end in reversed(ends):
            if (column := table.column(candidate[:end].strip(_QUOTES))) is not None:
                return column.name
    return next((column.name for column in table.columns if name.lower() in map(str.lower, _fields(column))), None)


def _without_table(table: Table, name: str) -> Iterator[str]:
    prefix, dot, rest = name.partition(".")
    if dot and prefix.strip(_QUOTES).lower() == table.name.lower():
        yield rest.strip(_QUOTES)
    elif name.lower().startswith(f"{table.name.lower()}."):  # a table whose name has a dot itself
        yield name[len(table.name) + 1 :].strip(_QUOTES)


def _fields(column: Column) -> Iterable[str]:
    """The paths of what is inside a column, where the model says so."""
    for key in ("json_fields", "nested_columns"):
        inside = column.properties.get(key)
        if isinstance(inside, Mapping):
            yield from map(str, inside)
        elif isinstance(inside, list):
            for one in inside:
                yield str(one.get("name", "")) if isinstance(one, Mapping) else str(one)
