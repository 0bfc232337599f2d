"""From the options of a command to a database that is ready to be asked."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import importlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from askwell.cli.local.cache import prepared_for
from askwell.cli.local.database import given_database
from askwell.cli.options import DatabaseOptions
from askwell.config import load_config
from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.observability.logging import configure_logging

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession
    from askwell.cli.progress import Progress

_LOCAL_TIME = "/etc/localtime"


@contextlib.asynccontextmanager
async def opened_session(
    database: str, options: DatabaseOptions, watcher: Progress, *, max_attempts: int | None = None
) -> AsyncIterator[LocalSession]:
    """The database, ready. `max_attempts` is how often SQL that fails is corrected, in place of the configured number.

    What was given is looked at before anything heavy is imported. Raises `ConfigurationError` and `InvalidModel` for
    what cannot be used, and `AskwellError` where no question can be asked at all."""
    configure_logging("error", as_json=False)
    given = given_database(database)
    zone = time_zone(options.timezone)
    settings = load_config(options.config, os.environ)
    if max_attempts is not None:
        changed = settings.settings.model_copy(update={"max_sql_correction_retries": max_attempts})
        settings = settings.model_copy(update={"settings": changed})
    text = read_model_file(options.model) if options.model is not None else None
    digest = hashlib.sha256(text.encode()).hexdigest() if text is not None else ""
    known = prepared_for(given.key)
    is_known = known is not None and known.is_of(given.version(), digest) and not options.refresh
    watcher.step("reading the schema")
    # The libraries are imported while the database is looked at; where it cannot be used nothing else is done.
    imported = asyncio.to_thread(_import_without_pauses, "askwell.cli.local.session")
    schema, session = await asyncio.gather(_nothing() if is_known else given.schema(), imported)
    local = session.LocalOptions(model=text, digest=digest, refresh=options.refresh, timezone=zone)
    async with session.local_session(given, schema, settings, local, watcher) as ready:
        yield ready


async def _nothing() -> None:
    pass


def _import_without_pauses(module: str) -> Any:
    """The module. What importing makes stays for good: looking through it for garbage takes an eighth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def read_model_file(path: Path) -> str:
    """The text of a file with MDL JSON. Raises `ConfigurationError` where there is none that can be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError(*say("cli.file_missing_write_one", path=path)) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(*say("cli.mdl_file_unreadable", path=path, reason=reason)) from None


def time_zone(written: str | None) -> str:
    """The IANA name of the zone that `--timezone` names, or else of this machine's own; UTC where it does not say.
    Raises `ConfigurationError` for a name that is none."""
    if written is not None:
        if not _is_zone(written):
            raise ConfigurationError(*say("cli.time_zone", written=written[:64]))
        return written
    # As the C library looks for it; the file is a link into its own folder of zones.
    names = (os.environ.get("TZ", "").removeprefix(":"), os.path.realpath(_LOCAL_TIME).rpartition("/zoneinfo/")[2])
    found = next(filter(_is_zone, names), "UTC")
    return "UTC" if found == "Etc/UTC" else found


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return bool(name)
