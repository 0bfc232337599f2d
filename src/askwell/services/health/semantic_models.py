"""Whether the semantic models in the record fit their database as it is today."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from askwell.errors import AskwellError
from askwell.knowledge.record import Record
from askwell.mdl.validation import read_manifest
from askwell.services.database import Database
from askwell.services.health.finding import Finding, failed, ok, skipped, warning, worst
from askwell.services.health.storage import OpenRecord
from askwell.services.physical_check import check_against_database

_MOST_NAMED = 5
_PREPARE = (
    "Send one with POST /v1/semantics-preparations{}; `askwell model init --database … -o model.json` writes a first "
    "one."
)
_AGAIN = "Correct the model, or the database, and send the model again (POST /v1/semantics-preparations{})."


async def models_fit(
    open_record: OpenRecord, projects_of: Callable[[Sequence[str]], list[str]], make: Callable[[], Database]
) -> Finding:
    """Whether the current models of a database's projects are valid, and all their tables and columns are there.

    `projects_of` picks, from all projects that have a model, those whose database it is, and may name one that has none
    as yet; `make` makes that database.
    """
    try:
        record = await open_record()
    except AskwellError:
        return skipped("the record cannot be read")
    if record is None:
        return warning("No model has been prepared yet.", _PREPARE.format(""))
    try:
        if not await record.has_everything():
            return skipped("the record is of an earlier Askwell, until the service has been started once")
        return await _all_fit(record, projects_of(await record.models.projects()), make)
    finally:
        await record.close()


async def _all_fit(record: Record, projects: Sequence[str], make: Callable[[], Database]) -> Finding:
    try:
        database = make()
    except AskwellError:
        return skipped("the database cannot be used")
    try:
        found = [await _fits(record, project, database) for project in projects]
    finally:
        await database.engine.close()
    return replace(worst(found), message="\n".join(one.message for one in found))


async def _fits(record: Record, project: str, database: Database) -> Finding:
    current = await record.models.resolve(project, None)
    stored = None if current is None else await record.models.find(project, *current)
    if stored is None:
        return warning(f"No model has been prepared for project {project}.", _PREPARE.format(_for(project)))
    named = f"{project}: the model {stored.label}"
    # A thousand tables take a third of a second.
    reading = await asyncio.to_thread(read_manifest, stored.manifest, data_source=database.engine.data_source)
    if reading.manifest is None:
        return failed(f"{named} is not valid for this version or this database.", _AGAIN.format(_for(project)))
    found = await check_against_database(database.placed(reading.manifest), database.engine)
    if not found.reached:
        return skipped(f"{named} cannot be compared with its database")
    if not found.warnings:
        count = len(reading.manifest.models)
        tables = "its table is" if count == 1 else f"all its {count} tables are"
        return ok(f"{named} fits: {tables} there, with {'its' if count == 1 else 'their'} columns")
    shown = list(found.warnings[:_MOST_NAMED])
    if len(found.warnings) > _MOST_NAMED:
        shown.append(f"… and {len(found.warnings) - _MOST_NAMED} more.")
    return failed("\n".join([f"{named} does not fit its database:", *shown]), _AGAIN.format(_for(project)))


def _for(project: str) -> str:
    return "" if project == "default" else f' with "project_id": "{project}"'
