"""From what the command line says to a database that is ready to be asked."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from askwell.cli.local.given_database import GivenDatabase, given_database
from askwell.cli.local.time_zone import time_zone
from askwell.cli.option_groups import DatabaseOptions
from askwell.cli.progress import Progress
from askwell.config import load_config
from askwell.errors import ConfigurationError
from askwell.observability.logging import configure_logging

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession, Watcher
    from askwell.providers.engine.base import PhysicalSchema


@contextlib.asynccontextmanager
async def opened_session(
    database: str, options: DatabaseOptions, watcher: Watcher, *, max_attempts: int | None = None
) -> AsyncIterator[LocalSession]:
    """The database, ready. `max_attempts` is how often SQL that fails is corrected, in place of the configured number.

    What was given is looked at before anything heavy is imported. Raises `ConfigurationError` and `InvalidModel` for
    what cannot be used, and `AskwellError` where no question can be asked at all."""
    configure_logging("error", as_json=False)
    given = given_database(database, os.environ)
    zone = time_zone(options.timezone, os.environ)
    settings = load_config(options.config, os.environ)
    if max_attempts is not None:
        changed = settings.settings.model_copy(update={"max_sql_correction_retries": max_attempts})
        settings = settings.model_copy(update={"settings": changed})
    text = None
    if options.model is not None:
        from askwell.cli.local.model_file import read_model_file

        text = read_model_file(options.model)
    watcher.step("reading the schema")
    # The libraries are imported while the database is looked at; where it cannot be used nothing else is done.
    imported = asyncio.to_thread(_import_without_pauses, "askwell.cli.local.session")
    schema, session = await asyncio.gather(_schema_of(given), imported)
    local = session.LocalOptions(model=text, refresh=options.refresh, timezone=zone)
    async with session.local_session(given, schema, settings, os.environ, local, watcher) as ready:
        yield ready


def _import_without_pauses(module: str) -> Any:
    """The module. What importing makes stays for good: looking through it for garbage takes an eighth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


async def _schema_of(given: GivenDatabase) -> PhysicalSchema:
    async with given.engine() as engine:
        return await engine.introspect()


@contextlib.asynccontextmanager
async def opened_project(database: str | None, whose: str) -> AsyncIterator[LocalSession]:
    """A database for what belongs to it (`whose`: "lessons"), without a word of progress. Raises `ConfigurationError`
    where none is named, and as `opened_session` does."""
    if database is None:
        raise ConfigurationError(
            f"It is not said whose {whose}.", "Name --url of a service or --database, or set ASKWELL_DATABASE."
        )
    with Progress(quiet=True) as progress:
        async with opened_session(database, DatabaseOptions(), progress) as session:
            yield session
