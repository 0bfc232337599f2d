"""Whether the tables and columns that a semantic model names are in the database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from askwell.errors import AskwellError
from askwell.mdl.checks.database import tables_without_model
from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import warnings_against
from askwell.services.database import Database

# Seconds that introspection may take before preparation goes on without it.
TIME_LIMIT = 20.0
_MOST_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class PhysicalFindings:
    """`warnings` are sentences with the nearest names; `reached` says whether the database could be looked at, and
    `without_model` are the tables that it has and the model has not."""

    warnings: tuple[str, ...]
    reached: bool = True
    without_model: tuple[str, ...] = ()


async def check_against_database(manifest: Manifest, database: Database) -> PhysicalFindings:
    """Never fails: a database that cannot be looked at is itself a warning, since a model may be prepared before its
    database is there. No table is named that models may not read."""
    try:
        async with asyncio.timeout(TIME_LIMIT):
            schema = database.visible(await database.engine.introspect())
    except TimeoutError:
        late = f"The database did not list its tables within {TIME_LIMIT:g} s, so the model was not checked on it."
        return PhysicalFindings((late,), reached=False)
    except AskwellError as error:
        unseen = f"The model was not checked on its database. {error.message} {error.hint}".strip()
        return PhysicalFindings((unseen,), reached=False)
    # A thousand tables take a fifth of a second.
    warnings = await asyncio.to_thread(lambda: [str(problem) for problem in warnings_against(manifest, schema)])
    if len(warnings) > _MOST_WARNINGS:
        rest = len(warnings) - _MOST_WARNINGS
        warnings = [*warnings[:_MOST_WARNINGS], f"There are {rest} more tables or columns that the database lacks."]
    beyond = await asyncio.to_thread(tables_without_model, manifest, schema)
    return PhysicalFindings(tuple(warnings), without_model=beyond)
