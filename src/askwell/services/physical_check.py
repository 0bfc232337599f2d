"""Whether the tables and columns that a semantic model names are in the database."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass

from askwell.errors import AskwellError
from askwell.mdl.manifest import Manifest, Model, TableReference
from askwell.mdl.names import nearest_hint
from askwell.providers.engine.base import Engine, PhysicalSchema, PhysicalTable

# Seconds that introspection may take before preparation goes on without it.
TIME_LIMIT = 20.0
_MOST_WARNINGS = 100

_NAME = re.compile(r"""\s*(?:"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([^\W\d]\w*))\s*""")


@dataclass(frozen=True, slots=True)
class PhysicalFindings:
    """`warnings` are sentences with the nearest names; `reached` says whether the database could be looked at."""

    warnings: tuple[str, ...]
    reached: bool = True


async def check_against_database(manifest: Manifest, engine: Engine) -> PhysicalFindings:
    """Never fails: a database that cannot be looked at is itself a warning, since a model may be prepared before its
    database is there."""
    try:
        async with asyncio.timeout(TIME_LIMIT):
            schema = await engine.introspect()
    except TimeoutError:
        late = f"The database did not list its tables within {TIME_LIMIT:g} s, so the model was not checked on it."
        return PhysicalFindings((late,), reached=False)
    except AskwellError as error:
        unseen = f"The model was not checked on its database. {error.message} {error.hint}".strip()
        return PhysicalFindings((unseen,), reached=False)
    warnings = [warning for model in manifest.models for warning in _check(model, schema)]
    if len(warnings) > _MOST_WARNINGS:
        rest = len(warnings) - _MOST_WARNINGS
        warnings = [*warnings[:_MOST_WARNINGS], f"There are {rest} more tables or columns that the database lacks."]
    return PhysicalFindings(tuple(warnings))


def _check(model: Model, schema: PhysicalSchema) -> Iterator[str]:
    if model.table_reference is None:
        return  # a statement of its own: its names are seen when it is first planned
    table = _find(model.table_reference, schema)
    if table is None:
        known = [one.name for one in schema.tables]
        wanted = model.table_reference.table
        yield f'Model {model.name}: the database has no table "{wanted}". {nearest_hint(wanted, known)}'.strip()
        return
    columns = {column.name.lower() for column in table.columns}
    for column in model.columns:
        if column.is_calculated or column.relationship is not None:
            continue
        name = _plain_name(column.expression) if column.expression else column.name
        if name is not None and name.lower() not in columns:
            hint = nearest_hint(name, [one.name for one in table.columns])
            yield f'Model {model.name}: table {table.name} has no column "{name}". {hint}'.strip()


def _find(reference: TableReference, schema: PhysicalSchema) -> PhysicalTable | None:
    """The table of that name; of several, the one in the schema that the model names."""
    named = [table for table in schema.tables if table.name.lower() == reference.table.lower()]
    wanted = (reference.schema_name or "").lower()
    return next((table for table in named if (table.schema or "").lower() == wanted), named[0] if named else None)


def _plain_name(expression: str) -> str | None:
    """The column that an expression names, when that is all it does."""
    match = _NAME.fullmatch(expression)
    if match is None:
        return None
    return next((group.replace('""', '"') for group in match.groups() if group is not None), None)
